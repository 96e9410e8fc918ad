//! Which triangles have come to intersect in a step, without allocation once warm.

use super::apart::Plane;
use super::fan::{closed_vertices, is_even};
use super::obstacle_of;
use super::passing::have_passed;
use crate::boxes::Bounds;
use crate::broad::Broad;
use crate::crossing::crossing_depth;
use crate::motion::in_chunks;
use crate::near::Found;
use crate::skin::Skin;
use crate::tasks::PerTask;
use crate::tree::Forest;
use crate::walk::{Seed, open};
use crate::{BodyId, Contact, ContactKey, ObstacleId, Options, Pose, Side, Tasks};
use pliant_mesh::{DVec3, triangles_intersect};

/// Part of the size of a body by which it may be in an obstacle that it keeps no distance from.
const ALLOWED: f64 = 2.5e-4;

/// Part of its size by which a body must be beyond a face of another one to have passed it, where no distance is kept between them. Less
/// than that is left to their contacts.
const PASSED: f64 = 0.05;

/// How much deeper than what the solver may leave something is before it is put back: that is no motion, and friction suffers.
pub(crate) const LAST_RESORT: f64 = 3.5;

/// Two triangles that intersect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Pair {
    pub parts: [u32; 2],
    pub triangles: [u32; 2],
}

/// The skin at the start and at the end of the step.
pub(crate) struct Watched<'a> {
    pub skin: &'a Skin,
    pub x0: &'a [DVec3],
    pub x1: &'a [DVec3],
    /// Times what is allowed.
    pub tolerance: f64,
}

impl Watched<'_> {
    fn intersect(&self, x: &[DVec3], [t, s]: [u32; 2]) -> bool {
        let corners = |t: u32| self.skin.topology.triangles[t as usize].map(|v| x[v as usize]);
        triangles_intersect(corners(t), corners(s))
    }

    /// How deep triangles of two parts may be in each other, times `tolerance`. Without a thickness between them they touch, and the
    /// solver leaves them a little inside of each other.
    fn allowed(&self, parts: [u32; 2], tolerance: f64) -> f64 {
        let [a, b] = parts.map(|p| &self.skin.parts[p as usize]);
        let is_apart = a.radius + b.radius > 0.0;
        if is_apart { 0.0 } else { tolerance * ALLOWED * least_size(self.skin, parts) }
    }

    /// Whether two triangles intersect, by more than is allowed.
    fn intersect_deeply(&self, x: &[DVec3], [t, s]: [u32; 2], depth: f64) -> bool {
        let corners = |t: u32| self.skin.topology.triangles[t as usize].map(|v| x[v as usize]);
        let [first, second] = [corners(t), corners(s)];
        let beside = depth > 0.0
            && (Plane::new(first).has_on_one_side(second, [true; 3], depth)
                || Plane::new(second).has_on_one_side(first, [true; 3], depth));
        !beside && self.intersect(x, [t, s]) && (depth == 0.0 || crossing_depth(first, second) > depth)
    }

    fn plane(&self, triangle: u32) -> Plane {
        Plane::new(self.skin.topology.triangles[triangle as usize].map(|v| self.x1[v as usize]))
    }

    /// Whether two triangles intersect at the end of the step. Neighbours across an edge do so only if one is folded flat
    /// onto the other, which is left out.
    #[inline]
    fn meet(&self, (t, plane): (u32, &Plane), s: u32, even: &[bool], depth: f64) -> bool {
        let [first, second] = [t, s].map(|t| &self.skin.topology.triangles[t as usize]);
        let own = second.map(|v| !first.contains(&v));
        match own {
            [true, true, true] => {}
            [false, true, true] if !even[second[0] as usize] => {}
            [true, false, true] if !even[second[1] as usize] => {}
            [true, true, false] if !even[second[2] as usize] => {}
            _ => return false,
        }
        let other = second.map(|v| self.x1[v as usize]);
        if plane.has_on_one_side(other, own, depth) {
            return false;
        }
        let of_first = first.map(|v| !second.contains(&v));
        !Plane::new(other).has_on_one_side(plane.corners, of_first, depth)
            && self.intersect(self.x1, [t, s])
            && (depth == 0.0 || crossing_depth(plane.corners, other) > depth)
    }
}

/// Memory of the search.
#[derive(Clone, Debug, Default)]
pub(crate) struct Guard {
    options: Options,
    is_needed: bool,
    broad: Broad,
    /// Trees that fit the end of the step, without any padding.
    pub(crate) forest: Forest,
    /// The longest way of a vertex of each part in the step.
    pub(crate) ways: Vec<f64>,
    /// Where each obstacle was when its boxes were fitted.
    fitted: Vec<Option<Pose>>,
    seeds: Vec<Seed>,
    spare_seeds: Vec<Seed>,
    per_task: PerTask<Search>,
    /// Memory of the search for what has passed.
    fast_stack: Vec<[u32; 2]>,
    passed: Vec<Pair>,
    /// What has come to intersect, ascending.
    pub(crate) pairs: Vec<Pair>,
    /// The same with what intersected before the step.
    all: Vec<Pair>,
    pub(crate) stops: Vec<Found>,
    /// Pairs that had to be stopped and are still near, ascending.
    pub(crate) kept: Vec<ContactKey>,
    /// Vertices beside intersections that the step started with.
    tangled: Vec<bool>,
    /// Vertices whose own triangles do not intersect each other.
    even: Vec<bool>,
    /// Vertices with triangles all around.
    closed: Vec<bool>,
    /// The same from the step before.
    left: Vec<bool>,
    /// Names of vertices to be moved back, with the obstacle that they meet.
    pub(crate) to_move: Vec<(u32, Option<ObstacleId>)>,
    /// Bodies that are brought back as a whole, with the obstacle that they meet.
    pub(crate) to_shorten: Vec<(BodyId, Option<ObstacleId>)>,
    /// Names of vertices that were moved back.
    pub(crate) held: Vec<u32>,
    /// What is deep inside of analytic obstacles.
    pub(crate) deep: Vec<Contact>,
}

/// The memory of one task of the search.
#[derive(Debug, Default)]
struct Search {
    stack: Vec<[u32; 2]>,
    found: Vec<Pair>,
}

impl Guard {
    /// Watches the parts that can touch.
    pub fn new(skin: &Skin, forest: &Forest, options: Options) -> Self {
        let parts = skin.parts.len() as u32;
        let mut all = (0..parts).flat_map(|a| (a..parts).map(move |b| [a, b]));
        Self {
            options,
            is_needed: all.any(|p| is_watched(skin, &options, p) || may_pass(skin, &options, p)),
            forest: forest.clone(),
            fitted: vec![None; skin.parts.len()],
            tangled: vec![false; skin.global.len()],
            even: vec![false; skin.global.len()],
            closed: closed_vertices(&skin.topology),
            left: vec![false; skin.global.len()],
            ..Self::default()
        }
    }

    /// Whether anything can come to intersect.
    pub fn is_needed(&self) -> bool {
        self.is_needed
    }

    /// Forgets what the last step has left.
    pub fn forget(&mut self) {
        self.left.fill(false);
        self.kept.clear();
    }

    /// Pairs that had to be stopped and are still near.
    pub fn kept(&self) -> &[ContactKey] {
        &self.kept
    }

    /// Vertices beside what the last step has left, ascending.
    pub fn left(&self) -> Vec<u32> {
        (0..).zip(&self.left).filter(|(_, left)| **left).map(|(v, _)| v).collect()
    }

    /// Takes over what [`kept`](Self::kept) and [`left`](Self::left) returned; returns whether the vertices are there.
    pub fn recall(&mut self, kept: &[ContactKey], left: &[u32]) -> bool {
        if left.iter().any(|&v| v as usize >= self.left.len()) {
            return false;
        }
        self.left.fill(false);
        left.iter().for_each(|&v| self.left[v as usize] = true);
        self.kept = kept.to_vec();
        true
    }

    /// Lists what has come to intersect.
    pub(crate) fn search(&mut self, tasks: &dyn Tasks, watched: &Watched) {
        self.plan(watched.skin);
        let Self { forest, seeds, per_task, pairs, even, closed, .. } = self;
        in_chunks(tasks, even, |v, even| {
            *even = closed[v] && is_even(&watched.skin.topology, watched.x1, v as u32)
        });
        tasks.for_each(seeds.len(), &|job| {
            per_task.with(job, |search| search.walk(forest, (watched, even), seeds[job]));
        });
        pairs.clear();
        per_task.each(seeds.len(), |search| pairs.append(&mut search.found));
        pairs.sort_unstable();
        self.leave_tangles(watched);
    }

    /// Fits the trees to the end of the step.
    pub(crate) fn refit(&mut self, tasks: &dyn Tasks, watched: &Watched, poses: &[Pose]) {
        let Self { forest, fitted, .. } = self;
        let parts = &watched.skin.parts;
        let pose_of = |part: usize| obstacle_of(parts[part].side).map(|o| poses[o.index()]);
        let stays = |part: u32| {
            let pose = pose_of(part as usize);
            pose.is_some() && fitted[part as usize] == pose
        };
        let fit = |_: u32, t: u32| {
            let corners = watched.skin.topology.triangles[t as usize].map(|v| watched.x1[v as usize]);
            Bounds::around(corners, 0.0)
        };
        forest.refit(tasks, &stays, &fit);
        for (part, pose) in fitted.iter_mut().enumerate() {
            *pose = pose_of(part);
        }
    }

    /// Whether some part moves so far that it may be beyond another one in one step.
    pub(crate) fn has_fast_parts(&self, skin: &Skin) -> bool {
        let longest = self.ways.iter().copied().fold(0.0, f64::max);
        skin.parts.iter().any(|p| !p.is_rigid() && 2.0 * longest > p.long_way())
    }

    /// Adds the triangles of fast parts that have passed through each other on their way, wherever they are at its end. The boxes
    /// of `swept` must hold the whole way.
    pub(crate) fn add_passed(&mut self, swept: &Forest, watched: &Watched) {
        let mut stack = std::mem::take(&mut self.fast_stack);
        let mut passed = std::mem::take(&mut self.passed);
        passed.clear();
        let (skin, ways, options) = (watched.skin, &self.ways, &self.options);
        let is_fast = |[a, b]: [u32; 2]| {
            let bodies = [a, b].map(|p| &skin.parts[p as usize]).into_iter().filter(|p| !p.is_rigid());
            let long = bodies.map(|p| p.long_way()).fold(f64::INFINITY, f64::min);
            a != b && ways[a as usize] + ways[b as usize] > long
        };
        self.broad.search(skin, swept, |parts| is_fast(parts) && may_pass(skin, options, parts));
        for &parts in &self.broad.pairs {
            let allowed = match is_watched(skin, options, parts) {
                true => watched.allowed(parts, watched.tolerance),
                false => PASSED * least_size(skin, parts),
            };
            stack.clear();
            stack.push(Seed::of(skin, parts).nodes);
            while let Some([a, b]) = stack.pop() {
                if open(swept, [a, b], |pair| stack.push(pair)) {
                    continue;
                }
                let [na, nb] = [a, b].map(|n| &swept.nodes[n as usize]);
                for t in na.triangles() {
                    let near = nb.triangles().filter(|&s| {
                        swept.boxes[t as usize].overlaps(&swept.boxes[s as usize])
                            && have_passed(&skin.topology, [watched.x0, watched.x1], [t, s], allowed)
                    });
                    passed.extend(near.map(|s| Pair { parts, triangles: [t, s] }));
                }
            }
        }
        self.pairs.append(&mut passed);
        self.pairs.sort_unstable();
        self.pairs.dedup();
        (self.fast_stack, self.passed) = (stack, passed);
    }

    fn plan(&mut self, skin: &Skin) {
        let Self { options, broad, forest, seeds, spare_seeds, per_task, .. } = self;
        broad.search(skin, forest, |parts| is_watched(skin, options, parts));
        seeds.clear();
        seeds.extend(broad.pairs.iter().map(|&parts| Seed::of(skin, parts)));
        Seed::split(forest, seeds, spare_seeds);
        per_task.reserve(seeds.len());
    }

    /// Leaves out what intersected at the start of the step already, and all that is beside it: in a tangle nobody knows
    /// which way is out, and it must not be frozen.
    fn leave_tangles(&mut self, watched: &Watched) {
        let Self { pairs, all, tangled, left, .. } = self;
        all.clone_from(pairs);
        if pairs.is_empty() {
            return;
        }
        tangled.copy_from_slice(left);
        // More than a step may end with.
        let meets = |p: &Pair| {
            watched.intersect_deeply(watched.x0, p.triangles, watched.allowed(p.parts, 1.01 * LAST_RESORT))
        };
        for pair in pairs.iter().filter(|p| meets(p)) {
            mark(watched.skin, pair, tangled);
        }
        let topology = &watched.skin.topology;
        let in_tangle = |t: u32| topology.triangles[t as usize].iter().any(|&v| tangled[v as usize]);
        pairs.retain(|pair| !pair.triangles.iter().any(|&t| in_tangle(t)));
    }

    /// Remembers what still intersects at the end of a step.
    pub(crate) fn remember_left(&mut self, skin: &Skin) {
        self.left.fill(false);
        for pair in &self.all {
            mark(skin, pair, &mut self.left);
        }
    }

    /// Lists the vertices of bodies in the pairs, each once, and the bodies that move far: for these `goes_far` says so of a
    /// side and one of its triangles.
    pub(crate) fn list_vertices(&mut self, skin: &Skin, goes_far: impl Fn(Side, u32) -> bool) {
        let Self { pairs, to_move, to_shorten, .. } = self;
        to_move.clear();
        to_shorten.clear();
        for pair in pairs.iter() {
            let sides = pair.parts.map(|p| skin.parts[p as usize].side);
            for (k, &t) in pair.triangles.iter().enumerate() {
                let met = obstacle_of(sides[1 - k]);
                if let Side::Body(body) = sides[k]
                    && goes_far(sides[k], t)
                {
                    to_shorten.push((body, met));
                    continue;
                }
                let vertices = skin.topology.triangles[t as usize].iter();
                to_move.extend(vertices.map(|&v| (skin.global[v as usize], met)));
            }
        }
        to_move.sort_unstable();
        to_move.dedup_by_key(|&mut (name, _)| name);
        to_shorten.sort_unstable();
        to_shorten.dedup_by_key(|&mut (body, _)| body);
    }

    /// Number of different vertices that were moved back.
    pub(crate) fn count_held(&mut self) -> usize {
        self.held.sort_unstable();
        self.held.dedup();
        self.held.len()
    }
}

/// Whether two parts, or one and itself, are kept from intersecting: between bodies, and within one, only what is kept apart by a
/// thickness.
fn is_watched(skin: &Skin, options: &Options, parts: [u32; 2]) -> bool {
    let [a, b] = parts.map(|p| &skin.parts[p as usize]);
    (a.radius + b.radius > 0.0 || a.is_rigid() || b.is_rigid()) && skin.can_touch(options, parts)
}

/// Whether two parts are kept from passing through each other.
fn may_pass(skin: &Skin, options: &Options, parts: [u32; 2]) -> bool {
    let [a, b] = parts.map(|p| skin.parts[p as usize].side);
    a != b && skin.can_touch(options, parts)
}

/// Size of the smaller body of two parts.
fn least_size(skin: &Skin, parts: [u32; 2]) -> f64 {
    let bodies = parts.map(|p| &skin.parts[p as usize]).into_iter().filter(|p| !p.is_rigid());
    bodies.map(|p| p.size).fold(f64::INFINITY, f64::min)
}

/// Marks the vertices of bodies in a pair.
fn mark(skin: &Skin, pair: &Pair, marks: &mut [bool]) {
    for (&part, &t) in pair.parts.iter().zip(&pair.triangles) {
        if matches!(skin.parts[part as usize].side, Side::Body(_)) {
            skin.topology.triangles[t as usize].iter().for_each(|&v| marks[v as usize] = true);
        }
    }
}

impl Search {
    /// Finds all intersecting triangles below two nodes.
    fn walk(&mut self, forest: &Forest, (watched, even): (&Watched, &[bool]), seed: Seed) {
        let Self { stack, found } = self;
        let allowed = watched.allowed(seed.parts, watched.tolerance);
        found.clear();
        stack.clear();
        stack.push(seed.nodes);
        while let Some([a, b]) = stack.pop() {
            if open(forest, [a, b], |pair| stack.push(pair)) {
                continue;
            }
            let [na, nb] = [a, b].map(|n| &forest.nodes[n as usize]);
            for t in na.triangles() {
                let bounds = &forest.boxes[t as usize];
                if !bounds.overlaps(&nb.bounds) {
                    continue;
                }
                let plane = watched.plane(t);
                let others = if a == b { t + 1..nb.triangles().end } else { nb.triangles() };
                for s in others {
                    if bounds.overlaps(&forest.boxes[s as usize])
                        && watched.meet((t, &plane), s, even, allowed)
                    {
                        found.push(Pair { parts: seed.parts, triangles: [t, s] });
                    }
                }
            }
        }
    }
}
