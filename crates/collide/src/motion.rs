//! Positions of the skin's vertices before and after the step, and what follows from them for vertices and edges.

use crate::boxes::Bounds;
use crate::skin::{NONE, Part, Skin};
use crate::{Pose, Side, Tasks};
use pliant_mesh::DVec3;
use std::sync::{Mutex, PoisonError};

/// Cosine of the angle between two triangles above which the edge between them is flat. It is less than any sharpness
/// that the narrow phase asks for.
const FLAT: f64 = 0.9968;
/// Pieces of work into which edges are divided.
const CHUNKS: usize = 32;

/// How the vertices of a part move: all by `mean`, give or take `radius`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spread {
    mean: DVec3,
    radius: f64,
}

/// Positions before and after the step, in the order of the skin.
#[derive(Clone, Debug)]
pub(crate) struct Motion {
    pub x0: Vec<DVec3>,
    pub x1: Vec<DVec3>,
    /// Boxes around the places of each vertex in the step, with the pad of its part.
    pub vertex_boxes: Vec<Bounds>,
    /// The same for each edge, empty for those that cannot touch.
    pub edge_boxes: Vec<Bounds>,
    /// Whether the surface stands out at each edge: it is neither flat nor a valley of a solid.
    pub sharp: Vec<bool>,
    /// Of each part.
    spreads: Vec<Spread>,
    /// Parts that are where they were in the last update, so that their boxes are still right.
    pub still: Vec<bool>,
    /// Parts whose vertices and edges have boxes that are still right.
    fresh: Vec<bool>,
    last: Vec<Option<Pose>>,
}

impl Motion {
    pub fn new(skin: &Skin) -> Self {
        let (n, parts, edges) = (skin.global.len(), skin.parts.len(), skin.topology.edges.len());
        Self {
            x0: vec![DVec3::ZERO; n],
            x1: vec![DVec3::ZERO; n],
            vertex_boxes: vec![Bounds::EMPTY; n],
            edge_boxes: vec![Bounds::EMPTY; edges],
            sharp: vec![false; edges],
            spreads: vec![Spread::default(); parts],
            still: vec![false; parts],
            fresh: vec![false; parts],
            last: vec![None; parts],
        }
    }

    /// Takes the positions of the bodies and places the obstacles.
    pub fn update(&mut self, skin: &Skin, bodies: [&[DVec3]; 2], poses: [&[Pose]; 2]) {
        for (index, part) in skin.parts.iter().enumerate() {
            let vertices = part.vertices.clone();
            self.fresh[index] &= part.is_rigid();
            match part.side {
                Side::Body(_) => {
                    for v in vertices {
                        let name = skin.global[v] as usize;
                        self.x0[v] = bodies[0][name];
                        self.x1[v] = bodies[1][name];
                    }
                }
                Side::Obstacle(obstacle) => {
                    let [from, to] = poses.map(|p| p[obstacle.index()]);
                    let stays = from == to;
                    self.still[index] = stays && self.last[index] == Some(to);
                    self.last[index] = stays.then_some(to);
                    if !self.still[index] {
                        self.fresh[index] = false;
                        for v in vertices {
                            self.x0[v] = from.place(skin.rest[v]);
                            self.x1[v] = to.place(skin.rest[v]);
                        }
                    }
                }
            }
        }
    }

    /// Boxes of all vertices and edges, and which edges are sharp. `pad` is what is added to boxes of a part.
    pub fn update_features(&mut self, skin: &Skin, tasks: &dyn Tasks, pad: impl Fn(&Part) -> f64 + Sync) {
        let Self { x0, x1, vertex_boxes, edge_boxes, sharp, spreads, fresh, .. } = self;
        for (k, part) in skin.parts.iter().enumerate() {
            if std::mem::replace(&mut fresh[k], true) {
                continue;
            }
            let pad = pad(part);
            spreads[k] = Spread::new(&x0[part.vertices.clone()], &x1[part.vertices.clone()]);
            let first = part.vertices.start;
            in_chunks(tasks, &mut vertex_boxes[part.vertices.clone()], |k, bounds| {
                *bounds = Bounds::around([x0[first + k], x1[first + k]], pad);
            });
            let first = part.edges.start;
            in_chunks(tasks, &mut sharp[part.edges.clone()], |k, sharp| {
                *sharp = skin.features[first + k] && is_sharp(skin, x1, first + k, part.solid);
            });
            let sharp = &sharp[part.edges.clone()];
            in_chunks(tasks, &mut edge_boxes[part.edges.clone()], |k, bounds| {
                let touches = sharp[k] || (part.flat_edges_touch && skin.features[first + k]);
                if !touches {
                    *bounds = Bounds::EMPTY;
                    return;
                }
                let [a, b] = skin.topology.edges[first + k];
                let [a, b] = [a as usize, b as usize];
                let depth = if part.solid { skin.edge_depth((first + k) as u32) } else { 0.0 };
                *bounds = Bounds::around([x0[a], x0[b], x1[a], x1[b]], pad + depth);
            });
        }
    }
}

impl Motion {
    /// The longest way of a vertex of a part in the step.
    pub fn longest_way(&self, part: &Part) -> f64 {
        let ways = part.vertices.clone().map(|v| self.x0[v].distance_squared(self.x1[v]));
        // A comparison with NaN drops it: it has no contacts.
        ways.fold(0.0, f64::max).sqrt()
    }

    /// How differently points of two parts move in the step, at most.
    pub fn relative(&self, parts: [u32; 2]) -> f64 {
        let [a, b] = parts.map(|p| self.spreads[p as usize]);
        a.radius + b.radius + a.mean.distance(b.mean)
    }
}

impl Spread {
    fn new(x0: &[DVec3], x1: &[DVec3]) -> Self {
        let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for (&from, &to) in x0.iter().zip(x1) {
            let d = to - from;
            // In this order the comparisons leave out NaN, which has no contacts.
            min = d.min(min);
            max = d.max(max);
        }
        let mean = 0.5 * (min + max);
        let radius = max.distance(mean);
        // Without any vertex, or with an infinite one, there is no bound.
        if radius.is_finite() {
            Self { mean, radius }
        } else {
            Self { mean: DVec3::ZERO, radius: f64::INFINITY }
        }
    }
}

/// Calls `fill` with the index and place of each item, in chunks that are tasks.
pub(crate) fn in_chunks<T: Send>(tasks: &dyn Tasks, items: &mut [T], fill: impl Fn(usize, &mut T) + Sync) {
    let size = items.len().div_ceil(CHUNKS).max(1);
    let count = items.len().div_ceil(size);
    let mut chunks = items.chunks_mut(size);
    let work: [Mutex<Option<&mut [T]>>; CHUNKS] = std::array::from_fn(|_| Mutex::new(chunks.next()));
    tasks.for_each(count, &|chunk| {
        let mut slot = work[chunk].lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(items) = &mut *slot {
            items.iter_mut().enumerate().for_each(|(k, item)| fill(chunk * size + k, item));
        }
    });
}

fn is_sharp(skin: &Skin, x: &[DVec3], edge: usize, solid: bool) -> bool {
    let [w, z] = skin.topology.edge_wings[edge];
    if w == NONE || z == NONE {
        return true;
    }
    let [a, b] = skin.topology.edges[edge];
    let a = x[a as usize];
    let along = x[b as usize] - a;
    let (to_w, to_z) = (x[w as usize] - a, x[z as usize] - a);
    let (m, n) = (along.cross(to_w), to_z.cross(along));
    let (mn, mm, nn) = (m.dot(n), m.length_squared(), n.length_squared());
    // False for NaN.
    let bent = mn < 0.0 || mn * mn < FLAT * FLAT * mm * nn;
    // The first triangle runs along the edge or against it, which gives its outward side.
    let outward = if skin.runs_along[edge] { 1.0 } else { -1.0 };
    let valley = solid && outward * m.dot(to_z) > 0.0;
    bent && !valley
}
