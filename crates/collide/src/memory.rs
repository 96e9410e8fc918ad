//! What a detector knows from the steps before, to be kept and given back: with it, detection continues as if it had never
//! stopped. Everything else in a detector is found anew from the positions.

use crate::near::{EDGE_EDGE, FACE, Remembered, VERTEX_TRIANGLE, feature_of};
use crate::{ContactKey, Detector};
use pliant_mesh::DVec3;

/// The memory of a [`Detector`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DetectorMemory {
    /// The contacts of the last step with the directions in which they were found, ascending by key.
    pub directions: Vec<(ContactKey, DVec3)>,
    /// Pairs that had to be stopped once and are still near, ascending.
    pub kept: Vec<ContactKey>,
    /// Vertices of the surfaces beside what intersected at the end of the last step, ascending.
    pub tangled: Vec<u32>,
}

impl Detector {
    /// What it knows from the steps so far.
    pub fn memory(&self) -> DetectorMemory {
        DetectorMemory {
            directions: self.remembered.iter().map(|r| (r.key, r.normal)).collect(),
            kept: self.guard.kept().to_vec(),
            tangled: self.guard.left(),
        }
    }

    /// Takes over a memory. Returns whether it is one of such a detector: if not, nothing is changed.
    pub fn recall(&mut self, memory: &DetectorMemory) -> bool {
        let ascending = memory.directions.windows(2).all(|w| w[0].0 < w[1].0)
            && memory.kept.windows(2).all(|w| w[0] < w[1])
            && memory.tangled.windows(2).all(|w| w[0] < w[1]);
        if !ascending || !memory.kept.iter().all(|key| self.knows(*key)) {
            return false;
        }
        if !self.guard.recall(&memory.kept, &memory.tangled) {
            return false;
        }
        let each = memory.directions.iter();
        self.remembered = each.map(|&(key, normal)| Remembered { key, normal }).collect();
        true
    }

    /// Whether the features that a key names are there.
    fn knows(&self, ContactKey([class, first, second, word]): ContactKey) -> bool {
        let skin = &self.skin;
        let second = (second as usize) < skin.parts.len();
        let is_vertex = |v: u32| (v as usize) < skin.global.len();
        let is_edge = |e: u32| (e as usize) < skin.topology.edges.len();
        let is_triangle = |t: u32| (t as usize) < skin.topology.triangles.len();
        match (class, feature_of(word)) {
            (EDGE_EDGE, _) => second && is_edge(first) && is_edge(word),
            (VERTEX_TRIANGLE, (FACE, triangle)) => second && is_vertex(first) && is_triangle(triangle),
            // Such keys are compared only.
            _ => true,
        }
    }
}
