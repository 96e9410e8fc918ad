//! Collision detection for deforming surfaces and obstacles: which points are close, and in which direction.
//!
//! Geometry only: no mass, no friction, no force. The simulator turns [`Contact`]s into forces.
#![forbid(unsafe_code)]

mod analytic;
mod contact;
mod detector;
mod model;
mod pose;
mod shape;
mod skin;
mod tasks;
mod vector;

pub use contact::{Contact, ContactKey, Side};
pub use detector::Detector;
pub use model::{CollideError, Obstacle, Options, Surface};
pub use pose::Pose;
pub use shape::{Shape, ShapeError};
pub use tasks::{Serial, Tasks};
