//! What is measured in a run, and what must hold at its end.

pub(crate) mod expect;

mod history;
mod probe;
mod samples;
mod trace;

pub use expect::Expect;
pub use history::ProbeHistory;
pub use probe::Probe;
pub use samples::Samples;
pub use trace::Trace;

pub(crate) use probe::{Subject, gravity_energy};
