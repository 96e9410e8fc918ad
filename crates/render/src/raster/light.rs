//! The light of the scene: a warm key light, a cool sky, and a little from the camera's side.

use super::depth_map::DepthMap;
use super::floor::FloorSky;
use super::mesh::Mesh;
use super::settings::Settings;
use crate::Camera;
use crate::math::{frame, sin_cos_degrees};
use glam::Vec3;
use rayon::prelude::*;

/// Grid of the key light's shadow map, and its filter.
const KEY_SIZE: usize = 2048;
const KEY_TAPS: usize = 5;
/// The floor is not in the map and cannot shadow itself, so that its shadows may be softer.
const KEY_FLOOR_TAPS: usize = 9;
/// Grid of each sky direction's map: coarse, as dozens of them are averaged.
const SKY_SIZE: usize = 256;
const SKY_TAPS: usize = 3;
const SKY_FLOOR_TAPS: usize = 4;

/// What lights the scene, with what blocks it.
pub(super) struct Lighting {
    /// Unit vector towards the key light.
    pub key: Vec3,
    /// Its light on a surface that faces it.
    pub key_color: Vec3,
    /// Directions and light of the other lights.
    pub fills: Vec<(Vec3, Vec3)>,
    pub up: Vec3,
    shadow: Option<DepthMap<KEY_TAPS>>,
    sky: Vec<DepthMap<SKY_TAPS>>,
    floor_sky: Option<FloorSky>,
}

impl Lighting {
    pub fn new(mesh: &Mesh, camera: &Camera, settings: &Settings) -> Self {
        let up = camera.world_up();
        let key = settings.key_light.direction;
        let fills = settings.fill_lights.iter().map(|l| (l.direction, l.strength())).collect();
        let key_color = settings.key_light.strength();
        let empty = mesh.faces.is_empty();
        let shadow = (settings.shadows && !empty).then(|| DepthMap::new(mesh, key, KEY_SIZE));
        let directions = if empty { Vec::new() } else { sky_directions(up, settings.ambient_samples) };
        let sky = directions.into_par_iter().map(|d| DepthMap::new(mesh, d, SKY_SIZE)).collect::<Vec<_>>();
        let mut lighting = Self { key, key_color, fills, up, shadow, sky, floor_sky: None };
        let measure = |point| lighting.measure_sky_on_floor(point);
        let floor_sky = settings.floor.filter(|_| !empty).map(|z| FloorSky::new(mesh, up, z, measure));
        lighting.floor_sky = floor_sky;
        lighting
    }

    /// The share of the key light that reaches a point.
    pub fn key_visible(&self, point: Vec3, normal: Vec3) -> f32 {
        self.shadow.as_ref().map_or(1.0, |map| map.visible(point, normal))
    }

    /// The share of the key light that reaches a point of the floor.
    pub fn key_on_floor(&self, point: Vec3) -> f32 {
        self.shadow.as_ref().map_or(1.0, |map| map.visible_around::<KEY_FLOOR_TAPS>(point))
    }

    /// The share of the sky's light that reaches a point of the floor.
    pub fn sky_on_floor(&self, point: Vec3) -> f32 {
        self.floor_sky.as_ref().map_or(1.0, |grid| grid.at(point))
    }

    /// The same without the grid.
    fn measure_sky_on_floor(&self, point: Vec3) -> f32 {
        let (mut sum, mut full) = (0.0, 0.0);
        for map in &self.sky {
            let cosine = map.direction.dot(self.up);
            full += cosine;
            sum += cosine * map.visible_around::<SKY_FLOOR_TAPS>(point);
        }
        if full > 0.0 { sum / full } else { 1.0 }
    }

    /// Light from the sky on a surface element: 1 for an open floor.
    ///
    /// `lift` is the normal of the facet (to clear its own blockers), `normal` the smooth one.
    pub fn sky(&self, point: Vec3, normal: Vec3, lift: Vec3) -> f32 {
        if self.sky.is_empty() {
            return 0.5 * (1.0 + normal.dot(self.up));
        }
        let (mut sum, mut full) = (0.0, 0.0);
        for map in &self.sky {
            full += map.direction.dot(self.up);
            let cosine = normal.dot(map.direction);
            if cosine > 0.0 {
                sum += cosine * map.visible(point, lift);
            }
        }
        sum / full
    }
}

/// Directions spread evenly over the upper half of the sphere, on a spiral of golden angles.
fn sky_directions(up: Vec3, count: u32) -> Vec<Vec3> {
    let (u, v) = frame(up);
    (0..count)
        .map(|k| {
            let height = (k as f32 + 0.5) / count as f32;
            let ring = (1.0 - height * height).max(0.0).sqrt();
            let (sin, cos) = sin_cos_degrees(137.507_764_05 * f64::from(k));
            height * up + ring * (cos as f32 * u + sin as f32 * v)
        })
        .collect()
}
