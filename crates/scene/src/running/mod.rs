//! A scene in motion: steps, measurements, the report.

pub mod report;

pub(crate) mod contacts;

mod inspection;
mod run;
mod saved;
mod traces;
mod verdict;
mod verify;

pub use run::{Care, LOOKS, Run};
pub use traces::Traces;
pub use verdict::{Finding, Level, Verdict, Watch};
pub use verify::Verifier;
