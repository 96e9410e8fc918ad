//! What a picture looks like apart from its bodies and camera.

use crate::color::to_linear;
use crate::math::unit;
use glam::Vec3;

/// Largest width and height drawn; larger ones are clamped.
pub const MAX_IMAGE_SIDE: u32 = 8192;
/// Largest `supersample`; larger ones are clamped.
pub const MAX_SUPERSAMPLE: u32 = 4;

/// Light of the usual key light on a white surface that faces it: with the sky a little more than 1.
const KEY_STRENGTH: f32 = 0.93;

/// Options of [`render`](crate::render()).
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Width in pixels, clamped to 1..=[`MAX_IMAGE_SIDE`].
    pub width: u32,
    /// Height in pixels, clamped to 1..=[`MAX_IMAGE_SIDE`].
    pub height: u32,
    /// Edges are smoothed over n x n samples per pixel, clamped to 1..=[`MAX_SUPERSAMPLE`].
    pub supersample: u32,
    /// Height of the floor along the camera's `up`; `None` draws none.
    pub floor: Option<f32>,
    /// Chequers on the floor; without them it only shows shadows.
    pub checker: bool,
    /// Side of a chequer in metres; `None` takes a round number that suits the camera's distance.
    pub checker_size: Option<f32>,
    /// Draws the edges of the surface triangles as thin darker lines.
    pub wireframe: bool,
    /// Faces that meet at a larger angle than this, in degrees, show a sharp edge.
    pub crease_degrees: f32,
    /// The key light.
    pub key_light: Light,
    /// Lights without shadows.
    pub fill_lights: Vec<Light>,
    /// Whether the key light casts shadows.
    pub shadows: bool,
    /// Directions in which the sky's light is tested for blockers (ambient occlusion): 0 is off,
    /// 16 is fine for a film, clamped to at most 128.
    pub ambient_samples: u32,
    /// Strength of the highlights, 0 to 1.
    pub specular: f32,
    /// Colours of the background at the top and at the bottom, in sRGB, 0 to 1.
    pub background: [[f32; 3]; 2],
}

/// A light that is far away.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Light {
    /// From the scene towards the light; any length.
    pub direction: Vec3,
    /// Its colour in sRGB, 0 to 1.
    pub color: [f32; 3],
    /// How bright it is; 1 is the usual key light.
    pub intensity: f32,
}

impl Default for Light {
    /// The usual key light: from the left, above and before the scene, a little warm.
    fn default() -> Self {
        Self { direction: Vec3::new(-0.45, -0.6, 1.0), color: [1.0, 0.978, 0.946], intensity: 1.0 }
    }
}

impl Light {
    fn clamped(&self) -> Self {
        let default = Self::default();
        Self {
            direction: unit(self.direction).or_else(|| unit(default.direction)).unwrap_or(Vec3::Z),
            color: if is_finite(self.color) { self.color.map(|c| c.clamp(0.0, 1.0)) } else { default.color },
            intensity: if self.intensity.is_finite() { self.intensity.clamp(0.0, 100.0) } else { 1.0 },
        }
    }

    /// Its light on a surface that faces it, in linear light.
    pub(super) fn strength(&self) -> Vec3 {
        KEY_STRENGTH * self.intensity * to_linear(self.color)
    }
}

fn is_finite(color: [f32; 3]) -> bool {
    color.iter().all(|c| c.is_finite())
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            width: 960,
            height: 540,
            supersample: 3,
            floor: None,
            checker: true,
            checker_size: None,
            wireframe: false,
            crease_degrees: 35.0,
            key_light: Light::default(),
            fill_lights: Vec::new(),
            shadows: true,
            ambient_samples: 48,
            specular: 0.25,
            background: [[0.86, 0.90, 0.945], [0.965, 0.968, 0.972]],
        }
    }
}

impl Settings {
    /// The same settings with every value in its range.
    pub(crate) fn clamped(&self) -> Self {
        let usable = |x: f32| x.is_finite() && x.abs() < 1e12;
        let default = Self::default();
        Self {
            width: self.width.clamp(1, MAX_IMAGE_SIDE),
            height: self.height.clamp(1, MAX_IMAGE_SIDE),
            supersample: self.supersample.clamp(1, MAX_SUPERSAMPLE),
            floor: self.floor.filter(|z| usable(*z)),
            checker_size: self.checker_size.filter(|s| usable(*s) && *s > 0.0),
            crease_degrees: if usable(self.crease_degrees) {
                self.crease_degrees.clamp(0.0, 180.0)
            } else {
                default.crease_degrees
            },
            key_light: self.key_light.clamped(),
            fill_lights: self.fill_lights.iter().map(Light::clamped).collect(),
            ambient_samples: self.ambient_samples.min(128),
            specular: if usable(self.specular) { self.specular.clamp(0.0, 1.0) } else { 0.0 },
            background: self.background.map(|c| if is_finite(c) { c } else { [1.0; 3] }),
            checker: self.checker,
            wireframe: self.wireframe,
            shadows: self.shadows,
        }
    }
}
