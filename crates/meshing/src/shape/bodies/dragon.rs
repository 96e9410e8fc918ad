//! A winding dragon with wings.

use super::{SIDEWAYS, curved_limb};
use crate::ShapeTree;
use pliant_mesh::{DVec3, dvec3};

/// Stands on four legs and looks along x; the tail winds to the side.
pub(super) fn dragon() -> ShapeTree {
    let spine = [
        (dvec3(-0.2, 0.0, 0.27), 0.09),
        (dvec3(-0.08, 0.0, 0.29), 0.105),
        (dvec3(0.06, 0.0, 0.29), 0.1),
        (dvec3(0.17, 0.0, 0.34), 0.08),
        (dvec3(0.25, 0.0, 0.44), 0.062),
        (dvec3(0.25, 0.0, 0.56), 0.055),
        (dvec3(0.3, 0.0, 0.65), 0.055),
    ];
    let tail = curved_limb(&[
        (dvec3(-0.2, 0.0, 0.26), 0.085),
        (dvec3(-0.33, 0.04, 0.2), 0.066),
        (dvec3(-0.43, 0.14, 0.14), 0.052),
        (dvec3(-0.42, 0.28, 0.09), 0.042),
        (dvec3(-0.3, 0.36, 0.06), 0.035),
        (dvec3(-0.18, 0.36, 0.06), 0.03),
    ])
    .blended_with([tail_tip()], 0.02)
    .named("tail");
    let legs = leg(0.1, 1.0).union_with([leg(-0.16, 1.15)]).and_mirrored(SIDEWAYS);
    let wings = wing().and_mirrored(SIDEWAYS);
    curved_limb(&spine)
        .blended_with([tail], 0.04)
        .blended_with([legs, head(), wings], 0.035)
        .blended_with([crest()], 0.02)
}

/// A broad snout with an open jaw, two horns and cheeks.
fn head() -> ShapeTree {
    let skull = ShapeTree::ellipsoid(dvec3(0.32, 0.0, 0.68), dvec3(0.085, 0.072, 0.065));
    let snout = ShapeTree::limb(&[(dvec3(0.36, 0.0, 0.68), 0.052), (dvec3(0.47, 0.0, 0.67), 0.042)]);
    let jaw = ShapeTree::limb(&[(dvec3(0.34, 0.0, 0.63), 0.042), (dvec3(0.45, 0.0, 0.575), 0.032)]);
    let horns = ShapeTree::limb(&[
        (dvec3(0.29, 0.04, 0.72), 0.036),
        (dvec3(0.23, 0.07, 0.79), 0.032),
        (dvec3(0.15, 0.09, 0.81), 0.028),
    ])
    .and_mirrored(SIDEWAYS);
    skull.blended_with([snout, jaw], 0.03).blended_with([horns], 0.02).named("head")
}

/// The left leg at a place along the body.
fn leg(x: f64, size: f64) -> ShapeTree {
    let (hip, knee) = (dvec3(x, 0.07, 0.25), dvec3(x + 0.03, 0.12, 0.14));
    let ankle = dvec3(x - 0.01, 0.13, 0.05);
    let toe = |dx: f64, y: f64| ShapeTree::round_cone(ankle, 0.04, dvec3(x + dx, y, 0.032), 0.032);
    let foot = toe(0.09, 0.1).union_with([toe(0.09, 0.17)]).named("feet");
    ShapeTree::limb(&[(hip, 0.065 * size), (knee, 0.05 * size), (ankle, 0.04)]).blended_with([foot], 0.02)
}

/// The left wing: a thick membrane with a scalloped edge and a spar along its front.
fn wing() -> ShapeTree {
    let membrane = ShapeTree::Extrusion {
        outline: vec![
            [0.08, 0.0],
            [0.17, 0.28],
            [0.1, 0.58],
            [0.0, 0.42],
            [-0.12, 0.5],
            [-0.14, 0.33],
            [-0.27, 0.31],
            [-0.17, 0.12],
            [-0.13, 0.0],
        ],
        thickness: 0.06,
        rounding: 0.028,
    };
    let spar = ShapeTree::limb(&[
        (dvec3(0.06, 0.0, 0.0), 0.042),
        (dvec3(0.16, 0.28, 0.0), 0.04),
        (dvec3(0.1, 0.58, 0.0), 0.034),
    ]);
    // Raised and swept back.
    membrane
        .blended_with([spar], 0.02)
        .rotated(DVec3::X, 42.0)
        .rotated(DVec3::Z, 12.0)
        .translated(dvec3(0.0, 0.04, 0.35))
}

/// Spikes along the back.
fn crest() -> ShapeTree {
    let spike = |x: f64, z: f64, lean: f64| {
        ShapeTree::round_cone(dvec3(x, 0.0, z), 0.034, dvec3(x - lean, 0.0, z + 0.055), 0.028)
    };
    spike(-0.2, 0.34, 0.03).union_with([
        spike(0.22, 0.52, 0.05),
        spike(0.2, 0.43, 0.05),
        spike(-0.1, 0.38, 0.03),
        spike(0.24, 0.61, 0.05),
    ])
}

/// A blade at the end of the tail.
fn tail_tip() -> ShapeTree {
    let outline = vec![[-0.06, 0.0], [0.02, 0.075], [0.13, 0.0], [0.02, -0.075]];
    ShapeTree::Extrusion { outline, thickness: 0.064, rounding: 0.03 }.translated(dvec3(-0.14, 0.36, 0.06))
}
