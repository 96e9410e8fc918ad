//! A ring.

use crate::Shape;

/// A ring about the z axis, one metre wide.
pub(super) fn donut() -> Shape {
    Shape::torus(0.33, 0.17)
}
