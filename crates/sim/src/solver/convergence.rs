//! How fast a solver converges within one step: the error after each iteration against the converged Newton step.

use super::local_global::LocalGlobal;
use super::newton::Newton;
use super::timing::{Stopwatch, Timings};
use super::{NewtonConfig, Solver, SolverConfig, StepInput};
use crate::contact::Contacts;
use crate::step::{self, Workspace};
use crate::world::World;
use pliant_linalg::Team;
use pliant_mesh::Point;

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

/// Traces the next step of `world` with each of the settings, over `iterations` iterations. The world is not changed.
/// Duals and rotations of the solvers start from the positions at the start of the step.
///
/// # Errors
/// If Newton's method or a solver cannot do the step; the text says why. Only `local_global` can be traced.
pub fn trace(
    world: &World,
    settings: &[(String, SolverConfig)],
    iterations: usize,
) -> Result<Vec<Trace>, String> {
    let (model, system, state) = (world.model(), world.system(), world.state());
    let mut work = Workspace::new(system);
    work.span = [state.time, state.time + model.dt];
    step::predict(system, model.gravity, state, &mut work);
    step::prescribe(system, &mut work);
    work.start_at_pins(system);
    let input = work.input(system, state);
    let first = work.iterate();
    let mut best = first.to_vec();
    let reference = NewtonConfig { iterations: 1000, tolerance: 1e-11 };
    let mut newton = Newton::new(&reference, system, model.dt).map_err(|e| e.to_string())?;
    newton.solve(&input, &mut Contacts::default(), &mut best, &mut Timings::default())?;
    let mut traces = Vec::new();
    for (label, config) in settings {
        let SolverConfig::LocalGlobal(config) = config else {
            return Err(format!("`{label}`: only local_global is traced by iteration"));
        };
        let config = super::LocalGlobalConfig { iterations, tolerance: 0.0, ..config.clone() };
        let mut solver = LocalGlobal::new(&config, system, model.dt, false).map_err(|e| e.to_string())?;
        traces.push(trace_one(label, &mut solver, &input, first, &best));
    }
    Ok(traces)
}

fn trace_one(
    label: &str,
    solver: &mut LocalGlobal,
    input: &StepInput,
    first: &[Point],
    best: &[Point],
) -> Trace {
    let potential = input.potential();
    let least = potential.value(best);
    let range = potential.value(first) - least;
    let size = input.system.size();
    let mut trace =
        Trace { label: label.to_string(), errors: Vec::new(), distances: Vec::new(), times_ms: Vec::new() };
    let mut x = first.to_vec();
    let mut scratch = first.to_vec();
    // In a running simulation duals and rotations are warm: starting them does not count.
    Team::with(|team| solver.load(team, input, first));
    // The observer takes time of its own: the watch stands still while it looks.
    let mut watch = Stopwatch::started();
    solver.solve_observed(
        input,
        &mut Contacts::default(),
        &mut x,
        &mut Timings::default(),
        &mut |solver, team| {
            trace.times_ms.push(watch.pause());
            solver.store(team, &mut scratch);
            trace.errors.push((potential.value(&scratch) - least) / range);
            let distance =
                |(a, b): (&Point, &Point)| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
            trace.distances.push(scratch.iter().zip(best).map(distance).fold(0.0, f64::max) / size);
            watch.resume();
        },
    );
    trace
}
