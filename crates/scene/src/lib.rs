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

pub mod builtin;
pub mod checkpoint;
pub mod export;
pub mod record;
pub mod report;
pub mod view;

mod build;
mod check;
mod contact;
mod document;
mod error;
mod expect;
mod joint;
mod locate;
mod migrate;
mod obstacle;
mod parameters;
mod probe;
mod read;
mod run;
mod sample;
mod scene;
mod schema;
mod shape;
mod skin;
mod solid;
mod spec;
mod tables;
mod tessellate;
mod trace;
mod traces;
mod tree;

pub use build::Setup;
pub use check::DEFAULT_SPECTRAL_RADIUS;
pub use error::{OutputError, Place, Problem, SceneError, suggest};
pub use expect::Expect;
pub use probe::{Probe, ProbeHistory};
pub use run::Run;
pub use sample::Samples;
pub use scene::Scene;
pub use schema::schema;
pub use skin::Skin;
pub use spec::solver_kinds;
pub use tables::Tables;
pub use tessellate::tessellate;
pub use trace::Trace;
pub use traces::Traces;
