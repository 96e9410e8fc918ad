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
            // Columns of four follow each other.
            let [x, y, z, translation] = [0, 4, 8, 12].map(|column| DVec3::from_slice(&m[column..]));
            return Self { linear: DMat3::from_cols(x, y, z), translation };
        }
        let [x, y, z, w] = node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]);
        let rotation = DMat3::from_rows(
            DVec3::new(1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)),
            DVec3::new(2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)),
            DVec3::new(2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)),
        );
        let scale = node.scale.map_or(DVec3::ONE, DVec3::from_array);
        let translation = node.translation.map_or(DVec3::ZERO, DVec3::from_array);
        Self { linear: rotation.mul_diagonal_scale(scale), translation }
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
