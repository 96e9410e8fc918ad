//! Where an obstacle is: a rotation and a translation.

use pliant_mesh::{DMat3, DVec3};

/// A rigid placement `x = rotation X + translation`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Rotation matrix.
    pub rotation: DMat3,
    /// Translation in m.
    pub translation: DVec3,
}

impl Pose {
    /// No rotation, no translation.
    pub const IDENTITY: Pose = Pose { rotation: DMat3::IDENTITY, translation: DVec3::ZERO };

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
