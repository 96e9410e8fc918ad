//! The scene as a distant light sees it: how far each bundle of parallel rays gets.

use super::mesh::Mesh;
use super::triangle::{DepthPlane, Edges, Rect};
use crate::math::frame;
use glam::Vec3;
use rayon::prelude::*;

/// Rows drawn by one task.
const BAND: usize = 64;

/// Distances along a light's rays on a square grid. Lookups for points of the mesh use `TAPS` taps
/// per axis, which average over a square of `TAPS - 1` texels.
pub(super) struct DepthMap<const TAPS: usize> {
    /// Unit vector towards the light.
    pub direction: Vec3,
    u: Vec3,
    v: Vec3,
    /// Coordinates along `u` and `v` of the grid's first corner.
    origin: [f32; 2],
    /// Side of a texel in metres.
    pub texel: f32,
    size: usize,
    depth: Vec<f32>,
}

impl<const TAPS: usize> DepthMap<TAPS> {
    /// Draws the mesh on a `size` x `size` grid.
    pub fn new(mesh: &Mesh, direction: Vec3, size: usize) -> Self {
        let (u, v) = frame(direction);
        let radius = stable_radius(mesh.radius);
        // Two texels of margin on each side for snapping, plus the width of the filter.
        let texel = 2.0 * radius / (size - 4 - 2 * TAPS) as f32;
        let half = 0.5 * texel * size as f32;
        // Whole texels: otherwise shadow edges shimmer in a film as the scene's centre moves.
        let snap = |x: f32| (x / texel).floor() * texel;
        let origin = [snap(mesh.center.dot(u) - half), snap(mesh.center.dot(v) - half)];
        let mut map = Self { direction, u, v, origin, texel, size, depth: vec![f32::INFINITY; size * size] };
        map.draw(mesh);
        map
    }

    fn draw(&mut self, mesh: &Mesh) {
        let triangles: Vec<(Edges, DepthPlane)> = (0..mesh.faces.len())
            .into_par_iter()
            .filter_map(|f| {
                let p = mesh.corners(f).map(|p| self.to_grid(p));
                let edges = Edges::new(p.map(|q| [f64::from(q.x), f64::from(q.y)]))?;
                Some((edges, linear_plane(p)?))
            })
            .collect();
        let size = self.size;
        self.depth.par_chunks_mut(size * BAND).enumerate().for_each(|(band, rows)| {
            let y0 = band * BAND;
            let rect = Rect { x0: 0, y0: y0 as i32, x1: size as i32, y1: (y0 + rows.len() / size) as i32 };
            for (edges, plane) in &triangles {
                if edges.bounds.y1 <= rect.y0 || edges.bounds.y0 >= rect.y1 {
                    continue;
                }
                edges.for_each(rect, |x, y| {
                    let cell = &mut rows[(y as usize - y0) * size + x as usize];
                    *cell = cell.min(plane.depth(x, y));
                });
            }
        });
    }

    /// Grid coordinates and the distance from the light (larger is farther, the zero is arbitrary).
    fn to_grid(&self, p: Vec3) -> Vec3 {
        Vec3::new(
            (p.dot(self.u) - self.origin[0]) / self.texel,
            (p.dot(self.v) - self.origin[1]) / self.texel,
            -p.dot(self.direction),
        )
    }

    /// How far a point must be lifted along its normal so that a plane never shadows itself: half
    /// the filter's diagonal, plus half a texel for the map's own steps.
    pub fn lift(&self) -> f32 {
        1.42 * self.texel * (0.5 * (TAPS - 1) as f32 + 0.6)
    }

    /// The share of the light, 0 to 1, that reaches a point whose unit normal is `normal`.
    pub fn visible(&self, point: Vec3, normal: Vec3) -> f32 {
        self.visible_around::<TAPS>(point + self.lift() * normal)
    }

    /// The share of the light that reaches a point off the mesh, over a square of `N - 1` texels.
    pub fn visible_around<const N: usize>(&self, point: Vec3) -> f32 {
        let Vec3 { x, y, z: depth } = self.to_grid(point);
        let last = N - 1;
        let reach = 0.5 * last as f32;
        let limit = self.size as f32 - reach - 1.0;
        if !(x >= reach && y >= reach && x < limit && y < limit) {
            return 1.0;
        }
        // A box around the point: whole weight inside, parts at both ends.
        let (left, top) = (x - reach, y - reach);
        let (ix, iy) = (left as usize, top as usize);
        let (fx, fy) = (left - ix as f32, top - iy as f32);
        let weight = |k: usize, f: f32| match k {
            0 => 1.0 - f,
            k if k == last => f,
            _ => 1.0,
        };
        let mut lit = 0.0;
        for j in 0..N {
            let row = &self.depth[(iy + j) * self.size + ix..][..N];
            let mut part = 0.0;
            for (i, d) in row.iter().enumerate() {
                part += if *d >= depth { weight(i, fx) } else { 0.0 };
            }
            lit += part * weight(j, fy);
        }
        lit / (last * last) as f32
    }
}

/// The radius rounded up to a coarse ladder, so that it rarely changes during a film.
pub(super) fn stable_radius(radius: f32) -> f32 {
    let mut ladder: f32 = 1e-6;
    while ladder < radius && ladder < 1e13 {
        ladder *= 1.15;
    }
    ladder
}

/// The plane through three `(x, y, depth)` points.
fn linear_plane(p: [Vec3; 3]) -> Option<DepthPlane> {
    let [p, q, r] = p.map(Vec3::as_dvec3);
    let (a, b) = (q - p, r - p);
    let area = a.x * b.y - a.y * b.x;
    if area == 0.0 {
        return None;
    }
    let dx = (a.z * b.y - b.z * a.y) / area;
    let dy = (b.z * a.x - a.z * b.x) / area;
    let at = p.z - dx * p.x - dy * p.y;
    let low = p.z.min(q.z).min(r.z);
    let high = p.z.max(q.z).max(r.z);
    Some(DepthPlane { at, dx, dy, low, high })
}
