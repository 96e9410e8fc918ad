//! The loop that collapses edges, cheapest first.

use super::constraints::{Constraints, Freedom};
use super::fidelity::{Fidelity, Star};
use super::membership::Membership;
use super::quadric::Quadric;
use super::{Plan, SimplifyOptions, stays_well};
use pliant_mesh::topology::sorted_unique;
use pliant_mesh::{DVec3, Groups, TriMesh, TriangleTree};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// In flat places, where nothing costs, short edges go first: this times area and squared length.
const LENGTH_COST: f64 = 1e-4;

/// An edge that may collapse. It is out of date when a vertex has another version by now.
struct Candidate {
    cost: f64,
    ends: [u32; 2],
    versions: [u32; 2],
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.cost
            .total_cmp(&other.cost)
            .then(self.ends.cmp(&other.ends))
            .then(self.versions.cmp(&other.versions))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Candidate {}

pub(super) struct Collapse<'a> {
    options: &'a SimplifyOptions,
    fidelity: Option<Fidelity<'a>>,
    size: f64,
    /// Positions are relative to it, so that quadrics far from zero keep their digits.
    origin: DVec3,
    groups: &'a Groups,
    positions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    alive: Vec<bool>,
    count: usize,
    /// Triangles at each vertex; dead ones are dropped when they are met.
    around: Vec<Vec<u32>>,
    quadrics: Vec<Quadric>,
    versions: Vec<u32>,
    /// The vertex each vertex has become part of.
    merged_into: Vec<u32>,
    constraints: Constraints,
    vertex_groups: Membership,
    queue: BinaryHeap<Reverse<Candidate>>,
}

impl<'a> Collapse<'a> {
    pub fn new(
        surface: &'a TriMesh,
        options: &'a SimplifyOptions,
        original: &'a TriangleTree,
        plan: &Plan,
    ) -> Self {
        let n = surface.vertices.len();
        let elements = Membership::new(surface.triangles.len(), &surface.groups, |g| &g.elements);
        let bounds = original.bounds();
        let origin = 0.5 * (bounds.min + bounds.max);
        let local = TriMesh {
            vertices: surface.vertices.iter().map(|&p| p - origin).collect(),
            triangles: surface.triangles.clone(),
            groups: Groups::new(),
        };
        let constraints = Constraints::new(&local, &elements, options.feature_degrees, &plan.fixed);
        let mut around = vec![Vec::new(); n];
        let mut quadrics = vec![Quadric::default(); n];
        for (t, triangle) in (0u32..).zip(&local.triangles) {
            let plane = Quadric::of_triangle(local.corners(t as usize));
            for &v in triangle {
                around[v as usize].push(t);
                quadrics[v as usize] = quadrics[v as usize].plus(&plane);
            }
        }
        for (v, plane) in &constraints.borders {
            quadrics[*v as usize] = quadrics[*v as usize].plus(plane);
        }
        Self {
            options,
            fidelity: plan.bound.map(|bound| Fidelity::new(surface, original, bound)),
            size: bounds.diagonal(),
            origin,
            groups: &surface.groups,
            alive: vec![true; local.triangles.len()],
            count: local.triangles.len(),
            positions: local.vertices,
            triangles: local.triangles,
            around,
            quadrics,
            versions: vec![0; n],
            merged_into: (0..n as u32).collect(),
            constraints,
            vertex_groups: Membership::new(n, &surface.groups, |g| &g.vertices),
            queue: BinaryHeap::new(),
        }
    }

    pub fn run(mut self) -> TriMesh {
        // An edge that was refused may be allowed when its surroundings have changed.
        loop {
            let before = self.count;
            self.offer_all();
            self.work_off();
            if self.count == before || self.is_done() {
                return self.finish();
            }
        }
    }

    fn is_done(&self) -> bool {
        self.count <= self.options.triangles.unwrap_or(0)
    }

    fn offer_all(&mut self) {
        for v in 0..self.positions.len() as u32 {
            for w in self.neighbours(v).into_iter().filter(|&w| w > v) {
                self.offer(v, w);
            }
        }
    }

    fn work_off(&mut self) {
        let nothing_asked = self.options.triangles.is_none() && self.options.max_error.is_none();
        while !self.is_done() {
            let Some(Reverse(candidate)) = self.queue.pop() else { return };
            let [a, b] = candidate.ends;
            if candidate.versions != [self.versions[a as usize], self.versions[b as usize]] {
                continue;
            }
            if nothing_asked && !self.is_free(a, b) {
                continue;
            }
            if let Some(place) = self.place(a, b) {
                self.try_collapse(a, b, place);
            }
        }
    }

    /// Whether the edge costs no more than rounding.
    fn is_free(&self, a: u32, b: u32) -> bool {
        let q = self.quadrics[a as usize].plus(&self.quadrics[b as usize]);
        self.place(a, b).is_some_and(|p| q.error(p) <= q.weight * (1e-9 * self.size).powi(2))
    }

    /// Vertices joined to `v`, ascending.
    fn neighbours(&self, v: u32) -> Vec<u32> {
        let near = self.around[v as usize].iter().filter(|&&t| self.alive[t as usize]);
        sorted_unique(near.flat_map(|&t| self.triangles[t as usize]).filter(|&w| w != v).collect())
    }

    fn at(&self, v: u32) -> DVec3 {
        self.positions[v as usize]
    }

    fn corners(&self, t: u32) -> [DVec3; 3] {
        self.triangles[t as usize].map(|v| self.at(v))
    }

    /// The living triangles that have both vertices.
    fn shared_triangles(&self, a: u32, b: u32) -> Vec<u32> {
        let has_b = |t: &u32| self.alive[*t as usize] && self.triangles[*t as usize].contains(&b);
        self.around[a as usize].iter().copied().filter(has_b).collect()
    }

    /// Whether the side of triangle `t` between two vertices is kept.
    fn is_kept_side(&self, t: u32, a: u32, b: u32) -> bool {
        let corners = self.triangles[t as usize];
        (0..3).any(|k| {
            let (x, y) = (corners[k], corners[(k + 1) % 3]);
            ((x, y) == (a, b) || (x, y) == (b, a)) && self.constraints.kept_sides[t as usize] & (1 << k) != 0
        })
    }

    /// Which of the two vertices must not move, if any; `None` if they must not become one.
    fn anchor(&self, a: u32, b: u32) -> Option<Option<u32>> {
        let (fa, fb) = (self.constraints.freedom[a as usize], self.constraints.freedom[b as usize]);
        let (ga, gb) = (self.vertex_groups.of[a as usize], self.vertex_groups.of[b as usize]);
        let (a_in_b, b_in_a) = (self.vertex_groups.within(ga, gb), self.vertex_groups.within(gb, ga));
        if fa == Freedom::Fixed && fb == Freedom::Fixed || !(a_in_b || b_in_a) {
            return None;
        }
        if fa != Freedom::Free && fb != Freedom::Free {
            // Both on kept edges: only along one.
            let along = self.shared_triangles(a, b).iter().any(|&t| self.is_kept_side(t, a, b));
            if !along {
                return None;
            }
        }
        let by_freedom = match fa.cmp(&fb) {
            Ordering::Greater => Some(a),
            Ordering::Less => Some(b),
            Ordering::Equal => None,
        };
        let by_groups = match (a_in_b, b_in_a) {
            (true, true) => None,
            (true, false) => Some(b),
            _ => Some(a),
        };
        match (by_freedom, by_groups) {
            (Some(x), Some(y)) if x != y => None,
            (x, y) => Some(x.or(y)),
        }
    }

    /// Where the two vertices become one.
    fn place(&self, a: u32, b: u32) -> Option<DVec3> {
        if let Some(anchor) = self.anchor(a, b)? {
            return Some(self.at(anchor));
        }
        let q = self.quadrics[a as usize].plus(&self.quadrics[b as usize]);
        let middle = 0.5 * (self.at(a) + self.at(b));
        let length = self.at(a).distance(self.at(b));
        let best = q.minimum(middle).filter(|&p| p.distance(middle) <= 2.0 * length);
        Some(best.unwrap_or_else(|| {
            let options = [middle, self.at(a), self.at(b)];
            options.into_iter().fold(middle, |p, o| if q.error(o) < q.error(p) { o } else { p })
        }))
    }

    fn offer(&mut self, a: u32, b: u32) {
        let ends = [a.min(b), a.max(b)];
        let Some(place) = self.place(ends[0], ends[1]) else { return };
        let q = self.quadrics[a as usize].plus(&self.quadrics[b as usize]);
        let length = self.at(a).distance(self.at(b));
        let cost = q.error(place) + LENGTH_COST * q.weight * length * length;
        let versions = ends.map(|v| self.versions[v as usize]);
        self.queue.push(Reverse(Candidate { cost, ends, versions }));
    }

    /// Collapses the edge unless that would harm the topology, a triangle or the distance to the original.
    fn try_collapse(&mut self, a: u32, b: u32, place: DVec3) {
        let shared = self.shared_triangles(a, b);
        if shared.is_empty() || shared.len() > 2 || !self.keeps_topology(a, b, &shared) {
            return;
        }
        let at_ends = [a, b].into_iter().flat_map(|v| self.around[v as usize].iter().copied());
        let rest: Vec<u32> = at_ends.filter(|&t| self.alive[t as usize] && !shared.contains(&t)).collect();
        let moved =
            |t: u32| self.triangles[t as usize].map(|v| if v == a || v == b { place } else { self.at(v) });
        let corners: Vec<[DVec3; 3]> = rest.iter().map(|&t| moved(t)).collect();
        if !rest.iter().zip(&corners).all(|(&t, &new)| stays_well(self.corners(t), new)) {
            return;
        }
        if let Some(fidelity) = &mut self.fidelity {
            let global = |p: DVec3| p + self.origin;
            let corners = corners.iter().map(|c| c.map(global)).collect();
            let star = Star { triangles: &rest, corners, vanishing: &shared, center: global(place) };
            let Some(assigned) = fidelity.check(&star) else { return };
            fidelity.accept(&star, assigned);
        }
        self.collapse(a, b, place);
    }

    /// The ends have no common neighbours besides the tips of the triangles at the edge, no two kept edges
    /// become one, and no tip is left with two triangles.
    fn keeps_topology(&self, a: u32, b: u32, shared: &[u32]) -> bool {
        let (near_a, near_b) = (self.neighbours(a), self.neighbours(b));
        let common = near_a.iter().filter(|v| near_b.binary_search(v).is_ok()).count();
        let tips_are_well = shared.iter().all(|&t| {
            let tip = self.triangles[t as usize].iter().copied().find(|&v| v != a && v != b);
            tip.is_some_and(|tip| {
                let merges_kept = self.is_kept_side(t, a, tip) && self.is_kept_side(t, b, tip);
                let spokes = self.neighbours(tip).len();
                !merges_kept && (spokes > 3 || self.constraints.freedom[tip as usize] != Freedom::Free)
            })
        });
        common == shared.len() && tips_are_well && near_a.len() + near_b.len() > 2 + 2 * shared.len()
    }

    /// `b` becomes part of `a`.
    fn collapse(&mut self, a: u32, b: u32, place: DVec3) {
        for t in self.shared_triangles(a, b) {
            self.pass_on_kept_sides(t, a, b);
            self.alive[t as usize] = false;
            self.count -= 1;
        }
        let mut around = std::mem::take(&mut self.around[a as usize]);
        around.extend(std::mem::take(&mut self.around[b as usize]));
        around.retain(|&t| self.alive[t as usize]);
        around.sort_unstable();
        for &t in &around {
            for v in &mut self.triangles[t as usize] {
                if *v == b {
                    *v = a;
                }
            }
        }
        self.around[a as usize] = around;
        let (ia, ib) = (a as usize, b as usize);
        self.positions[ia] = place;
        self.quadrics[ia] = self.quadrics[ia].plus(&self.quadrics[ib]);
        self.constraints.freedom[ia] = self.constraints.freedom[ia].max(self.constraints.freedom[ib]);
        if self.vertex_groups.within(self.vertex_groups.of[ia], self.vertex_groups.of[ib]) {
            self.vertex_groups.of[ia] = self.vertex_groups.of[ib];
        }
        self.merged_into[ib] = a;
        self.versions[ia] += 1;
        self.versions[ib] += 1;
        for w in self.neighbours(a) {
            self.around[w as usize].retain(|&t| self.alive[t as usize]);
            self.offer(a, w);
        }
    }

    /// The two sides of a dying triangle become one edge, which is kept if either was.
    fn pass_on_kept_sides(&mut self, t: u32, a: u32, b: u32) {
        let Some(tip) = self.triangles[t as usize].iter().copied().find(|&v| v != a && v != b) else {
            return;
        };
        if !self.is_kept_side(t, a, tip) && !self.is_kept_side(t, b, tip) {
            return;
        }
        for end in [a, b] {
            for other in self.shared_triangles(end, tip) {
                let corners = self.triangles[other as usize];
                for k in 0..3 {
                    let side = [corners[k], corners[(k + 1) % 3]];
                    if side == [end, tip] || side == [tip, end] {
                        self.constraints.kept_sides[other as usize] |= 1 << k;
                    }
                }
            }
        }
    }

    fn finish(self) -> TriMesh {
        let kept: Vec<usize> = (0..self.triangles.len()).filter(|&t| self.alive[t]).collect();
        let mut new_element = vec![None; self.triangles.len()];
        for (&t, new) in kept.iter().zip(0u32..) {
            new_element[t] = Some(new);
        }
        let mut groups = self.groups.clone();
        for group in groups.values_mut() {
            group.elements = group.elements.iter().filter_map(|&t| new_element[t as usize]).collect();
            let merged = group.vertices.iter().map(|&v| self.survivor(v)).collect();
            group.vertices = sorted_unique(merged);
        }
        let mut mesh = TriMesh {
            vertices: self.positions.iter().map(|&p| p + self.origin).collect(),
            triangles: kept.iter().map(|&t| self.triangles[t]).collect(),
            groups,
        };
        pliant_mesh::topology::drop_unused(&mut mesh.vertices, &mut mesh.triangles, &mut mesh.groups);
        mesh
    }

    fn survivor(&self, mut v: u32) -> u32 {
        while self.merged_into[v as usize] != v {
            v = self.merged_into[v as usize];
        }
        v
    }
}
