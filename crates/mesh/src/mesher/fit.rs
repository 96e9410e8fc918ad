//! Lays the boundary faces across the surface instead of inside of it, so that the volume is kept.
//!
//! Faces between vertices on a convex surface cut off a cap each; together they take one or two percent of a
//! coarse mesh. Moving the vertices out by the mean height of the caps around them gives that back and halves the
//! distance from the surface.

use super::complex::Complex;
use super::surface::Surface;
use crate::Point;
use crate::vector::{add, area_vector, scale, unit};
use rayon::prelude::*;

/// Mean height of a round cap over an equilateral triangle, as a share of the height over its centre.
const MEAN_HEIGHT: f64 = 0.75;

/// Moves boundary vertices along their normals by at most `reach`, where all tets stay better than `bound` or no
/// worse than they were.
pub(super) fn fit(complex: &mut Complex, surface: &Surface<'_>, reach: f64, bound: f64) {
    let faces = complex.boundary_faces();
    let height = |face: &[u32; 3]| {
        let [a, b, c] = face.map(|v| complex.positions[v as usize]);
        surface.solid.signed_distance(scale(add(add(a, b), c), 1.0 / 3.0))
    };
    let heights: Vec<f64> = faces.par_iter().map(height).collect();
    let mut sums: Vec<(f64, f64, Point)> = vec![(0.0, 0.0, [0.0; 3]); complex.positions.len()];
    for (face, &height) in faces.iter().zip(&heights) {
        let normal = area_vector(face.map(|v| complex.positions[v as usize]));
        for &v in face {
            let (height_sum, count, normal_sum) = &mut sums[v as usize];
            *height_sum += height;
            *count += 1.0;
            *normal_sum = add(*normal_sum, normal);
        }
    }
    for (v, (height_sum, count, normal)) in (0u32..).zip(sums) {
        let mean = -MEAN_HEIGHT * height_sum / f64::max(count, 1.0);
        // A large height belongs to a sharp edge that is cut off: its faces must stay where they are.
        if let Some(normal) = unit(normal).filter(|_| mean != 0.0 && mean.abs() <= reach) {
            let old = complex.positions[v as usize];
            let before = complex.worst_at(v);
            complex.positions[v as usize] = add(old, scale(normal, mean));
            if complex.worst_at(v) < bound.min(before) {
                complex.positions[v as usize] = old;
            }
        }
    }
}
