//! The sky's light on the floor, measured once on a grid: it varies slowly, and asking all sky
//! directions at every pixel of a large floor would cost more than the rest of the picture.

use super::depth_map::stable_radius;
use super::mesh::Mesh;
use crate::math::{frame, smoothstep};
use glam::Vec3;
use rayon::prelude::*;

/// Grid points along a side.
const SIZE: usize = 256;
/// Half the grid's side, in radii of the scene; beyond, the floor is taken as open.
const REACH: f32 = 3.0;

/// Shares of sky light on a square of the floor.
pub(super) struct FloorSky {
    u: Vec3,
    v: Vec3,
    /// Coordinates of the first point along `u` and `v`.
    origin: [f32; 2],
    step: f32,
    share: Vec<f32>,
}

impl FloorSky {
    /// For the floor at `height` along `up`; `measure` gives the share at one of its points.
    pub fn new(mesh: &Mesh, up: Vec3, height: f32, measure: impl Fn(Vec3) -> f32 + Sync) -> Self {
        let (u, v) = frame(up);
        let half = REACH * stable_radius(mesh.radius);
        let step = 2.0 * half / (SIZE - 1) as f32;
        // Whole steps, so that the pattern stays put while the scene moves in a film.
        let snap = |x: f32| ((x - half) / step).floor() * step;
        let origin = [snap(mesh.center.dot(u)), snap(mesh.center.dot(v))];
        let share = (0..SIZE * SIZE)
            .into_par_iter()
            .map(|k| {
                let (x, y) = ((k % SIZE) as f32, (k / SIZE) as f32);
                measure(height * up + (origin[0] + step * x) * u + (origin[1] + step * y) * v)
            })
            .collect();
        Self { u, v, origin, step, share }
    }

    /// The share at a point: a quadratic spline through the grid, which also smooths its steps.
    pub fn at(&self, point: Vec3) -> f32 {
        let x = (point.dot(self.u) - self.origin[0]) / self.step;
        let y = (point.dot(self.v) - self.origin[1]) / self.step;
        let last = (SIZE - 1) as f32;
        if !(x >= 1.0 && y >= 1.0 && x < last - 1.0 && y < last - 1.0) {
            return 1.0;
        }
        let (ix, iy) = ((x + 0.5) as usize, (y + 0.5) as usize);
        let (wx, wy) = (spline(x - ix as f32), spline(y - iy as f32));
        let mut sum = 0.0;
        for j in 0..3 {
            let row = &self.share[(iy + j - 1) * SIZE + ix - 1..][..3];
            sum += wy[j] * (wx[0] * row[0] + wx[1] * row[1] + wx[2] * row[2]);
        }
        // No seam where the grid ends.
        let center = 0.5 * last;
        let away = (((x - center) / center).abs()).max(((y - center) / center).abs());
        let open = smoothstep(0.55, 0.98, away);
        sum + (1.0 - sum) * open
    }
}

/// Weights of the quadratic B-spline at -1, 0, 1 for an offset in -1/2..=1/2.
fn spline(t: f32) -> [f32; 3] {
    let (a, b) = (0.5 - t, 0.5 + t);
    [0.5 * a * a, 0.75 - t * t, 0.5 * b * b]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spline_weights_add_up() {
        for k in 0..=10 {
            let w = spline(k as f32 / 10.0 - 0.5);
            assert!((w.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        }
    }
}
