//! Where a node is: an affine map, rows of three coefficients and a translation.

use super::document::Node;
use pliant_mesh::Point;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Affine([[f64; 4]; 3]);

impl Affine {
    pub const IDENTITY: Self = Self([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]);

    /// The map from a node to its parent.
    pub fn of(node: &Node) -> Self {
        if let Some(m) = node.matrix {
            // Columns follow each other.
            return Self([0, 1, 2].map(|row| [m[row], m[4 + row], m[8 + row], m[12 + row]]));
        }
        let [x, y, z, w] = node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]);
        let rotation = [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
            [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
            [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
        ];
        let [sx, sy, sz] = node.scale.unwrap_or([1.0; 3]);
        let t = node.translation.unwrap_or([0.0; 3]);
        Self([0, 1, 2].map(|i| {
            let [a, b, c] = rotation[i];
            [a * sx, b * sy, c * sz, t[i]]
        }))
    }

    /// First `inner`, then this map.
    pub fn after(&self, inner: &Self) -> Self {
        Self(self.0.map(|row| {
            [0, 1, 2, 3].map(|column| {
                let sum: f64 = (0..3).map(|k| row[k] * inner.0[k][column]).sum();
                if column == 3 { sum + row[3] } else { sum }
            })
        }))
    }

    pub fn apply(&self, [x, y, z]: Point) -> Point {
        self.0.map(|[a, b, c, d]| a * x + b * y + c * z + d)
    }

    /// Whether the map turns left hands into right ones.
    pub fn mirrors(&self) -> bool {
        let [[a, b, c, _], [d, e, f, _], [g, h, i, _]] = self.0;
        a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) < 0.0
    }
}
