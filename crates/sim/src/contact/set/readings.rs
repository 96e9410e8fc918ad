//! What the contacts of a step say: forces on bodies, sides and vertices, what sticks, how deep they overlap.

use super::Contacts;
use crate::fem::System;
use pliant_collide::Side;
use pliant_mesh::DVec3;

/// Whether the two sides of a contact slide on each other.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/cube.rs"));
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use pliant::Sticking;
///
/// let mut world = cube_on_floor();
/// (0..20).try_for_each(|_| world.step().map(|_| ()))?;
/// // The cube lies still.
/// let contacts = world.contacts();
/// assert!((0..contacts.len()).all(|contact| contacts.sticking(contact) != Sticking::Slides));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sticking {
    /// They do not touch.
    Open,
    /// They touch and do not slide.
    Sticks,
    /// They touch and slide.
    Slides,
}

impl Contacts {
    /// Total force of contacts and joints on each body, N; empty where there is none of either.
    pub(crate) fn body_forces(&mut self, system: &System) -> &[DVec3] {
        self.body_forces.clear();
        if self.found.is_empty() && self.joints.is_empty() {
            return &self.body_forces;
        }
        self.body_forces.resize(system.bodies.len(), DVec3::ZERO);
        for (c, f) in self.found.iter().zip(&self.forces) {
            for (side, sign) in c.sides.iter().zip([1.0, -1.0]) {
                if let Side::Body(b) = side {
                    self.body_forces[b.index()] += sign * f;
                }
            }
        }
        self.joints.add_body_forces(system, &mut self.body_forces);
        &self.body_forces
    }

    /// Total force of the contacts on one side, N.
    pub fn force_on(&self, side: Side) -> DVec3 {
        let mut sum = DVec3::ZERO;
        for (c, f) in self.found.iter().zip(&self.forces) {
            // A body may touch itself: then both terms count, and cancel.
            let sign = f64::from(u8::from(c.sides[0] == side)) - f64::from(u8::from(c.sides[1] == side));
            sum += sign * f;
        }
        sum
    }

    /// Sum of the forces of contacts and joints on the wanted vertices at positions `x`, N.
    pub(crate) fn force_on_vertices(&self, x: &[DVec3], wanted: &dyn Fn(u32) -> bool) -> DVec3 {
        let mut sum = self.joints.force_on_vertices(x, wanted);
        for (c, f) in self.found.iter().zip(&self.forces) {
            let used = c.vertices.iter().zip(&c.weights).take(c.count as usize);
            let share: f64 = used.filter(|(v, _)| wanted(**v)).map(|(_, w)| w).sum();
            sum += share * f;
        }
        sum
    }

    /// Whether a contact is open, sticks or slides: it slides if its force is on the cone of friction.
    pub fn sticking(&self, contact: usize) -> Sticking {
        let (f, n) = (self.forces[contact], self.found[contact].normal);
        let normal = n.dot(f);
        if normal <= 0.0 {
            return Sticking::Open;
        }
        let law = self.friction_of[contact];
        let on_the_cone = law.size_sq(f - normal * n).sqrt() >= law.bound(normal) * (1.0 - 1e-6);
        if on_the_cone { Sticking::Slides } else { Sticking::Sticks }
    }

    /// Deepest penetration at positions `x` in m; zero if there is none.
    pub fn penetration(&self, x: &[DVec3]) -> f64 {
        self.found.iter().fold(0.0, |deepest, c| f64::max(deepest, -c.gap(x)))
    }
}
