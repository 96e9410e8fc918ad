//! Lays the boundary faces across the surface instead of inside of it, so that the volume is kept.
//!
//! Faces between vertices on a convex surface cut off a cap each; together they take one or two percent of a
//! coarse mesh. Moving the vertices out by the mean height of the caps around them gives that back and halves the
//! distance from the surface.

use super::complex::Complex;
use super::surface::Surface;
use pliant_mesh::DVec3;
use pliant_mesh::vector::{area_vector, unit};
use rayon::prelude::*;

/// Mean height of a round cap over an equilateral triangle, as a share of the height over its centre.
const MEAN_HEIGHT: f64 = 0.75;

/// Moves boundary vertices along their normals by at most `reach`, where all tets stay better than `bound` or no
/// worse than they were; by the share of the mean heights that gives the mesh the `volume`.
pub(super) fn fit(complex: &mut Complex, surface: &Surface<'_>, reach: f64, bound: f64, volume: f64) {
    let before = complex.volume();
    let start = complex.positions.clone();
    let shifts = shifts(complex, surface, reach);
    shift(complex, &shifts, 1.0, bound);
    let gained = complex.volume() - before;
    // The heights over the centres overestimate what thin limbs have lost.
    let share = ((volume - before) / gained).clamp(0.0, 1.5);
    if gained > 0.0 && (share - 1.0).abs() > 0.02 {
        complex.positions = start;
        shift(complex, &shifts, share, bound);
    }
}

/// The way that the mean height of the caps around it asks of each boundary vertex.
fn shifts(complex: &Complex, surface: &Surface<'_>, reach: f64) -> Vec<(u32, DVec3)> {
    let faces = complex.boundary_faces();
    let height = |face: &[u32; 3]| {
        let [a, b, c] = face.map(|v| complex.positions[v as usize]);
        surface.solid.signed_distance((a + b + c) * (1.0 / 3.0))
    };
    let heights: Vec<f64> = faces.par_iter().map(height).collect();
    let mut sums: Vec<(f64, f64, DVec3)> = vec![(0.0, 0.0, DVec3::ZERO); complex.positions.len()];
    for (face, &height) in faces.iter().zip(&heights) {
        let normal = area_vector(face.map(|v| complex.positions[v as usize]));
        for &v in face {
            let (height_sum, count, normal_sum) = &mut sums[v as usize];
            *height_sum += height;
            *count += 1.0;
            *normal_sum += normal;
        }
    }
    let way = |(v, (height_sum, count, normal)): (u32, (f64, f64, DVec3))| {
        let mean = -MEAN_HEIGHT * height_sum / f64::max(count, 1.0);
        // A large height belongs to a sharp edge that is cut off: its faces must stay where they are.
        let moves = mean != 0.0 && mean.abs() <= reach;
        Some((v, mean * unit(normal).filter(|_| moves)?))
    };
    (0u32..).zip(sums).filter_map(way).collect()
}

fn shift(complex: &mut Complex, shifts: &[(u32, DVec3)], share: f64, bound: f64) {
    for &(v, way) in shifts {
        let old = complex.positions[v as usize];
        let before = complex.worst_at(v);
        complex.positions[v as usize] = old + share * way;
        if complex.worst_at(v) < bound.min(before) {
            complex.positions[v as usize] = old;
        }
    }
}
