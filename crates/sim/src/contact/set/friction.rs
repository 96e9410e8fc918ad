//! The law of friction of a contact, and which one a pair of surfaces has.

use crate::model::Model;
use pliant_collide::Side;
use pliant_mesh::DVec3;

/// Coulomb friction of one contact: the tangential force is at most a coefficient times the normal force. Mostly it is the same in
/// all directions; between structured surfaces it is the radius of an ellipse, and friction still points against the
/// sliding.
///
/// ```
/// let ice = pliant::FrictionLaw::isotropic(0.03);
/// assert!(!ice.is_frictionless() && ice.coefficient() == 0.03);
///
/// // Smooth along x, rough along y.
/// let boards = pliant::FrictionLaw::elliptic([pliant::DVec3::X, pliant::DVec3::Y], [0.1, 0.6]);
/// assert!((boards.coefficient_along(pliant::DVec3::X) - 0.1).abs() < 1e-12);
/// assert_eq!(boards.coefficient(), 0.6);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrictionLaw {
    /// The largest coefficient.
    coefficient: f64,
    /// A tangential force f counts as `sqrt(f^2 + (slippery . f)^2)`: zero if all directions are alike, else along the
    /// direction of the least coefficient, of the length `sqrt((largest / least)^2 - 1)`.
    slippery: DVec3,
}

/// Least part of the largest coefficient that the least one is.
const THINNEST: f64 = 1e-6;

impl FrictionLaw {
    /// Friction of what does not slide.
    pub(crate) const GLUE: FrictionLaw = FrictionLaw { coefficient: 1e6, slippery: DVec3::ZERO };

    /// The same friction in all directions.
    pub fn isotropic(coefficient: f64) -> FrictionLaw {
        FrictionLaw { coefficient, slippery: DVec3::ZERO }
    }

    /// Friction with these coefficients along two orthogonal unit vectors.
    pub fn elliptic(axes: [DVec3; 2], coefficients: [f64; 2]) -> FrictionLaw {
        let [a, b] = coefficients;
        let (axis, least, most) = if a < b { (axes[0], a, b) } else { (axes[1], b, a) };
        let ratio = most / least.max(THINNEST * most);
        if ratio > 1.0 {
            FrictionLaw { coefficient: most, slippery: (ratio * ratio - 1.0).sqrt() * axis }
        } else {
            FrictionLaw::isotropic(most)
        }
    }

    /// The largest of its coefficients: the only one if all directions are alike.
    #[inline(always)]
    pub fn coefficient(&self) -> f64 {
        self.coefficient
    }

    /// Whether there is no friction at all.
    pub fn is_frictionless(&self) -> bool {
        self.coefficient <= 0.0
    }

    /// The coefficient along a unit vector in the plane of contact.
    pub fn coefficient_along(&self, tangent: DVec3) -> f64 {
        let slip = self.slippery.dot(tangent);
        self.coefficient / (1.0 + slip * slip).sqrt()
    }

    /// Largest friction under a normal force, N, if the tangential force is measured by [`size_sq`](Self::size_sq).
    #[inline(always)]
    pub(crate) fn bound(&self, normal: f64) -> f64 {
        self.coefficient * normal
    }

    /// Square of a tangential force, N^2: as much as it takes of the largest coefficient.
    #[inline(always)]
    pub(crate) fn size_sq(&self, tangent: DVec3) -> f64 {
        let slip = self.slippery.dot(tangent);
        tangent.length_squared() + slip * slip
    }

    /// By what a force in the plane of contact counts for more than its length.
    pub(crate) fn slippery(&self) -> DVec3 {
        self.slippery
    }

    /// The law with that coefficient and [`slippery`](Self::slippery).
    pub(super) fn from_parts(coefficient: f64, slippery: DVec3) -> FrictionLaw {
        FrictionLaw { coefficient, slippery }
    }

    /// Factor that brings a tangential force to at most what the normal force allows.
    #[inline(always)]
    pub(crate) fn shortening(&self, tangent: DVec3, normal: f64) -> f64 {
        let (size, bound) = (self.size_sq(tangent), self.bound(normal));
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

    #[test]
    fn what_slides_has_the_radius_of_the_ellipse() {
        let (axes, coefficients) = ([DVec3::X, DVec3::Y], [0.05, 1.3]);
        let law = FrictionLaw::elliptic(axes, coefficients);
        let turned = FrictionLaw::elliptic([DVec3::Y, -DVec3::X], [1.3, 0.05]);
        for degree in 0..360 {
            let (sin, cos) = f64::from(degree).to_radians().sin_cos();
            let direction = DVec3::new(cos, sin, 0.0);
            // A point of the ellipse has (x / 0.05)^2 + (y / 1.3)^2 = 1.
            let radius = ((cos / 0.05).powi(2) + (sin / 1.3).powi(2)).sqrt().recip();
            let cut = law.into_cone(100.0 * direction + 10.0 * DVec3::Z, DVec3::Z);
            assert!(cut.abs_diff_eq(10.0 * (radius * direction + DVec3::Z), 1e-9), "{degree}: {cut}");
            assert!((law.coefficient_along(direction) - radius).abs() < 1e-12);
            assert!((turned.coefficient_along(direction) - radius).abs() < 1e-12);
            let inside = 9.99 * radius * direction + 10.0 * DVec3::Z;
            assert!(law.into_cone(inside, DVec3::Z).abs_diff_eq(inside, 1e-12));
        }
        assert_eq!(FrictionLaw::elliptic(axes, [0.4, 0.4]), FrictionLaw::isotropic(0.4));
    }
}
