//! One point whose response to its own force is the same in all directions, because A acts on x, y and z alike: normal
//! and tangent do not mix.

use super::{OneContact, PointSolve};
use pliant_linalg::small::dot;
use pliant_mesh::Point;

impl PointSolve for f64 {
    /// The normal force closes the gap, and the friction that would stop the sliding is shortened to the cone
    /// [Zeng25, eq. (45)].
    #[inline(always)]
    fn contact_force(contact: &OneContact<f64>) -> Point {
        let n = &contact.normal;
        let gap = dot(n, &contact.free) - contact.offset;
        if gap >= 0.0 {
            return [0.0; 3];
        }
        let normal = -gap / contact.compliance;
        let moved: Point = std::array::from_fn(|k| contact.free[k] - contact.start[k]);
        let along = dot(n, &moved);
        let stick: Point = std::array::from_fn(|k| (along * n[k] - moved[k]) / contact.compliance);
        let scale = contact.friction.shortening(&stick, normal);
        std::array::from_fn(|k| normal * n[k] + scale * stick[k])
    }

    #[inline(always)]
    fn held_force(contact: &OneContact<f64>, soft: f64) -> Point {
        std::array::from_fn(|k| (contact.start[k] - contact.free[k]) / (contact.compliance + soft))
    }

    fn guided_force(contact: &OneContact<f64>, soft: f64, grip: f64) -> Point {
        let back: Point = std::array::from_fn(|k| contact.start[k] - contact.free[k]);
        let along = dot(&contact.normal, &back);
        let friction = (along / contact.compliance).clamp(-grip, grip);
        let across = 1.0 / (contact.compliance + soft);
        std::array::from_fn(|k| (back[k] - along * contact.normal[k]) * across + friction * contact.normal[k])
    }
}
