//! Why a command ended badly, and the exit code that says so.

use crate::output;
use pliant::StepError;
use pliant_scene::{OutputError, SceneError};
use pliant_viewer::ViewerError;

/// An expectation did not hold, and everything without a code of its own.
pub const OTHER: u8 = 1;
/// The input is bad.
pub const BAD_INPUT: u8 = 2;
/// The simulation broke down.
pub const SIMULATION: u8 = 3;
/// The user stopped it; shells use the same code for an interrupt.
pub const INTERRUPTED: u8 = 130;

/// Messages for stderr and the exit code.
#[derive(Debug)]
pub struct Failure {
    /// Exit code.
    pub code: u8,
    /// One line per problem.
    pub message: String,
}

impl Failure {
    /// A failure of bad input.
    pub fn input(message: impl Into<String>) -> Failure {
        Failure { code: BAD_INPUT, message: message.into() }
    }

    /// Any other failure.
    pub fn other(message: impl Into<String>) -> Failure {
        Failure { code: OTHER, message: message.into() }
    }

    /// Prints the lines to stderr.
    pub fn print(&self) {
        // What the user asked for is no error.
        let say = if self.code == INTERRUPTED { output::note } else { output::error };
        self.message.lines().for_each(say);
    }
}

impl From<SceneError> for Failure {
    fn from(e: SceneError) -> Failure {
        Failure::input(e.to_string())
    }
}

impl From<OutputError> for Failure {
    fn from(e: OutputError) -> Failure {
        let code = if matches!(e, OutputError::Damaged { .. }) { BAD_INPUT } else { OTHER };
        Failure { code, message: e.to_string() }
    }
}

impl From<ViewerError> for Failure {
    fn from(e: ViewerError) -> Failure {
        match e {
            ViewerError::Scene(e) => e.into(),
            ViewerError::Recording(e) => e.into(),
            other => Failure::other(other.to_string()),
        }
    }
}

impl From<StepError> for Failure {
    fn from(e: StepError) -> Failure {
        Failure { code: SIMULATION, message: e.to_string() }
    }
}

impl From<pliant_output::Error> for Failure {
    fn from(e: pliant_output::Error) -> Failure {
        use pliant_output::Error;
        let code = match e.root() {
            Error::Output(inner) if !matches!(inner, OutputError::Damaged { .. }) => OTHER,
            Error::Write { .. } | Error::OldCheckpoint { .. } | Error::Render(_) | Error::Threads(_) => OTHER,
            _ => BAD_INPUT,
        };
        Failure { code, message: e.to_string() }
    }
}
