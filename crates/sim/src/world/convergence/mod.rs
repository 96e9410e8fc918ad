//! How fast a solver converges within one step: the error after each iteration against the converged Newton step.

mod in_contact;

pub use in_contact::{ContactTrace, Method, trace_in_contact};

use super::World;
use crate::contact::Contacts;
use crate::model::ModelError;
use crate::solver::timing::Stopwatch;
use crate::solver::{
    ContactUse, ImplicitFeConfig, Iteration, Linearisations, Monitor, NewtonConfig, SettingError, SolveError,
    Solver, SolverConfig, StepInput, Timings, prepare,
};
use crate::step::{self, Workspace};
use pliant_linalg::Team;
use pliant_mesh::DVec3;

/// Why a step cannot be traced.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// A solver cannot take so many iterations.
    #[error("`{label}`: {source}")]
    Setting {
        /// Name given to the settings.
        label: String,
        /// Why.
        source: SettingError,
    },
    /// A solver cannot be built.
    #[error("`{label}`: {source}")]
    Setup {
        /// Name given to the settings.
        label: String,
        /// Why.
        source: ModelError,
    },
    /// A solver cannot do the step.
    #[error("`{label}`: {source}")]
    Solve {
        /// Name given to the settings.
        label: String,
        /// Why.
        source: SolveError,
    },
    /// The model has what the method does not know.
    #[error("`{label}` knows no air, pressure, damping and soft pins, which this model has")]
    Unknown {
        /// Name given to the method.
        label: String,
    },
}

/// The course of one solver.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Name given to the settings.
    pub label: String,
    /// Relative energy error `(e(q^k) - e(q*)) / (e(q^0) - e(q*))` after 1, 2, ... iterations [Zeng25, fig. 9].
    pub errors: Vec<f64>,
    /// Largest distance of a vertex to the converged step, relative to the size of the bodies, likewise.
    pub distances: Vec<f64>,
    /// Time spent up to then, without setting up the solver, in ms.
    pub times_ms: Vec<f64>,
}

/// Traces the next step of `world` with each of the settings, over `iterations` iterations or until a solver has
/// converged. The world is not changed. Warm starts of the solvers begin from the positions at the start of the step, and
/// contact is left out.
///
/// # Errors
/// If Newton's method or a solver cannot do the step.
pub fn trace(
    world: &World,
    settings: &[(String, SolverConfig)],
    iterations: usize,
) -> Result<Vec<Trace>, TraceError> {
    let (model, system, state) = (world.model(), world.system(), world.state());
    let mut work = Workspace::new(system);
    work.span = [state.time, state.time + model.dt];
    step::predict(system, model.gravity, state, &mut work);
    step::prescribe(system, &mut work);
    work.start_at_pins(system);
    let input = work.input(Team::alone(), system, state);
    let first = work.iterate();
    let best = converged(&input, first)?;
    let each = settings.iter().map(|(label, config)| {
        let setup = |source| TraceError::Setup { label: label.clone(), source };
        let config = config.clone().for_iterations(iterations);
        let config = config.map_err(|source| TraceError::Setting { label: label.clone(), source })?;
        let mut solver = prepare(&config, system, system.dt, &Contacts::default()).map_err(setup)?;
        trace_one(label, solver.as_mut(), &input, first, &best)
    });
    each.collect()
}

/// The solver that others are compared with: Newton's method, to convergence.
pub fn reference() -> SolverConfig {
    SolverConfig::Newton(NewtonConfig::default())
}

/// The same where bodies touch, which Newton's method does not see.
pub fn reference_in_contact() -> SolverConfig {
    SolverConfig::ImplicitFe(ImplicitFeConfig {
        iterations: Linearisations::Most(100),
        tolerance: 1e-9,
        pcg_tolerance: 1e-8,
        ..ImplicitFeConfig::default()
    })
}

/// The end of the step, to rounding.
fn converged(input: &StepInput, first: &[DVec3]) -> Result<Vec<DVec3>, TraceError> {
    let label = || "reference".to_string();
    let config = SolverConfig::Newton(NewtonConfig { iterations: 1000, tolerance: 1e-11 });
    let mut solver = prepare(&config, input.system, input.dt, &Contacts::default())
        .map_err(|source| TraceError::Setup { label: label(), source })?;
    let mut x = first.to_vec();
    solver
        .solve(input, &mut Contacts::default(), &mut x, &mut Monitor::new(&mut Timings::default()))
        .map_err(|source| TraceError::Solve { label: label(), source })?;
    Ok(x)
}

fn trace_one(
    label: &str,
    solver: &mut dyn Solver,
    input: &StepInput,
    first: &[DVec3],
    best: &[DVec3],
) -> Result<Trace, TraceError> {
    let potential = input.potential();
    let least = potential.value(best);
    let range = potential.value(first) - least;
    let size = input.system.size();
    let mut trace =
        Trace { label: label.to_string(), errors: Vec::new(), distances: Vec::new(), times_ms: Vec::new() };
    let mut iterate = first.to_vec();
    let mut watch = Stopwatch::started();
    let mut observer = |iteration: &Iteration| {
        if iteration.number == 0 {
            // In a running simulation warm starts are there already: making them does not count.
            watch = Stopwatch::started();
            return;
        }
        // The observer takes time of its own: the watch stands still while it looks.
        trace.times_ms.push(watch.pause());
        iteration.positions_into(&mut iterate);
        trace.errors.push((potential.value(&iterate) - least) / range);
        let distances = iterate.iter().zip(best).map(|(a, b)| a.distance(*b));
        trace.distances.push(distances.fold(0.0, f64::max) / size);
        watch.resume();
    };
    let contact = solver.kind().contact;
    let mut timings = Timings::default();
    let mut monitor = Monitor::observed(&mut timings, &mut observer);
    let mut x = first.to_vec();
    let mut solve = |team: &Team| {
        solver.solve(&StepInput { team, ..*input }, &mut Contacts::default(), &mut x, &mut monitor)
    };
    // With the threads that it has in a step.
    let solved = match contact {
        ContactUse::None => solve(Team::alone()),
        ContactUse::Rows | ContactUse::Barrier => Team::for_rows(first.len(), solve),
    };
    solved.map_err(|source| TraceError::Solve { label: label.to_string(), source })?;
    Ok(trace)
}
