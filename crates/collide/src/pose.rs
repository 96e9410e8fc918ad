//! Where an obstacle is: a rotation and a translation.

use pliant_mesh::{DMat3, DVec3};

/// How far a rotation matrix may be from one: what is left of digits that somebody typed.
const ROUNDING: f64 = 1e-6;

/// A rigid placement `x = rotation X + translation`.
///
/// ```
/// use pliant_collide::Pose;
/// use pliant_mesh::DVec3;
/// let quarter = Pose::turned(DVec3::Z, std::f64::consts::FRAC_PI_2).then_moved(DVec3::X);
/// assert!(quarter.place(DVec3::X).distance(DVec3::new(1.0, 1.0, 0.0)) < 1e-12);
/// assert_eq!(Pose::default(), Pose::IDENTITY);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Rotation matrix.
    pub rotation: DMat3,
    /// Translation in m.
    pub translation: DVec3,
}

impl Default for Pose {
    fn default() -> Pose {
        Pose::IDENTITY
    }
}

impl Pose {
    /// No rotation, no translation.
    pub const IDENTITY: Pose = Pose { rotation: DMat3::IDENTITY, translation: DVec3::ZERO };

    /// Moved, but not turned.
    pub fn moved(translation: DVec3) -> Pose {
        Pose { translation, ..Pose::IDENTITY }
    }

    /// Turned about an axis of any length through the origin by an angle in radians, right-handed; not at all without an axis.
    pub fn turned(axis: DVec3, angle: f64) -> Pose {
        let rotation =
            axis.try_normalize().map_or(DMat3::IDENTITY, |axis| DMat3::from_axis_angle(axis, angle));
        Pose { rotation, ..Pose::IDENTITY }
    }

    /// The same, moved on.
    #[must_use]
    pub fn then_moved(self, by: DVec3) -> Pose {
        Pose { translation: self.translation + by, ..self }
    }

    /// Whether it is finite and turns without scaling or mirroring. Only then are distances in both coordinates the same.
    pub fn is_rigid(&self) -> bool {
        let off = self.rotation.transpose() * self.rotation - DMat3::IDENTITY;
        let largest = off.to_cols_array().into_iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        // A NaN is lost by `max`, but not by the determinant.
        largest <= ROUNDING
            && (self.rotation.determinant() - 1.0).abs() <= ROUNDING
            && self.translation.is_finite()
    }

    /// World position of a point given in the obstacle's own coordinates.
    pub fn place(&self, local: DVec3) -> DVec3 {
        self.turn(local) + self.translation
    }

    /// The obstacle's own coordinates of a world position.
    pub fn local(&self, world: DVec3) -> DVec3 {
        self.rotation.transpose() * (world - self.translation)
    }

    /// World direction of a direction given in the obstacle's own coordinates.
    pub fn turn(&self, direction: DVec3) -> DVec3 {
        self.rotation * direction
    }
}
