//! The same for a step in which things touch: the distance to the converged step after each iteration, and how deep what
//! touches still is.

use super::{TraceError, World};
use crate::contact::Contacts;
use crate::solver::admm::{DUAL, PRIMAL, Xpbd};
use crate::solver::timing::Stopwatch;
use crate::solver::{
    AdmmConfig, ContactUse, Iteration, Monitor, SolverConfig, StepInput, StepOutcome, Timings, prepare,
};
use crate::step::{self, Workspace};
use pliant_linalg::Team;
use pliant_mesh::DVec3;

/// Residual of the reference, in parts of the size, from which on it is none.
const CONVERGED: f64 = 1e-6;

/// What is traced.
#[derive(Clone, Debug)]
pub enum Method {
    /// A solver; its contacts start with the forces of the last step.
    Solver(SolverConfig),
    /// Extended position-based dynamics \[Macklin16\] with the contact sweeps of these settings, which starts from nothing but
    /// the prediction.
    Xpbd(AdmmConfig),
}

/// The course of a method.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactTrace {
    /// Name given to the method.
    pub label: String,
    /// Distance to the converged step after 1, 2, ... iterations, over that of the first iterate of the step: norms over all
    /// vertices.
    pub errors: Vec<f64>,
    /// Largest distance of a vertex to the converged step, relative to the size of the bodies, likewise.
    pub distances: Vec<f64>,
    /// Deepest penetration of the contacts of the step, m, likewise.
    pub depths: Vec<f64>,
    /// Primal and dual residual, of the solver `admm` alone.
    pub residuals: Vec<[f64; 2]>,
    /// Time spent up to then, without setting up, in ms.
    pub times_ms: Vec<f64>,
}

/// A step with its contacts, and its end.
struct Traced<'a> {
    input: StepInput<'a>,
    contacts: Contacts,
    first: &'a [DVec3],
    best: Vec<DVec3>,
    /// Norm of the distance from the first iterate to the end.
    range: f64,
}

/// Traces the next step of `world` with each of the methods, over `iterations` iterations or until one has converged; the
/// converged step is that of `reference`. The world is not changed.
///
/// # Errors
/// If a solver, or that of the reference, cannot do the step, or if the reference does not converge.
pub fn trace_in_contact(
    world: &World,
    reference: &SolverConfig,
    methods: &[(String, Method)],
    iterations: usize,
) -> Result<Vec<ContactTrace>, TraceError> {
    let (model, system, state) = (world.model(), world.system(), world.state());
    let mut work = Workspace::new(system);
    work.span = [state.time, state.time + model.dt];
    step::predict(system, model.gravity, state, &mut work);
    step::prescribe(system, &mut work);
    work.start_at_pins(system);
    Team::for_rows(system.rest.len(), |team| {
        let mut contacts = world.contacts().clone();
        let input = work.input(team, system, state);
        contacts.detect(team, input.poses, [input.x_t0, input.inertial], work.span);
        let first = work.iterate();
        let mut best = first.to_vec();
        let mut at_end = contacts.clone();
        let name = "reference";
        let outcome = solve(name, reference, &input, &mut at_end, &mut best, &mut |_| {})?;
        let residual = outcome.residual_last;
        if residual.is_nan() || residual > CONVERGED {
            return Err(TraceError::NotConverged { residual });
        }
        let range = norm(first, &best);
        let traced = Traced { input, contacts, first, best, range };
        methods.iter().map(|(label, method)| traced.trace(label, method, iterations)).collect()
    })
}

impl Traced<'_> {
    fn trace(&self, label: &str, method: &Method, iterations: usize) -> Result<ContactTrace, TraceError> {
        let mut trace = ContactTrace { label: label.to_string(), ..ContactTrace::default() };
        let mut contacts = self.contacts.clone();
        // What is deep is judged by contacts that no method changes.
        let mut judge = self.contacts.clone();
        let mut x = self.first.to_vec();
        let mut watch = Stopwatch::started();
        let mut look = |k: usize, x: &[DVec3], residuals: Option<[f64; 2]>| {
            if k == 0 {
                watch = Stopwatch::started();
                return;
            }
            trace.times_ms.push(watch.pause());
            trace.errors.push(norm(x, &self.best) / self.range);
            let distances = x.iter().zip(&self.best).map(|(a, b)| a.distance_squared(*b));
            trace.distances.push(distances.fold(0.0, f64::max).sqrt() / self.input.system.size());
            judge.refresh(x);
            trace.depths.push(judge.penetration(x));
            trace.residuals.extend(residuals);
            watch.resume();
        };
        match method {
            Method::Solver(config) => {
                let config = config.clone().for_iterations(iterations);
                let config =
                    config.map_err(|source| TraceError::Setting { label: label.to_string(), source })?;
                let mut iterate = x.clone();
                let mut observer = |iteration: &Iteration| {
                    iteration.positions_into(&mut iterate);
                    let residuals = iteration.counter(PRIMAL).zip(iteration.counter(DUAL));
                    look(iteration.number, &iterate, residuals.map(|(primal, dual)| [primal, dual]));
                };
                solve(label, &config, &self.input, &mut contacts, &mut x, &mut observer)?;
            }
            Method::Xpbd(config) => {
                let mut xpbd = Xpbd::new(config, self.input.system, self.input.dt)
                    .ok_or_else(|| TraceError::Unknown { label: label.to_string() })?;
                xpbd.solve(&self.input, &mut contacts, &mut x, iterations, &mut |k, x| look(k, x, None));
            }
        }
        Ok(trace)
    }
}

/// A step of a solver of its own, with the contacts that there are.
fn solve(
    label: &str,
    config: &SolverConfig,
    input: &StepInput,
    contacts: &mut Contacts,
    x: &mut [DVec3],
    observer: &mut (dyn FnMut(&Iteration) + Send),
) -> Result<StepOutcome, TraceError> {
    let label = || label.to_string();
    let mut solver = prepare(config, input.system, input.dt, contacts)
        .map_err(|source| TraceError::Setup { label: label(), source })?;
    let mut timings = Timings::default();
    let mut observer = |iteration: &Iteration| observer(iteration);
    let mut monitor = Monitor::observed(&mut timings, &mut observer);
    let input = match solver.kind().contact {
        // It may use threads of its own.
        ContactUse::None => StepInput { team: Team::alone(), ..*input },
        ContactUse::Rows | ContactUse::Barrier => *input,
    };
    solver
        .solve(&input, contacts, x, &mut monitor)
        .map_err(|source| TraceError::Solve { label: label(), source })
}

/// Norm of the distance over all vertices, m.
fn norm(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance_squared(*b)).sum::<f64>().sqrt()
}
