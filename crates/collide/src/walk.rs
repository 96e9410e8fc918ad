//! The broad phase: which triangles come near each other, and which vertices come near an analytic obstacle.

use crate::analytic::MovingShape;
use crate::boxes::Bounds;
use crate::contact::{Contact, ContactKey, Side};
use crate::near::{EdgeTest, Found, Scene, VertexTest, When};
use crate::skin::{owns_corner, owns_edge};
use crate::tree::{Forest, Node};

/// First word of the key of a contact between a vertex and an analytic obstacle.
pub(crate) const VERTEX_OBSTACLE: u32 = 0;

/// Two nodes of trees whose triangles are to be tested against each other; the same one twice for a surface against
/// itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Seed {
    pub parts: [u32; 2],
    pub nodes: [u32; 2],
}

/// Opens pairs of nodes into pairs of their children, those whose boxes overlap. Returns false for two leaves.
#[inline]
fn open(forest: &Forest, [a, b]: [u32; 2], mut push: impl FnMut([u32; 2])) -> bool {
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
    let open_first = !na.is_leaf() && (nb.is_leaf() || na.bounds.size() > nb.bounds.size());
    let (parent, node, other) = if open_first { (a, na, nb) } else { (b, nb, na) };
    if node.is_leaf() {
        return false;
    }
    for child in [parent + 1, node.second()] {
        if forest.nodes[child as usize].bounds.overlaps(&other.bounds) {
            push(if open_first { [child, b] } else { [a, child] });
        }
    }
    true
}

impl Seed {
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
    scene: Scene<'a>,
    parts: [u32; 2],
    first_on_second: VertexTest<'a>,
    second_on_first: VertexTest<'a>,
    edges: EdgeTest<'a>,
    /// Whether triangles of the first and of the second part are touched by vertices.
    faces: [bool; 2],
    solid: [bool; 2],
    pads: [f64; 2],
}

/// What is added to the boxes of a part: two boxes overlap when the gap between their contents is below the margin.
pub(crate) fn pad(radius: f64, margin: f64) -> f64 {
    radius + 0.5 * margin
}

impl<'a> PairWalk<'a> {
    pub fn new(forest: &'a Forest, scene: Scene<'a>, parts: [u32; 2]) -> Self {
        let [a, b] = parts;
        let of = parts.map(|p| scene.part(p));
        Self {
            forest,
            scene,
            parts,
            first_on_second: VertexTest::new(scene, a, b),
            second_on_first: VertexTest::new(scene, b, a),
            edges: EdgeTest::new(scene, a, b),
            faces: of.map(|p| p.has_faces),
            solid: of.map(|p| p.solid),
            pads: of.map(|p| pad(p.radius, scene.margin)),
        }
    }

    /// Adds all contacts between the triangles below two nodes.
    pub fn run(&self, nodes: [u32; 2], stack: &mut Vec<[u32; 2]>, out: &mut Vec<Found>) {
        stack.clear();
        stack.push(nodes);
        while let Some([a, b]) = stack.pop() {
            if !open(self.forest, [a, b], |pair| stack.push(pair)) {
                self.leaves(a, b, out);
            }
        }
    }

    fn leaves(&self, a: u32, b: u32, out: &mut Vec<Found>) {
        let [na, nb]: [&Node; 2] = [a, b].map(|n| &self.forest.nodes[n as usize]);
        for t in na.triangles() {
            let own = self.forest.boxes[t as usize];
            let first = if a == b { t + 1 } else { nb.triangles().start };
            for s in first..nb.triangles().end {
                if own.overlaps(&self.forest.boxes[s as usize]) {
                    self.triangles(t, s, out);
                }
            }
        }
    }

    /// Tests the features that two triangles own against each other.
    fn triangles(&self, t: u32, s: u32, out: &mut Vec<Found>) {
        let topology = &self.scene.skin.topology;
        let [of_t, of_s] = [t, s].map(|i| topology.owned[i as usize]);
        let [box_t, box_s] = [t, s].map(|i| &self.forest.boxes[i as usize]);
        if self.faces[1] {
            self.corners(
                t,
                of_t,
                self.pads[0],
                (s, box_s),
                |v, out| self.first_on_second.test(v, s, out),
                out,
            );
        }
        if self.faces[0] {
            self.corners(
                s,
                of_s,
                self.pads[1],
                (t, box_t),
                |v, out| self.second_on_first.test(v, t, out),
                out,
            );
        }
        if of_t >> 3 != 0 && of_s >> 3 != 0 {
            self.edge_pairs([t, s], [of_t, of_s], out);
        }
    }

    fn corners(
        &self,
        t: u32,
        owned: u8,
        pad: f64,
        (_, other): (u32, &Bounds),
        test: impl Fn(u32, &mut Vec<Found>),
        out: &mut Vec<Found>,
    ) {
        for k in 0..3 {
            if owns_corner(owned, k) {
                let v = self.scene.skin.topology.triangles[t as usize][k];
                let (x0, x1) = (self.scene.x0[v as usize], self.scene.x1[v as usize]);
                if Bounds::around([x0, x1], pad).overlaps(other) {
                    test(v, out);
                }
            }
        }
    }

    fn edge_pairs(&self, [t, s]: [u32; 2], owned: [u8; 2], out: &mut Vec<Found>) {
        let topology = &self.scene.skin.topology;
        let mut of_s = [(0, Bounds::EMPTY); 3];
        for k in (0..3).filter(|&k| owns_edge(owned[1], k)) {
            let edge = topology.triangle_edges[s as usize][k];
            of_s[k] = (edge, self.edge_bounds(edge, self.pads[1], self.solid[1]));
        }
        let box_s = &self.forest.boxes[s as usize];
        for k in (0..3).filter(|&k| owns_edge(owned[0], k)) {
            let edge = topology.triangle_edges[t as usize][k];
            let bounds = self.edge_bounds(edge, self.pads[0], self.solid[0]);
            if !bounds.overlaps(box_s) {
                continue;
            }
            for (other, other_bounds) in of_s {
                if bounds.overlaps(&other_bounds) {
                    let same = self.parts[0] == self.parts[1];
                    let pair = if same && other < edge { [other, edge] } else { [edge, other] };
                    self.edges.test(pair, out);
                }
            }
        }
    }

    fn edge_bounds(&self, edge: u32, pad: f64, solid: bool) -> Bounds {
        let [a, b] = self.scene.skin.topology.edges[edge as usize].map(|v| v as usize);
        let (x0, x1) = (self.scene.x0, self.scene.x1);
        // Edges of solids are also near when they have passed through each other.
        let pad = if solid { pad + self.scene.skin.edge_depth(edge) } else { pad };
        Bounds::around([x0[a], x0[b], x1[a], x1[b]], pad)
    }
}

/// Finds the vertices of a part near an analytic obstacle.
pub(crate) struct ObstacleWalk<'a> {
    pub forest: &'a Forest,
    pub scene: Scene<'a>,
    pub part: u32,
    pub obstacle: u32,
    pub moving: MovingShape<'a>,
}

impl ObstacleWalk<'_> {
    /// Adds the contacts of all vertices that are owned by triangles below a node.
    pub fn run(&self, node: u32, stack: &mut Vec<[u32; 2]>, out: &mut Vec<Found>) {
        stack.clear();
        stack.push([node, 0]);
        while let Some([node, _]) = stack.pop() {
            let below = &self.forest.nodes[node as usize];
            let (center, radius) = below.bounds.ball();
            if self.moving.is_beyond(center, radius) {
                continue;
            }
            if !below.is_leaf() {
                stack.extend([[below.second(), 0], [node + 1, 0]]);
                continue;
            }
            for t in below.triangles() {
                self.corners(t, out);
            }
        }
    }

    fn corners(&self, t: u32, out: &mut Vec<Found>) {
        let skin = self.scene.skin;
        let owned = skin.topology.owned[t as usize];
        for k in (0..3).filter(|&k| owns_corner(owned, k)) {
            let v = skin.topology.triangles[t as usize][k] as usize;
            if skin.repeated[v] {
                continue;
            }
            let Some(touch) = self.moving.touch(self.scene.x0[v], self.scene.x1[v]) else { continue };
            let name = skin.global[v];
            let contact = Contact {
                key: ContactKey([VERTEX_OBSTACLE, name, self.obstacle, 0]),
                sides: [self.scene.part(self.part).side, Side::Obstacle(self.obstacle)],
                vertices: [name, 0, 0, 0],
                weights: [1.0, 0.0, 0.0, 0.0],
                count: 1,
                normal: touch.normal,
                anchor: touch.anchor,
                anchor_motion: touch.anchor_motion,
                thickness: self.moving.thickness,
            };
            out.push(Found { contact, when: When::End, inside: None, gap: 0.0 });
        }
    }
}
