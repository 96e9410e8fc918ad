//! Where a node is: a linear map and a translation.

use super::document::Node;
use pliant_mesh::{DMat3, DVec3};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Affine {
    linear: DMat3,
    translation: DVec3,
}

impl Affine {
    pub const IDENTITY: Self = Self { linear: DMat3::IDENTITY, translation: DVec3::ZERO };

    /// The map from a node to its parent.
    pub fn of(node: &Node) -> Self {
        if let Some(m) = node.matrix {
            return Self::of_columns(&m);
        }
        let rotation = node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]);
        let scale = node.scale.map_or(DVec3::ONE, DVec3::from_array);
        Self::of_parts(node.translation.map_or(DVec3::ZERO, DVec3::from_array), rotation, scale)
    }

    /// Scaled, then turned by a unit quaternion x, y, z, w, then moved.
    pub fn of_parts(translation: DVec3, [x, y, z, w]: [f64; 4], scale: DVec3) -> Self {
        let rotation = DMat3::from_rows(
            DVec3::new(1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)),
            DVec3::new(2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)),
            DVec3::new(2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)),
        );
        Self { linear: rotation.mul_diagonal_scale(scale), translation }
    }

    /// Four columns of four numbers, as files have them.
    pub fn of_columns(m: &[f64; 16]) -> Self {
        let [x, y, z, translation] = [0, 4, 8, 12].map(|column| DVec3::from_slice(&m[column..]));
        Self { linear: DMat3::from_cols(x, y, z), translation }
    }

    /// First `inner`, then this map.
    pub fn after(&self, inner: &Self) -> Self {
        Self { linear: self.linear * inner.linear, translation: self.apply(inner.translation) }
    }

    pub fn apply(&self, p: DVec3) -> DVec3 {
        self.linear * p + self.translation
    }

    /// Whether the map turns left hands into right ones.
    pub fn mirrors(&self) -> bool {
        let [x, y, z] = [0, 1, 2].map(|k| self.linear.row(k));
        x.dot(y.cross(z)) < 0.0
    }
}
