//! A ring.

use crate::ShapeTree;

/// A ring about the z axis, one metre wide.
pub(super) fn donut() -> ShapeTree {
    ShapeTree::torus(0.33, 0.17)
}
