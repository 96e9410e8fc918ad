//! A soft finger that a cable bends.

use crate::ShapeTree;
use pliant_mesh::{DVec3, dvec3};
use std::f64::consts::PI;

/// Height of the mounting block.
const BASE: f64 = 0.12;
/// Heights of the notches on the inner side.
const NOTCHES: [f64; 5] = [0.24, 0.37, 0.5, 0.63, 0.76];
/// Width of a notch.
const GAP: f64 = 0.06;
/// Centre of the round tip in the side view, and its radius.
const TIP: ([f64; 2], f64) = ([-0.035, 0.925], 0.075);

/// Stands on z = 0 along z. The notched inner side looks along x, and the finger bends towards it.
pub(super) fn gripper_finger() -> ShapeTree {
    let base = ShapeTree::Cuboid {
        center: dvec3(0.0, 0.0, 0.5 * BASE),
        size: dvec3(0.3, 0.26, BASE),
        rounding: 0.02,
    };
    // Side view: the outer side is straight, the inner side comes closer to it towards the tip.
    let mut profile = vec![[-0.11, 0.07], [0.11, 0.07]];
    profile.extend((0..=12).map(|i| {
        let angle = PI * f64::from(i) / 12.0;
        [TIP.0[0] + TIP.1 * angle.cos(), TIP.0[1] + TIP.1 * angle.sin()]
    }));
    let finger = ShapeTree::Extrusion { outline: profile, thickness: 0.2, rounding: 0.035 };
    let upright = finger.rotated(DVec3::X, 90.0);
    let notched = ShapeTree::Difference {
        parts: std::iter::once(upright).chain(NOTCHES.map(notch)).collect(),
        blend: 0.015,
    };
    let tip = ShapeTree::HalfSpace { point: dvec3(0.0, 0.0, 0.85), normal: DVec3::Z };
    notched.blended_with([base.named("base")], 0.04).marked("tip", tip)
}

/// Points of a cable through the finger, from the base to the tip, in the metres of the body of this name. It runs
/// through the blocks between the notches, near their inner side: there it closes the notches, while a cable behind them
/// would shorten the finger more than bend it.
pub fn gripper_finger_cable() -> Vec<DVec3> {
    let (base, tip) = (dvec3(0.05, 0.0, 0.04), dvec3(0.0, 0.0, 0.84));
    let below_first = std::iter::once(NOTCHES[0] - GAP);
    let between = NOTCHES.windows(2).map(|pair| 0.5 * (pair[0] + pair[1]));
    let blocks = below_first.chain(between).map(|z| dvec3(inner_side(z) - 0.03, 0.0, z));
    std::iter::once(base).chain(blocks).chain([tip]).collect()
}

/// A slot across the finger with a round end.
fn notch(z: f64) -> ShapeTree {
    let depth = inner_side(z) - 0.06;
    ShapeTree::capsule(dvec3(depth, -0.3, z), dvec3(depth, 0.3, z), 0.5 * GAP)
        .union_with([ShapeTree::cuboid(dvec3(depth + 0.2, 0.0, z), dvec3(0.4, 0.6, GAP))])
}

/// Where the inner side is at a height.
fn inner_side(z: f64) -> f64 {
    let tip = TIP.0[0] + TIP.1;
    0.11 + (tip - 0.11) * (z - 0.07) / (TIP.0[1] - 0.07)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Solid;

    #[test]
    fn the_cable_runs_through_every_block() {
        let finger = gripper_finger().compile().unwrap();
        let cable = gripper_finger_cable();
        for p in &cable {
            assert!(finger.signed_distance(*p) < -0.015, "{p:?} is not inside");
        }
        // It crosses each notch once, between two of its points.
        for z in NOTCHES {
            let across = cable.windows(2).filter(|w| w[0][2] < z - 0.5 * GAP && w[1][2] > z + 0.5 * GAP);
            assert_eq!(across.count(), 1, "notch at {z}");
        }
    }
}
