//! All pairs of features within a distance, and how far a whole motion is free: what a barrier needs to know of surfaces.
//!
//! Nothing is filtered: every vertex against every triangle and every edge against every edge that it shares no vertex with, of
//! different bodies, of the same one and of obstacles. Obstacles are points, edges, triangles or planes; a ball is a thick
//! point.

mod advance;
mod closest;
mod solids;
mod walk;

pub use advance::free_part;
pub use closest::{Closest, Curvature, Mollifier, PairKind};

use crate::boxes::Bounds;
use crate::model::check;
use crate::skin::Skin;
use crate::tasks::PerTask;
use crate::tree::Forest;
use crate::{
    CollideError, Contact, ContactKey, Obstacle, ObstacleId, Options, Pose, Shape, Side, Surface, Tasks,
};
use pliant_mesh::DVec3;
use rustc_hash::FxHashMap;
use walk::Work;

/// Part of what two features of one surface are apart at rest that their thickness and reach may take up.
const OF_REST: f64 = 0.5;

/// Edges whose angle has a smaller squared sine are nearly parallel.
const PARALLEL: f64 = 1e-3;

/// Two features that may touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// What the features are.
    pub kind: PairKind,
    /// Their points: vertices of bodies by their index, those of obstacles by higher ones.
    pub points: [u32; 4],
    /// What the first and the second feature belong to.
    pub sides: [Side; 2],
    /// Distance in m that the features must never reach.
    pub thickness: f64,
    /// Gap beyond the thickness in m below which the pair counts.
    pub reach: f64,
    /// For [`Mollifier::of`]; zero where none is needed.
    pub parallel: f64,
}

impl Pair {
    /// Its points among all.
    pub fn places(&self, points: &[DVec3]) -> [DVec3; 4] {
        self.points.map(|p| points[p as usize])
    }

    /// Name that persists over steps.
    pub fn key(&self) -> ContactKey {
        // The kind in the two highest bits keeps keys of different kinds apart: indices have 30.
        let [a, b, c, d] = self.points;
        ContactKey([a | (self.kind as u32) << 30, b, c, d])
    }

    /// Whether its gap may be below its reach somewhere on straight ways from `start` to `end`: boxes around these tell, so that it may
    /// be said of a pair that is a little farther apart, too.
    pub fn may_be_near(&self, [start, end]: [&[DVec3]; 2]) -> bool {
        let motion = [self.places(start), self.places(end)];
        let least = match self.kind {
            PairKind::VertexPlane => {
                motion.map(|x| Closest::of(self.kind, x).distance).into_iter().fold(f64::INFINITY, f64::min)
            }
            _ => advance::box_distance(self.kind, motion),
        };
        least < self.thickness + self.reach
    }

    /// The pair as a contact between points that are nearest at the end of a step from `points_t0` to `points`, of which the first `bodies` are
    /// vertices. Between two obstacles there is none.
    pub fn contact(&self, [points_t0, points]: [&[DVec3]; 2], bodies: usize) -> Option<Contact> {
        let closest = Closest::of(self.kind, self.places(points));
        let is_obstacle = |side: Side| matches!(side, Side::Obstacle(_));
        let turned = is_obstacle(self.sides[0]);
        let (sides, sign) = if turned { ([self.sides[1], self.sides[0]], -1.0) } else { (self.sides, 1.0) };
        if is_obstacle(sides[0]) {
            return None;
        }
        let mut contact = Contact {
            key: self.key(),
            sides,
            vertices: [0; 4],
            weights: [0.0; 4],
            count: 0,
            normal: sign * closest.normal,
            found_normal: sign * closest.normal,
            anchor: DVec3::ZERO,
            anchor_motion: DVec3::ZERO,
            thickness: self.thickness,
            time: 1.0,
        };
        for (&p, &w) in self.points.iter().zip(&closest.weights).filter(|(_, w)| **w != 0.0) {
            if (p as usize) < bodies {
                let k = contact.count as usize;
                (contact.vertices[k], contact.weights[k]) = (p, sign * w);
                contact.count += 1;
            } else {
                let (x0, x) = (points_t0[p as usize], points[p as usize]);
                contact.anchor -= sign * w * x;
                contact.anchor_motion -= sign * w * (x - x0);
            }
        }
        if self.kind == PairKind::VertexPlane {
            let [vertex, origin, ..] = self.places(points);
            // The nearest point moves with the plane as its origin does, but for its turning.
            contact.anchor = vertex - closest.distance * closest.normal;
            contact.anchor_motion = origin - points_t0[self.points[1] as usize];
        }
        Some(contact)
    }
}

/// Surfaces and obstacles whose distances are wanted.
#[derive(Clone, Debug)]
pub struct Proximity {
    skin: Skin,
    forest: Forest,
    options: Options,
    bodies: usize,
    obstacles: Vec<Solid>,
    /// Pairs within one surface that are near at rest, with their distance there.
    near_at_rest: FxHashMap<(PairKind, [u32; 4]), f64>,
    /// Distances that two sides keep, in ascending order, in place of a larger thickness.
    kept: Vec<([Side; 2], f64)>,
    /// Largest thickness of a pair.
    thickest: f64,
    work: PerTask<Work>,
}

/// An obstacle as points.
#[derive(Clone, Debug)]
struct Solid {
    shape: Form,
    /// Its points, in its own coordinates, and the index of the first among all.
    local: Vec<DVec3>,
    first: u32,
    /// What is added to the distance that is kept.
    radius: f64,
}

/// What the points of an obstacle are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Faces,
    Point,
    Edge,
    Plane,
}

impl Proximity {
    /// `rest` has the vertices of all bodies; `options.margin` is the gap from which on pairs count.
    ///
    /// # Errors
    /// If an obstacle is unusable, or a number is out of range.
    pub fn new(
        surfaces: &[Surface],
        obstacles: &[Obstacle],
        rest: &[DVec3],
        options: Options,
    ) -> Result<Proximity, CollideError> {
        check(surfaces, obstacles, rest, &options)?;
        let obstacles: Vec<Obstacle> = obstacles.iter().map(solids::with_faces).collect();
        let (skin, forest) = Skin::new(surfaces, &obstacles, rest);
        let mut next = rest.len() as u32;
        let mut place = |obstacle: &Obstacle, form: Form| {
            let (local, radius) = solids::points(&obstacle.shape);
            let first = next;
            next += local.len() as u32;
            Solid { shape: form, local, first, radius: radius + obstacle.radius }
        };
        let form = |o: &Obstacle| match o.shape {
            Shape::Mesh(_) => Form::Faces,
            Shape::Sphere { .. } => Form::Point,
            Shape::Capsule { .. } => Form::Edge,
            _ => Form::Plane,
        };
        // Meshes first: the skin has numbered their vertices.
        let mut solids: Vec<Option<Solid>> = vec![None; obstacles.len()];
        for faces in [true, false] {
            for (solid, obstacle) in solids.iter_mut().zip(&obstacles) {
                let form = form(obstacle);
                if (form == Form::Faces) == faces {
                    *solid = Some(place(obstacle, form));
                }
            }
        }
        let solids: Vec<Solid> = solids.into_iter().flatten().collect();
        let radii = skin.parts.iter().map(|p| p.radius).chain(solids.iter().map(|s| s.radius));
        let thickest = 2.0 * radii.fold(0.0, f64::max);
        let mut proximity = Proximity {
            skin,
            forest,
            options,
            bodies: rest.len(),
            obstacles: solids,
            near_at_rest: FxHashMap::default(),
            kept: Vec::new(),
            thickest,
            work: PerTask::default(),
        };
        proximity.remember_rest();
        Ok(proximity)
    }

    /// Number of points: vertices of bodies first, then those of obstacles.
    pub fn point_count(&self) -> usize {
        self.bodies + self.obstacles.iter().map(|s| s.local.len()).sum::<usize>()
    }

    /// Gap beyond the thickness from which on pairs count, m.
    pub fn reach(&self) -> f64 {
        self.options.margin
    }

    /// Has two sides keep no more than a distance in m, whatever their thickness.
    pub fn keep(&mut self, sides: [Side; 2], distance: f64) {
        self.kept.push((ordered(sides), distance));
        self.kept.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    }

    /// The thickness between two sides.
    fn thickness_of(&self, sides: [Side; 2], thickness: f64) -> f64 {
        if self.kept.is_empty() {
            return thickness;
        }
        let sides = ordered(sides);
        let first = self.kept.partition_point(|k| k.0 < sides);
        let own = self.kept.get(first).filter(|k| k.0 == sides);
        own.map_or(thickness, |k| thickness.min(k.1))
    }

    /// Puts the points of obstacles to their places, behind the vertices of the bodies.
    pub fn place_obstacles(&self, poses: &[Pose], points: &mut [DVec3]) {
        for (solid, pose) in self.obstacles.iter().zip(poses) {
            let own = &mut points[solid.first as usize..][..solid.local.len()];
            own.iter_mut().zip(&solid.local).for_each(|(point, &local)| *point = pose.place(local));
        }
    }

    /// What a point belongs to, if it is one of an obstacle.
    pub fn obstacle_of(&self, point: u32) -> Option<ObstacleId> {
        let owns = |s: &Solid| (s.first..s.first + s.local.len() as u32).contains(&point);
        self.obstacles.iter().position(owns).map(ObstacleId::new)
    }

    /// Adds to `out` all pairs whose gap is below their reach somewhere on the way of all points on straight lines from `start` to
    /// `end`, and some more that are nearly so near. They are in the same order for any tasks.
    pub fn pairs(&mut self, tasks: &dyn Tasks, [start, end]: [&[DVec3]; 2], out: &mut Vec<Pair>) {
        self.fit(tasks, [start, end]);
        self.walk(tasks, [start, end], out);
    }

    /// The largest part of the motion that is free for all `pairs`, which must be those of this motion, and the pair that ends it.
    pub fn free_part(tasks: &dyn Tasks, pairs: &[Pair], [start, end]: [&[DVec3]; 2]) -> (f64, Option<usize>) {
        const PIECE: usize = 256;
        let count = pairs.len().div_ceil(PIECE);
        let mut found: PerTask<(f64, usize)> = PerTask::default();
        found.reserve(count);
        tasks.for_each(count, &|piece| {
            let mut best = (1.0, usize::MAX);
            for (k, pair) in pairs.iter().enumerate().skip(piece * PIECE).take(PIECE) {
                let motion = [pair.places(start), pair.places(end)];
                let part = free_part(pair.kind, motion, pair.thickness, 0.5 * pair.reach, best.0);
                if part < best.0 {
                    best = (part, k);
                }
            }
            found.with(piece, |own| *own = best);
        });
        let mut best = (1.0, usize::MAX);
        found.each(count, |own| {
            if own.0 < best.0 {
                best = *own;
            }
        });
        (best.0, (best.1 != usize::MAX).then_some(best.1))
    }

    /// Fits the boxes around the motion of all triangles.
    fn fit(&mut self, tasks: &dyn Tasks, [start, end]: [&[DVec3]; 2]) {
        let Proximity { skin, forest, options, .. } = self;
        let skin = &*skin;
        let fit = |part: u32, t: u32| {
            let at = skin.topology.triangles[t as usize].map(|v| skin.global[v as usize] as usize);
            let pad = skin.parts[part as usize].radius + 0.5 * options.margin;
            Bounds::around(
                [start[at[0]], start[at[1]], start[at[2]], end[at[0]], end[at[1]], end[at[2]]],
                pad,
            )
        };
        forest.refit(tasks, &|_| false, &fit);
    }

    /// Finds pairs within one surface that are so near at rest that their thickness would push them apart.
    fn remember_rest(&mut self) {
        let mut points = self.skin_rest();
        points.resize(self.point_count(), DVec3::ZERO);
        let reach = self.options.margin;
        // As far as they are looked for, half of the way is still more than they need.
        self.options.margin = (reach + self.thickest) / OF_REST;
        let mut pairs = Vec::new();
        self.pairs(&crate::Serial, [&points, &points], &mut pairs);
        self.options.margin = reach;
        let own = pairs.iter().filter(|p| p.sides[0] == p.sides[1]);
        self.near_at_rest =
            own.map(|p| ((p.kind, p.points), Closest::of(p.kind, p.places(&points)).distance)).collect();
    }

    /// Rest positions of the vertices of bodies; others stay at the origin.
    fn skin_rest(&self) -> Vec<DVec3> {
        let mut points = vec![DVec3::ZERO; self.bodies];
        for (&name, &x) in self.skin.global.iter().zip(&self.skin.rest) {
            if let Some(point) = points.get_mut(name as usize) {
                *point = x;
            }
        }
        points
    }

    /// Thickness and reach of a pair; less within a surface whose features are near at rest.
    fn limits(&self, key: (PairKind, [u32; 4]), is_self: bool, thickness: f64) -> [f64; 2] {
        let reach = self.options.margin;
        match self.near_at_rest.get(&key) {
            Some(rest) if is_self => {
                let thickness = thickness.min(OF_REST * rest);
                [thickness, reach.min(OF_REST * (rest - thickness))]
            }
            _ => [thickness, reach],
        }
    }
}

fn ordered([a, b]: [Side; 2]) -> [Side; 2] {
    [a.min(b), a.max(b)]
}
