//! A smooth organ of two lobes.

use crate::ShapeTree;
use pliant_mesh::{DVec3, dvec3};

/// A thick right lobe at +x, a thin left lobe at -x, a flat underside with a hollow, and a notch between the lobes.
pub(super) fn liver() -> ShapeTree {
    let right = ShapeTree::ellipsoid(dvec3(0.2, 0.0, 0.2), dvec3(0.3, 0.28, 0.22));
    let lower = ShapeTree::ellipsoid(dvec3(0.26, -0.12, 0.16), dvec3(0.2, 0.22, 0.14));
    let left = ShapeTree::ellipsoid(DVec3::ZERO, dvec3(0.34, 0.19, 0.11))
        .rotated(DVec3::Y, 6.0)
        .translated(dvec3(-0.2, 0.04, 0.22));
    let lobes = right.blended_with([lower, left], 0.22);
    let notch = ShapeTree::round_cone(dvec3(-0.08, -0.42, 0.12), 0.12, dvec3(-0.05, -0.13, 0.36), 0.06);
    let hollow = ShapeTree::ellipsoid(dvec3(0.08, -0.04, -0.08), dvec3(0.3, 0.16, 0.16));
    ShapeTree::Difference { parts: vec![lobes, notch, hollow], blend: 0.07 }
}
