//! Finds the contacts of a step.

mod covered;
mod deep;
mod guarded;
mod kept;

pub use guarded::{Bodies, HeldBack};

use crate::analytic::MovingShape;
use crate::boxes::Bounds;
use crate::broad::Broad;
use crate::choose::Chooser;
use crate::guard::Guard;
use crate::model::check;
use crate::motion::Motion;
use crate::near::{EDGE_EDGE, Found, Remembered, StepView, VERTEX_TRIANGLE};
use crate::refresh::{Placed, redirect};
use crate::skin::{Part, Skin};
use crate::tasks::PerTask;
use crate::tree::Forest;
use crate::walk::{
    EDGE_OBSTACLE, FIXED_POINT, ObstacleWalk, PairWalk, Seed, TRIANGLE_OBSTACLE, VERTEX_OBSTACLE, pad,
    weighted,
};
use crate::{CollideError, Contact, Obstacle, ObstacleId, Options, Pose, Shape, Side, Surface, Tasks};
use pliant_mesh::DVec3;
use std::sync::Arc;

/// Collision detection for a fixed set of surfaces and obstacles.
///
/// A copy knows what the original knows, and goes on by itself; what never changes is shared.
#[derive(Clone, Debug)]
pub struct Detector {
    pub(crate) skin: Arc<Skin>,
    forest: Forest,
    obstacles: Arc<[Obstacle]>,
    /// Whether some obstacle has a formula for its distance.
    has_analytic: bool,
    options: Options,
    pub(crate) vertex_count: usize,
    pub(crate) motion: Motion,
    broad: Broad,
    /// Pairs of trees to walk through, and memory to split them.
    seeds: Vec<Seed>,
    spare_seeds: Vec<Seed>,
    /// Pieces of trees to test against analytic obstacles.
    visits: Vec<(u32, ObstacleId)>,
    /// What each task found.
    per_task: PerTask<Search>,
    /// Vertices with their contacts with analytic obstacles, and those of them that are dropped.
    by_vertex: Vec<(u32, u32)>,
    dropped: Vec<u32>,
    chooser: Chooser,
    pub(crate) remembered: Vec<Remembered>,
    pub(crate) guard: Guard,
}

/// The memory of one task of the search.
#[derive(Debug, Default)]
struct Search {
    stack: Vec<[u32; 2]>,
    found: Vec<Found>,
    /// Contacts with analytic obstacles, which need no choice.
    contacts: Vec<Contact>,
}

impl Detector {
    /// Prepares the detection. `rest` has the vertices of all bodies in their rest shape.
    pub fn new(
        surfaces: &[Surface],
        obstacles: &[Obstacle],
        rest: &[DVec3],
        options: Options,
    ) -> Result<Self, CollideError> {
        check(surfaces, obstacles, rest, &options)?;
        let (skin, forest) = Skin::new(surfaces, obstacles, rest);
        Ok(Self {
            guard: Guard::new(&skin, &forest, options),
            broad: Broad::default(),
            motion: Motion::new(&skin),
            skin: Arc::new(skin),
            forest,
            obstacles: obstacles.into(),
            has_analytic: obstacles.iter().any(|o| !matches!(o.shape, Shape::Mesh(_))),
            options,
            vertex_count: rest.len(),
            seeds: Vec::new(),
            spare_seeds: Vec::new(),
            visits: Vec::new(),
            per_task: PerTask::default(),
            by_vertex: Vec::new(),
            dropped: Vec::new(),
            chooser: Chooser::default(),
            remembered: Vec::new(),
        })
    }

    /// The contacts of a step in which the bodies go from `x0` to the predicted `x1`, and each obstacle from its pose
    /// in `poses0` to that in `poses1`; sorted by key.
    ///
    /// Vertices that are not at finite positions have no contacts, and there are none at all if there are fewer
    /// positions than vertices or fewer poses than obstacles.
    pub fn detect(
        &mut self,
        tasks: &dyn Tasks,
        x0: &[DVec3],
        x1: &[DVec3],
        poses0: &[Pose],
        poses1: &[Pose],
        out: &mut Vec<Contact>,
    ) {
        out.clear();
        if !self.matches(x0, poses0) || !self.matches(x1, poses1) {
            return;
        }
        self.motion.update(&self.skin, [x0, x1], [poses0, poses1]);
        self.refit(tasks);
        self.plan(poses0, poses1);
        self.per_task.reserve(self.seeds.len() + self.visits.len());
        if !self.seeds.is_empty() {
            let margin = self.options.margin;
            self.motion.update_features(&self.skin, tasks, |part| pad(part.radius, margin));
        }
        self.search(tasks, poses0, poses1);
        self.collect(out);
        self.drop_covered([poses0, poses1], out);
        self.choose(out);
        if !out.is_sorted_by_key(|c| c.key) {
            out.sort_unstable_by_key(|c| c.key);
        }
        self.add_kept(out);
    }

    /// Forgets the last step. To be called when positions jump, for example after a step is undone.
    pub fn forget(&mut self) {
        self.remembered.clear();
        self.guard.forget();
    }

    pub(crate) fn matches(&self, x: &[DVec3], poses: &[Pose]) -> bool {
        x.len() >= self.vertex_count && poses.len() >= self.obstacles.len()
    }

    pub(crate) fn skin_and_forest(&self) -> (&Skin, &Forest) {
        (&self.skin, &self.forest)
    }

    pub(crate) fn obstacles(&self) -> &[Obstacle] {
        &self.obstacles
    }

    fn refit(&mut self, tasks: &dyn Tasks) {
        let Self { skin, forest, motion, options, .. } = self;
        let (x0, x1) = (&motion.x0[..], &motion.x1[..]);
        let fit = |part: u32, t: u32| {
            let part = &skin.parts[part as usize];
            let corners = skin.topology.triangles[t as usize].map(|v| v as usize);
            let pad = pad(part.radius, options.margin);
            let [a, b, c] = corners.map(|v| x1[v]);
            let swept = Bounds::around([x0[corners[0]], x0[corners[1]], x0[corners[2]], a, b, c], pad);
            if !part.solid {
                return swept;
            }
            let depth = skin.depths[t as usize];
            swept.with_inside([a, b, c], depth).with_inside(corners.map(|v| x0[v]), depth)
        };
        forest.refit(tasks, &|part| motion.still[part as usize], &fit);
    }

    /// Lists the pairs of trees that overlap, and the pieces of trees near analytic obstacles.
    fn plan(&mut self, poses0: &[Pose], poses1: &[Pose]) {
        let Self { skin, forest, options, broad, seeds, spare_seeds, .. } = self;
        broad.search(skin, forest, |parts| skin.can_touch(options, parts));
        seeds.clear();
        seeds.extend(broad.pairs.iter().map(|&parts| Seed::of(skin, parts)));
        Seed::split(forest, seeds, spare_seeds);
        let mut visits = std::mem::take(&mut self.visits);
        self.plan_visits(&self.forest, |_| 0.0, [poses0, poses1], &mut visits);
        self.visits = visits;
    }

    /// Lists the pieces of trees near analytic obstacles. `way` is how far the boxes of a part may be left behind.
    fn plan_visits(
        &self,
        forest: &Forest,
        way: impl Fn(u32) -> f64,
        [poses0, poses1]: [&[Pose]; 2],
        visits: &mut Vec<(u32, ObstacleId)>,
    ) {
        let Self { skin, options, obstacles, .. } = self;
        visits.clear();
        for (index, obstacle) in obstacles.iter().enumerate() {
            if matches!(obstacle.shape, Shape::Mesh(_)) {
                continue;
            }
            for (piece, below) in forest.pieces.iter().enumerate() {
                let part = &skin.parts[below.part as usize];
                let (center, radius) = forest.nodes[below.nodes.start].bounds.ball();
                let moving = moving(obstacle, options, part, [&poses0[index], &poses1[index]]);
                if !part.is_rigid() && !moving.is_beyond(center, radius + way(below.part)) {
                    visits.push((piece as u32, ObstacleId::new(index)));
                }
            }
        }
    }

    pub(crate) fn view(&self) -> StepView<'_> {
        StepView {
            skin: &self.skin,
            x0: &self.motion.x0,
            x1: &self.motion.x1,
            sharp: &self.motion.sharp,
            margin: self.options.margin,
            remembered: &self.remembered,
        }
    }

    fn search(&self, tasks: &dyn Tasks, poses0: &[Pose], poses1: &[Pose]) {
        let view = self.view();
        let search = |job: usize, Search { stack, found, contacts }: &mut Search| {
            found.clear();
            contacts.clear();
            if let Some(seed) = self.seeds.get(job) {
                PairWalk::new(&self.forest, &self.motion, view, seed.parts).run(seed.nodes, stack, found);
                return;
            }
            let visit = self.visits[job - self.seeds.len()];
            self.visit(&self.forest, visit, [poses0, poses1]).run(stack, contacts);
        };
        let jobs = self.seeds.len() + self.visits.len();
        tasks.for_each(jobs, &|job| self.per_task.with(job, |memory| search(job, memory)));
    }

    /// The walk through a piece of a tree near an obstacle.
    fn visit<'a>(
        &'a self,
        forest: &'a Forest,
        (piece, obstacle): (u32, ObstacleId),
        [poses0, poses1]: [&'a [Pose]; 2],
    ) -> ObstacleWalk<'a> {
        let (piece, index) = (&forest.pieces[piece as usize], obstacle.index());
        let part = &self.skin.parts[piece.part as usize];
        let moving = moving(&self.obstacles[index], &self.options, part, [&poses0[index], &poses1[index]]);
        ObstacleWalk {
            forest,
            view: self.view(),
            part: piece.part,
            node: piece.nodes.start as u32,
            obstacle,
            thickness: moving.thickness,
            moving,
            guard: None,
        }
    }

    /// Puts together what the tasks found, in their order. Contacts of vertices with analytic obstacles are in the order of
    /// their keys already and come first.
    fn collect(&mut self, out: &mut Vec<Contact>) {
        let jobs = self.seeds.len() + self.visits.len();
        self.chooser.found.clear();
        self.per_task.each(jobs, |search| {
            self.chooser.found.append(&mut search.found);
            out.append(&mut search.contacts);
        });
    }

    fn choose(&mut self, out: &mut Vec<Contact>) {
        let mut chooser = std::mem::take(&mut self.chooser);
        chooser.choose(self.view(), out);
        std::mem::swap(&mut self.remembered, &mut chooser.remembered);
        self.chooser = chooser;
    }

    /// New normals and anchors for the same pairs, with the same weights, at positions `x` \[ZengRec\]. Contacts keep
    /// the side they are on; what does not follow from `x` stays as it is.
    pub fn refresh(&self, x: &[DVec3], poses0: &[Pose], poses1: &[Pose], contacts: &mut [Contact]) {
        if !self.matches(x, poses0) || !self.matches(x, poses1) {
            return;
        }
        let placed = Placed { skin: &self.skin, x, poses: poses1 };
        for contact in contacts {
            match contact.key.0[0] {
                VERTEX_OBSTACLE | EDGE_OBSTACLE | TRIANGLE_OBSTACLE => {
                    self.refresh_analytic(x, [poses0, poses1], contact);
                }
                VERTEX_TRIANGLE => redirect(contact, placed.of_vertex(contact)),
                EDGE_EDGE => redirect(contact, placed.of_edges(contact)),
                _ => {}
            }
        }
    }

    fn refresh_analytic(&self, x: &[DVec3], poses: [&[Pose]; 2], contact: &mut Contact) {
        let [class, obstacle, feature, feeler] = contact.key.0;
        let index = obstacle as usize;
        let Some(shape) = self.obstacles.get(index) else { return };
        let Some(part) = self.part_of(contact.sides[0], class, feature) else { return };
        let moving = moving(shape, &self.options, part, poses.map(|p| &p[index]));
        let [a, b, c, _] = contact.vertices.map(|v| x[v as usize]);
        let normal = contact.normal;
        let limit = |direction: DVec3| {
            let mut turned = *contact;
            redirect(&mut turned, Some(direction));
            turned.normal
        };
        let touch = match class {
            VERTEX_OBSTACLE => moving.refreshed_vertex(self.motion.x0[feature as usize], a, normal),
            EDGE_OBSTACLE => moving.refreshed_edge([a, b], [contact.weights[0], contact.weights[1]], limit),
            _ if feeler == FIXED_POINT => {
                let [u, v, w, _] = contact.weights;
                let corners = self.skin.topology.triangles[feature as usize];
                let from = weighted([u, v, w], corners.map(|v| self.motion.x0[v as usize]));
                moving.refreshed_vertex(from, weighted([u, v, w], [a, b, c]), normal)
            }
            _ => moving.refreshed_triangle([a, b, c], feeler, limit),
        };
        if let Some(touch) = touch {
            contact.normal = touch.normal;
            contact.anchor = touch.anchor;
            contact.anchor_motion = touch.anchor_motion;
        }
    }

    /// The part of a side that has a vertex, an edge or a triangle.
    fn part_of(&self, side: Side, class: u32, feature: u32) -> Option<&Part> {
        let range = |p: &Part| match class {
            VERTEX_OBSTACLE => p.vertices.clone(),
            EDGE_OBSTACLE => p.edges.clone(),
            _ => p.triangles.clone(),
        };
        // Features are numbered through, part by part.
        let parts = &self.skin.parts;
        let part = parts.get(parts.partition_point(|p| range(p).end <= feature as usize))?;
        (part.side == side).then_some(part)
    }
}

/// Part of the size of a body by which its edges and triangles may be deeper in an obstacle than their vertices are, and
/// the same of the finest radius of the obstacle.
const SLACK: [f64; 2] = [2.5e-4, 0.02];

fn moving<'a>(
    obstacle: &'a Obstacle,
    options: &Options,
    part: &Part,
    [start, end]: [&'a Pose; 2],
) -> MovingShape<'a> {
    MovingShape {
        shape: &obstacle.shape,
        start,
        end,
        thickness: part.radius + obstacle.radius,
        margin: options.margin,
        slack: (SLACK[0] * part.size).min(SLACK[1] * obstacle.shape.finest()),
        near: if part.solid { f64::NEG_INFINITY } else { part.radius + obstacle.radius + options.margin },
        long: part.long_way(),
    }
}

#[cfg(test)]
mod brute_force;
#[cfg(test)]
mod tests;
