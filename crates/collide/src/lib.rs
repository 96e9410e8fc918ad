//! Collision detection for deforming surfaces and obstacles: which points are close, and in which direction.
//!
//! Geometry only: no mass, no friction, no force. The simulator turns [`Contact`]s into forces.
#![forbid(unsafe_code)]

mod contact;
mod pose;

pub use contact::{Contact, ContactKey, Side};
pub use pose::Pose;
