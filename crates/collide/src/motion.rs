//! Positions of the skin's vertices before and after the step, and what follows from them for each edge.

use crate::boxes::Bounds;
use crate::skin::{NONE, Skin};
use crate::vector::{cross, dot, sub};
use crate::{Pose, Side, Tasks};
use pliant_mesh::Point;
use std::sync::Mutex;

/// Cosine of the angle between two triangles above which the edge between them is flat. It is less than any sharpness
/// that the narrow phase asks for.
const FLAT: f64 = 0.9968;
/// Pieces of work into which edges are divided.
const CHUNKS: usize = 32;

/// An edge in the step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EdgeMotion {
    /// Around its places in the step, nothing added.
    pub bounds: Bounds,
    /// Flat, or a valley of a solid: where it is, the surface does not stand out.
    pub dull: bool,
}

/// Positions before and after the step, in the order of the skin.
#[derive(Debug)]
pub(crate) struct Motion {
    pub x0: Vec<Point>,
    pub x1: Vec<Point>,
    pub edges: Vec<EdgeMotion>,
    /// Parts that are where they were in the last update, so that their boxes are still right.
    pub still: Vec<bool>,
    last: Vec<Option<Pose>>,
}

impl Motion {
    pub fn new(skin: &Skin) -> Self {
        let (n, parts) = (skin.global.len(), skin.parts.len());
        Self {
            x0: vec![[0.0; 3]; n],
            x1: vec![[0.0; 3]; n],
            edges: vec![EdgeMotion { bounds: Bounds::EMPTY, dull: true }; skin.topology.edges.len()],
            still: vec![false; parts],
            last: vec![None; parts],
        }
    }

    /// Takes the positions of the bodies and places the obstacles.
    pub fn update(&mut self, skin: &Skin, bodies: [&[Point]; 2], poses: [&[Pose]; 2]) {
        for (index, part) in skin.parts.iter().enumerate() {
            let vertices = part.vertices.clone();
            match part.side {
                Side::Body(_) => {
                    for v in vertices {
                        let name = skin.global[v] as usize;
                        self.x0[v] = bodies[0][name];
                        self.x1[v] = bodies[1][name];
                    }
                }
                Side::Obstacle(obstacle) => {
                    let [from, to] = poses.map(|p| p[obstacle as usize]);
                    let stays = from == to;
                    self.still[index] = stays && self.last[index] == Some(to);
                    self.last[index] = stays.then_some(to);
                    if !self.still[index] {
                        for v in vertices {
                            self.x0[v] = from.place(skin.rest[v]);
                            self.x1[v] = to.place(skin.rest[v]);
                        }
                    }
                }
            }
        }
    }

    /// Boxes and shapes of all edges.
    pub fn update_edges(&mut self, skin: &Skin, tasks: &dyn Tasks) {
        let Self { x0, x1, edges, .. } = self;
        let size = edges.len().div_ceil(CHUNKS).max(1);
        let mut chunks = edges.chunks_mut(size).enumerate();
        let work: [Mutex<Option<(usize, &mut [EdgeMotion])>>; CHUNKS] =
            std::array::from_fn(|_| Mutex::new(chunks.next()));
        tasks.for_each(CHUNKS, &|chunk| {
            let Ok(mut slot) = work[chunk].lock() else { return };
            let Some((index, edges)) = &mut *slot else { return };
            for (edge, motion) in (*index * size..).zip(edges.iter_mut()) {
                let [a, b] = skin.topology.edges[edge];
                let [a, b] = [a as usize, b as usize];
                *motion = EdgeMotion {
                    bounds: Bounds::around([x0[a], x0[b], x1[a], x1[b]], 0.0),
                    dull: is_dull(skin, x1, edge),
                };
            }
        });
    }
}

fn is_dull(skin: &Skin, x: &[Point], edge: usize) -> bool {
    let [w, z] = skin.topology.edge_wings[edge];
    if w == NONE || z == NONE {
        return false;
    }
    let [a, b] = skin.topology.edges[edge];
    let a = x[a as usize];
    let along = sub(x[b as usize], a);
    let (to_w, to_z) = (sub(x[w as usize], a), sub(x[z as usize], a));
    let (m, n) = (cross(along, to_w), cross(to_z, along));
    let (mn, mm, nn) = (dot(m, n), dot(m, m), dot(n, n));
    // NaN is dull.
    let bent = mn < 0.0 || mn * mn < FLAT * FLAT * mm * nn;
    // The first triangle runs along the edge or against it, which tells its outward side.
    let outward = if skin.runs_along[edge] { 1.0 } else { -1.0 };
    let rises = outward * dot(m, to_z) > 0.0;
    !bent || (skin.solid_edge[edge] && rises)
}
