//! The search for pairs: through the trees of two surfaces at once, and through one tree for each obstacle without faces.

use super::closest::PairKind;
use super::{Form, PARALLEL, Pair, Proximity, Solid};
use crate::boxes::Bounds;
use crate::skin::Part;
use crate::tree::Node;
use crate::walk::{Seed, open};
use crate::{ObstacleId, Side, Tasks};
use pliant_mesh::DVec3;

/// Memory of one task.
#[derive(Debug, Default)]
pub(super) struct Work {
    stack: Vec<[u32; 2]>,
    found: Vec<Pair>,
}

/// A part of the search.
enum Job {
    /// Two surfaces, or one with itself.
    Surfaces(Seed),
    /// A surface and an obstacle without faces.
    Solid(u32, usize),
}

impl Proximity {
    /// Adds the pairs of a motion that the trees are fitted to.
    pub(super) fn walk(&mut self, tasks: &dyn Tasks, motion: [&[DVec3]; 2], out: &mut Vec<Pair>) {
        let jobs = self.jobs();
        self.work.reserve(jobs.len());
        let search = Search { proximity: self, motion };
        tasks.for_each(jobs.len(), &|job| {
            search.proximity.work.with(job, |Work { stack, found }| {
                found.clear();
                match jobs[job] {
                    Job::Surfaces(seed) => search.surfaces(seed, stack, found),
                    Job::Solid(part, solid) => search.solid(part, solid, found),
                }
            });
        });
        self.work.each(jobs.len(), |work| out.append(&mut work.found));
    }

    fn jobs(&self) -> Vec<Job> {
        let parts = &self.skin.parts;
        let count = parts.len() as u32;
        let bounds = |p: u32| self.forest.nodes.get(parts[p as usize].root as usize).map(|n| n.bounds);
        let all = (0..count).flat_map(|a| (a..count).map(move |b| [a, b]));
        let near = all.filter(|&[a, b]| {
            self.skin.can_touch(&self.options, [a, b])
                && bounds(a).zip(bounds(b)).is_some_and(|(a, b)| a.overlaps(&b))
                && !parts[a as usize].triangles.is_empty()
                && !parts[b as usize].triangles.is_empty()
        });
        let mut seeds: Vec<Seed> = near.map(|pair| Seed::of(&self.skin, pair)).collect();
        Seed::split(&self.forest, &mut seeds, &mut Vec::new());
        let soft = (0..count).filter(|&p| !parts[p as usize].is_rigid());
        let solids = (0..self.obstacles.len()).filter(|&o| self.obstacles[o].shape != Form::Faces);
        let with_solids = soft.flat_map(|p| solids.clone().map(move |o| Job::Solid(p, o)));
        seeds.into_iter().map(Job::Surfaces).chain(with_solids).collect()
    }
}

/// A search in one motion.
struct Search<'a> {
    proximity: &'a Proximity,
    motion: [&'a [DVec3]; 2],
}

impl Search<'_> {
    fn surfaces(&self, seed: Seed, stack: &mut Vec<[u32; 2]>, found: &mut Vec<Pair>) {
        let forest = &self.proximity.forest;
        stack.clear();
        stack.push(seed.nodes);
        while let Some([a, b]) = stack.pop() {
            if open(forest, [a, b], |pair| stack.push(pair)) {
                continue;
            }
            let nodes = [a, b].map(|n| &forest.nodes[n as usize]);
            let [p, q] = seed.parts.map(|p| &self.proximity.skin.parts[p as usize]);
            self.vertices([p, q], nodes, found);
            if a != b {
                self.vertices([q, p], [nodes[1], nodes[0]], found);
            }
            self.edges([p, q], nodes, a == b, found);
        }
    }

    /// The box around the motion of some vertices of the skin.
    fn swept<const N: usize>(&self, part: &Part, vertices: [u32; N]) -> Bounds {
        let skin = &self.proximity.skin;
        let pad = part.radius + 0.5 * self.proximity.options.margin;
        let at = |x: &[DVec3]| {
            let places = vertices.map(|v| x[skin.global[v as usize] as usize]);
            Bounds::around(places, pad)
        };
        at(self.motion[0]).union(at(self.motion[1]))
    }

    fn vertices(&self, [of, against]: [&Part; 2], [a, b]: [&Node; 2], found: &mut Vec<Pair>) {
        let Proximity { skin, forest, .. } = self.proximity;
        for v in skin.topology.owned_vertices(&a.triangles()) {
            let bounds = self.swept(of, [v]);
            if !bounds.overlaps(&b.bounds) {
                continue;
            }
            for t in b.triangles().filter(|&t| bounds.overlaps(&forest.boxes[t as usize])) {
                let corners = skin.topology.triangles[t as usize];
                if !skin.shares(v, &corners) {
                    let [i, j, k] = corners.map(|c| skin.global[c as usize]);
                    let points = [skin.global[v as usize], i, j, k];
                    found.push(self.pair(PairKind::VertexTriangle, points, [of, against], 0.0));
                }
            }
        }
    }

    fn edges(&self, [p, q]: [&Part; 2], [a, b]: [&Node; 2], is_self: bool, found: &mut Vec<Pair>) {
        let skin = &self.proximity.skin;
        let topology = &skin.topology;
        let others = topology.owned_edges(&b.triangles());
        for e in topology.owned_edges(&a.triangles()) {
            let ends = topology.edges[e as usize];
            let bounds = self.swept(p, ends);
            if !bounds.overlaps(&b.bounds) {
                continue;
            }
            for f in if is_self { e + 1..others.end } else { others.clone() } {
                let other = topology.edges[f as usize];
                if skin.shares(ends[0], &other)
                    || skin.shares(ends[1], &other)
                    || !bounds.overlaps(&self.swept(q, other))
                {
                    continue;
                }
                let rest = [e, f].map(|e| skin.lengths[e as usize].powi(2));
                // In an order that does not depend on the trees' boxes.
                let ([e, f], sides) = if f < e { ([other, ends], [q, p]) } else { ([ends, other], [p, q]) };
                let points = [e[0], e[1], f[0], f[1]].map(|v| skin.global[v as usize]);
                found.push(self.pair(PairKind::EdgeEdge, points, sides, PARALLEL * rest[0] * rest[1]));
            }
        }
    }

    fn pair(&self, kind: PairKind, points: [u32; 4], parts: [&Part; 2], parallel: f64) -> Pair {
        let is_self = parts[0].side == parts[1].side;
        let thickness = self.proximity.thickness_of(parts.map(|p| p.side), parts[0].radius + parts[1].radius);
        let [thickness, reach] = self.proximity.limits((kind, points), is_self, thickness);
        Pair { kind, points, sides: parts.map(|p| p.side), thickness, reach, parallel }
    }

    /// The pairs of a surface with an obstacle that has no faces.
    fn solid(&self, part: u32, solid: usize, found: &mut Vec<Pair>) {
        let Proximity { skin, forest, options, obstacles, .. } = self.proximity;
        let (part, obstacle) = (&skin.parts[part as usize], &obstacles[solid]);
        let side = Side::Obstacle(ObstacleId::new(solid));
        let thickness = self.proximity.thickness_of([part.side, side], part.radius + obstacle.radius);
        let pair = |kind, points, sides, parallel| Pair {
            kind,
            points,
            sides,
            thickness,
            reach: options.margin,
            parallel,
        };
        if obstacle.shape == Form::Plane {
            let [origin, tip] = [obstacle.first, obstacle.first + 1];
            for v in part.vertices.clone().filter(|&v| !skin.repeated[v]) {
                let points = [skin.global[v], origin, tip, tip];
                let gap = |x: &[DVec3]| {
                    let [p, o, t] = [points[0], origin, tip].map(|i| x[i as usize]);
                    (t - o).dot(p - o) - thickness
                };
                if gap(self.motion[0]).min(gap(self.motion[1])) < options.margin {
                    found.push(pair(PairKind::VertexPlane, points, [part.side, side], 0.0));
                }
            }
            return;
        }
        let points: Vec<u32> = (obstacle.first..obstacle.first + obstacle.local.len() as u32).collect();
        let around = self.around(obstacle, &points);
        let mut stack = vec![part.root];
        while let Some(node) = stack.pop() {
            let Some(node_at) = forest.nodes.get(node as usize).filter(|n| n.bounds.overlaps(&around)) else {
                continue;
            };
            if !node_at.is_leaf() {
                stack.extend([node_at.second(), node + 1]);
                continue;
            }
            for t in node_at.triangles().filter(|&t| forest.boxes[t as usize].overlaps(&around)) {
                let [i, j, k] = skin.topology.triangles[t as usize].map(|v| skin.global[v as usize]);
                for &p in &points {
                    let all = [p, i, j, k];
                    found.push(pair(PairKind::VertexTriangle, all, [side, part.side], 0.0));
                }
            }
            if let [p, q] = points[..] {
                let length_sq = obstacle.local[0].distance_squared(obstacle.local[1]);
                for e in skin.topology.owned_edges(&node_at.triangles()) {
                    let [i, j] = skin.topology.edges[e as usize];
                    if self.swept(part, [i, j]).overlaps(&around) {
                        let all = [skin.global[i as usize], skin.global[j as usize], p, q];
                        let bound = PARALLEL * skin.lengths[e as usize].powi(2) * length_sq;
                        found.push(pair(PairKind::EdgeEdge, all, [part.side, side], bound));
                    }
                }
            }
        }
    }

    /// The box around the motion of an obstacle with its radius.
    fn around(&self, obstacle: &Solid, points: &[u32]) -> Bounds {
        let pad = obstacle.radius + 0.5 * self.proximity.options.margin;
        let places = points.iter().flat_map(|&p| self.motion.map(|x| x[p as usize]));
        places.fold(Bounds::EMPTY, |all, x| all.union(Bounds::around([x], pad)))
    }
}
