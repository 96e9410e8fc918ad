//! Positions of the skin's vertices before and after the step, and what follows from them for each edge.

use crate::boxes::Bounds;
use crate::skin::{NONE, Skin};
use crate::vector::{ZERO, add, cross, dot, is_finite, norm, scale, sub, unit};
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

/// How the vertices of a part move: all by the mean, give or take the radius.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spread {
    pub mean: Point,
    pub radius: f64,
}

/// Positions before and after the step, in the order of the skin.
#[derive(Debug)]
pub(crate) struct Motion {
    pub x0: Vec<Point>,
    pub x1: Vec<Point>,
    pub edges: Vec<EdgeMotion>,
    /// Of each part.
    pub spreads: Vec<Spread>,
    /// Whether the triangles around each vertex surely do not come near each other.
    pub tame: Vec<bool>,
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
            spreads: vec![Spread::default(); parts],
            tame: vec![false; n],
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

    /// How each part moves, boxes and shapes of all edges, and which vertices are tame.
    pub fn update_features(&mut self, skin: &Skin, tasks: &dyn Tasks, margin: f64) {
        let Self { x0, x1, edges, spreads, tame, .. } = self;
        for (spread, part) in spreads.iter_mut().zip(&skin.parts) {
            *spread = Spread::new(&x0[part.vertices.clone()], &x1[part.vertices.clone()]);
        }
        in_chunks(tasks, edges, |edge, motion| {
            let [a, b] = skin.topology.edges[edge];
            let [a, b] = [a as usize, b as usize];
            *motion = EdgeMotion {
                bounds: Bounds::around([x0[a], x0[b], x1[a], x1[b]], 0.0),
                dull: is_dull(skin, x1, edge),
            };
        });
        for (part, spread) in skin.parts.iter().zip(spreads).filter(|(part, _)| part.self_contact) {
            let reach = 2.0 * part.radius + margin;
            // What is that far apart after the step was far enough before it.
            let enough = reach + 2.0 * spread.radius;
            let first = part.vertices.start;
            in_chunks(tasks, &mut tame[part.vertices.clone()], |k, tame| {
                let v = (first + k) as u32;
                let height = fan_height(skin, x1, v);
                *tame = height > enough || (height > reach && fan_height(skin, x0, v) > reach);
            });
        }
    }
}

/// Calls `fill` with the index and place of each item, in chunks that are tasks.
fn in_chunks<T: Send>(tasks: &dyn Tasks, items: &mut [T], fill: impl Fn(usize, &mut T) + Sync) {
    let size = items.len().div_ceil(CHUNKS).max(1);
    let count = items.len().div_ceil(size);
    let mut chunks = items.chunks_mut(size);
    let work: [Mutex<Option<&mut [T]>>; CHUNKS] = std::array::from_fn(|_| Mutex::new(chunks.next()));
    tasks.for_each(count, &|chunk| {
        let Ok(mut slot) = work[chunk].lock() else { return };
        if let Some(items) = &mut *slot {
            items.iter_mut().enumerate().for_each(|(k, item)| fill(chunk * size + k, item));
        }
    });
}

/// A lower bound of the distance between features of triangles around a vertex that do not meet; zero where they may
/// be folded.
///
/// Seen along the mean of their normals, triangles that all face the viewer lie beside each other around the vertex, so
/// what is between two of them keeps them apart: at least the height of a triangle, foreshortened.
fn fan_height(skin: &Skin, x: &[Point], vertex: u32) -> f64 {
    let around = skin.topology.around(vertex);
    let place = x[vertex as usize];
    let spokes = |t: u32| {
        let corners = skin.topology.triangles[t as usize];
        let k = if corners[0] == vertex {
            0
        } else if corners[1] == vertex {
            1
        } else {
            2
        };
        [corners[(k + 1) % 3], corners[(k + 2) % 3]].map(|v| sub(x[v as usize], place))
    };
    let mean = around.iter().fold(ZERO, |sum, &t| {
        let [u, v] = spokes(t);
        add(sum, cross(u, v))
    });
    let Some(view) = unit(mean) else { return 0.0 };
    let mut least = f64::INFINITY;
    for &t in around {
        let [u, v] = spokes(t);
        let area = cross(u, v);
        let facing = dot(area, view);
        // Facing by less than 60 degrees is too steep to trust.
        if !(facing > 0.0 && facing * facing > 0.25 * dot(area, area)) {
            return 0.0;
        }
        let height = facing / dot(u, u).max(dot(v, v)).sqrt();
        least = if height < least { height } else { least };
    }
    least
}

impl Spread {
    fn new(x0: &[Point], x1: &[Point]) -> Self {
        let moved = || x0.iter().zip(x1).map(|(&from, &to)| sub(to, from)).filter(|&d| is_finite(d));
        let (mut min, mut max) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for d in moved() {
            for k in 0..3 {
                min[k] = if d[k] < min[k] { d[k] } else { min[k] };
                max[k] = if d[k] > max[k] { d[k] } else { max[k] };
            }
        }
        if min[0] > max[0] {
            return Self::default();
        }
        let mean = scale(add(min, max), 0.5);
        Self { mean, radius: norm(sub(max, mean)) }
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
