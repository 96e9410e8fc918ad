//! A look at a body before it is meshed: points all over its surface, and its volume.

use crate::solid::Solid;
use pliant_mesh::DVec3;
use rayon::prelude::*;

/// What was seen of a body.
#[derive(Debug)]
pub(super) struct Survey {
    /// Points on the surface, dense enough that no feature larger than the spacing is missed.
    pub samples: Vec<DVec3>,
    /// How thick the body is at each of them, up to a limit.
    pub thickness: Vec<f64>,
    /// Volume, m^3.
    pub volume: f64,
    /// Size of the boxes that the samples stand for, m.
    pub spacing: f64,
}

impl Survey {
    /// The thickness that a twentieth of the surface is below: less of it does not matter for the volume.
    pub fn thinnest(&self) -> f64 {
        let mut sorted = self.thickness.clone();
        sorted.par_sort_unstable_by(f64::total_cmp);
        sorted.get(sorted.len() / 20).copied().unwrap_or(f64::INFINITY)
    }
}

/// Divides the boxes of an octree that the surface may pass, down to the size `spacing`. Their centres are moved
/// onto the surface; the volume is that of the boxes inside and of the parts of those on the surface. The body is
/// called as thick as `thickest` where it is thicker.
pub(super) fn survey(solid: &dyn Solid, spacing: f64, thickest: f64) -> Survey {
    let (low, high) = solid.bounds();
    // Boxes slightly larger than the body, so that no face of an aligned box lies between two of them.
    let mut size = 1.01 * (high - low).max_element();
    let mut centers = vec![0.5 * (low + high)];
    let mut volume = 0.0;
    loop {
        let reach = 0.75_f64.sqrt() * size;
        let (near, far): (Vec<DVec3>, Vec<DVec3>) =
            centers.par_iter().partition(|&&center| solid.distance(center) <= reach);
        let inside = far.par_iter().filter(|&&center| solid.signed_distance(center) < 0.0).count();
        volume += inside as f64 * size.powi(3);
        if size <= spacing {
            let part = |&center: &DVec3| (0.5 - solid.signed_distance(center) / size).clamp(0.0, 1.0);
            // Summed in order: the same for any number of threads.
            let parts: Vec<f64> = near.par_iter().map(part).collect();
            volume += parts.iter().sum::<f64>() * size.powi(3);
            let samples: Vec<DVec3> = near.par_iter().map(|&center| solid.project(center).point).collect();
            let thickness = samples.par_iter().map(|&p| thickness(solid, p, thickest)).collect();
            return Survey { samples, thickness, volume, spacing: size };
        }
        size *= 0.5;
        centers = near.par_iter().flat_map_iter(|&center| cube_corners(center, 0.5 * size)).collect();
    }
}

/// The corners of a cube from its centre and half of its size.
pub(super) fn cube_corners(center: DVec3, half: f64) -> impl Iterator<Item = DVec3> {
    let side = move |bit: i32| if bit == 0 { -half } else { half };
    (0..8).map(move |k| center + DVec3::new(side(k & 1), side(k & 2), side(k & 4)))
}

/// How deep a straight way into the body from a point of its surface is, up to `limit`.
fn thickness(solid: &dyn Solid, point: DVec3, limit: f64) -> f64 {
    const STEPS: usize = 24;
    let inward = -solid.project(point).normal;
    let at = |depth: f64| point + depth * inward;
    let mut depth = 0.05 * limit;
    if solid.distance(at(depth)) < 0.5 * depth {
        // Beside a sharp edge the way runs along the other face, which proves nothing.
        return limit;
    }
    for _ in 0..STEPS {
        // The ball around a point that touches the surface can be passed at once.
        let distance = solid.distance(at(depth));
        if distance < 0.01 * limit && solid.signed_distance(at(depth + 0.02 * limit)) >= 0.0 {
            return depth;
        }
        depth += distance.max(0.02 * limit);
        if depth >= limit {
            break;
        }
    }
    limit
}
