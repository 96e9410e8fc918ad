//! The broad phase: which triangles come near each other, and which vertices come near an analytic obstacle.

use crate::analytic::MovingShape;
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
    is_self: bool,
    first_on_second: VertexTest<'a>,
    second_on_first: VertexTest<'a>,
    edges: EdgeTest<'a>,
    /// Whether triangles of the first and of the second part are touched by vertices.
    faces: [bool; 2],
    pads: [f64; 2],
    /// How differently points of the two parts move in the step, at most.
    spread: f64,
    /// Both together, or a little less: boxes that do not overlap without them cannot meet.
    both_pads: f32,
    /// Distance within which features are of interest.
    reach: f64,
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
            is_self: a == b,
            first_on_second: VertexTest::new(scene, a, b),
            second_on_first: VertexTest::new(scene, b, a),
            edges: EdgeTest::new(scene, a, b),
            faces: of.map(|p| p.has_faces),
            pads: of.map(|p| pad(p.radius, scene.margin)),
            spread: scene.spread(parts),
            both_pads: 0.9999 * of.iter().map(|p| pad(p.radius, scene.margin)).sum::<f64>() as f32,
            reach: of[0].radius + of[1].radius + scene.margin,
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
        if a == b {
            for t in na.triangles() {
                for s in t + 1..na.triangles().end {
                    if self.forest.boxes[t as usize].overlaps(&self.forest.boxes[s as usize]) {
                        self.triangles(t, s, out);
                    }
                }
            }
            return;
        }
        // Those of the second leaf that are near the first, as bits.
        let mut near = 0_u32;
        for (k, s) in nb.triangles().enumerate() {
            near |= u32::from(self.forest.boxes[s as usize].overlaps(&na.bounds)) << k;
        }
        for t in na.triangles() {
            let own = &self.forest.boxes[t as usize];
            if near == 0 || !own.overlaps(&nb.bounds) {
                continue;
            }
            for (k, s) in nb.triangles().enumerate() {
                if near >> k & 1 == 1 && own.overlaps(&self.forest.boxes[s as usize]) {
                    self.triangles(t, s, out);
                }
            }
        }
    }

    /// Tests the features that two triangles own against each other.
    fn triangles(&self, t: u32, s: u32, out: &mut Vec<Found>) {
        let topology = &self.scene.skin.topology;
        let [corners_t, corners_s] = [t, s].map(|i| topology.triangles[i as usize]);
        let depths = &self.scene.skin.depths;
        let reach = self.reach.max(depths[t as usize]).max(depths[s as usize]);
        let mut shared = None;
        if self.is_self {
            for (i, corner) in corners_t.iter().enumerate() {
                if let Some(j) = (0..3).find(|&j| corners_s[j] == *corner) {
                    // Triangles with a common edge can only be folded onto each other.
                    if shared.is_some() || self.scene.tame[*corner as usize] {
                        return;
                    }
                    shared = Some([i, j]);
                }
            }
        }
        if self.scene.are_apart([corners_t, corners_s], shared, reach, self.spread) {
            return;
        }
        self.vertex_tests([t, s], [corners_t, corners_s], out);
        self.edge_tests([t, s], reach, out);
    }

    fn vertex_tests(&self, [t, s]: [u32; 2], [of_t, of_s]: [[u32; 3]; 2], out: &mut Vec<Found>) {
        let owned = &self.scene.skin.topology.owned;
        for k in 0..3 {
            if self.faces[1]
                && owns_corner(owned[t as usize], k)
                && self.vertex_may_meet(of_t[k], self.pads[0], s)
            {
                self.first_on_second.test(of_t[k], s, out);
            }
            if self.faces[0]
                && owns_corner(owned[s as usize], k)
                && self.vertex_may_meet(of_s[k], self.pads[1], t)
            {
                self.second_on_first.test(of_s[k], t, out);
            }
        }
    }

    #[inline]
    fn vertex_may_meet(&self, vertex: u32, pad: f64, triangle: u32) -> bool {
        let (x0, x1) = (self.scene.x0[vertex as usize], self.scene.x1[vertex as usize]);
        self.forest.boxes[triangle as usize].may_meet(x0, x1, pad)
    }

    fn edge_tests(&self, [t, s]: [u32; 2], reach: f64, out: &mut Vec<Found>) {
        let topology = &self.scene.skin.topology;
        let [of_t, of_s] = [t, s].map(|i| topology.owned[i as usize]);
        let [edges_t, edges_s] = [t, s].map(|i| topology.triangle_edges[i as usize]);
        let [box_t, box_s] = [t, s].map(|i| &self.forest.boxes[i as usize]);
        let may_meet = box_t.overlaps_within(box_s, -self.both_pads);
        let stands_out = |e: u32| !self.scene.edges[e as usize].dull;
        // Edges that do not stand out matter only if they cross.
        let any = |owned: u8, edges: [u32; 3]| (0..3).any(|k| owns_edge(owned, k) && stands_out(edges[k]));
        if !may_meet && !any(of_t, edges_t) && !any(of_s, edges_s) {
            return;
        }
        for k in (0..3).filter(|&k| owns_edge(of_t, k)) {
            for i in (0..3).filter(|&i| owns_edge(of_s, i)) {
                self.edge_pair([edges_t[k], edges_s[i]], reach, out);
            }
        }
    }

    fn edge_pair(&self, [e, f]: [u32; 2], reach: f64, out: &mut Vec<Found>) {
        let [a, b] = [e, f].map(|e| &self.scene.edges[e as usize].bounds);
        if a.overlaps_within(b, reach as f32 * 1.0001) {
            let pair = if self.is_self && f < e { [f, e] } else { [e, f] };
            self.edges.test(pair, out);
        }
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
