//! The contacts of a step: found once, with forces that are carried over from the step before.

mod friction;
mod impacts;
mod memory;
mod readings;
mod structures;
mod surfaces;

use super::Joints;
use crate::fem::System;
use crate::model::{EntryKind, Model, ModelError};
pub use friction::FrictionLaw;
use friction::FrictionTable;
use pliant_collide::proximity::Proximity;
use pliant_collide::{Contact, ContactKey, Detector, HeldBack, Options, Pose, Side, Tasks};
use pliant_linalg::Team;
use pliant_mesh::DVec3;
pub use readings::Sticking;
use structures::Structures;
pub(crate) use surfaces::surfaces;
use surfaces::{check_obstacle, default_margin, is_round, obstacles, thin};

/// Detection, and what it found.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/cube.rs"));
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use pliant::Side;
///
/// let mut world = cube_on_floor();
/// world.step()?;
/// let cube = world.body("cube").expect("it has this name");
/// let contacts = world.contacts();
/// for (contact, force) in contacts.contacts().iter().zip(contacts.forces()) {
///     println!("{:?}: {force} N, normal {}", contact.sides, contact.normal);
/// }
/// let total: f64 = contacts.forces().iter().map(|force| force.z).sum();
/// assert!((contacts.force_on(Side::Body(cube)).z - total).abs() < 1e-9);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Contacts {
    /// Nothing to detect if there is none.
    pub(super) detector: Option<Detector>,
    margin: f64,
    friction: FrictionTable,
    structures: Structures,
    glued: bool,
    /// Where the obstacles are at the start and at the end of the step.
    pub(super) poses_t0: Vec<Pose>,
    pub(super) poses_t1: Vec<Pose>,
    pub(super) found: Vec<Contact>,
    friction_of: Vec<FrictionLaw>,
    pub(super) forces: Vec<DVec3>,
    pub(super) previous: Vec<(ContactKey, DVec3)>,
    /// Part of the step after which each body meets something fast.
    impacts: Vec<f64>,
    /// The contacts that are met fast, with the time.
    fast: Vec<(f64, u32)>,
    /// Contacts that the solved motion turned out to need.
    pub(super) missed: Vec<Contact>,
    /// Whether a vertex has a place prescribed.
    pub(super) pinned: Vec<bool>,
    /// Whether each body is a sheet.
    is_sheet: Vec<bool>,
    /// Whether the normal of each obstacle turns along its surface.
    is_round: Vec<bool>,
    pub(super) held_back: HeldBack,
    /// Where the solver had the vertices before some were put back.
    pub(super) solved: Vec<DVec3>,
    joints: Joints,
    /// Pairs within the reach of a barrier, for a solver that has one.
    proximity: Option<Proximity>,
    /// Total force of contacts and joints on each body, N.
    body_forces: Vec<DVec3>,
    /// Time at the end of the step.
    t1: f64,
}

/// Detection runs on the team of the step.
pub(super) struct TeamTasks<'a>(pub(super) &'a Team);

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
            check_obstacle(obstacle).map_err(|e| e.of(EntryKind::Obstacle, &obstacle.name))?;
        }
        let joints = Joints::new(model, system)?;
        let several = model.bodies.len() > 1 || model.bodies.iter().any(|b| b.self_contact);
        let structures = Structures::of(model, system)?;
        if model.obstacles.is_empty() && !several {
            return Ok(Contacts { joints, ..Contacts::default() });
        }
        let surfaces = surfaces(model, system);
        let obstacles = obstacles(model, &surfaces, &system.rest);
        let margin = model.contact_margin.unwrap_or_else(|| default_margin(&surfaces, &system.rest));
        let options = Options { margin, ..Options::default() };
        let detector = Detector::new(&surfaces, &obstacles, &system.rest, options)?;
        let mut pinned = vec![false; system.rest.len()];
        system.held.iter().for_each(|&(v, _)| pinned[v as usize] = true);
        Ok(Contacts {
            detector: Some(detector),
            margin,
            pinned,
            is_sheet: surfaces.iter().map(|s| !s.solid).collect(),
            is_round: model.obstacles.iter().map(|o| is_round(&o.shape)).collect(),
            friction: FrictionTable::of(model),
            structures,
            joints,
            ..Contacts::default()
        })
    }

    /// Prepares the search for pairs that a barrier keeps apart: all bodies, each also with itself, and all obstacles. They push each
    /// other apart from the gap `reach` on, in m, or from a tenth of the mean edge if that is less. Some sides have a distance in m that
    /// they keep in place of their thickness.
    ///
    /// # Errors
    /// If an obstacle cannot be used.
    pub(crate) fn for_barrier(
        model: &Model,
        system: &System,
        reach: f64,
        kept: &[([Side; 2], f64)],
    ) -> Result<Contacts, ModelError> {
        for obstacle in &model.obstacles {
            check_obstacle(obstacle).map_err(|e| e.of(EntryKind::Obstacle, &obstacle.name))?;
        }
        let mut surfaces = surfaces(model, system);
        surfaces.iter_mut().for_each(|s| s.self_contact = true);
        let obstacles: Vec<pliant_collide::Obstacle> = model.obstacles.iter().map(thin).collect();
        let margin = reach.min(default_margin(&surfaces, &system.rest));
        let options = Options { margin, ..Options::default() };
        let mut proximity = Proximity::new(&surfaces, &obstacles, &system.rest, options)?;
        kept.iter().for_each(|&(sides, distance)| proximity.keep(sides, distance));
        Ok(Contacts {
            margin,
            pinned: vec![false; system.rest.len()],
            is_sheet: surfaces.iter().map(|s| !s.solid).collect(),
            friction: FrictionTable::of(model),
            proximity: Some(proximity),
            ..Contacts::default()
        })
    }

    /// The search for pairs of a barrier, to be given back.
    pub(crate) fn take_proximity(&mut self) -> Option<Proximity> {
        self.proximity.take()
    }

    /// Gives the search back.
    pub(crate) fn give_proximity(&mut self, proximity: Option<Proximity>) {
        self.proximity = proximity;
    }

    /// The law of friction between two sides without structures.
    pub(crate) fn law_between(&self, sides: [Side; 2]) -> FrictionLaw {
        if self.glued { FrictionLaw::GLUE } else { self.friction.between(sides) }
    }

    /// The law of friction of a contact.
    fn law_of(&self, contact: &Contact) -> FrictionLaw {
        let plain = self.law_between(contact.sides);
        if self.glued { plain } else { self.structures.law(contact, &self.poses_t1, plain) }
    }

    /// Takes over the contacts of a step, ascending by key, with the forces on their first sides.
    pub(crate) fn take_over(&mut self, contacts: Vec<Contact>, forces: Vec<DVec3>) {
        self.friction_of = contacts.iter().map(|c| self.law_between(c.sides)).collect();
        (self.found, self.forces) = (contacts, forces);
    }

    /// Takes over which vertices pins hold.
    pub(crate) fn set_pinned(&mut self, system: &System) {
        self.pinned.fill(false);
        if !self.pinned.is_empty() {
            system.held.iter().for_each(|&(v, _)| self.pinned[v as usize] = true);
        }
    }

    /// Finds the contacts of a step from `x[0]` at time `t[0]` to about `x[1]` at time `t[1]`, in which the obstacles go from
    /// one of `poses` to the other. Contacts that were there in the last step start with their old forces.
    pub(crate) fn detect(&mut self, team: &Team, poses: [&[Pose]; 2], x: [&[DVec3]; 2], t: [f64; 2]) {
        self.t1 = t[1];
        self.joints.attachments.engage(t);
        for needle in &mut self.joints.needles {
            needle.engage(x[0], t);
        }
        self.held_back = HeldBack::default();
        // Without a detector there is nothing that could ever touch.
        let Some(detector) = &mut self.detector else { return };
        self.previous.clear();
        self.previous.extend(self.found.iter().map(|c| c.key).zip(self.forces.iter().copied()));
        for (own, given) in [(&mut self.poses_t0, poses[0]), (&mut self.poses_t1, poses[1])] {
            own.clear();
            own.extend_from_slice(given);
        }
        let (poses_t0, poses_t1, found) = (&self.poses_t0, &self.poses_t1, &mut self.found);
        detector.detect(&TeamTasks(team), x[0], x[1], poses_t0, poses_t1, found);
        self.structures.follow(x[1]);
        self.take_over_forces();
    }

    /// Finds the contacts of the step again, for an iterate that ends at `x[1]`; they keep their forces. Returns whether it did:
    /// contacts that are met fast stay as they are.
    pub(crate) fn detect_again(&mut self, team: &Team, x: [&[DVec3]; 2]) -> bool {
        let Some(detector) = &mut self.detector else { return false };
        if self.found.iter().any(|c| c.time < 1.0) {
            return false;
        }
        self.previous.clear();
        self.previous.extend(self.found.iter().map(|c| c.key).zip(self.forces.iter().copied()));
        detector.detect(&TeamTasks(team), x[0], x[1], &self.poses_t0, &self.poses_t1, &mut self.found);
        self.structures.follow(x[1]);
        self.take_over_forces();
        true
    }

    /// Gives the contacts their friction, and the forces of `previous` to those that were there before.
    pub(super) fn take_over_forces(&mut self) {
        let mut laws = std::mem::take(&mut self.friction_of);
        laws.clear();
        laws.extend(self.found.iter().map(|c| self.law_of(c)));
        self.friction_of = laws;
        self.forces.clear();
        // Both lists ascend by key: otherwise contacts would lose their forces.
        debug_assert!(self.found.is_sorted_by_key(|c| c.key) && self.previous.is_sorted_by_key(|p| p.0));
        let mut old = self.previous.iter().peekable();
        for (c, law) in self.found.iter().zip(&self.friction_of) {
            while old.next_if(|(key, _)| *key < c.key).is_some() {}
            let carried = old.next_if(|(key, _)| *key == c.key);
            self.forces.push(carried.map_or(DVec3::ZERO, |(_, f)| law.into_cone(*f, c.normal)));
        }
    }

    /// New normals and obstacle points for positions `x` [ZengRec]; the pairs stay.
    pub(crate) fn refresh(&mut self, x: &[DVec3]) {
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
    pub(crate) fn forces_mut(&mut self) -> &mut [DVec3] {
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
        self.folds().next().is_some()
    }

    /// Whether most contacts are of sheets that are near themselves or other bodies.
    pub(crate) fn are_mostly_folds(&self) -> bool {
        2 * self.folds().count() > self.found.len()
    }

    /// Whether bodies touch obstacles on which normals turn.
    pub(crate) fn are_on_round_obstacles(&self) -> bool {
        let is_round = |side: Side| matches!(side, Side::Obstacle(o) if self.is_round[o.index()]);
        self.found.iter().any(|c| c.sides.into_iter().any(is_round))
    }

    fn folds(&self) -> impl Iterator<Item = &Contact> {
        let sheet = move |side: Side| matches!(side, Side::Body(b) if self.is_sheet[b.index()]);
        let body = |side: Side| matches!(side, Side::Body(_));
        let fold = move |c: &&Contact| c.sides.into_iter().all(body) && c.sides.into_iter().any(sheet);
        self.found.iter().filter(fold)
    }

    /// Whether anything could ever touch, or is tied.
    pub fn is_active(&self) -> bool {
        self.detector.is_some() || self.proximity.is_some() || !self.joints.is_empty()
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
    pub fn forces(&self) -> &[DVec3] {
        &self.forces
    }

    /// The law of friction of each contact.
    pub fn friction(&self) -> &[FrictionLaw] {
        &self.friction_of
    }
}
