//! Modelled bodies of the scene catalogue.
//!
//! All are about one metre large and stand on or about the plane z = 0. Creatures look along x; the gingerbread man
//! and the armadillo, which stand upright, look along -y. No limb is thinner than some 6 % of the body, so that a mesh
//! of a few thousand vertices resolves it.

mod armadillo;
mod donut;
mod dragon;
mod gingerbread_man;
mod gripper_finger;
mod liver;
mod raptor;
mod wooper;

pub use gripper_finger::gripper_finger_cable;

use super::ShapeTree;
use pliant_mesh::DVec3;

/// A modelled body.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    /// Its name in scene files.
    pub name: &'static str,
    /// One line for listings.
    pub description: &'static str,
    /// Makes it, about one metre large.
    pub shape: fn() -> ShapeTree,
}

const BODIES: &[Body] = &[
    Body {
        name: "armadillo",
        description: "An upright creature with raised arms, ears, a tail and a bumpy shell; groups head, feet, hands, tail.",
        shape: armadillo::armadillo,
    },
    Body { name: "donut", description: "A ring.", shape: donut::donut },
    Body {
        name: "dragon",
        description: "A winding dragon with wings, horns and a long tail; groups head, feet, tail.",
        shape: dragon::dragon,
    },
    Body {
        name: "gingerbread_man",
        description: "A flat cookie with round head, arms and legs; groups head, hands, feet.",
        shape: gingerbread_man::gingerbread_man,
    },
    Body {
        name: "gripper_finger",
        description: "A tapered soft finger with notches on the inner side; groups base, tip.",
        shape: gripper_finger::gripper_finger,
    },
    Body { name: "liver", description: "A smooth organ of two lobes.", shape: liver::liver },
    Body {
        name: "raptor",
        description: "A dinosaur on two legs with small arms and a long tail; groups head, feet, tail.",
        shape: raptor::raptor,
    },
    Body {
        name: "wooper",
        description: "A fat salamander with branching gills; groups head, feet, tail.",
        shape: wooper::wooper,
    },
];

/// All modelled bodies, by name.
pub fn bodies() -> &'static [Body] {
    BODIES
}

/// The modelled body of this name.
pub fn body(name: &str) -> Option<ShapeTree> {
    BODIES.iter().find(|b| b.name == name).map(|b| (b.shape)())
}

/// The normal of the plane between left and right of the creatures that look along x.
const SIDEWAYS: DVec3 = DVec3::Y;

/// A limb along a smooth curve through the balls: between each two there is one more, on the cubic through the two and
/// their neighbours.
fn curved_limb(balls: &[(DVec3, f64)]) -> ShapeTree {
    let last = balls.len() - 1;
    let mut fine = Vec::with_capacity(2 * balls.len());
    for i in 0..last {
        let ((a, r), (b, s)) = (balls[i], balls[i + 1]);
        let ((before, r_before), (after, s_after)) = (balls[i.saturating_sub(1)], balls[(i + 2).min(last)]);
        fine.push(balls[i]);
        fine.push(((9.0 * (a + b) - (before + after)) / 16.0, (9.0 * (r + s) - (r_before + s_after)) / 16.0));
    }
    fine.push(balls[last]);
    ShapeTree::limb(&fine)
}
