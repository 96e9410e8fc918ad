//! The broad phase: which triangles come near each other, and what comes near an analytic obstacle.

use crate::analytic::{MovingShape, Touch};
use crate::contact::{Contact, ContactKey, Side};
use crate::ids::ObstacleId;
use crate::motion::Motion;
use crate::near::{EdgeTest, Found, StepView, VertexTest};
use crate::shape::deepest_in;
use crate::skin::{Skin, Topology};
use crate::tree::{Forest, Node};
use pliant_mesh::{DVec3, closest_on_triangle};
use std::ops::Range;

/// First word of the key of a contact with an analytic obstacle: of a vertex, of an edge, of a triangle.
pub(crate) const VERTEX_OBSTACLE: u32 = 0;
pub(crate) const EDGE_OBSTACLE: u32 = 3;
pub(crate) const TRIANGLE_OBSTACLE: u32 = 4;

/// Last word of the key of a contact of a triangle with a point of its own, and not with a feeler of the obstacle.
pub(crate) const FIXED_POINT: u32 = u32::MAX;

/// Weight from which on a point of a triangle is as good as one of its vertices.
const AT_VERTEX: f64 = 0.95;

/// A point of a triangle.
pub(crate) fn weighted(weights: [f64; 3], corners: [DVec3; 3]) -> DVec3 {
    weights.iter().zip(corners).map(|(&w, x)| w * x).sum()
}

/// Two nodes of trees whose triangles are to be tested against each other; the same one twice for a surface against
/// itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Seed {
    pub parts: [u32; 2],
    pub nodes: [u32; 2],
}

/// Opens pairs of nodes into pairs of their children, those whose boxes overlap. Returns false for two leaves.
#[inline]
pub(crate) fn open(forest: &Forest, [a, b]: [u32; 2], mut push: impl FnMut([u32; 2])) -> bool {
    let (na, nb) = (&forest.nodes[a as usize], &forest.nodes[b as usize]);
    if a == b {
        if na.is_leaf() {
            return false;
        }
        let (left, right) = (a + 1, na.second());
        push([left, right]);
        push([right, right]);
        push([left, left]);
        return true;
    }
    if na.is_leaf() && nb.is_leaf() {
        return false;
    }
    let children = |n: u32, node: &Node| if node.is_leaf() { [n, n] } else { [n + 1, node.second()] };
    let (of_a, of_b) = (children(a, na), children(b, nb));
    let bounds = |n: u32| &forest.nodes[n as usize].bounds;
    for (i, &first) in of_a.iter().enumerate().take(if na.is_leaf() { 1 } else { 2 }) {
        let own = bounds(first);
        // Most often only one child is near the other node.
        if i == 1 && !own.overlaps(&nb.bounds) {
            continue;
        }
        for &second in of_b.iter().take(if nb.is_leaf() { 1 } else { 2 }) {
            if own.overlaps(bounds(second)) {
                push([first, second]);
            }
        }
    }
    true
}

impl Seed {
    /// The whole of two parts.
    pub fn of(skin: &Skin, parts: [u32; 2]) -> Seed {
        Seed { parts, nodes: parts.map(|p| skin.parts[p as usize].root) }
    }

    /// Splits pairs until there are enough to share among threads. How they are split depends on the boxes alone.
    pub fn split(forest: &Forest, seeds: &mut Vec<Seed>, spare: &mut Vec<Seed>) {
        const ENOUGH: usize = 64;
        const ROUNDS: usize = 16;
        for _ in 0..ROUNDS {
            if seeds.is_empty() || seeds.len() >= ENOUGH {
                return;
            }
            spare.clear();
            for &seed in seeds.iter() {
                let opened = open(forest, seed.nodes, |nodes| spare.push(Seed { nodes, ..seed }));
                if !opened {
                    spare.push(seed);
                }
            }
            std::mem::swap(seeds, spare);
        }
    }
}

/// Finds the contacts of two parts.
pub(crate) struct PairWalk<'a> {
    forest: &'a Forest,
    motion: &'a Motion,
    topology: &'a Topology,
    first_on_second: VertexTest<'a>,
    second_on_first: VertexTest<'a>,
    edges: EdgeTest<'a>,
    /// Whether triangles of the first and of the second part are touched by vertices.
    faces: [bool; 2],
}

/// What is added to the boxes of a part: two boxes overlap when the gap between their contents is below the margin.
pub(crate) fn pad(radius: f64, margin: f64) -> f64 {
    radius + 0.5 * margin
}

impl<'a> PairWalk<'a> {
    pub fn new(forest: &'a Forest, motion: &'a Motion, view: StepView<'a>, [a, b]: [u32; 2]) -> Self {
        let moved = motion.relative([a, b]);
        Self {
            forest,
            motion,
            topology: &view.skin.topology,
            first_on_second: VertexTest::new(view, a, b, moved),
            second_on_first: VertexTest::new(view, b, a, moved),
            edges: EdgeTest::new(view, a, b),
            faces: [a, b].map(|p| view.part(p).has_faces),
        }
    }

    /// Adds all contacts between the triangles below two nodes.
    pub fn run(&self, nodes: [u32; 2], stack: &mut Vec<[u32; 2]>, out: &mut Vec<Found>) {
        stack.clear();
        stack.push(nodes);
        while let Some([a, b]) = stack.pop() {
            if !open(self.forest, [a, b], |pair| stack.push(pair)) {
                let [na, nb] = [a, b].map(|n| &self.forest.nodes[n as usize]);
                if self.faces[1] {
                    self.vertices(&self.first_on_second, na, nb, out);
                }
                if self.faces[0] && a != b {
                    self.vertices(&self.second_on_first, nb, na, out);
                }
                self.edges(na, nb, out);
            }
        }
    }

    /// Tests the vertices that one leaf owns against the triangles of another.
    fn vertices(&self, test: &VertexTest, of: &Node, against: &Node, out: &mut Vec<Found>) {
        for v in self.topology.owned_vertices(&of.triangles()) {
            let bounds = &self.motion.vertex_boxes[v as usize];
            if bounds.overlaps(&against.bounds) {
                for t in against.triangles() {
                    if bounds.overlaps(&self.forest.boxes[t as usize]) {
                        test.test(v, t, out);
                    }
                }
            }
        }
    }

    /// Tests the edges that two leaves own against each other.
    fn edges(&self, na: &Node, nb: &Node, out: &mut Vec<Found>) {
        let is_self = std::ptr::eq(na, nb);
        let (of_a, of_b) =
            (self.topology.owned_edges(&na.triangles()), self.topology.owned_edges(&nb.triangles()));
        let any_sharp = |edges: &Range<u32>| self.motion.sharp[as_range(edges)].iter().any(|&sharp| sharp);
        if !any_sharp(&of_a) && !any_sharp(&of_b) {
            return;
        }
        for e in of_a {
            let bounds = &self.motion.edge_boxes[e as usize];
            if !bounds.overlaps(&nb.bounds) {
                continue;
            }
            let others = if is_self { e + 1..of_b.end } else { of_b.clone() };
            for f in others {
                if bounds.overlaps(&self.motion.edge_boxes[f as usize]) {
                    self.edges.test(if f < e { [f, e] } else { [e, f] }, out);
                }
            }
        }
    }
}

fn as_range(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// Finds the contacts of a part with an analytic obstacle.
pub(crate) struct ObstacleWalk<'a> {
    pub forest: &'a Forest,
    pub view: StepView<'a>,
    pub part: u32,
    /// Where it starts.
    pub node: u32,
    pub obstacle: ObstacleId,
    pub moving: MovingShape<'a>,
    /// Distance that contacts keep.
    pub thickness: f64,
    /// How far the boxes of the forest may be left behind in the step, and depth from which on any point of a triangle counts.
    pub guard: Option<(f64, f64)>,
}

impl ObstacleWalk<'_> {
    /// Adds the contacts of all vertices and edges that are owned by triangles below the node, and of these triangles.
    pub fn run(&self, stack: &mut Vec<[u32; 2]>, out: &mut Vec<Contact>) {
        stack.clear();
        stack.push([self.node, 0]);
        while let Some([node, _]) = stack.pop() {
            let below = &self.forest.nodes[node as usize];
            let (center, radius) = below.bounds.ball();
            if self.moving.is_beyond(center, radius + self.guard.map_or(0.0, |(way, _)| way)) {
                continue;
            }
            if !below.is_leaf() {
                stack.extend([[below.second(), 0], [node + 1, 0]]);
                continue;
            }
            let (topology, triangles) = (&self.view.skin.topology, below.triangles());
            for v in topology.owned_vertices(&triangles) {
                self.vertex(v, out);
            }
            if self.moving.touches_between_vertices() {
                topology.owned_edges(&triangles).for_each(|e| self.edge(e, out));
                triangles.clone().for_each(|t| self.triangle(t, out));
            }
            if let Some((_, allowed)) = self.guard {
                triangles.for_each(|t| self.deepest(t, allowed, out));
            }
        }
    }

    fn vertex(&self, v: u32, out: &mut Vec<Contact>) {
        if self.view.skin.repeated[v as usize] {
            return;
        }
        let (x0, x1) = self.places([v]);
        if let Some(touch) = self.moving.vertex(x0[0], x1[0]) {
            out.push(self.contact([VERTEX_OBSTACLE, self.obstacle.0, v, 0], &[v], &touch));
        }
    }

    fn edge(&self, e: u32, out: &mut Vec<Contact>) {
        let ends = self.view.skin.topology.edges[e as usize];
        if ends.iter().all(|&v| self.view.skin.repeated[v as usize]) {
            return;
        }
        let (x0, x1) = self.places(ends);
        if let Some(touch) = self.moving.edge(x0, x1) {
            out.push(self.contact([EDGE_OBSTACLE, self.obstacle.0, e, 0], &ends, &touch));
        }
    }

    fn triangle(&self, t: u32, out: &mut Vec<Contact>) {
        let corners = self.view.skin.topology.triangles[t as usize];
        let (x0, x1) = self.places(corners);
        self.moving.triangle(x0, x1, |touch| {
            let key = [TRIANGLE_OBSTACLE, self.obstacle.0, t, touch.feeler];
            out.push(self.contact(key, &corners, &touch));
        });
    }

    /// The deepest point of a triangle if it is deeper than allowed, wherever it is, on the side that it came from. Vertices have
    /// contacts of their own.
    fn deepest(&self, t: u32, allowed: f64, out: &mut Vec<Contact>) {
        let corners = self.view.skin.topology.triangles[t as usize];
        let (x0, x1) = self.places(corners);
        let seen = x1.map(|x| self.moving.end.local(x));
        let Some((_, place)) = deepest_in(self.moving.shape, seen, allowed) else { return };
        let (weights, _) = closest_on_triangle(place, seen);
        let is_deep = |p: DVec3| self.moving.shape.signed_distance(p).is_some_and(|(d, _)| d < -allowed);
        if weights.iter().zip(seen).any(|(&w, p)| w > AT_VERTEX && is_deep(p)) {
            return;
        }
        if let Some(touch) = self.moving.vertex(weighted(weights, x0), weighted(weights, x1)) {
            let key = [TRIANGLE_OBSTACLE, self.obstacle.0, t, FIXED_POINT];
            out.push(self.contact(key, &corners, &Touch { weights, ..touch }));
        }
    }

    fn places<const N: usize>(&self, vertices: [u32; N]) -> ([DVec3; N], [DVec3; N]) {
        let StepView { x0, x1, .. } = self.view;
        (vertices.map(|v| x0[v as usize]), vertices.map(|v| x1[v as usize]))
    }

    fn contact(&self, key: [u32; 4], vertices: &[u32], touch: &Touch) -> Contact {
        let mut contact = Contact {
            key: ContactKey(key),
            sides: [self.view.part(self.part).side, Side::Obstacle(self.obstacle)],
            vertices: [0; 4],
            weights: [0.0; 4],
            count: vertices.len() as u32,
            normal: touch.normal,
            found_normal: touch.normal,
            anchor: touch.anchor,
            anchor_motion: touch.anchor_motion,
            thickness: self.thickness,
            time: touch.time,
        };
        for (k, &v) in vertices.iter().enumerate() {
            contact.vertices[k] = self.view.skin.global[v as usize];
            contact.weights[k] = touch.weights[k];
        }
        contact
    }
}
