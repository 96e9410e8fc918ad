//! A local web page that shows a running simulation, or a recording, and lets bodies be grabbed.
//!
//! ```no_run
//! use pliant_viewer::{Choice, Options, Viewer};
//! let choice = Choice { scene: "drop".into(), ..Choice::default() };
//! let viewer = Viewer::of_scene(choice, Options::default()).unwrap();
//! println!("{}", viewer.url());
//! viewer.wait();
//! ```
#![forbid(unsafe_code)]

mod catalogue;
mod client;
mod connections;
mod controls;
mod guard;
mod pace;
mod page;
mod protocol;
mod recording;
mod server;
mod session;
mod share;
mod shared;
mod simulation;
mod steering;

pub use server::{Options, Viewer, ViewerError};
pub use session::{Choice, GivenScene};
pub use share::write_shared;
pub use shared::Log;
