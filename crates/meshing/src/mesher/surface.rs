//! What a change of the boundary may do: stay close to the surface of the body.

use super::complex::Complex;
use crate::solid::Solid;
use pliant_mesh::DVec3;
use pliant_mesh::vector::area_vector;

/// The surface of the body with the distance that a boundary face may have from it.
#[derive(Clone, Copy)]
pub(super) struct Surface<'a> {
    pub solid: &'a dyn Solid,
    /// Faces closer than this are as good as on the surface.
    pub tolerance: f64,
}

impl Surface<'_> {
    /// How far a triangle is from the surface, from its centre and the middles of its edges.
    pub fn error(&self, corners: [DVec3; 3]) -> f64 {
        places(corners).into_iter().map(|p| self.solid.distance(p)).fold(0.0, f64::max)
    }

    /// Whether [`error`](Self::error) is within a limit.
    pub fn is_near(&self, corners: [DVec3; 3], limit: f64) -> bool {
        places(corners).into_iter().all(|p| self.solid.is_near(p, limit))
    }

    /// Whether boundary faces may take the place of others: no farther from the surface than the tolerance or
    /// than the worst before, and not turned over.
    pub fn may_replace(&self, complex: &Complex, old: &[[u32; 3]], new: &[[u32; 3]]) -> bool {
        let corners = |face: &[u32; 3]| face.map(|v| complex.positions[v as usize]);
        let normal = old.iter().map(|face| area_vector(corners(face))).sum::<DVec3>();
        let upright = |face: &[u32; 3]| {
            let own = area_vector(corners(face));
            own.dot(normal) > 0.2 * own.length() * normal.length()
        };
        if !new.iter().all(upright) {
            return false;
        }
        if new.iter().all(|face| self.is_near(corners(face), self.tolerance)) {
            return true;
        }
        let before = old.iter().map(|face| self.error(corners(face))).fold(0.0, f64::max);
        before > self.tolerance && new.iter().all(|face| self.is_near(corners(face), before))
    }
}

/// Whether a point of a surface is where the body ends: surfaces of broken inputs continue inside of it.
pub(super) fn is_boundary(solid: &dyn Solid, point: DVec3, step: f64) -> bool {
    let normal = solid.project(point).normal;
    let side = |by: f64| solid.signed_distance(point + by * normal);
    side(step) > 0.0 && side(-step) < 0.0
}

/// The centre of a triangle and the middles of its edges.
fn places([a, b, c]: [DVec3; 3]) -> [DVec3; 4] {
    let middle = |p: DVec3, q: DVec3| 0.5 * (p + q);
    [(a + b + c) * (1.0 / 3.0), middle(a, b), middle(b, c), middle(c, a)]
}
