//! The facade: a model, its state, a solver; [`World::step`] advances it.

use crate::contact::{Contacts, Hold, NeedleHold, path_length};
use crate::fem::energy::body_elastic_energy;
use crate::fem::potential::Potential;
use crate::fem::reaction::pin_reaction;
use crate::fem::{System, measure};
use crate::model::{Model, ModelError};
use crate::settle::{self, Settled};
use crate::solver::{self, HoldError, Memory, Solver, SolverConfig};
use crate::state::State;
use crate::step::{self, StepError, StepOutcome, Timings, Workspace};
use pliant_mesh::Point;

/// A running simulation.
#[derive(Debug)]
pub struct World {
    pub(crate) model: Model,
    pub(crate) system: System,
    pub(crate) state: State,
    pub(crate) config: SolverConfig,
    pub(crate) solver: Box<dyn Solver>,
    pub(crate) contacts: Contacts,
    pub(crate) workspace: Workspace,
    timings: Timings,
    /// Whether the workspace belongs to the step that led to the present state.
    pub(crate) has_stepped: bool,
}

impl World {
    /// Checks the model, assembles it and prepares the solver.
    pub fn new(model: Model, config: SolverConfig) -> Result<World, ModelError> {
        let system = System::build(&model)?;
        let contacts = solver::contacts(&config, &model, &system)?;
        let solver = solver::prepare(&config, &system, model.dt, &contacts)?;
        let kind = config.description();
        let state = system.start_state(&model);
        let workspace = Workspace::new(&system);
        Ok(World {
            model,
            system,
            state,
            config,
            solver,
            contacts,
            workspace,
            timings: Timings::new(kind.stages, kind.counters),
            has_stepped: false,
        })
    }

    /// Advances by one time step. On an error the state is the last good one.
    pub fn step(&mut self) -> Result<StepOutcome, StepError> {
        let moving = step::Moving {
            solver: self.solver.as_mut(),
            state: &mut self.state,
            contacts: &mut self.contacts,
            work: &mut self.workspace,
        };
        let stepped = step::step(&self.model, &self.system, moving, &mut self.timings);
        self.has_stepped = stepped.is_ok();
        stepped
    }

    /// Brings the bodies to rest under the loads of the present time, with contacts that do not slide, so that the
    /// simulation starts in equilibrium. They then have their velocities again, and are at the present time. On an
    /// error nothing has changed.
    pub fn settle(&mut self) -> Result<Settled, StepError> {
        let moving = step::Moving {
            solver: self.solver.as_mut(),
            state: &mut self.state,
            contacts: &mut self.contacts,
            work: &mut self.workspace,
        };
        // The workspace is then that of a step in which time stood still.
        self.has_stepped = false;
        let settled = settle::settle(&self.model, &self.system, moving)?;
        self.system.start_from(&self.state.positions);
        Ok(settled)
    }

    /// The description this world was built from.
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
    /// Returns an error text if its size does not fit.
    pub fn set_state(&mut self, state: State) -> Result<(), String> {
        let n = self.system.rest.len();
        if state.positions.len() != n || state.velocities.len() != n {
            let (x, v) = (state.positions.len(), state.velocities.len());
            return Err(format!(
                "the state has {x} positions and {v} velocities, the world has {n} vertices"
            ));
        }
        self.state = state;
        self.solver.reset();
        self.contacts.reset();
        self.has_stepped = false;
        Ok(())
    }

    /// Whether bodies could touch each other or themselves, and the solver does not see it.
    pub fn ignores_contact(&self) -> bool {
        let could_touch = self.model.bodies.len() > 1 || self.model.bodies.iter().any(|b| b.self_contact);
        could_touch && !self.contacts.is_active()
    }

    /// Gets the solver ready for holds; see [`World::hold`].
    pub(crate) fn prepare_holds(&mut self) -> Result<(), HoldError> {
        self.solver.prepare_holds(&self.system, self.model.dt)
    }

    pub(crate) fn holds_mut(&mut self) -> &mut Vec<Hold> {
        &mut self.contacts.joints_mut().holds
    }

    /// Goes on with values that need no new matrix; see [`World::edit`].
    pub(crate) fn take_over(&mut self, model: Model, config: SolverConfig) {
        self.contacts.set_friction(&model);
        self.solver.retune(&config);
        (self.model, self.config) = (model, config);
    }

    /// Goes on with a new matrix; see [`World::edit`].
    pub(crate) fn rebuild(&mut self, model: Model, system: System, solver: Box<dyn Solver>) {
        (self.model, self.system, self.solver) = (model, system, solver);
        self.has_stepped = false;
    }

    /// The contacts of the last step and their forces.
    pub fn contacts(&self) -> &Contacts {
        &self.contacts
    }

    /// Total force in N of a pin on its body in the last step; zero before the first step.
    pub fn reaction(&self, pin: usize) -> Point {
        if !self.has_stepped || pin >= self.model.pins.len() {
            return [0.0; 3];
        }
        let (h, now) = (self.model.dt, &self.state);
        let moved = now.positions.iter().zip(&now.velocities);
        let x_t0: Vec<Point> = moved.map(|(x, v)| std::array::from_fn(|k| x[k] - h * v[k])).collect();
        let input = self.workspace.input(&self.model, &self.system, now);
        let potential = Potential { x_t0: &x_t0, ..input.potential() };
        let x = &now.positions;
        pin_reaction(&potential, pin as u32, x, |wanted| self.contacts.force_on_vertices(x, wanted))
    }

    /// The places that a cable passes, in order; none if there is no such cable.
    pub fn cable_path(&self, cable: usize) -> Vec<Point> {
        self.contacts.joints().path(cable, &self.state.positions)
    }

    /// Length of a cable in m, as it lies now.
    pub fn cable_length(&self, cable: usize) -> f64 {
        path_length(&self.cable_path(cable))
    }

    /// What a needle did to its body in the last step.
    pub fn needle(&self, needle: usize) -> NeedleHold {
        self.contacts.joints().needle_hold(needle, &self.state.positions)
    }

    /// End and tip of a needle now; nothing if there is no such needle.
    pub fn needle_ends(&self, needle: usize) -> Option<[Point; 2]> {
        let needle = self.model.needles.get(needle)?;
        Some(needle.ends.map(|p| needle.motion.position(p, self.state.time)))
    }

    /// Positions of the vertices of a body.
    pub fn positions(&self, body: usize) -> &[Point] {
        &self.state.positions[self.system.bodies[body].vertices.clone()]
    }

    /// Velocities of the vertices of a body.
    pub fn velocities(&self, body: usize) -> &[Point] {
        &self.state.velocities[self.system.bodies[body].vertices.clone()]
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
    pub fn motion(&self, body: usize) -> BodyMotion {
        measure::motion(&self.system, &self.state, body)
    }

    /// Volume and inverted elements of a body.
    pub fn shape(&self, body: usize) -> BodyShape {
        measure::shape(&self.system, &self.state.positions, body)
    }

    /// Elastic energy of a body in J, bending included.
    pub fn elastic_energy(&self, body: usize) -> f64 {
        body_elastic_energy(&self.system, &self.system.bodies[body], &self.state.positions)
    }
}

/// How a body moves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodyMotion {
    /// Mass in kg.
    pub mass: f64,
    /// Centre of mass in m.
    pub center: Point,
    /// Velocity of the centre of mass in m/s.
    pub velocity: Point,
    /// Linear momentum in kg m/s.
    pub momentum: Point,
    /// Angular momentum about the origin in kg m^2/s.
    pub angular_momentum: Point,
    /// Kinetic energy in J.
    pub kinetic_energy: f64,
}

/// How a body is deformed.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyShape {
    /// Volume (area for a cloth) over the rest volume.
    pub volume_ratio: f64,
    /// Smallest volume (area) ratio of an element; negative if it is inverted.
    pub min_j: f64,
    /// Elements with a negative volume ratio.
    pub inverted: usize,
}
