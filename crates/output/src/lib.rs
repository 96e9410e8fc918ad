//! What a run leaves behind: its directory, pictures, films and report pages.
//!
//! | wanted | where |
//! |---|---|
//! | a scene run into a directory, as `pliant run --out` does | [`run_scene`] |
//! | a stopped run continued from its checkpoint | [`StoppedRun`] |
//! | both with progress, warnings and a way to stop | [`Job`], [`Observer`] |
//! | a picture of a world | [`picture::of_world`] |
//! | pictures and films of a recording | [`RecordingRenderer`] |
//! | a picture of a mesh and its defects | [`mesh_picture`] |
//! | the page of a report | [`page`] |
//! | a run for other programs, after the run | [`export_again`] |
//! | a scene with every combination of several values | [`Sweep`] |
//!
//! ```
//! use pliant_output::{RunSettings, run_scene};
//! let scene = pliant_scene::Scene::load("free_fall").unwrap();
//! let directory = std::env::temp_dir().join(format!("pliant-output-example-{}", std::process::id()));
//! let settings = RunSettings { steps: Some(3), ..RunSettings::default() };
//! run_scene(&scene, &directory, &settings, &mut ()).unwrap();
//! assert!(directory.join("report.html").is_file());
//! # std::fs::remove_dir_all(&directory).unwrap();
//! ```
#![forbid(unsafe_code)]

pub mod mesh_picture;
pub mod page;
pub mod picture;
pub mod text;

mod directory;
mod error;
mod export;
mod job;
mod observer;
mod recording;
mod summary;
mod sweep;
mod threads;

pub use directory::{REPORT, RunDirectory, RunSettings, command_of};
pub use error::{Error, ResumePoint};
pub use export::{Exported, export_again};
pub use job::{Ended, Finished, Job, StoppedRun, run_scene};
pub use observer::{Observer, Warning};
pub use picture::{Field, Mark, Overlays, Painter, PictureOptions};
pub use recording::RecordingRenderer;
pub use summary::{summary, unmet};
pub use sweep::{Sweep, SweepTable};
pub use threads::with_threads;
