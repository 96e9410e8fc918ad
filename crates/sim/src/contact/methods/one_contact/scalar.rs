//! One point whose response to its own force is the same in all directions, because A acts on x, y and z alike: normal
//! and tangent do not mix.

use super::{OneContact, PointSolve};
use pliant_mesh::DVec3;

impl PointSolve for f64 {
    /// The normal force closes the gap, and the friction that would stop the sliding is shortened to the cone
    /// [Zeng25, eq. (45)].
    #[inline(always)]
    fn contact_force(contact: &OneContact<f64>) -> DVec3 {
        let n = contact.normal;
        let gap = n.dot(contact.free) - contact.offset;
        if gap >= 0.0 {
            return DVec3::ZERO;
        }
        let normal = -gap / contact.compliance;
        let moved = contact.free - contact.start;
        let stick = (n.dot(moved) * n - moved) / contact.compliance;
        normal * n + contact.friction.shortening(stick, normal) * stick
    }

    #[inline(always)]
    fn held_force(contact: &OneContact<f64>, soft: f64) -> DVec3 {
        (contact.start - contact.free) / (contact.compliance + soft)
    }

    fn guided_force(contact: &OneContact<f64>, soft: f64, grip: f64) -> DVec3 {
        let n = contact.normal;
        let back = contact.start - contact.free;
        let along = n.dot(back);
        let friction = (along / contact.compliance).clamp(-grip, grip);
        let across = 1.0 / (contact.compliance + soft);
        (back - along * n) * across + friction * n
    }
}
