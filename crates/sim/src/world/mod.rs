//! The facade: a model, its state, a solver; [`World::step`] advances it.

pub mod convergence;
mod edit;
mod engine;
mod fields;
mod hold;
mod identity;
mod inspect;
mod pairs;
mod pins;
mod prepared;
mod push_apart;
mod saving;
mod settle;
mod steer;

pub use edit::{Edit, EditError};
pub use fields::{Touch, von_mises};
pub use hold::HoldRefused;
pub use inspect::{Inspected, Inspector, Verified};
pub use pairs::PairContact;
pub use prepared::Prepared;
pub use push_apart::{PushError, Pushed, push_apart};
pub use settle::Settled;

use crate::contact::{Contacts, Hold, NeedleHold, path_length};
use crate::fem::energy::body_elastic_energy;
use crate::fem::measure::{BodyExtremes, BodyMotion, BodyReach, BodyShape};
use crate::fem::potential::Potential;
use crate::fem::reaction::pin_wrench;
use crate::fem::{System, measure};
use crate::model::{CableId, Model, ModelError, NeedleId, PinId};
use crate::solver::{self, HoldError, Memory, SolverConfig, StepOutcome, Timings};
use crate::state::{State, StateError};
use crate::step::{self, StepError, Workspace};
use engine::Engine;
use pliant_collide::BodyId;
use pliant_linalg::Team;
use pliant_mesh::DVec3;
use std::sync::Arc;

/// A running simulation. A copy continues bit for bit and by itself; what never changes is shared.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/cube.rs"));
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut world = cube_on_floor();
/// world.step()?;
/// let mut other = world.clone(); // goes on by itself, bit for bit
/// world.step()?;
/// other.step()?;
/// assert_eq!(world.state().hash(), other.state().hash());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct World {
    /// The description, with the values that were edited.
    model: Arc<Model>,
    /// The system assembled from it.
    system: Arc<System>,
    config: SolverConfig,
    state: State,
    /// Start positions that [`World::settle`] found; without them, those of the system.
    settled_start: Option<Vec<DVec3>>,
    solver: Engine,
    contacts: Contacts,
    workspace: Workspace,
    timings: Timings,
    /// Whether the workspace belongs to the step that led to the present state.
    has_stepped: bool,
    /// A number for all of the model that a snapshot must have in common with it.
    identity: u64,
    /// How far bodies were moved at the start so that a barrier has a gap, m.
    moved_apart: f64,
}

impl World {
    /// Checks the model, assembles it and prepares the solver. For many worlds of one model see [`Prepared`].
    ///
    /// # Errors
    /// If a value is out of range, a mesh is unusable, or the solver cannot run the model.
    pub fn new(model: impl Into<Arc<Model>>, config: SolverConfig) -> Result<World, ModelError> {
        Prepared::new(model, config).map(Prepared::into_world)
    }

    /// Lets all copies of this world that are made from now on take the memory of its solver in turn, each while it steps. Many worlds that
    /// step one after the other, or on a few threads, need much less memory so; each ends with the same bits as with a solver of its
    /// own. A world gets one of its own again when its material, its pins or settings of its solver change.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mesh = pliant_mesh::block([0.1; 3], [2; 3])?;
    /// # let material = pliant::Material { law: pliant::Law::Arap, youngs: 1e5, poisson: 0.3 };
    /// # let body = pliant::Body::new("cube", pliant_mesh::Mesh::Tet(mesh), material);
    /// # let model = pliant::Model { bodies: vec![body], ..pliant::Model::default() };
    /// let mut first = pliant::World::new(model, pliant::SolverConfig::default())?;
    /// first.share_solver();
    /// let mut worlds = vec![first; 100];
    /// for world in &mut worlds {
    ///     world.step()?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn share_solver(&mut self) {
        self.solver.share();
    }

    /// Advances by one time step. On an error the state is the last good one.
    pub fn step(&mut self) -> Result<StepOutcome, StepError> {
        self.change_pins()?;
        let World { solver, state, contacts, workspace: work, timings, system, model, .. } = self;
        let stepped = solver.with(|solver| {
            step::step(system, model.gravity, step::Moving { solver, state, contacts, work }, timings)
        });
        self.has_stepped = stepped.is_ok();
        stepped
    }

    /// Brings the bodies to rest under the loads of the present time, with contacts that do not slide, so that the
    /// simulation starts in equilibrium. They then have their velocities again, and are at the present time. On an
    /// error nothing has changed.
    pub fn settle(&mut self) -> Result<Settled, StepError> {
        self.change_pins()?;
        // The workspace is then that of a step in which time stood still.
        self.has_stepped = false;
        let World { solver, state, contacts, workspace: work, system, model, .. } = self;
        let settled = solver.with(|solver| {
            settle::settle(system, model.gravity, step::Moving { solver, state, contacts, work })
        })?;
        self.settled_start = Some(self.system.start_at(&self.state.positions));
        Ok(settled)
    }

    /// The description of what is simulated, with all edits.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The assembled finite-element system.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// The solver's settings.
    pub fn config(&self) -> &SolverConfig {
        &self.config
    }

    /// Positions, velocities, time.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Replaces the state, for example by a saved one, and forgets warm starts.
    ///
    /// # Errors
    /// If its size does not fit or a number is not finite; then nothing has changed.
    pub fn set_state(&mut self, state: State) -> Result<(), StateError> {
        state.check(self.system.rest.len())?;
        self.state = state;
        self.solver.with(|solver| solver.reset());
        self.contacts.reset();
        self.has_stepped = false;
        Ok(())
    }

    /// Whether bodies could touch each other or themselves, and the solver does not see it.
    pub fn ignores_contact(&self) -> bool {
        let could_touch = self.model.bodies.len() > 1 || self.model.bodies.iter().any(|b| b.self_contact);
        could_touch && !self.contacts.is_active()
    }

    /// How far bodies that merely touched at the start were moved, as wholes, because the solver needs a gap there, m; 0 if none was.
    pub fn moved_apart(&self) -> f64 {
        self.moved_apart
    }

    /// Gets the solver ready for holds; see [`World::hold`].
    pub(crate) fn prepare_holds(&mut self) -> Result<(), HoldError> {
        solver::prepare_holds(self.solver.own(), &self.system)
    }

    pub(crate) fn holds_mut(&mut self) -> &mut Vec<Hold> {
        &mut self.contacts.joints_mut().holds
    }

    /// The contacts of the last step and their forces.
    pub fn contacts(&self) -> &Contacts {
        &self.contacts
    }

    /// Total force in N of a pin on its body in the last step; zero before the first step.
    pub fn reaction(&self, pin: PinId) -> DVec3 {
        self.pin_wrench(pin, DVec3::ZERO)[0]
    }

    /// Total force in N of a pin on its body in the last step, and its torque in N m about a point; zero before the first step.
    pub fn pin_wrench(&self, pin: PinId, about: DVec3) -> [DVec3; 2] {
        if !self.has_stepped || pin.index() >= self.model.pins.len() {
            return [DVec3::ZERO; 2];
        }
        let (h, now) = (self.system.dt, &self.state);
        let moved = now.positions.iter().zip(&now.velocities);
        let x_t0: Vec<DVec3> = moved.map(|(x, v)| x - h * v).collect();
        let input = self.workspace.input(Team::alone(), &self.system, now);
        let potential = Potential { x_t0: &x_t0, ..input.potential() };
        let x = &now.positions;
        pin_wrench(&potential, pin.0, about, x, |wanted| self.contacts.force_on_vertices(x, wanted))
    }

    /// Total force in N of the air on a body in the last step, which takes as much momentum from the air; zero before the first step.
    pub fn air_force(&self, body: BodyId) -> DVec3 {
        self.workspace.air_force(body.index())
    }

    /// The places that a cable passes, in order; none if there is no such cable.
    pub fn cable_path(&self, cable: CableId) -> Vec<DVec3> {
        self.contacts.joints().path(cable, &self.state.positions)
    }

    /// Length of a cable in m, as it lies now.
    pub fn cable_length(&self, cable: CableId) -> f64 {
        path_length(&self.cable_path(cable))
    }

    /// What a needle did to its body in the last step.
    pub fn needle(&self, needle: NeedleId) -> NeedleHold {
        self.contacts.joints().needle_hold(needle, &self.state.positions)
    }

    /// End and tip of a needle now; nothing if there is no such needle.
    pub fn needle_ends(&self, needle: NeedleId) -> Option<[DVec3; 2]> {
        let needle = self.model.needles.get(needle.index())?;
        Some(needle.ends.map(|p| needle.motion.position(p, self.state.time)))
    }

    /// The body of this name.
    pub fn body(&self, name: &str) -> Option<BodyId> {
        self.model.bodies.iter().position(|b| b.name == name).map(BodyId::new)
    }

    /// Positions of the vertices of a body.
    pub fn positions(&self, body: BodyId) -> &[DVec3] {
        &self.state.positions[self.system.bodies[body.index()].vertices.clone()]
    }

    /// Where the vertices of a body were at the start; after [`settle`](Self::settle), where it left them.
    pub fn start_positions(&self, body: BodyId) -> &[DVec3] {
        &self.start()[self.system.bodies[body.index()].vertices.clone()]
    }

    fn start(&self) -> &[DVec3] {
        self.settled_start.as_deref().unwrap_or(&self.system.start)
    }

    /// Velocities of the vertices of a body.
    pub fn velocities(&self, body: BodyId) -> &[DVec3] {
        &self.state.velocities[self.system.bodies[body.index()].vertices.clone()]
    }

    /// Times of the last step.
    pub fn timings(&self) -> &Timings {
        &self.timings
    }

    /// Memory of the solver's large parts.
    pub fn memory(&self) -> Memory {
        self.solver.memory()
    }

    /// Mass, momentum and kinetic energy of a body.
    pub fn motion(&self, body: BodyId) -> BodyMotion {
        measure::motion(&self.system, &self.state, body)
    }

    /// Volume and inverted elements of a body.
    pub fn shape(&self, body: BodyId) -> BodyShape {
        measure::shape(&self.system, &self.state.positions, body)
    }

    /// The worst of a body: its most deformed elements.
    pub fn extremes(&self, body: BodyId) -> BodyExtremes {
        measure::extremes(&self.system, &self.state.positions, body)
    }

    /// Centre of mass of a body in m: that of its [motion](Self::motion).
    pub fn center(&self, body: BodyId) -> DVec3 {
        measure::center(&self.system, &self.state.positions, body)
    }

    /// How far and how fast the vertices of a body are. It takes far less than [`extremes`](Self::extremes).
    pub fn reach(&self, body: BodyId) -> BodyReach {
        measure::reach(&self.system, &self.state, body)
    }

    /// Elastic energy of a body in J, bending included.
    pub fn elastic_energy(&self, body: BodyId) -> f64 {
        body_elastic_energy(&self.system, &self.system.bodies[body.index()], &self.state.positions)
    }
}
