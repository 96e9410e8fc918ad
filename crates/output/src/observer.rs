//! Watching a run while it is simulated.

use crate::error::Error;
use pliant_scene::{DOUBTFUL, Run};
use std::fmt;

/// Watches a run and may stop it. `()` watches nothing and never stops.
pub trait Observer: Send {
    /// A step was taken.
    fn step(&mut self, _run: &Run) {}

    /// Whether the run is to stop before its next step.
    fn should_stop(&mut self) -> bool {
        false
    }

    /// Something went wrong that does not end the run.
    fn warn(&mut self, _warning: &Warning) {}
}

impl Observer for () {}

/// What went wrong without ending a run.
#[derive(Debug)]
#[non_exhaustive]
pub enum Warning {
    /// A checkpoint could not be written.
    NoCheckpoint {
        /// The step at which it was due.
        step: usize,
        /// Step of the last one that was written.
        last: Option<usize>,
        /// Why.
        cause: Error,
    },
    /// What an export format could not hold.
    Export(String),
    /// The solver has ended many steps far from their solution.
    Doubtful {
        /// In how many steps.
        doubtful: usize,
        /// Of how many.
        steps: usize,
        /// The largest residual.
        worst: f64,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Warning::NoCheckpoint { step, last, cause } => {
                write!(f, "no checkpoint at step {step} ({cause}); the run continues, ")?;
                match last {
                    Some(last) => write!(f, "and the checkpoint of step {last} stays whole"),
                    None => f.write_str("without a checkpoint so far"),
                }
            }
            Warning::Export(note) => f.write_str(note),
            Warning::Doubtful { doubtful, steps, worst } => write!(
                f,
                "{doubtful} of {steps} steps ended more than {DOUBTFUL} of the size of the bodies from their solution, {worst:.3} at \
                 worst: results may be wrong; give the solver more iterations (solver.iterations = \"auto\") or a smaller dt"
            ),
        }
    }
}
