//! Structure of a surface, such as a weave or a grain, by which friction differs along and across.

use super::EntryError;
use pliant_collide::Shape;
use pliant_mesh::DVec3;

/// Structure of a surface \[Erleben20\]: its friction along and across a direction, against a surface with a parallel structure.
///
/// The more the structures of two sides cross, the more their friction is the one that they have in all directions.
///
/// ```
/// use pliant::{DVec3, Matchstick, Obstacle, Shape};
///
/// // Boards along x: smooth along them, rough across.
/// let boards = Matchstick { direction: DVec3::X, along: 0.1, across: 0.6 };
/// let floor = Obstacle { matchstick: Some(boards), ..Obstacle::new("floor", Shape::Plane) };
/// # let _ = floor;
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matchstick {
    /// Direction of the structure, of any length and either sign: of a body in its rest shape, of an obstacle in its own
    /// coordinates. What counts is its part along the surface.
    pub direction: DVec3,
    /// Coefficient of friction along the structure.
    pub along: f64,
    /// Coefficient of friction across it.
    pub across: f64,
}

/// Sine of the angle to a normal below which a direction is one of it.
const LEAST: f64 = 1e-6;

impl Matchstick {
    /// Checks the numbers, and that some of these normals leave a direction along the surface.
    pub(crate) fn validate(&self, normals: impl Iterator<Item = DVec3>) -> Result<(), EntryError> {
        for (what, value) in [("friction along", self.along), ("friction across", self.across)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(EntryError::Value { what, value, unit: "", must: "positive and finite" });
            }
        }
        let Some(d) = self.direction.try_normalize() else {
            return Err(EntryError::NoDirection { value: self.direction });
        };
        let mut normals = normals.peekable();
        if normals.peek().is_some() && normals.all(|n| d.cross(n.normalize_or_zero()).length() < LEAST) {
            return Err(EntryError::AlongNormal { value: self.direction });
        }
        Ok(())
    }

    /// Checks it for an obstacle of this shape.
    pub(crate) fn validate_on(&self, shape: &Shape) -> Result<(), EntryError> {
        let normal = match shape {
            Shape::Plane => Some(DVec3::Z),
            _ => None,
        };
        self.validate(normal.into_iter())
    }
}
