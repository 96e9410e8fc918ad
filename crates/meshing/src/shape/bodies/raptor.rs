//! A dinosaur that runs on two legs.

use super::{SIDEWAYS, curved_limb};
use crate::ShapeTree;
use pliant_mesh::dvec3;

/// Stands on its feet and looks along x.
pub(super) fn raptor() -> ShapeTree {
    let trunk = ShapeTree::limb(&[
        (dvec3(-0.14, 0.0, 0.42), 0.115),
        (dvec3(0.02, 0.0, 0.42), 0.125),
        (dvec3(0.14, 0.0, 0.45), 0.095),
    ]);
    let neck = curved_limb(&[
        (dvec3(0.14, 0.0, 0.46), 0.09),
        (dvec3(0.25, 0.0, 0.56), 0.065),
        (dvec3(0.28, 0.0, 0.66), 0.058),
        (dvec3(0.31, 0.0, 0.71), 0.065),
    ]);
    let tail = curved_limb(&[
        (dvec3(-0.18, 0.0, 0.42), 0.1),
        (dvec3(-0.33, 0.0, 0.43), 0.065),
        (dvec3(-0.48, 0.0, 0.46), 0.045),
        (dvec3(-0.62, 0.0, 0.51), 0.03),
    ])
    .named("tail");
    let legs = leg().and_mirrored(SIDEWAYS);
    let arms = arm().and_mirrored(SIDEWAYS);
    trunk.blended_with([neck, tail], 0.08).blended_with([legs, head()], 0.05).blended_with([arms], 0.03)
}

/// A skull with brows, a long snout and a lower jaw.
fn head() -> ShapeTree {
    let skull = ShapeTree::ellipsoid(dvec3(0.32, 0.0, 0.73), dvec3(0.09, 0.07, 0.07));
    let snout = ShapeTree::limb(&[(dvec3(0.36, 0.0, 0.73), 0.058), (dvec3(0.5, 0.0, 0.705), 0.038)]);
    let jaw = ShapeTree::limb(&[(dvec3(0.35, 0.0, 0.68), 0.04), (dvec3(0.47, 0.0, 0.612), 0.032)]);
    let brows = ShapeTree::round_cone(dvec3(0.32, 0.05, 0.785), 0.03, dvec3(0.38, 0.048, 0.775), 0.026)
        .and_mirrored(SIDEWAYS);
    skull.blended_with([snout, jaw], 0.03).blended_with([brows], 0.02).named("head")
}

/// The left leg: thigh, shin, the long middle foot and two toes.
fn leg() -> ShapeTree {
    let (hip, knee) = (dvec3(-0.08, 0.1, 0.4), dvec3(0.02, 0.14, 0.26));
    let (heel, ball) = (dvec3(-0.13, 0.14, 0.15), dvec3(-0.07, 0.14, 0.04));
    let bones = ShapeTree::limb(&[(hip, 0.095), (knee, 0.062), (heel, 0.04), (ball, 0.038)]);
    let toe = |x: f64, y: f64| ShapeTree::round_cone(ball, 0.038, dvec3(x, y, 0.032), 0.032);
    let foot = toe(0.05, 0.1).union_with([toe(0.06, 0.18)]).named("feet");
    bones.blended_with([foot], 0.02)
}

/// The left arm, bent, with two fingers.
fn arm() -> ShapeTree {
    let (shoulder, elbow, wrist) =
        (dvec3(0.15, 0.07, 0.42), dvec3(0.13, 0.12, 0.32), dvec3(0.22, 0.12, 0.29));
    let finger = |x: f64, y: f64, z: f64| ShapeTree::round_cone(wrist, 0.032, dvec3(x, y, z), 0.028);
    ShapeTree::limb(&[(shoulder, 0.045), (elbow, 0.036), (wrist, 0.032)])
        .union_with([finger(0.28, 0.155, 0.27), finger(0.27, 0.085, 0.25)])
}
