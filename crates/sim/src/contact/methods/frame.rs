//! A frame of directions at a contact.

use pliant_mesh::{DMat3, DVec3};

/// A right-handed frame with the normal as its first direction: columns of a rotation from the frame to the world.
pub(super) fn frame(n: DVec3) -> DMat3 {
    // The axis that is farthest from the normal gives the best conditioned tangent.
    let size = n.abs();
    let axis = if size.x <= size.y && size.x <= size.z {
        DVec3::X
    } else if size.y <= size.z {
        DVec3::Y
    } else {
        DVec3::Z
    };
    let t = n.cross(axis);
    let t = t / t.length();
    DMat3::from_cols(n, t, n.cross(t))
}
