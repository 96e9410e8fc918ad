//! Boxes around shapes, which skip parts during evaluation.

use super::leaf::Leaf;
use pliant_mesh::{Aabb, DVec3};

/// A box without limits.
pub(super) const EVERYTHING: Aabb = Aabb { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY };

/// The smallest box around a leaf, but for a margin that covers rounding errors.
pub(super) fn box_around(leaf: &Leaf) -> Aabb {
    let max = DVec3::from_array(DVec3::AXES.map(|axis| leaf.support(axis)));
    let min = -DVec3::from_array(DVec3::AXES.map(|axis| leaf.support(-axis)));
    let limits = [min, max].into_iter().flat_map(|p| p.abs().to_array());
    let largest = limits.filter(|c| c.is_finite()).fold(0.0, f64::max);
    Aabb { min, max }.grown(1e-14 * largest)
}

/// Largest signed distance to the planes of the six faces.
///
/// No field of a node is below that of its box: not of a leaf, whose field is the distance to something inside the
/// box; and minima, maxima and growth of fields carry it on to hulls, intersections and growth of boxes. The distance
/// to the box itself would not do: a maximum of fields may be below it.
#[inline]
pub(super) fn box_field(bounds: &Aabb, p: DVec3) -> f64 {
    (p - bounds.max).max(bounds.min - p).max_element()
}
