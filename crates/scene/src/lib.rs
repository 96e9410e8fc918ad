//! Scene files: reading, checking, building what a world is made of; what is seen; reports, recordings and exports of runs.
//!
//! ```
//! let mut scene = pliant_scene::Scene::load("free_fall").unwrap();
//! scene.set("scene.duration", "0.05").unwrap();
//! let mut run = pliant_scene::Run::new(scene.build().unwrap()).unwrap();
//! while !run.is_done() {
//!     run.step().unwrap();
//! }
//! assert!(run.world().state().time > 0.0);
//! ```
#![forbid(unsafe_code)]

pub mod exporting;
pub mod recording;
pub mod view;

mod building;
mod checks;
mod error;
mod file;
mod measuring;
mod running;

pub use building::{Outline, Setup, Skin};
pub use error::{Damage, OutputError, Place, Problem, SceneError, suggest};
pub use file::spec::{Tolerate, solver_kinds};
pub use file::{Scene, builtin, schema};
pub use measuring::{Expect, Probe, ProbeHistory, Samples, Trace};
pub use recording::{Tables, checkpoint};
pub use running::{Care, Finding, LOOKS, Level, Run, Traces, Verdict, Verifier, Watch, report};
pub use view::tessellate;
