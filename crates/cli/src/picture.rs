//! Pictures of worlds and recordings.

use pliant_render::{Camera, Image, Settings, Surface, palette, render};
use std::ops::Range;

/// A surface of one body among the vertices of all.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its triangles among all triangles.
    pub triangles: Range<usize>,
}

/// What does not change from frame to frame.
#[derive(Debug)]
pub struct Stage {
    /// Surface triangles of all bodies.
    pub triangles: Vec<[u32; 3]>,
    /// The bodies.
    pub parts: Vec<Part>,
    /// From where.
    pub camera: Camera,
    /// How.
    pub settings: Settings,
}

impl Stage {
    /// A camera that sees the box `bounds` from `direction`.
    pub fn new(
        triangles: Vec<[u32; 3]>,
        parts: Vec<Part>,
        bounds: ([f32; 3], [f32; 3]),
        direction: [f32; 3],
        mut settings: Settings,
    ) -> Stage {
        let aspect = settings.width as f32 / settings.height as f32;
        let camera = Camera::fit(bounds.0, bounds.1, direction, aspect);
        // A floor a little below everything: it shows shadows and touches nothing.
        let height = (bounds.1[2] - bounds.0[2]).max(1e-3);
        settings.floor = Some(bounds.0[2] - 0.05 * height);
        Stage { triangles, parts, camera, settings }
    }

    /// Draws one frame.
    pub fn draw(&self, positions: &[[f32; 3]]) -> Image {
        let surfaces: Vec<Surface> = self
            .parts
            .iter()
            .enumerate()
            .map(|(i, part)| Surface {
                positions,
                triangles: &self.triangles[part.triangles.clone()],
                color: palette(i),
                vertex_colors: None,
            })
            .collect();
        render(&surfaces, &self.camera, &self.settings)
    }
}

/// Smallest box around points, and around a box found before.
pub fn grow(bounds: Option<([f32; 3], [f32; 3])>, positions: &[[f32; 3]]) -> Option<([f32; 3], [f32; 3])> {
    positions.iter().filter(|p| p.iter().all(|c| c.is_finite())).fold(bounds, |b, p| {
        let (low, high) = b.unwrap_or((*p, *p));
        Some((std::array::from_fn(|k| low[k].min(p[k])), std::array::from_fn(|k| high[k].max(p[k]))))
    })
}
