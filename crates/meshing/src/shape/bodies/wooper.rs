//! A fat salamander with branching gills.

use super::{SIDEWAYS, curved_limb};
use crate::ShapeTree;
use pliant_mesh::dvec3;

/// Stands on four stubby legs and looks along x.
pub(super) fn wooper() -> ShapeTree {
    let head = ShapeTree::ellipsoid(dvec3(0.2, 0.0, 0.42), dvec3(0.2, 0.27, 0.2)).named("head");
    let snout = ShapeTree::ellipsoid(dvec3(0.34, 0.0, 0.36), dvec3(0.09, 0.17, 0.09)).named("head");
    let body = ShapeTree::ellipsoid(dvec3(-0.05, 0.0, 0.25), dvec3(0.25, 0.18, 0.19));
    let tail = curved_limb(&[
        (dvec3(-0.24, 0.0, 0.22), 0.12),
        (dvec3(-0.38, 0.0, 0.2), 0.09),
        (dvec3(-0.52, 0.02, 0.26), 0.06),
        (dvec3(-0.58, 0.03, 0.33), 0.035),
    ])
    .named("tail");
    let leg = |x: f64, y: f64| {
        let foot =
            ShapeTree::ellipsoid(dvec3(x + 0.04, y + 0.035, 0.045), dvec3(0.08, 0.06, 0.045)).named("feet");
        ShapeTree::round_cone(dvec3(x, y, 0.2), 0.08, dvec3(x + 0.01, y + 0.03, 0.07), 0.065)
            .blended_with([foot], 0.03)
    };
    let legs = leg(0.1, 0.11).union_with([leg(-0.18, 0.11)]).and_mirrored(SIDEWAYS);
    let eyes = ShapeTree::sphere(dvec3(0.36, 0.12, 0.5), 0.045).and_mirrored(SIDEWAYS);
    let gills = gill().and_mirrored(SIDEWAYS).named("head");
    let torso = body.blended_with([tail, legs], 0.08);
    let face = head.blended_with([snout], 0.06).blended_with([gills, eyes], 0.025);
    torso.blended_with([face], 0.1)
}

/// The left gill: a stem out of the cheek with three branches.
fn gill() -> ShapeTree {
    let fork = dvec3(0.14, 0.38, 0.5);
    let end = dvec3(0.11, 0.5, 0.6);
    ShapeTree::round_cone(dvec3(0.16, 0.2, 0.44), 0.05, fork, 0.04).blended_with(
        [
            ShapeTree::round_cone(fork, 0.04, end, 0.034),
            ShapeTree::round_cone(fork, 0.038, dvec3(0.13, 0.36, 0.66), 0.034),
            ShapeTree::round_cone(fork, 0.038, dvec3(0.11, 0.52, 0.45), 0.034),
        ],
        0.02,
    )
}
