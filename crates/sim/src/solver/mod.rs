//! The solvers of one implicit time step, and their settings.

pub mod convergence;
pub mod local_global;
pub mod newton;

use crate::contact::Contacts;
pub use crate::contact::{
    ContactConfig, ContactMethod, LinearSolve, Ncp, NonSmoothNewton, OperatorChoice, Preconditioner,
};
use crate::fem::System;
use crate::fem::potential::Potential;
use crate::model::ModelError;
use crate::snapshot::{Reader, SnapshotError, Writer};
use crate::step::{StepOutcome, Timings};

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

/// A solver of the implicit Euler step.
pub trait Solver: std::fmt::Debug + Send {
    /// Finds the positions at the end of the step. `x` holds the first iterate with hard-pinned vertices already at
    /// their prescribed places, where they must stay. The forces of `contacts` are found on the way. The error is a
    /// text: what broke, where, what to do.
    fn solve(
        &mut self,
        input: &StepInput,
        contacts: &mut Contacts,
        x: &mut [Point],
        timings: &mut Timings,
    ) -> Result<StepOutcome, String>;

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

    /// Gets ready for [holds](crate::World::hold). The error is a text: why it cannot, what to do.
    fn prepare_holds(&mut self, system: &System, dt: f64) -> Result<(), String>;

    /// Most iterations in a step from now on.
    fn set_iterations(&mut self, iterations: usize);

    /// Bytes of the large parts.
    fn memory(&self) -> Memory;
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

/// Builds the solver that `config` asks for.
pub(crate) fn prepare(
    config: &SolverConfig,
    system: &System,
    dt: f64,
    contacts: &Contacts,
) -> Result<Box<dyn Solver>, ModelError> {
    Ok(match config {
        SolverConfig::LocalGlobal(c) => {
            Box::new(local_global::LocalGlobal::new(c, system, dt, contacts.is_active())?)
        }
        SolverConfig::Newton(_) if contacts.is_active() => {
            let message = "it knows no contact: use local_global, or remove obstacles".to_string();
            return Err(ModelError::Solver { solver: "newton", message });
        }
        SolverConfig::Newton(c) => Box::new(newton::Newton::new(c, system, dt)?),
    })
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
        match self {
            SolverConfig::LocalGlobal(_) => "local_global",
            SolverConfig::Newton(_) => "newton",
        }
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
