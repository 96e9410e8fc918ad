//! The same for a step in which things touch: how far each iterate is from where the method ends, and how deep what touches
//! still is. Cloth that folds has many solutions and methods end in different ones, so each is compared with its own.

use super::{TraceError, World};
use crate::contact::Contacts;
use crate::solver::admm::{DUAL, PRIMAL, Xpbd};
use crate::solver::timing::Stopwatch;
use crate::solver::{AdmmConfig, ContactUse, Iteration, Monitor, SolverConfig, StepInput, Timings, prepare};
use crate::step::{self, Workspace};
use pliant_linalg::Team;
use pliant_mesh::DVec3;

/// Iterations after which a method is at its end, for each one that is traced.
const TO_THE_END: usize = 10;

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
    /// Distance to the end of the method after 1, 2, ... iterations, over that of the first iterate of the step: norms over
    /// all vertices.
    pub errors: Vec<f64>,
    /// Largest distance of a vertex to the end of the method, relative to the size of the bodies, likewise.
    pub distances: Vec<f64>,
    /// Largest distance of a vertex between the ends of this method and of the first one, relative to the size.
    pub apart: f64,
    /// Deepest penetration of the contacts of the step, m, likewise.
    pub depths: Vec<f64>,
    /// Primal and dual residual, of the solver `admm` alone.
    pub residuals: Vec<[f64; 2]>,
    /// Time spent up to then, without setting up, in ms.
    pub times_ms: Vec<f64>,
}

/// A step with its contacts.
struct Traced<'a> {
    input: StepInput<'a>,
    contacts: Contacts,
    first: &'a [DVec3],
}

/// What looks at the iterates, from 0 on; solvers with primal and dual residuals show them.
type Look<'a> = dyn FnMut(usize, &[DVec3], Option<[f64; 2]>) + Send + 'a;

/// Traces the next step of `world` with each of the methods, over `iterations` iterations or until one has converged. The end
/// of a method is where it is after ten times as many. The world is not changed.
///
/// # Errors
/// If a method cannot do the step.
pub fn trace_in_contact(
    world: &World,
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
        let traced = Traced { input, contacts, first: work.iterate() };
        let mut end_of_first = None;
        let each = methods.iter().map(|(label, method)| {
            let end = traced.solve(label, method, TO_THE_END * iterations, &mut |_, _, _| {})?;
            let apart = farthest(&end, end_of_first.get_or_insert_with(|| end.clone()));
            let trace = traced.trace(label, method, iterations, &end)?;
            Ok(ContactTrace { apart: apart / system.size(), ..trace })
        });
        each.collect()
    })
}

impl Traced<'_> {
    fn trace(
        &self,
        label: &str,
        method: &Method,
        iterations: usize,
        end: &[DVec3],
    ) -> Result<ContactTrace, TraceError> {
        let mut trace = ContactTrace { label: label.to_string(), ..ContactTrace::default() };
        let (range, size) = (norm(self.first, end), self.input.system.size());
        // What is deep is judged by contacts that no method changes.
        let mut judge = self.contacts.clone();
        let mut watch = Stopwatch::started();
        self.solve(label, method, iterations, &mut |k, x, residuals| {
            if k == 0 {
                watch = Stopwatch::started();
                return;
            }
            trace.times_ms.push(watch.pause());
            trace.errors.push(norm(x, end) / range);
            trace.distances.push(farthest(x, end) / size);
            judge.refresh(x);
            trace.depths.push(judge.penetration(x));
            trace.residuals.extend(residuals);
            watch.resume();
        })?;
        Ok(trace)
    }

    /// The places after so many iterations.
    fn solve(
        &self,
        label: &str,
        method: &Method,
        iterations: usize,
        look: &mut Look,
    ) -> Result<Vec<DVec3>, TraceError> {
        let mut contacts = self.contacts.clone();
        let mut x = self.first.to_vec();
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
        Ok(x)
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
) -> Result<(), TraceError> {
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
    let solved = solver.solve(&input, contacts, x, &mut monitor);
    solved.map(|_| ()).map_err(|source| TraceError::Solve { label: label(), source })
}

/// Largest distance of a vertex, m.
fn farthest(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance_squared(*b)).fold(0.0, f64::max).sqrt()
}

/// Norm of the distance over all vertices, m.
fn norm(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance_squared(*b)).sum::<f64>().sqrt()
}
