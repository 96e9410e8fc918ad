//! The colour of what a pixel shows: body, floor or background, in linear light.

use super::light::Lighting;
use super::mesh::Mesh;
use super::settings::Settings;
use super::view::{View, barycentric};
use crate::color::to_linear;
use crate::math::{blend3, frame, power, smoothstep, unit};
use glam::Vec3;

/// Colours of the light that is everywhere; a white surface facing the key light gets a little more than 1.
const SKY_LIGHT: Vec3 = Vec3::new(0.40, 0.43, 0.48);
const BOUNCE_LIGHT: Vec3 = Vec3::new(0.23, 0.215, 0.20);
const CAMERA_LIGHT: f32 = 0.09;
/// Light that the floor gets everywhere, so that no shadow is black.
const FLOOR_LIGHT: f32 = 0.12;
/// Exponent of the highlight.
const SHININESS: u32 = 44;
/// Half the width of a wire, in pixels, and how much of the body's colour it takes away.
const WIRE_HALF_WIDTH: f32 = 0.42;
const WIRE_DARKENING: f32 = 0.58;
/// How much darker the darker chequers are.
const CHECKER_DEPTH: f32 = 0.085;

/// Everything needed to colour a point.
pub(super) struct Shader<'a> {
    mesh: &'a Mesh,
    view: &'a View,
    lighting: &'a Lighting,
    floor: f32,
    has_floor: bool,
    checker: Option<f32>,
    floor_axes: (Vec3, Vec3),
    wireframe: bool,
    specular: f32,
    background: [Vec3; 2],
    samples_per_pixel: f64,
    rows: f32,
}

impl<'a> Shader<'a> {
    pub fn new(mesh: &'a Mesh, view: &'a View, lighting: &'a Lighting, settings: &Settings) -> Self {
        Self {
            mesh,
            view,
            lighting,
            floor: settings.floor.unwrap_or(0.0),
            has_floor: settings.floor.is_some(),
            checker: settings
                .checker
                .then(|| settings.checker_size.unwrap_or_else(|| round_length(0.10 * view.distance))),
            floor_axes: frame(view.up),
            wireframe: settings.wireframe,
            specular: settings.specular,
            background: settings.background.map(to_linear),
            samples_per_pixel: f64::from(settings.supersample),
            rows: (settings.height * settings.supersample) as f32,
        }
    }

    /// Background behind a point of the picture (in samples).
    pub fn background(&self, y: f64) -> Vec3 {
        let t = (y as f32 / self.rows).clamp(0.0, 1.0);
        let [top, bottom] = self.background;
        top + smoothstep(0.0, 0.9, t) * (bottom - top)
    }

    /// The floor at a point of the picture: the background, times the share of light that arrives,
    /// so that it ends nowhere.
    pub fn floor(&self, x: f64, y: f64) -> Vec3 {
        let base = self.background(y);
        let Some(point) = self.floor_point(x, y) else { return base };
        let up = self.view.up;
        let key = self.lighting.key.dot(up).max(0.0);
        let lit = key * self.lighting.key_on_floor(point);
        let sky = self.lighting.sky_on_floor(point);
        let (key_light, always) = (self.lighting.key_color, self.fill(up) + FLOOR_LIGHT);
        let full = key * key_light + SKY_LIGHT + always;
        let share = (lit * key_light + sky * SKY_LIGHT + always) / full;
        base * (self.checker_at(point, x, y) * share)
    }

    fn floor_point(&self, x: f64, y: f64) -> Option<Vec3> {
        let ray = self.view.ray(x, y);
        let fall = ray.dot(self.view.up);
        let t = (self.floor - self.view.eye.dot(self.view.up)) / fall;
        (fall < 0.0 && t.is_finite()).then(|| self.view.eye + t * ray)
    }

    /// Brightness of the chequers, averaged over the pixel, fading out with the distance.
    fn checker_at(&self, point: Vec3, x: f64, y: f64) -> f32 {
        let Some(size) = self.checker else { return 1.0 };
        let s = self.samples_per_pixel;
        let (Some(right), Some(down)) = (self.floor_point(x + s, y), self.floor_point(x, y + s)) else {
            return 1.0;
        };
        let along = |axis: Vec3| {
            let at = point.dot(axis) / size;
            let width = ((right - point).dot(axis).abs() + (down - point).dot(axis).abs()) / size;
            square_wave(at, width)
        };
        let pattern = 0.5 - 0.5 * along(self.floor_axes.0) * along(self.floor_axes.1);
        let far = point.distance(self.view.eye) / self.view.distance;
        1.0 - CHECKER_DEPTH * pattern * (1.0 - smoothstep(1.1, 2.6, far))
    }

    /// A face at a point of the picture.
    pub fn face(&self, face: usize, x: f64, y: f64) -> Vec3 {
        let corners = self.mesh.corners(face);
        let ray = self.view.ray(x, y);
        let Some(bary) = barycentric(self.view.eye, ray, corners).map(inside) else {
            return self.background(y);
        };
        let vertices = self.mesh.faces[face].map(|v| v as usize);
        let albedo = blend3(vertices.map(|v| self.mesh.colors[v]), bary);
        let point = blend3(corners, bary);
        let to_eye = unit(self.view.eye - point).unwrap_or(self.view.up);
        // Both sides are lit: the normal is the one on the viewer's side.
        let side = if self.mesh.face_normals[face].dot(to_eye) < 0.0 { -1.0 } else { 1.0 };
        let facet = side * self.mesh.face_normals[face];
        let normals = self.mesh.corner_normals[face].map(|n| side * n);
        let normal = unit(blend3(normals, bary)).unwrap_or(facet);
        let lookup = on_smooth_surface(point, corners, normals, bary);
        let mut color = self.light(Element { albedo, point, lookup, facet, normal, to_eye });
        if self.wireframe {
            color *= 1.0 - WIRE_DARKENING * self.wire(bary, corners, x, y);
        }
        tone(color)
    }

    fn light(&self, e: Element) -> Vec3 {
        let lighting = self.lighting;
        let cosine = e.normal.dot(lighting.key);
        let key = if cosine > 0.0 { cosine * lighting.key_visible(e.lookup, e.normal) } else { 0.0 };
        let sky = lighting.sky(e.lookup, e.normal, e.facet);
        let facing = e.normal.dot(e.to_eye).max(0.0);
        let below = 0.5 * (1.0 - e.normal.dot(lighting.up)) * self.openness_below(e.point);
        let light = key * lighting.key_color
            + sky * SKY_LIGHT
            + self.fill(e.normal)
            + below * BOUNCE_LIGHT
            + CAMERA_LIGHT * facing;
        // Blinn-Phong for the key light, and a faint sheen of sky where the surface turns away.
        let half = unit(lighting.key + e.to_eye).unwrap_or(e.normal);
        let highlight = power(e.normal.dot(half).max(0.0), SHININESS) * smoothstep(0.0, 0.25, key);
        let sheen = 0.22 * power(1.0 - facing, 4) * sky;
        let gloss = self.specular * (highlight + sheen);
        e.albedo * light + gloss * lighting.key_color
    }

    /// What the lights without shadows give to a surface with this normal.
    fn fill(&self, normal: Vec3) -> Vec3 {
        self.lighting
            .fills
            .iter()
            .fold(Vec3::ZERO, |sum, (direction, light)| sum + normal.dot(*direction).max(0.0) * light)
    }

    /// Little light comes back from a floor that is close: its part under the body is dark.
    fn openness_below(&self, point: Vec3) -> f32 {
        if !self.has_floor {
            return 1.0;
        }
        let height = (point.dot(self.view.up) - self.floor).max(0.0);
        0.25 + 0.75 * height / (height + 0.25 * self.mesh.radius.max(1e-6))
    }

    /// How much of the pixel a wire covers, from the distance to the nearest edge in pixels.
    fn wire(&self, bary: Vec3, corners: [Vec3; 3], x: f64, y: f64) -> f32 {
        let s = self.samples_per_pixel;
        let eye = self.view.eye;
        let right = barycentric(eye, self.view.ray(x + s, y), corners);
        let down = barycentric(eye, self.view.ray(x, y + s), corners);
        let (Some(right), Some(down)) = (right, down) else { return 0.0 };
        let mut cover: f32 = 0.0;
        for i in 0..3 {
            let (gx, gy) = (right[i] - bary[i], down[i] - bary[i]);
            let height = 1.0 / (gx * gx + gy * gy).sqrt().max(1e-12);
            let distance = bary[i] * height;
            // Where triangles shrink to a few pixels, wires would fill the surface: fade them.
            let fade = smoothstep(1.5, 9.0, height);
            cover = cover.max((WIRE_HALF_WIDTH + 0.5 - distance).clamp(0.0, 1.0) * fade);
        }
        cover
    }
}

/// A lit piece of a body.
struct Element {
    albedo: Vec3,
    point: Vec3,
    /// Where the shadow maps are asked.
    lookup: Vec3,
    facet: Vec3,
    normal: Vec3,
    to_eye: Vec3,
}

/// Snapping can put a sample just outside its face.
fn inside(bary: Vec3) -> Vec3 {
    let b = bary.map(|x| x.clamp(0.0, 1.0));
    b * (1.0 / b.element_sum().max(1e-6))
}

/// The point moved out to the smooth surface that the normals suggest: the mean of its feet on the
/// corners' tangent planes. Facets of a ball would else shadow themselves near the terminator.
fn on_smooth_surface(point: Vec3, corners: [Vec3; 3], normals: [Vec3; 3], bary: Vec3) -> Vec3 {
    let feet = [0, 1, 2].map(|i| {
        let height = (point - corners[i]).dot(normals[i]).min(0.0);
        point - height * normals[i]
    });
    blend3(feet, bary)
}

/// Square wave of period 2 and values -1 and 1, averaged over `width` around `x`.
fn square_wave(x: f32, width: f32) -> f32 {
    let integral = |x: f32| {
        let t = x - 2.0 * (0.5 * x).floor();
        if t < 1.0 { t } else { 2.0 - t }
    };
    let width = width.max(1e-4);
    ((integral(x + 0.5 * width) - integral(x - 0.5 * width)) / width).clamp(-1.0, 1.0)
}

/// Bends values above 0.7 towards 1, so that bright spots keep their colour.
fn tone(color: Vec3) -> Vec3 {
    color.map(|c| {
        let over = (c - 0.7).max(0.0) / 0.3;
        c.min(0.7) + 0.3 * over / (1.0 + over)
    })
}

/// The largest of 1, 2, 5 times a power of ten that is not above `x`.
fn round_length(x: f32) -> f32 {
    let mut decade: f32 = 1e-9;
    while decade * 10.0 <= x && decade < 1e12 {
        decade *= 10.0;
    }
    [5.0, 2.0, 1.0].into_iter().map(|m| m * decade).find(|l| *l <= x).unwrap_or(decade)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chequer_helpers() {
        assert!((square_wave(0.5, 0.1) - 1.0).abs() < 1e-5);
        assert!((square_wave(1.5, 0.1) + 1.0).abs() < 1e-5);
        assert!(square_wave(1.0, 0.2).abs() < 1e-5);
        assert!(square_wave(0.3, 50.0).abs() < 0.05);
        assert!((round_length(0.37) - 0.2).abs() < 1e-6);
        assert!((round_length(7.0) - 5.0).abs() < 1e-4);
    }

    #[test]
    fn tone_is_monotone_and_below_one() {
        let mut last = -1.0;
        for i in 0..100 {
            let t = tone(Vec3::splat(i as f32 * 0.05)).x;
            assert!(t > last && t < 1.0);
            last = t;
        }
    }
}
