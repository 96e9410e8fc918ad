//! All that passes through something, by exact predicates and with its depth, and what is inside without touching.

use super::Still;
use crate::boxes::Bounds;
use crate::crossing::{crossing_depth, is_less_deep};
use crate::shape::deepest_in;
use crate::walk::{Seed, open};
use crate::{Detector, ObstacleId, Pose, Side, Tasks};
use pliant_mesh::{DVec3, triangles_intersect};
use std::sync::{Mutex, PoisonError};

/// Two triangles that have a point in common beyond what neighbours share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Intersection {
    /// What the triangles belong to. The same body twice is an intersection with itself.
    pub sides: [Side; 2],
    /// Their indices in the lists they were given in.
    pub triangles: [u32; 2],
    /// The shortest move that takes them apart, in m; zero if they only touch.
    pub depth: f64,
}

/// A point that is inside of a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inside {
    /// What the point belongs to, and what it is inside of.
    pub sides: [Side; 2],
    /// The point.
    pub place: DVec3,
    /// How deep, in m. For a part that is wholly inside of another, the depth of one of its points.
    pub depth: f64,
}

/// How deep two sides are in each other.
///
/// ```
/// use pliant_collide::{Intersections, PairDepth};
///
/// fn deepest(found: &Intersections) -> Option<PairDepth> {
///     found.by_pair().into_iter().max_by(|a, b| a.depth.total_cmp(&b.depth))
/// }
/// assert_eq!(deepest(&Intersections::default()), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairDepth {
    /// The two sides; a body comes before an obstacle.
    pub sides: [Side; 2],
    /// How many intersections there are between them.
    pub count: usize,
    /// The deepest of them in m.
    pub depth: f64,
}

/// What passes through what. Empty only if nothing does.
///
/// ```
/// let nothing = pliant_collide::Intersections::default();
/// assert!(nothing.is_empty() && nothing.count() == 0 && nothing.depth() == 0.0);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Intersections {
    /// All pairs of triangles that intersect, ascending.
    pub triangles: Vec<Intersection>,
    /// The deepest points of triangles of bodies that are inside of analytic obstacles, and parts that are wholly inside of
    /// others.
    pub inside: Vec<Inside>,
    /// Triangles that could not be tested because a corner is not at a finite position.
    pub unchecked: usize,
}

impl Intersections {
    /// Whether all was tested and nothing intersects.
    pub fn is_empty(&self) -> bool {
        self.count() == 0 && self.unchecked == 0
    }

    /// How many intersections there are.
    pub fn count(&self) -> usize {
        self.triangles.len() + self.inside.len()
    }

    /// The deepest intersection in m; zero if there is none.
    pub fn depth(&self) -> f64 {
        let crossing = self.triangles.iter().map(|i| i.depth);
        crossing.chain(self.inside.iter().map(|i| i.depth)).fold(0.0, f64::max)
    }

    /// The intersections summed up for each two sides, ascending.
    pub fn by_pair(&self) -> Vec<PairDepth> {
        let crossing = self.triangles.iter().map(|i| (i.sides, i.depth));
        let all = crossing.chain(self.inside.iter().map(|i| (i.sides, i.depth)));
        let mut pairs: Vec<PairDepth> = Vec::new();
        for ([a, b], depth) in all {
            let sides = if b < a { [b, a] } else { [a, b] };
            match pairs.iter_mut().find(|p| p.sides == sides) {
                Some(pair) => {
                    pair.count += 1;
                    pair.depth = pair.depth.max(depth);
                }
                None => pairs.push(PairDepth { sides, count: 1, depth }),
            }
        }
        pairs.sort_unstable_by_key(|p| p.sides);
        pairs
    }

    /// Leaves out what is less deep than `least` says for its sides.
    pub fn retain_deeper(&mut self, least: impl Fn([Side; 2]) -> f64) {
        self.triangles.retain(|i| i.depth > least(i.sides));
        self.inside.retain(|i| i.depth > least(i.sides));
    }
}

impl Detector {
    /// Which triangles of bodies and of mesh obstacles intersect at positions `x`, which are in analytic obstacles, and what is
    /// inside of obstacles or other bodies; all of it, whatever [`Options`](crate::Options) say. The test of two triangles is
    /// exact for the coordinates as they are. Only what is at least as deep as `tolerance` counts: with 0 triangles that touch
    /// do.
    ///
    /// Nothing is found if there are fewer positions than vertices or fewer poses than obstacles.
    pub fn intersections(
        &self,
        tasks: &dyn Tasks,
        x: &[DVec3],
        poses: &[Pose],
        tolerance: f64,
    ) -> Intersections {
        if !self.matches(x, poses) {
            return Intersections::default();
        }
        let still = Still::new(tasks, self.skin_and_forest(), (x, poses), 0.0);
        let triangles = crossing_triangles(tasks, &still, tolerance);
        let mut inside = self.triangles_in_shapes(tasks, &still, poses, tolerance);
        inside.extend(contained_parts(&still, tolerance));
        Intersections { triangles, inside, unchecked: still.unchecked() }
    }

    /// The deepest points of the triangles of bodies that are inside of analytic obstacles.
    fn triangles_in_shapes(
        &self,
        tasks: &dyn Tasks,
        still: &Still,
        poses: &[Pose],
        tolerance: f64,
    ) -> Vec<Inside> {
        let obstacles = self.obstacles();
        let bodies: Vec<_> = still.skin.parts.iter().filter(|p| !p.is_rigid()).collect();
        gathered(tasks, obstacles.len() * bodies.len(), |job, found| {
            let (obstacle, part) = (job / bodies.len(), bodies[job % bodies.len()]);
            let (shape, pose) = (&obstacles[obstacle].shape, &poses[obstacle]);
            let sides = [part.side, Side::Obstacle(ObstacleId::new(obstacle))];
            for t in part.triangles.clone() {
                let corners = still.corners(t as u32).map(|c| pose.local(c));
                if let Some((depth, place)) = deepest_in(shape, corners, tolerance) {
                    found.push(Inside { sides, place: pose.place(place), depth });
                }
            }
        })
    }
}

/// What a number of jobs find, in their order.
fn gathered<T: Send>(tasks: &dyn Tasks, jobs: usize, find: impl Fn(usize, &mut Vec<T>) + Sync) -> Vec<T> {
    let found: Vec<Mutex<Vec<T>>> = (0..jobs).map(|_| Mutex::default()).collect();
    tasks.for_each(jobs, &|job| find(job, &mut found[job].lock().unwrap_or_else(PoisonError::into_inner)));
    found.into_iter().flat_map(|list| list.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

fn crossing_triangles(tasks: &dyn Tasks, still: &Still, tolerance: f64) -> Vec<Intersection> {
    let part = |p: u32| &still.skin.parts[p as usize];
    // A box has a formula, which tells more than its faces.
    let with_faces = still.pairs().into_iter().filter(|pair| pair.iter().all(|&p| part(p).has_faces));
    let seed = |parts: [u32; 2]| Seed { parts, nodes: parts.map(|p| part(p).root) };
    let mut seeds: Vec<Seed> = with_faces.map(seed).collect();
    Seed::split(&still.forest, &mut seeds, &mut Vec::new());
    // Neighbours in a flat surface touch everywhere.
    let may_be_deep = |t, s| !is_less_deep(t, s, tolerance);
    let mut all = gathered(tasks, seeds.len(), |job, found| {
        walk(still, seeds[job], may_be_deep, |triangles| {
            let [t, s] = triangles.map(|t| still.corners(t));
            let depth = crossing_depth(t, s);
            if depth >= tolerance {
                let originals = triangles.map(|t| still.skin.originals[t as usize]);
                found.push(ordered(still.sides(seeds[job].parts), originals, depth));
            }
        });
    });
    all.sort_unstable_by_key(|i| (i.sides, i.triangles));
    all
}

/// Within one side the lower index first.
fn ordered(sides: [Side; 2], triangles: [u32; 2], depth: f64) -> Intersection {
    let turned = sides[0] == sides[1] && triangles[1] < triangles[0];
    let [t, s] = triangles;
    Intersection { sides, triangles: if turned { [s, t] } else { [t, s] }, depth }
}

/// Calls `found` with the triangles below two nodes that intersect, of those whose corners are `worth` a test.
fn walk(
    still: &Still,
    seed: Seed,
    worth: impl Fn([DVec3; 3], [DVec3; 3]) -> bool,
    mut found: impl FnMut([u32; 2]),
) {
    let Still { forest, .. } = still;
    let mut stack = vec![seed.nodes];
    while let Some([a, b]) = stack.pop() {
        if open(forest, [a, b], |pair| stack.push(pair)) {
            continue;
        }
        for t in forest.nodes[a as usize].triangles() {
            for s in forest.nodes[b as usize].triangles() {
                let first_time = a != b || t < s;
                if first_time
                    && forest.boxes[t as usize].overlaps(&forest.boxes[s as usize])
                    && worth(still.corners(t), still.corners(s))
                    && triangles_intersect(still.corners(t), still.corners(s))
                {
                    found([t, s]);
                }
            }
        }
    }
}

/// One point of each connected piece of a part that is inside of another solid part.
fn contained_parts(still: &Still, tolerance: f64) -> Vec<Inside> {
    let parts = &still.skin.parts;
    let bounds = |p: &crate::skin::Part| still.forest.nodes.get(p.root as usize).map(|n| n.bounds);
    let mut inside = Vec::new();
    for &v in &still.skin.representatives {
        let point = still.x[v as usize];
        let at = Bounds::around([point], 0.0);
        let Some(own) = parts.iter().position(|p| p.vertices.contains(&(v as usize))) else { continue };
        for (other, solid) in parts.iter().enumerate().filter(|(_, p)| p.solid) {
            let apart = own == other || (parts[own].is_rigid() && solid.is_rigid());
            if apart || !bounds(solid).is_some_and(|b| b.overlaps(&at)) {
                continue;
            }
            if winding_number(still, solid, point) > 0.5 {
                let sides = still.sides([own as u32, other as u32]);
                let depth = distance_to(still, solid, point);
                if depth >= tolerance {
                    inside.push(Inside { sides, place: point, depth });
                }
            }
        }
    }
    inside
}

/// How often the surface of a part winds around a point, by the solid angles of its triangles \[VanOosterom83\].
fn winding_number(still: &Still, part: &crate::skin::Part, point: DVec3) -> f64 {
    let angles = part.triangles.clone().map(|t| {
        let [a, b, c] = still.corners(t as u32).map(|corner| corner - point);
        let (la, lb, lc) = (a.length(), b.length(), c.length());
        let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
        let angle = a.dot(b.cross(c)).atan2(below);
        if angle.is_finite() { angle } else { 0.0 }
    });
    angles.sum::<f64>() / (2.0 * std::f64::consts::PI)
}

fn distance_to(still: &Still, part: &crate::skin::Part, point: DVec3) -> f64 {
    let distances = part.triangles.clone().map(|t| {
        let corners = still.corners(t as u32);
        let (weights, _) = pliant_mesh::closest_on_triangle(point, corners);
        let foot: DVec3 = weights.iter().zip(corners).map(|(&w, c)| w * c).sum();
        point.distance(foot)
    });
    distances.fold(f64::INFINITY, f64::min)
}
