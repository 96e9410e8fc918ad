//! What every solver has in common: what it is given, what it gives back, and what it must be able to do.

use super::error::{HoldError, SettingError, SolveError};
use super::kind::Kind;
use super::knob::Value;
use super::monitor::Monitor;
use crate::contact::Contacts;
use crate::fem::potential::Potential;
use crate::fem::{Drag, System};
use crate::snapshot::{Reader, SnapshotError, Writer};
use pliant_collide::Pose;
use pliant_linalg::Team;
use pliant_mesh::DVec3;

/// What a solver is given: everything that is constant during one step.
#[derive(Clone, Copy, Debug)]
pub struct StepInput<'a> {
    /// The threads of the step, which also detect contact. Loops on it must not use rayon. A solver without contact is
    /// given a team of one and may use rayon.
    pub team: &'a Team,
    /// The assembled bodies.
    pub system: &'a System,
    /// Time step h in s.
    pub dt: f64,
    /// Positions at the start of the step.
    pub x_t0: &'a [DVec3],
    /// Velocities at the start of the step.
    pub v_t0: &'a [DVec3],
    /// Inertial prediction q~ = q_t + h v_t + h^2 M^-1 f_ext (gravity and dead loads included).
    pub inertial: &'a [DVec3],
    /// Targets of `system.springs`, in their order.
    pub anchors: &'a [DVec3],
    /// Values of `system.pressures` at the end of the step in Pa.
    pub pressures: &'a [f64],
    /// What the air does to each vertex; empty without air.
    pub drags: &'a [Drag],
    /// Places of `system.held` at the end of the step, in their order.
    pub pin_targets: &'a [DVec3],
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
            drags: self.drags,
        }
    }
}

/// How a step went. Reaching the iteration budget is an outcome, not an error.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/cube.rs"));
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut world = cube_on_floor();
/// let outcome = world.step()?;
/// assert!(outcome.iterations >= 1 && outcome.residual_last <= outcome.residual_first);
/// # Ok(())
/// # }
/// ```
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

impl StepOutcome {
    /// Both together, when a step is solved further.
    pub(crate) fn followed_by(self, more: Self) -> Self {
        Self { iterations: self.iterations + more.iterations, residual_first: self.residual_first, ..more }
    }
}

/// A solver of the implicit Euler step.
pub trait Solver: std::fmt::Debug + Send + Sync {
    /// A copy that continues as this one would and shares what never changes.
    fn duplicate(&self) -> Box<dyn Solver>;

    /// What kind of solver it is: its name, how it takes contact, what it measures.
    fn kind(&self) -> &'static Kind;

    /// Finds the positions at the end of the step. `x` holds the first iterate: see [`ContactUse`](super::ContactUse) for where it is. Free
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
        x: &mut [DVec3],
        monitor: &mut Monitor,
    ) -> Result<StepOutcome, SolveError>;

    /// Forgets warm starts: the next step starts as if it were the first.
    fn reset(&mut self) {}

    /// Writes what the next step depends on besides its input: nothing, where every step starts from its input alone.
    fn save(&self, _out: &mut Writer) {}

    /// Takes over what [`save`](Self::save) of such a solver wrote. After an error it is as after a [`reset`](Self::reset)
    /// at best.
    ///
    /// # Errors
    /// If it does not fit.
    fn load(&mut self, _from: &mut Reader) -> Result<(), SnapshotError> {
        Ok(())
    }

    /// Gets ready for [holds](crate::World::hold). Only solvers that take contact as rows are asked to.
    ///
    /// # Errors
    /// If it cannot hold points.
    fn prepare_holds(&mut self, _system: &System, _dt: f64) -> Result<(), HoldError> {
        Ok(())
    }

    /// Changes a setting between two steps: one that is [live](super::Knob::live).
    ///
    /// # Errors
    /// If the value is out of range.
    fn retune(&mut self, name: &str, value: Value) -> Result<(), SettingError>;

    /// Bytes of the large parts.
    fn memory(&self) -> Memory {
        Memory::default()
    }
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
