//! A smooth organ of two lobes.

use crate::ShapeTree;

/// A thick right lobe at +x, a thin left lobe at -x, a flat underside with a hollow, and a notch between the lobes.
pub(super) fn liver() -> ShapeTree {
    let right = ShapeTree::ellipsoid([0.2, 0.0, 0.2], [0.3, 0.28, 0.22]);
    let lower = ShapeTree::ellipsoid([0.26, -0.12, 0.16], [0.2, 0.22, 0.14]);
    let left = ShapeTree::ellipsoid([0.0; 3], [0.34, 0.19, 0.11])
        .rotated([0.0, 1.0, 0.0], 6.0)
        .translated([-0.2, 0.04, 0.22]);
    let lobes = right.blended_with([lower, left], 0.22);
    let notch = ShapeTree::round_cone([-0.08, -0.42, 0.12], 0.12, [-0.05, -0.13, 0.36], 0.06);
    let hollow = ShapeTree::ellipsoid([0.08, -0.04, -0.08], [0.3, 0.16, 0.16]);
    ShapeTree::Difference { parts: vec![lobes, notch, hollow], blend: 0.07 }
}
