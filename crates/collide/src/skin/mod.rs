//! The surfaces of all bodies and the obstacles with faces, numbered anew and with their neighbourhoods.
//!
//! Vertices, edges and triangles of all parts are numbered through, bodies first. Triangles are in the order of the
//! tree over them, and vertices and edges in the order in which triangles meet them, so that what is close in space is
//! close in memory.

mod build;
mod topology;

use crate::{Options, Side};
use pliant_mesh::DVec3;
use std::ops::Range;

pub(crate) use topology::{NONE, Topology};

/// The surface of one body, or an obstacle with faces.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub side: Side,
    /// Whether its inside is known by the orientation of its triangles.
    pub solid: bool,
    pub radius: f64,
    /// Diagonal of the box around it at rest, m.
    pub size: f64,
    pub self_contact: bool,
    /// Whether vertices of bodies are tested against its faces. They are not where a formula has the distance.
    pub has_faces: bool,
    pub vertices: Range<usize>,
    pub triangles: Range<usize>,
    pub edges: Range<usize>,
    /// Whether there are edges so much longer than its own that they touch also where its surface is flat.
    pub flat_edges_touch: bool,
    /// Root of its tree.
    pub root: u32,
}

impl Part {
    pub fn is_rigid(&self) -> bool {
        matches!(self.side, Side::Obstacle(_))
    }

    /// A way beyond a contact, in m, that is long: positions there say nothing about the contact.
    pub fn long_way(&self) -> f64 {
        0.1 * self.size
    }
}

/// All parts with their topology, and what is known of the rest shape.
#[derive(Clone, Debug)]
pub(crate) struct Skin {
    pub parts: Vec<Part>,
    /// Names of the vertices: those of bodies by their index among the vertices of all bodies, those of obstacles by
    /// higher numbers.
    pub global: Vec<u32>,
    /// Whether an earlier part has the same vertex.
    pub repeated: Vec<bool>,
    /// Rest positions; those of obstacles in their own coordinates.
    pub rest: Vec<DVec3>,
    pub topology: Topology,
    /// Index of each triangle in the list it was given in.
    pub originals: Vec<u32>,
    /// A vertex of each connected piece.
    pub representatives: Vec<u32>,
    /// Mean length of the edges of each triangle at rest.
    pub sizes: Vec<f64>,
    /// How far behind each triangle of a solid a point may be and still be pushed out in front of it.
    pub depths: Vec<f64>,
    /// Length of each edge at rest.
    pub lengths: Vec<f64>,
    /// Whether each edge can touch: not where it only divides the face of an analytic shape.
    pub features: Vec<bool>,
    /// Whether the first triangle of each edge has its ends in the same order.
    pub runs_along: Vec<bool>,
}

/// A sharp edge this much longer than a flat one carries contacts between its ends; a shorter one does so by its ends.
pub(crate) const LONGER: f64 = 2.5;

impl Skin {
    /// Whether two parts can touch, or one itself.
    pub fn can_touch(&self, options: &Options, [a, b]: [u32; 2]) -> bool {
        let [first, second] = [a, b].map(|p| &self.parts[p as usize]);
        if a == b {
            first.self_contact
        } else if second.is_rigid() {
            !first.is_rigid()
        } else {
            options.between_bodies || (first.side == second.side && first.self_contact)
        }
    }

    /// How deep edges may be inside of a solid and still be pushed out over one of its edges.
    pub fn edge_depth(&self, edge: u32) -> f64 {
        let beside = self.topology.beside(edge).iter();
        beside.map(|&t| self.depths[t as usize]).fold(0.5 * self.lengths[edge as usize], f64::min)
    }

    /// Whether a vertex is the same as one of the others, perhaps seen in another part.
    #[inline]
    pub fn shares(&self, vertex: u32, others: &[u32]) -> bool {
        let name = self.global[vertex as usize];
        others.iter().any(|&v| self.global[v as usize] == name)
    }
}
