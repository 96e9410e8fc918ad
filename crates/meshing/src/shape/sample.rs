//! The field at a point.

use pliant_mesh::DVec3;

/// A distance and the direction in which it grows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub distance: f64,
    /// Of length 1 where the distance is exact, shorter in a blend.
    pub gradient: DVec3,
}
