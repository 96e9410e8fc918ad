//! A frame of directions at a contact.

use pliant_linalg::small::{cross, dot};
use pliant_mesh::Point;

/// A right-handed frame with the normal as its first direction.
pub(super) fn frame(n: &Point) -> [Point; 3] {
    // The axis that is farthest from the normal gives the best conditioned tangent.
    let size = n.map(f64::abs);
    let axis = if size[0] <= size[1] && size[0] <= size[2] {
        [1.0, 0.0, 0.0]
    } else if size[1] <= size[2] {
        [0.0, 1.0, 0.0]
    } else {
        [0.0, 0.0, 1.0]
    };
    let t = cross(n, &axis);
    let length = dot(&t, &t).sqrt();
    let t = t.map(|x| x / length);
    [*n, t, cross(n, &t)]
}
