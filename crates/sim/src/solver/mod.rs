//! The solvers of one implicit time step: what they have in common, and the table of all.

mod error;
mod kind;
pub mod local_global;
mod monitor;
pub mod newton;
pub(crate) mod timing;

use crate::contact::Contacts;
pub use crate::contact::{
    ContactConfig, ContactMethod, LinearSolve, Ncp, NonSmoothNewton, OperatorChoice, Preconditioner,
};
use crate::fem::System;
use crate::fem::potential::Potential;
use crate::model::{Model, ModelError};
use crate::snapshot::{Reader, SnapshotError, Writer};

pub use error::{HoldError, SetupError, SolveError};
pub(crate) use kind::kinds_with;
pub use kind::{ContactUse, KINDS, Kind};
pub use monitor::{Iteration, Monitor, Observer};
pub use timing::{Counter, Stage, Timings};

use pliant_collide::Pose;
use pliant_mesh::Point;

pub use pliant_linalg::simd::{Level as VectorLevel, level as vector_level};

/// What a solver is given: everything that is constant during one step.
#[derive(Clone, Copy, Debug)]
pub struct StepInput<'a> {
    /// The assembled bodies.
    pub system: &'a System,
    /// Time step h in s.
    pub dt: f64,
    /// Positions at the start of the step.
    pub x_t0: &'a [Point],
    /// Velocities at the start of the step.
    pub v_t0: &'a [Point],
    /// Inertial prediction q~ = q_t + h v_t + h^2 M^-1 f_ext (gravity and dead loads included).
    pub inertial: &'a [Point],
    /// Targets of `system.springs`, in their order.
    pub anchors: &'a [Point],
    /// Values of `system.pressures` at the end of the step in Pa.
    pub pressures: &'a [f64],
    /// Places of `system.held` at the end of the step, in their order.
    pub pin_targets: &'a [Point],
    /// Poses of the obstacles at the start and at the end of the step.
    pub poses: [&'a [Pose]; 2],
    /// Number of the step, counted from 1.
    pub step: u64,
}

impl<'a> StepInput<'a> {
    /// The incremental potential that the end of the step minimises.
    pub fn potential(&self) -> Potential<'a> {
        Potential {
            system: self.system,
            materials: &self.system.materials,
            dt: self.dt,
            x_t0: self.x_t0,
            inertial: self.inertial,
            anchors: self.anchors,
            pressures: self.pressures,
        }
    }
}

/// How a step went. Reaching the iteration budget is an outcome, not an error.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepOutcome {
    /// Iterations of the solver.
    pub iterations: usize,
    /// Residual of the first iteration (see the solver for its meaning), relative to the size of the body.
    pub residual_first: f64,
    /// Residual of the last iteration.
    pub residual_last: f64,
    /// Whether the solver's own tolerance was reached.
    pub converged: bool,
}

/// A solver of the implicit Euler step.
pub trait Solver: std::fmt::Debug + Send + Sync {
    /// A copy that continues as this one would and shares what never changes.
    fn duplicate(&self) -> Box<dyn Solver>;

    /// What kind of solver it is: its name, how it takes contact, what it measures.
    fn kind(&self) -> &'static Kind;

    /// Finds the positions at the end of the step. `x` holds the first iterate: see [`ContactUse`] for where it is. Free
    /// vertices start there; those with a prescribed place must end at it. The forces of `contacts` are found on the way.
    /// Times, counts and iterates go to `monitor`.
    ///
    /// # Errors
    /// If it cannot go on. `x` and warm starts may then be anything: the step is rolled back and the solver
    /// [reset](Self::reset).
    fn solve(
        &mut self,
        input: &StepInput,
        contacts: &mut Contacts,
        x: &mut [Point],
        monitor: &mut Monitor,
    ) -> Result<StepOutcome, SolveError>;

    /// Forgets warm starts: the next step starts as if it were the first.
    fn reset(&mut self);

    /// Writes what the next step depends on besides its input.
    fn save(&self, out: &mut Writer);

    /// Takes over what [`save`](Self::save) of such a solver wrote. After an error it is as after a [`reset`](Self::reset)
    /// at best.
    ///
    /// # Errors
    /// If it does not fit.
    fn load(&mut self, from: &mut Reader) -> Result<(), SnapshotError>;

    /// Gets ready for [holds](crate::World::hold).
    ///
    /// # Errors
    /// If it cannot hold points.
    fn prepare_holds(&mut self, system: &System, dt: f64) -> Result<(), HoldError>;

    /// Takes over the settings that can change between two steps from settings of its own kind.
    fn retune(&mut self, config: &SolverConfig);

    /// Bytes of the large parts.
    fn memory(&self) -> Memory;
}

impl Clone for Box<dyn Solver> {
    fn clone(&self) -> Self {
        self.duplicate()
    }
}

/// Bytes held by the large parts of a solver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Cholesky factor in the form that is used.
    pub factor_bytes: usize,
    /// Sparse inverse factor S, if it was built.
    pub inverse_factor_bytes: usize,
    /// The contact operator and what is kept for it.
    pub delassus_bytes: usize,
}

/// The contacts that a solver of this kind is to know.
///
/// # Errors
/// If it sees no contact and something other than bodies could be touched, or an obstacle cannot be used.
pub(crate) fn contacts(
    config: &SolverConfig,
    model: &Model,
    system: &System,
) -> Result<Contacts, ModelError> {
    let kind = config.description();
    match kind.contact {
        ContactUse::Rows | ContactUse::Barrier => Contacts::new(model, system),
        // Bodies pass through each other: see `World::ignores_contact`.
        ContactUse::None if model.has_bodies_only() => Ok(Contacts::default()),
        ContactUse::None => Err(refused(kind, SetupError::NoContact(kind))),
    }
}

/// Builds the solver that `config` asks for.
pub(crate) fn prepare(
    config: &SolverConfig,
    system: &System,
    dt: f64,
    contacts: &Contacts,
) -> Result<Box<dyn Solver>, ModelError> {
    let built: Result<Box<dyn Solver>, SetupError> = match config {
        SolverConfig::LocalGlobal(c) => {
            local_global::LocalGlobal::new(c, system, dt, contacts.is_active()).map(|s| Box::new(s) as _)
        }
        SolverConfig::Newton(c) => newton::Newton::new(c, system).map(|s| Box::new(s) as _),
    };
    built.map_err(|e| refused(config.description(), e))
}

fn refused(kind: &'static Kind, source: SetupError) -> ModelError {
    ModelError::Solver { solver: kind.name, source: Box::new(source) }
}

/// Which solver, with its settings.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SolverConfig {
    /// Local-global iteration \[Zeng25\].
    LocalGlobal(LocalGlobalConfig),
    /// Projected Newton to convergence: the reference.
    Newton(NewtonConfig),
}

impl SolverConfig {
    /// The name used in scene files and reports.
    pub fn kind(&self) -> &'static str {
        self.description().name
    }

    /// What there is to know about this kind of solver.
    pub fn description(&self) -> &'static Kind {
        match self {
            SolverConfig::LocalGlobal(_) => &local_global::KIND,
            SolverConfig::Newton(_) => &newton::KIND,
        }
    }
}

impl SolverConfig {
    /// The same settings for exactly this many iterations in a step, if the solver can go on after it has converged.
    pub(crate) fn for_iterations(mut self, n: usize) -> SolverConfig {
        match &mut self {
            SolverConfig::LocalGlobal(c) => (c.iterations, c.tolerance) = (n, 0.0),
            SolverConfig::Newton(c) => c.iterations = n,
        }
        self
    }
}

impl Default for SolverConfig {
    fn default() -> Self {
        SolverConfig::LocalGlobal(LocalGlobalConfig::default())
    }
}

/// Settings of the local-global solver.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalGlobalConfig {
    /// Most local-global iterations in a step.
    pub iterations: usize,
    /// Stop early once no vertex moves more than this fraction of the size of the bodies in an iteration; 0 never
    /// stops early.
    pub tolerance: f64,
    /// How the global system is solved.
    pub global: GlobalSolve,
    /// Window of Anderson acceleration; 0 switches it off.
    pub anderson: usize,
    /// Arithmetic of the local and the global step.
    pub precision: Precision,
    /// How the contact forces are found.
    pub contact: ContactConfig,
    /// Factor on the weight of the local step that is chosen from Poisson's ratio; 1 is the guarded default.
    pub weight_scale: f64,
}

impl Default for LocalGlobalConfig {
    fn default() -> Self {
        LocalGlobalConfig {
            iterations: 5,
            tolerance: 0.0,
            global: GlobalSolve::Panels,
            anderson: 0,
            precision: Precision::Single,
            contact: ContactConfig::default(),
            weight_scale: 1.0,
        }
    }
}

/// How `A dq = r` is solved in the global step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GlobalSolve {
    /// Supernodal panels of the Cholesky factor (complete; the fastest on a CPU).
    Panels,
    /// The sparse inverse factor `S = L^-1`, two sparse products [Zeng25, sec. 4] (complete).
    SparseInverse,
    /// One Jacobi iteration (incomplete) \[Wang15\].
    Jacobi,
    /// Jacobi with Chebyshev acceleration over the local-global iterations \[Wang15\]; the value estimates the
    /// spectral radius.
    Chebyshev(f64),
}

/// Arithmetic of the inner kernels. Positions, velocities and sums are always f64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// f32 in SIMD batches, in increment form.
    Single,
    /// f64, the slow oracle.
    Double,
}

/// Settings of the Newton reference solver.
#[derive(Clone, Debug, PartialEq)]
pub struct NewtonConfig {
    /// Most Newton iterations in a step.
    pub iterations: usize,
    /// Converged when the Newton step is below this fraction of the body size.
    pub tolerance: f64,
}

impl Default for NewtonConfig {
    fn default() -> Self {
        NewtonConfig { iterations: 100, tolerance: 1e-10 }
    }
}
