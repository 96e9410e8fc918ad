//! Points spread over the surface of a body, to find features that a mesh has lost.

use super::solid::Solid;
use crate::Point;
use rayon::prelude::*;

/// Points on the surface, about `spacing` apart: the boxes of an octree that the surface may pass are divided
/// down to that size, and their centres moved onto the surface.
pub(super) fn surface_samples(solid: &(impl Solid + ?Sized), spacing: f64) -> Vec<Point> {
    let (low, high) = solid.bounds();
    let extent = (0..3).map(|a| high[a] - low[a]).fold(0.0, f64::max);
    let mut size = extent;
    let mut cells = vec![low.map(|c| c + 0.5 * size)];
    while size > spacing {
        size *= 0.5;
        cells = cells
            .par_iter()
            .flat_map_iter(|&center| {
                (0..8).map(move |k| {
                    std::array::from_fn(|a| center[a] + 0.5 * size * if k >> a & 1 == 0 { -1.0 } else { 1.0 })
                })
            })
            .filter(|&center: &Point| solid.signed_distance(center).abs() <= 0.75_f64.sqrt() * size)
            .collect();
    }
    cells.par_iter().map(|&center| solid.project(center).point).collect()
}
