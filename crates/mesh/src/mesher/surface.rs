//! What a change of the boundary may do: stay close to the surface of the body.

use super::complex::Complex;
use super::solid::Solid;
use crate::Point;
use crate::vector::{add, area_vector, dot, norm, scale};

/// The surface of the body with the distance that a boundary face may have from it.
#[derive(Clone, Copy)]
pub(super) struct Surface<'a> {
    pub solid: &'a dyn Solid,
    /// Faces closer than this are as good as on the surface.
    pub tolerance: f64,
}

impl Surface<'_> {
    /// How far a triangle is from the surface, from its centre and the middles of its edges.
    pub fn error(&self, [a, b, c]: [Point; 3]) -> f64 {
        let middle = |p: Point, q: Point| scale(add(p, q), 0.5);
        let center = scale(add(add(a, b), c), 1.0 / 3.0);
        [center, middle(a, b), middle(b, c), middle(c, a)]
            .into_iter()
            .map(|p| self.solid.distance(p))
            .fold(0.0, f64::max)
    }

    /// Whether boundary faces may take the place of others: no farther from the surface than the tolerance or
    /// than the worst before, and not turned over.
    pub fn may_replace(&self, complex: &Complex, old: &[[u32; 3]], new: &[[u32; 3]]) -> bool {
        let corners = |face: &[u32; 3]| face.map(|v| complex.positions[v as usize]);
        let normal = old.iter().fold([0.0; 3], |sum, face| add(sum, area_vector(corners(face))));
        let upright = |face: &[u32; 3]| {
            let own = area_vector(corners(face));
            dot(own, normal) > 0.2 * norm(own) * norm(normal)
        };
        if !new.iter().all(upright) {
            return false;
        }
        let worst = |faces: &[[u32; 3]]| faces.iter().map(|f| self.error(corners(f))).fold(0.0, f64::max);
        let after = worst(new);
        after <= self.tolerance || after <= worst(old)
    }
}
