//! The rasteriser: surfaces and a camera in, an image out.
//!
//! In order: [`mesh`] gathers the usable triangles and their normals, [`depth_map`] draws the
//! scene as the key light and the sky see it, [`view`] projects it for the camera, and [`tile`]
//! finds what each sample of the picture shows and asks [`shade`] for its colour.

mod depth_map;
mod floor;
mod light;
mod mesh;
mod settings;
mod shade;
mod tile;
mod triangle;
mod view;

pub use settings::{Light, MAX_IMAGE_SIDE, MAX_SUPERSAMPLE, Settings};

use crate::{Camera, Image};
use glam::Vec3;

/// One body to draw: a triangle surface with its colour.
///
/// Triangles that name a missing or non-finite vertex, or have no area, are left out.
#[derive(Debug, Clone, Copy)]
pub struct Surface<'a> {
    /// Vertices, in metres.
    pub positions: &'a [Vec3],
    /// Vertex indices; both sides are drawn, so the winding only matters for smooth normals,
    /// which want neighbours to agree.
    pub triangles: &'a [[u32; 3]],
    /// Colour of the body in sRGB, 0 to 1.
    pub color: [f32; 3],
    /// One colour per vertex in sRGB, 0 to 1, instead of `color` (ignored unless one for each).
    pub vertex_colors: Option<&'a [[f32; 3]]>,
}

/// Draws the surfaces. Never fails: sizes are clamped (see [`Settings`]), unusable triangles skipped.
///
/// Uses rayon's current thread pool; the pixels do not depend on how many threads it has.
#[must_use]
pub fn render(surfaces: &[Surface<'_>], camera: &Camera, settings: &Settings) -> Image {
    let settings = settings.clamped();
    let mesh = mesh::Mesh::gather(surfaces, settings.crease_degrees);
    let view = view::View::new(camera, &settings);
    let lighting = light::Lighting::new(&mesh, camera, &settings);
    let shader = shade::Shader::new(&mesh, &view, &lighting, &settings);
    tile::draw(&mesh, &view, &shader, &settings)
}
