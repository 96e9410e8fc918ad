//! The law of friction of a contact, and which one a pair of surfaces has.

use crate::model::Model;
use pliant_collide::Side;
use pliant_mesh::DVec3;

/// Coulomb friction of one contact: the tangential force is at most a coefficient times the normal force, the same in all
/// directions.
///
/// ```
/// let ice = pliant::FrictionLaw::isotropic(0.03);
/// assert!(!ice.is_frictionless() && ice.coefficient() == 0.03);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrictionLaw {
    coefficient: f64,
}

impl FrictionLaw {
    /// Friction of what does not slide.
    pub(crate) const GLUE: FrictionLaw = FrictionLaw { coefficient: 1e6 };

    /// The same friction in all directions.
    pub fn isotropic(coefficient: f64) -> FrictionLaw {
        FrictionLaw { coefficient }
    }

    /// Its coefficient.
    #[inline(always)]
    pub fn coefficient(&self) -> f64 {
        self.coefficient
    }

    /// Whether there is no friction at all.
    pub fn is_frictionless(&self) -> bool {
        self.coefficient <= 0.0
    }

    /// Largest friction under a normal force, N.
    #[inline(always)]
    pub(crate) fn bound(&self, normal: f64) -> f64 {
        self.coefficient * normal
    }

    /// Factor that brings a tangential force to at most what the normal force allows.
    #[inline(always)]
    pub(crate) fn shortening(&self, tangent: DVec3, normal: f64) -> f64 {
        let (size, bound) = (tangent.length_squared(), self.bound(normal));
        if size > bound * bound { bound / size.sqrt() } else { 1.0 }
    }

    /// The force of the cone of friction that a force of the step before becomes: its normal part is not a pull, its
    /// tangential part is shortened to the cone.
    pub(crate) fn into_cone(self, force: DVec3, normal: DVec3) -> DVec3 {
        let along = normal.dot(force);
        let pressing = along.max(0.0);
        let tangent = force - along * normal;
        pressing * normal + self.shortening(tangent, pressing) * tangent
    }
}

/// Coefficients of friction between bodies, and between bodies and obstacles.
#[derive(Clone, Debug, Default)]
pub(super) struct FrictionTable {
    bodies: Vec<f64>,
    obstacles: Vec<Option<f64>>,
}

impl FrictionTable {
    pub(super) fn of(model: &Model) -> FrictionTable {
        FrictionTable {
            bodies: model.bodies.iter().map(|b| b.friction).collect(),
            obstacles: model.obstacles.iter().map(|o| o.friction).collect(),
        }
    }

    /// A pair has the geometric mean of its two sides; an obstacle without a value of its own takes that of the body.
    pub(super) fn between(&self, sides: [Side; 2]) -> FrictionLaw {
        let of = |side| match side {
            Side::Body(b) => Some(self.bodies[b.index()]),
            Side::Obstacle(o) => self.obstacles[o.index()],
        };
        FrictionLaw::isotropic(match sides.map(of) {
            [Some(a), Some(b)] if a == b => a,
            [Some(a), Some(b)] => (a * b).sqrt(),
            [Some(a), None] | [None, Some(a)] => a,
            [None, None] => 0.0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_forces_are_brought_into_the_cone() {
        let force = DVec3::new(3.0, 4.0, 10.0);
        let shortened = FrictionLaw::isotropic(0.2).into_cone(force, DVec3::Z);
        assert!(shortened.abs_diff_eq(DVec3::new(1.2, 1.6, 10.0), 1e-12), "{shortened}");
        let rough = FrictionLaw::isotropic(0.9);
        assert_eq!(rough.into_cone(force, DVec3::Z), force);
        assert_eq!(rough.into_cone(DVec3::new(3.0, 4.0, -1.0), DVec3::Z), DVec3::ZERO);
    }
}
