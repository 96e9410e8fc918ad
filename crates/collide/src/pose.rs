//! Where an obstacle is: a rotation and a translation.

use pliant_mesh::Point;

/// A rigid placement `x = rotation X + translation`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Rows of the rotation matrix.
    pub rotation: [[f64; 3]; 3],
    /// Translation in m.
    pub translation: Point,
}

impl Pose {
    /// No rotation, no translation.
    pub const IDENTITY: Pose =
        Pose { rotation: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], translation: [0.0; 3] };

    /// World position of a point given in the obstacle's own coordinates.
    pub fn place(&self, local: Point) -> Point {
        let r = self.turn(local);
        std::array::from_fn(|k| r[k] + self.translation[k])
    }

    /// The obstacle's own coordinates of a world position.
    pub fn local(&self, world: Point) -> Point {
        let d: Point = std::array::from_fn(|k| world[k] - self.translation[k]);
        std::array::from_fn(|k| (0..3).map(|r| self.rotation[r][k] * d[r]).sum())
    }

    /// World direction of a direction given in the obstacle's own coordinates.
    pub fn turn(&self, direction: Point) -> Point {
        std::array::from_fn(|k| (0..3).map(|c| self.rotation[k][c] * direction[c]).sum())
    }
}
