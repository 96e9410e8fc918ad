//! A scene in motion: steps, measurements, the report.

pub mod report;

pub(crate) mod contacts;

mod inspection;
mod run;
mod saved;
mod traces;

pub use run::{DOUBTFUL, Run};
pub use traces::Traces;
