//! The map from a square grid to a disc, shared by cylinder and torus.

use super::grid::Grid;
use std::f64::consts::FRAC_PI_4;

/// A grid with `across` cells over the diameter in x and y, cut so that all diagonals point outward.
pub(super) fn disc_grid(across: usize, layers: usize, closed_z: bool) -> Grid {
    Grid { cells: [across, across, layers], mirror: [across / 2, across / 2, 0], closed_z }
}

/// Maps grid vertex `[i, j]` of an `n` by `n` grid to the unit disc.
///
/// Squares around the centre become circles, sides of a square become arcs of equal angle. The map has a
/// kink along the diagonals, where the grid has its cuts: so the corner cells keep their shape however
/// fine the grid is, while a smooth map must flatten them. Towards the centre it blends into the plain square
/// grid, where circles would squeeze the cells.
pub(super) fn to_disc([i, j]: [usize; 2], n: usize) -> [f64; 2] {
    let (x, y) = (centred(i, n), centred(j, n));
    let r = x.abs().max(y.abs());
    if r == 0.0 {
        return [0.0, 0.0];
    }
    // The smaller over the larger coordinate becomes an angle of up to 45 degrees from the nearest axis.
    let angle = |ratio: f64| (FRAC_PI_4 * ratio).sin_cos();
    let round = if x.abs() >= y.abs() {
        let (sin, cos) = angle(y / r);
        [x * cos, r * sin]
    } else {
        let (sin, cos) = angle(x / r);
        [r * sin, y * cos]
    };
    let square = [x * SQUARE, y * SQUARE];
    let weight = r;
    [0, 1].map(|d| weight * round[d] + (1.0 - weight) * square[d])
}

/// Size of the square grid that the disc blends into, relative to the circle around its corners: between the
/// inner (1) and the outer fit (1 / sqrt 2).
const SQUARE: f64 = 0.8;

/// Grid index to -1..1, symmetric to the last bit so that the shape is.
pub(super) fn centred(i: usize, n: usize) -> f64 {
    (2.0 * i as f64 - n as f64) / n as f64
}
