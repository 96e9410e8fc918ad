//! The contacts of a step: found once, with forces that are carried over from the step before.

mod memory;

use super::Joints;
use super::coulomb::into_cone;
use crate::fem::System;
use crate::model::{Model, ModelError, Obstacle};
use pliant_collide::{Contact, ContactKey, Detector, HeldBack, Options, Pose, Side, Surface, Tasks};
use pliant_linalg::Team;
use pliant_linalg::small::dot;
use pliant_mesh::{Mesh, Point};

/// Friction of what does not slide.
const GLUE: f64 = 1e6;

/// Whether the two sides of a contact slide on each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sticking {
    /// They do not touch.
    Open,
    /// They touch and do not slide.
    Sticks,
    /// They touch and slide.
    Slides,
}

/// Detection, and what it found.
#[derive(Clone, Debug, Default)]
pub struct Contacts {
    /// Nothing to detect if there is none.
    detector: Option<Detector>,
    margin: f64,
    friction: FrictionTable,
    glued: bool,
    /// Where the obstacles are at the start and at the end of the step.
    poses_t0: Vec<Pose>,
    poses_t1: Vec<Pose>,
    found: Vec<Contact>,
    friction_of: Vec<f64>,
    forces: Vec<Point>,
    previous: Vec<(ContactKey, Point)>,
    /// Contacts that the solved motion turned out to need.
    missed: Vec<Contact>,
    /// Whether a vertex has a place prescribed.
    pinned: Vec<bool>,
    /// Whether each body is a sheet.
    is_sheet: Vec<bool>,
    held_back: HeldBack,
    joints: Joints,
    /// Total force of contacts and joints on each body, N.
    body_forces: Vec<Point>,
    /// Time at the end of the step.
    t1: f64,
}

/// Coefficients of friction between bodies, and between bodies and obstacles.
#[derive(Clone, Debug, Default)]
struct FrictionTable {
    bodies: Vec<f64>,
    obstacles: Vec<Option<f64>>,
}

impl FrictionTable {
    fn of(model: &Model) -> FrictionTable {
        FrictionTable {
            bodies: model.bodies.iter().map(|b| b.friction).collect(),
            obstacles: model.obstacles.iter().map(|o| o.friction).collect(),
        }
    }

    /// A pair has the geometric mean of its two sides; an obstacle without a value of its own takes that of the body.
    fn between(&self, sides: [Side; 2]) -> f64 {
        let of = |side| match side {
            Side::Body(b) => Some(self.bodies[b as usize]),
            Side::Obstacle(o) => self.obstacles[o as usize],
        };
        match sides.map(of) {
            [Some(a), Some(b)] if a == b => a,
            [Some(a), Some(b)] => (a * b).sqrt(),
            [Some(a), None] | [None, Some(a)] => a,
            [None, None] => 0.0,
        }
    }
}

/// Detection runs on the team of the step.
struct TeamTasks<'a>(&'a Team);

impl Tasks for TeamTasks<'_> {
    fn for_each(&self, count: usize, task: &(dyn Fn(usize) + Sync)) {
        self.0.for_each(count, &|i| task(i));
    }
}

impl Contacts {
    /// Prepares detection between all bodies and obstacles of `model`.
    ///
    /// # Errors
    /// If an obstacle cannot be used.
    pub(crate) fn new(model: &Model, system: &System) -> Result<Contacts, ModelError> {
        for obstacle in &model.obstacles {
            check_obstacle(obstacle)?;
        }
        let joints = Joints::new(model, system)?;
        let several = model.bodies.len() > 1 || model.bodies.iter().any(|b| b.self_contact);
        if model.obstacles.is_empty() && !several {
            return Ok(Contacts { joints, ..Contacts::default() });
        }
        let surfaces = surfaces(model, system);
        let obstacles: Vec<_> = model
            .obstacles
            .iter()
            .map(|o| pliant_collide::Obstacle { shape: o.shape.clone(), radius: 0.0 })
            .collect();
        let margin = model.contact_margin.unwrap_or_else(|| default_margin(&surfaces, &system.rest));
        let options = Options { margin, ..Options::default() };
        let detector = Detector::new(&surfaces, &obstacles, &system.rest, options)
            .map_err(|e| ModelError::Contact { message: e.to_string() })?;
        let mut pinned = vec![false; system.rest.len()];
        system.held.iter().for_each(|&(v, _)| pinned[v as usize] = true);
        Ok(Contacts {
            detector: Some(detector),
            margin,
            pinned,
            is_sheet: surfaces.iter().map(|s| !s.solid).collect(),
            friction: FrictionTable::of(model),
            joints,
            ..Contacts::default()
        })
    }

    /// Finds the contacts of a step from `x[0]` at time `t[0]` to about `x[1]` at time `t[1]`, in which the obstacles go from
    /// one of `poses` to the other. Contacts that were there in the last step start with their old forces.
    pub(crate) fn detect(&mut self, poses: [&[Pose]; 2], x: [&[Point]; 2], t: [f64; 2]) {
        self.t1 = t[1];
        for needle in &mut self.joints.needles {
            needle.engage(x[0], t);
        }
        self.held_back = HeldBack::default();
        let Some(detector) = &mut self.detector else { return };
        self.previous.clear();
        self.previous.extend(self.found.iter().map(|c| c.key).zip(self.forces.iter().copied()));
        for (own, given) in [(&mut self.poses_t0, poses[0]), (&mut self.poses_t1, poses[1])] {
            own.clear();
            own.extend_from_slice(given);
        }
        let (poses_t0, poses_t1, found) = (&self.poses_t0, &self.poses_t1, &mut self.found);
        Team::for_rows(x[0].len(), |team| {
            detector.detect(&TeamTasks(team), x[0], x[1], poses_t0, poses_t1, found)
        });
        self.take_over_forces();
    }

    /// Gives the contacts their friction, and the forces of `previous` to those that were there before.
    fn take_over_forces(&mut self) {
        self.friction_of.clear();
        let glued = self.glued.then_some(GLUE);
        self.friction_of
            .extend(self.found.iter().map(|c| glued.unwrap_or_else(|| self.friction.between(c.sides))));
        self.forces.clear();
        // Both lists ascend by key.
        let mut old = self.previous.iter().peekable();
        for (c, &mu) in self.found.iter().zip(&self.friction_of) {
            while old.next_if(|(key, _)| *key < c.key).is_some() {}
            let carried = old.next_if(|(key, _)| *key == c.key);
            self.forces.push(carried.map_or([0.0; 3], |(_, f)| into_cone(*f, &c.normal, mu)));
        }
    }

    /// Number of pairs of triangles that have passed through each other in the motion from `x[0]` to `x[1]` that a solver
    /// found. Adds the contacts that prevent it, so that the solver can go on with them.
    pub(crate) fn add_missed(&mut self, x: [&[Point]; 2]) -> usize {
        let Some(detector) = &mut self.detector else { return 0 };
        let (poses, missed) = ([&self.poses_t0[..], &self.poses_t1[..]], &mut self.missed);
        let count = Team::for_rows(x[0].len(), |team| detector.piercings(&TeamTasks(team), x, poses, missed));
        if missed.is_empty() {
            return count;
        }
        self.previous.clear();
        self.previous.extend(self.found.iter().map(|c| c.key).zip(self.forces.iter().copied()));
        // Where a pair is known the new one tells better where it crosses.
        self.found.retain(|c| missed.binary_search_by_key(&c.key, |m| m.key).is_err());
        self.found.append(missed);
        self.found.sort_unstable_by_key(|c| c.key);
        self.take_over_forces();
        count
    }

    /// Puts vertices back that pass through something at `x`, towards their places `x_t0` at the start of the step.
    pub(crate) fn hold_back(&mut self, x_t0: &[Point], x: &mut [Point]) {
        let Some(detector) = &mut self.detector else { return };
        let poses = [&self.poses_t0[..], &self.poses_t1[..]];
        let is_free = |v: u32| !self.pinned[v as usize];
        self.held_back =
            Team::for_rows(x_t0.len(), |team| detector.hold_back(&TeamTasks(team), x_t0, x, poses, &is_free));
    }

    /// What the last step had to hold back because no contact force kept it from passing through something.
    pub fn held_back(&self) -> HeldBack {
        self.held_back
    }

    /// New normals and obstacle points for positions `x` [ZengRec]; the pairs stay.
    pub(crate) fn refresh(&mut self, x: &[Point]) {
        if let Some(detector) = &self.detector {
            detector.refresh(x, &self.poses_t0, &self.poses_t1, &mut self.found);
        }
    }

    /// Forgets the forces, and from which sides surfaces touched: the next step starts as if it were the first.
    pub(crate) fn reset(&mut self) {
        if let Some(detector) = &mut self.detector {
            detector.forget();
        }
        self.joints.reset();
        self.held_back = HeldBack::default();
        self.found.clear();
        self.forces.clear();
        self.friction_of.clear();
    }

    /// Whether contacts stick whatever their friction, from the next detection on.
    pub(crate) fn glue(&mut self, glued: bool) {
        self.glued = glued;
    }

    /// Takes over the forces that a solver found.
    pub(crate) fn forces_mut(&mut self) -> &mut [Point] {
        &mut self.forces
    }

    /// Takes the coefficients of friction of `model` from the next detection on.
    pub(crate) fn set_friction(&mut self, model: &Model) {
        self.friction = FrictionTable::of(model);
    }

    /// Gap up to which pairs are contacts, m.
    pub(crate) fn margin(&self) -> f64 {
        self.margin
    }

    /// Whether a sheet is near itself or another body.
    pub(crate) fn has_folds(&self) -> bool {
        let sheet = |side: Side| matches!(side, Side::Body(b) if self.is_sheet[b as usize]);
        let body = |side: Side| matches!(side, Side::Body(_));
        let fold = |c: &Contact| c.sides.into_iter().all(body) && c.sides.into_iter().any(sheet);
        self.found.iter().any(fold)
    }

    /// Whether anything could ever touch, or is tied.
    pub fn is_active(&self) -> bool {
        self.detector.is_some() || !self.joints.is_empty()
    }

    /// Attachments and cables with their forces.
    pub fn joints(&self) -> &Joints {
        &self.joints
    }

    pub(crate) fn joints_mut(&mut self) -> &mut Joints {
        &mut self.joints
    }

    /// Time at the end of the step, s.
    pub(crate) fn end_time(&self) -> f64 {
        self.t1
    }

    /// Total force of contacts and joints on each body, N; empty where there is none of either.
    pub(crate) fn body_forces(&mut self, system: &System) -> &[Point] {
        self.body_forces.clear();
        if self.found.is_empty() && self.joints.is_empty() {
            return &self.body_forces;
        }
        self.body_forces.resize(system.bodies.len(), [0.0; 3]);
        for (c, f) in self.found.iter().zip(&self.forces) {
            for (side, sign) in c.sides.iter().zip([1.0, -1.0]) {
                if let Side::Body(b) = side {
                    let sum = &mut self.body_forces[*b as usize];
                    *sum = std::array::from_fn(|k| sum[k] + sign * f[k]);
                }
            }
        }
        self.joints.add_body_forces(system, &mut self.body_forces);
        &self.body_forces
    }

    /// Number of contacts, touching or nearly so.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// All contacts of the last step.
    pub fn contacts(&self) -> &[Contact] {
        &self.found
    }

    /// Force on the first side of each contact in N.
    pub fn forces(&self) -> &[Point] {
        &self.forces
    }

    /// Coefficient of friction of each contact.
    pub fn friction(&self) -> &[f64] {
        &self.friction_of
    }

    /// Total force of the contacts on one side, N.
    pub fn force_on(&self, side: Side) -> Point {
        let mut sum = [0.0; 3];
        for (c, f) in self.found.iter().zip(&self.forces) {
            // A body may touch itself: then both terms count, and cancel.
            let sign = f64::from(u8::from(c.sides[0] == side)) - f64::from(u8::from(c.sides[1] == side));
            for k in 0..3 {
                sum[k] += sign * f[k];
            }
        }
        sum
    }

    /// Sum of the forces of contacts and joints on the wanted vertices at positions `x`, N.
    pub(crate) fn force_on_vertices(&self, x: &[Point], wanted: &dyn Fn(u32) -> bool) -> Point {
        let mut sum = self.joints.force_on_vertices(x, wanted);
        for (c, f) in self.found.iter().zip(&self.forces) {
            let used = c.vertices.iter().zip(&c.weights).take(c.count as usize);
            let share: f64 = used.filter(|(v, _)| wanted(**v)).map(|(_, w)| w).sum();
            sum = std::array::from_fn(|k| sum[k] + share * f[k]);
        }
        sum
    }

    /// Whether a contact is open, sticks or slides: it slides if its force is on the cone of friction.
    pub fn sticking(&self, contact: usize) -> Sticking {
        let (f, n) = (&self.forces[contact], &self.found[contact].normal);
        let normal = dot(n, f);
        if normal <= 0.0 {
            return Sticking::Open;
        }
        let tangent = (dot(f, f) - normal * normal).max(0.0).sqrt();
        let on_the_cone = tangent >= self.friction_of[contact] * normal * (1.0 - 1e-6);
        if on_the_cone { Sticking::Slides } else { Sticking::Sticks }
    }

    /// Deepest penetration at positions `x` in m; zero if there is none.
    pub fn penetration(&self, x: &[Point]) -> f64 {
        self.found.iter().fold(0.0, |deepest, c| f64::max(deepest, -c.gap(x)))
    }
}

fn check_obstacle(obstacle: &Obstacle) -> Result<(), ModelError> {
    let refuse = |message: String| {
        Err(ModelError::Reference { item: "obstacle", name: obstacle.name.clone(), message })
    };
    if let Err(e) = obstacle.shape.validate() {
        return refuse(e.to_string());
    }
    if let Some(mu) = obstacle.friction
        && !(mu >= 0.0 && mu.is_finite())
    {
        return refuse(format!("friction = {mu} must be 0 or more"));
    }
    obstacle.motion.validate().or_else(|e| refuse(e.to_string()))
}

/// The surface of every body.
pub(crate) fn surfaces(model: &Model, system: &System) -> Vec<Surface> {
    let each = model.bodies.iter().zip(&system.bodies).enumerate();
    each.map(|(index, (body, range))| {
        let first = range.vertices.start as u32;
        let solid = matches!(*body.mesh, Mesh::Tet(_));
        Surface {
            body: index as u32,
            triangles: body.mesh.surface_triangles().into_iter().map(|t| t.map(|v| first + v)).collect(),
            solid,
            radius: if solid { body.contact_radius } else { 0.5 * body.thickness + body.contact_radius },
            self_contact: body.self_contact,
        }
    })
    .collect()
}

/// A tenth of the mean edge of the surfaces: pairs that come closer in a step than was predicted are found in time.
fn default_margin(surfaces: &[Surface], rest: &[Point]) -> f64 {
    let (mut sum, mut count) = (0.0, 0);
    for t in surfaces.iter().flat_map(|s| &s.triangles) {
        for k in 0..3 {
            let (a, b) = (rest[t[k] as usize], rest[t[(k + 1) % 3] as usize]);
            let d: Point = std::array::from_fn(|c| a[c] - b[c]);
            sum += dot(&d, &d).sqrt();
            count += 1;
        }
    }
    0.1 * sum / f64::from(count.max(1))
}
