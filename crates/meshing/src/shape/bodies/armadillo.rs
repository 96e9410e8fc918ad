//! An upright creature with raised arms, large ears and a shell.

use super::curved_limb;
use crate::ShapeTree;
use pliant_mesh::{DVec3, dvec3};

/// The normal of the plane between left and right: the creature looks along -y.
const SIDEWAYS: DVec3 = DVec3::X;

/// Stands on its feet and looks along -y.
pub(super) fn armadillo() -> ShapeTree {
    let belly = ShapeTree::ellipsoid(dvec3(0.0, 0.0, 0.42), dvec3(0.16, 0.14, 0.18));
    let chest = ShapeTree::ellipsoid(dvec3(0.0, 0.0, 0.56), dvec3(0.15, 0.12, 0.11));
    let tail = curved_limb(&[
        (dvec3(0.0, 0.1, 0.32), 0.075),
        (dvec3(0.0, 0.22, 0.2), 0.055),
        (dvec3(0.03, 0.32, 0.12), 0.042),
        (dvec3(0.1, 0.4, 0.08), 0.032),
    ])
    .named("tail");
    let legs = leg().and_mirrored(SIDEWAYS);
    let arms = arm().and_mirrored(SIDEWAYS);
    let trunk = belly.blended_with([chest, tail], 0.07);
    trunk.blended_with([legs, arms, head()], 0.045).blended_with([shell()], 0.015)
}

/// A long-nosed head with large ears.
fn head() -> ShapeTree {
    let skull = ShapeTree::ellipsoid(dvec3(0.0, -0.03, 0.74), dvec3(0.095, 0.1, 0.09));
    let nose = ShapeTree::limb(&[(dvec3(0.0, -0.08, 0.725), 0.065), (dvec3(0.0, -0.2, 0.69), 0.042)]);
    let neck = ShapeTree::capsule(dvec3(0.0, 0.0, 0.6), dvec3(0.0, -0.02, 0.7), 0.08);
    let ear = ShapeTree::ellipsoid(DVec3::ZERO, dvec3(0.055, 0.032, 0.11))
        .rotated(DVec3::Y, 32.0)
        .translated(dvec3(0.13, 0.01, 0.86));
    let root = ShapeTree::capsule(dvec3(0.07, 0.0, 0.78), dvec3(0.11, 0.01, 0.83), 0.035);
    let ears = ear.blended_with([root], 0.02).and_mirrored(SIDEWAYS);
    skull.blended_with([nose, neck], 0.04).blended_with([ears], 0.02).named("head")
}

/// The right arm, raised, with three claws.
fn arm() -> ShapeTree {
    let wrist = dvec3(0.36, -0.09, 0.68);
    let claw = |x: f64, y: f64, z: f64| ShapeTree::round_cone(wrist, 0.04, dvec3(x, y, z), 0.03);
    let hand = ShapeTree::sphere(wrist, 0.05)
        .union_with([claw(0.33, -0.12, 0.79), claw(0.41, -0.12, 0.78), claw(0.45, -0.1, 0.7)])
        .named("hands");
    ShapeTree::limb(&[(dvec3(0.12, 0.0, 0.6), 0.07), (dvec3(0.28, -0.02, 0.55), 0.055), (wrist, 0.045)])
        .blended_with([hand], 0.02)
}

/// The right leg with a long foot.
fn leg() -> ShapeTree {
    let ankle = dvec3(0.17, 0.0, 0.07);
    let toe = |x: f64, y: f64| ShapeTree::round_cone(ankle, 0.055, dvec3(x, y, 0.036), 0.036);
    let foot = toe(0.13, -0.15).union_with([toe(0.21, -0.14), toe(0.16, 0.06)]).named("feet");
    ShapeTree::limb(&[(dvec3(0.1, 0.0, 0.34), 0.1), (dvec3(0.18, -0.05, 0.2), 0.075), (ankle, 0.055)])
        .blended_with([foot], 0.03)
}

/// Rows of bumps over the back.
fn shell() -> ShapeTree {
    let mut bumps = Vec::new();
    for (row, z) in [0.36, 0.45, 0.54, 0.62].into_iter().enumerate() {
        let count = 3 + (row + 1) % 2;
        for i in 0..count {
            // Around the back, where the body is about 0.14 thick.
            let angle = (i as f64 - 0.5 * (count - 1) as f64) * 0.62;
            let out = if row == 3 { 0.1 } else { 0.135 };
            bumps.push(ShapeTree::sphere(dvec3(out * angle.sin() * 1.1, out * angle.cos(), z), 0.042));
        }
    }
    ShapeTree::Union { parts: bumps, blend: 0.0 }
}
