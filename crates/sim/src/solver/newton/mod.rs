//! Newton's method on the incremental potential, to convergence: slow and trusted, the reference of the others.
//!
//! Each iteration solves `H d = -g` with the Hessian of the free vertices (hard pins are eliminated) and a line search
//! on phi. H is projected element by element \[Teran05\] until a full step is accepted; from then on the true Hessian
//! is used wherever its Cholesky factorisation succeeds, which gives quadratic convergence at the end.

mod assembly;
mod config;
mod feasible;
#[cfg(test)]
mod tests;

use super::settings::{AnySettings, Settings};
use super::{
    Counter, Kind, Memory, Monitor, SettingError, SolveError, Solver, Stage, StepInput, StepOutcome, Value,
};
use crate::contact::Contacts;
use crate::fem::System;
use crate::fem::measure::diagonal;
use crate::fem::potential::Potential;
use assembly::FactoredHessian;
pub use config::NewtonConfig;
use pliant_mesh::DVec3;
use std::collections::HashSet;

/// Values of the potential along a Newton step.
const LINE_SEARCH: Stage = Stage::new("line_search");

/// How often line searches halved a Newton step.
const HALVINGS: Counter = Counter::new("halvings");

/// Halvings of the line search before it gives up.
const MAX_HALVINGS: usize = 50;

/// The Newton solver. [`StepOutcome::residual_first`] and `residual_last` are the largest displacement of a vertex in a
/// Newton step relative to the size of its body.
#[derive(Clone, Debug)]
pub(super) struct Newton {
    config: NewtonConfig,
    assembly: FactoredHessian,
    /// Size of the body of each vertex in m.
    sizes: Vec<f64>,
    gradient: Vec<DVec3>,
    /// The part of `gradient` that has no potential; empty if there is none.
    excess: Vec<DVec3>,
    step: Vec<DVec3>,
    trial: Vec<DVec3>,
}

/// How a line search ended.
enum Search {
    /// The step was taken with this factor.
    Taken(f64),
    /// No decrease along the direction.
    Stuck,
}

impl Newton {
    /// Analyses the pattern of the Hessian.
    pub fn new(config: &NewtonConfig, system: &System) -> Newton {
        let n = system.rest.len();
        Newton {
            config: config.clone(),
            assembly: FactoredHessian::new(system),
            sizes: body_sizes(system),
            gradient: vec![DVec3::ZERO; n],
            excess: if has_open_pressure(system) { vec![DVec3::ZERO; n] } else { Vec::new() },
            step: vec![DVec3::ZERO; n],
            trial: vec![DVec3::ZERO; n],
        }
    }

    /// Minimises the potential from `x`, where it must be finite.
    fn minimise(
        &mut self,
        potential: &Potential,
        x: &mut [DVec3],
        monitor: &mut Monitor,
    ) -> Result<StepOutcome, SolveError> {
        let mut outcome = StepOutcome::default();
        let mut use_true_hessian = false;
        for iteration in 0..self.config.iterations {
            potential.gradient_into(x, &mut self.gradient);
            if !self.excess.is_empty() {
                potential.excess_gradient_into(x, &mut self.excess);
            }
            let projected = self.direction(potential, x, use_true_hessian, monitor)?;
            outcome.iterations = iteration + 1;
            outcome.residual_last = self.relative_step();
            if iteration == 0 {
                outcome.residual_first = outcome.residual_last;
            }
            if outcome.residual_last < self.config.tolerance {
                self.take_last_step(potential, x);
                monitor.iteration(iteration + 1, Some(outcome.residual_last), &|to| to.copy_from_slice(x));
                outcome.converged = true;
                break;
            }
            let search = self.line_search(potential, x, monitor);
            monitor.lap(LINE_SEARCH);
            monitor.iteration(iteration + 1, Some(outcome.residual_last), &|to| to.copy_from_slice(x));
            match search {
                Search::Taken(factor) => use_true_hessian = factor == 1.0,
                // The true Hessian may point uphill through rounding; the projected one is the last resort.
                Search::Stuck if !projected => use_true_hessian = false,
                Search::Stuck => break,
            }
        }
        Ok(outcome)
    }

    /// Solves for the Newton step; true if the projected Hessian was used.
    fn direction(
        &mut self,
        potential: &Potential,
        x: &[DVec3],
        use_true_hessian: bool,
        monitor: &mut Monitor,
    ) -> Result<bool, SolveError> {
        if use_true_hessian {
            self.assembly.assemble(potential, x, false);
            monitor.lap(Stage::LOCAL);
            let factored = self.assembly.solve(&self.gradient, &mut self.step);
            monitor.lap(Stage::GLOBAL);
            if factored.is_ok() {
                return Ok(false);
            }
        }
        self.assembly.assemble(potential, x, true);
        monitor.lap(Stage::LOCAL);
        let factored = self.assembly.solve(&self.gradient, &mut self.step);
        monitor.lap(Stage::GLOBAL);
        factored?;
        Ok(true)
    }

    /// The first of the factors 1, 1/2, 1/4, ... with sufficient decrease of phi; moves x there.
    ///
    /// Neo-Hookean elements keep J > 0 because phi is infinite otherwise. Where the expected decrease drowns in the
    /// rounding of phi, the gradient decides. Forces without potential count as constant during the search.
    fn line_search(&mut self, potential: &Potential, x: &mut [DVec3], monitor: &mut Monitor) -> Search {
        let terms = potential.terms(x);
        let (value, rounding) = (terms.total(), 1e-13 * terms.size());
        let slope = sum_dot(&self.gradient, &self.step);
        let work = sum_dot(&self.excess, &self.step);
        let mut factor = 1.0;
        for _ in 0..MAX_HALVINGS {
            for (t, (x, d)) in self.trial.iter_mut().zip(x.iter().zip(&self.step)) {
                *t = x + factor * d;
            }
            let new = potential.value(&self.trial) + factor * work;
            let accepted = if -slope * factor < 100.0 * rounding {
                new <= value + 10.0 * rounding && self.trial_gradient_is_smaller(potential)
            } else {
                new < value + 1e-4 * factor * slope
            };
            if accepted {
                x.copy_from_slice(&self.trial);
                return Search::Taken(factor);
            }
            factor *= 0.5;
            monitor.count(HALVINGS, 1);
        }
        Search::Stuck
    }

    fn trial_gradient_is_smaller(&mut self, potential: &Potential) -> bool {
        let mut new = vec![DVec3::ZERO; self.trial.len()];
        potential.gradient_into(&self.trial, &mut new);
        self.assembly.free_norm(&new) < self.assembly.free_norm(&self.gradient)
    }

    /// Takes the step that is below the tolerance, unless it would break the state.
    fn take_last_step(&mut self, potential: &Potential, x: &mut [DVec3]) {
        for (t, (x, d)) in self.trial.iter_mut().zip(x.iter().zip(&self.step)) {
            *t = x + d;
        }
        if potential.value(&self.trial).is_finite() {
            x.copy_from_slice(&self.trial);
        }
    }

    fn relative_step(&self) -> f64 {
        self.step.iter().zip(&self.sizes).fold(0.0, |m, (d, size)| f64::max(m, d.length() / size))
    }
}

impl Solver for Newton {
    fn duplicate(&self) -> Box<dyn Solver> {
        Box::new(self.clone())
    }

    fn kind(&self) -> &'static Kind {
        &NewtonConfig::KIND
    }

    fn solve(
        &mut self,
        input: &StepInput,
        _contacts: &mut Contacts,
        x: &mut [DVec3],
        monitor: &mut Monitor,
    ) -> Result<StepOutcome, SolveError> {
        let potential = input.potential();
        self.make_feasible(&potential, x, monitor)?;
        monitor.iteration(0, None, &|to| to.copy_from_slice(x));
        self.minimise(&potential, x, monitor)
    }

    fn retune(&mut self, name: &str, value: Value) -> Result<(), SettingError> {
        self.config.set(name, value)
    }

    fn memory(&self) -> Memory {
        Memory { factor_bytes: self.assembly.factor_bytes(), ..Memory::default() }
    }
}

fn sum_dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}

/// Whether a pressure acts on a surface with an edge: some edge is not shared by two triangles in opposite directions.
fn has_open_pressure(system: &System) -> bool {
    system.pressures.iter().any(|p| {
        let edges = |t: &[u32; 3]| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])];
        let all: HashSet<(u32, u32)> = p.triangles.iter().flat_map(edges).collect();
        all.iter().any(|&(a, b)| !all.contains(&(b, a)))
    })
}

/// Diagonal of the rest bounding box of each vertex's body; 1 m for a body without extent.
fn body_sizes(system: &System) -> Vec<f64> {
    let mut sizes = vec![1.0; system.rest.len()];
    for body in &system.bodies {
        let size = diagonal(&system.rest[body.vertices.clone()]);
        if size > 0.0 && size.is_finite() {
            sizes[body.vertices.clone()].fill(size);
        }
    }
    sizes
}
