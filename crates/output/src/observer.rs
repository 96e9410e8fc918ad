//! Watching a run while it is simulated.

use crate::error::Error;
use pliant_scene::Run;
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
        }
    }
}
