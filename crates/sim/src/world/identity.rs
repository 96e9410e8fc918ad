//! A number for all of a model that a snapshot must have in common with it: restored to another, it would be another motion.

use crate::fem::System;
use crate::model::Model;
use crate::state::Fnv;
use std::fmt::Write as _;

/// The number. What [`World::edit`](super::World::edit) changes has no part in it.
pub(super) fn identity(model: &Model, system: &System) -> u64 {
    let mut hash = Fnv::new();
    system.rest.iter().flat_map(|x| x.to_array()).for_each(|x| hash.add(&x.to_bits().to_le_bytes()));
    system.tets.iter().flat_map(|t| t.vertices).for_each(|v| hash.add(&v.to_le_bytes()));
    system.triangles.iter().flat_map(|t| t.vertices).for_each(|v| hash.add(&v.to_le_bytes()));
    // Text of numbers is exact. Taking it in never fails.
    let _ = write!(hash, "{:?}{:?}{:?}", model.dt, model.pins, model.loads);
    let _ = write!(hash, "{:?}{:?}{:?}{:?}", model.attachments, model.cables, model.needles, model.air);
    let structures =
        model.bodies.iter().map(|b| b.matchstick).chain(model.obstacles.iter().map(|o| o.matchstick));
    for (index, structure) in structures.enumerate().filter(|(_, s)| s.is_some()) {
        let _ = write!(hash, "{index}{structure:?}");
    }
    for o in &model.obstacles {
        let _ = write!(hash, "{:?}{:?}{:?}", o.shape, o.placement, o.motion);
    }
    hash.value()
}
