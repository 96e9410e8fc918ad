//! The solvers of one implicit time step: what they have in common, and the table of all.

pub(crate) mod admm;
mod barrier;
mod error;
mod field;
#[cfg(feature = "dummy-solver")]
mod free_flight;
pub mod implicit_fe;
mod interface;
mod kind;
mod knob;
pub mod local_global;
mod monitor;
mod newton;
mod settings;
mod table;
pub(crate) mod timing;

use crate::contact::Contacts;
pub use crate::contact::{
    ContactConfig, ContactMethod, LinearSolve, Ncp, NonSmoothNewton, OperatorChoice, Preconditioner,
};
use crate::fem::System;
use crate::model::{Model, ModelError};

pub use admm::{AdmmConfig, StopAt};
pub(crate) use barrier::Room;
pub use barrier::{Augmentation, BarrierConfig, FrictionLag, NewtonSolve};
pub use error::{HoldError, SettingError, SetupError, SolveError};
pub use implicit_fe::{
    Correction, Directions, FactorMode, ImplicitFeConfig, Linearisations, OperatorUse, Schur, Update,
};
pub use interface::{Memory, Solver, StepInput, StepOutcome};
pub use kind::{ContactUse, Kind, Preset};
pub use knob::{Domain, Knob, Range, Value, Word};
pub use local_global::{Budget, GlobalSolve, IterationKind, LocalGlobalConfig, Precision};
pub use monitor::{Iteration, Monitor, Observer};
pub use newton::NewtonConfig;
pub(crate) use table::kinds_with;
pub use table::{KINDS, SolverConfig, known_kinds};
pub use timing::{Counter, Stage, Timings};

pub use pliant_linalg::simd::{Level as VectorLevel, level as vector_level};

/// The contacts that a solver of this kind is to know.
///
/// # Errors
/// If it sees no contact and something other than bodies could be touched, or an obstacle cannot be used.
pub(crate) fn contacts(
    config: &SolverConfig,
    model: &Model,
    system: &System,
    room: &Room,
) -> Result<Contacts, ModelError> {
    let kind = config.description();
    match kind.contact {
        ContactUse::Rows => Contacts::new(model, system),
        ContactUse::Barrier => {
            let others = kinds_with(ContactUse::Rows);
            barrier::check_joints(model, others).map_err(|e| refused(kind, e))?;
            let kept = &room.kept;
            let mut contacts = Contacts::for_barrier(model, system, reach_of(config), kept)?;
            // A barrier that is pressed at the start would push things apart.
            match barrier::check_start(model, system, &mut contacts).map_err(|e| refused(kind, e))? {
                Some(gap) => Contacts::for_barrier(model, system, gap, kept),
                None => Ok(contacts),
            }
        }
        // Bodies pass through each other: see `World::ignores_contact`.
        ContactUse::None if model.has_bodies_only() => Ok(Contacts::default()),
        ContactUse::None => {
            Err(refused(kind, SetupError::NoContact { others: kinds_with(ContactUse::Rows) }))
        }
    }
}

/// Gap from which on a barrier acts, m.
fn reach_of(config: &SolverConfig) -> f64 {
    match config.get("d_hat") {
        Some(Value::Number(reach)) => reach,
        _ => f64::INFINITY,
    }
}

/// What a solver needs at a start where things merely touch; nothing if it can do with that.
///
/// # Errors
/// If an obstacle cannot be used.
pub(crate) fn room(config: &SolverConfig, model: &Model, system: &System) -> Result<Room, ModelError> {
    if config.description().contact != ContactUse::Barrier {
        return Ok(Room::default());
    }
    let mut contacts = Contacts::for_barrier(model, system, reach_of(config), &[])?;
    Ok(barrier::room(model, system, &mut contacts))
}

/// Builds the solver that `config` asks for.
pub(crate) fn prepare(
    config: &SolverConfig,
    system: &System,
    dt: f64,
    contacts: &Contacts,
) -> Result<Box<dyn Solver>, ModelError> {
    config.build(system, dt, contacts.is_active()).map_err(|e| refused(config.description(), e))
}

/// Gets a solver ready for holds, which are rows of the contact problem.
///
/// # Errors
/// If it cannot hold points.
pub(crate) fn prepare_holds(solver: &mut dyn Solver, system: &System) -> Result<(), HoldError> {
    let kind = solver.kind();
    match kind.contact {
        ContactUse::Rows => solver.prepare_holds(system, system.dt),
        ContactUse::None | ContactUse::Barrier => {
            Err(HoldError::NoRows { kind, others: kinds_with(ContactUse::Rows) })
        }
    }
}

fn refused(kind: &'static Kind, source: SetupError) -> ModelError {
    ModelError::Solver { solver: kind.name, source: Box::new(source) }
}
