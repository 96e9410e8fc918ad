//! Collision detection for deforming surfaces and obstacles: which points are close, and in which direction.
//!
//! Geometry only: no mass, no friction, no force. The simulator turns [`Contact`]s into forces.
#![forbid(unsafe_code)]

mod analytic;
mod boxes;
mod broad;
mod choose;
mod contact;
pub mod continuous;
mod crossing;
mod detector;
mod exact;
mod ghosts;
mod guard;
mod ids;
mod memory;
mod model;
mod motion;
mod near;
mod pose;
pub mod proximity;
mod refresh;
mod shape;
mod skin;
mod tasks;
mod tree;
mod walk;

pub use contact::{Contact, ContactKey, Side};
pub use detector::{Bodies, Detector, HeldBack};
pub use exact::{Inside, Intersection, Intersections, Overlap, PairDepth};
pub use ids::{BodyId, ObstacleId};
pub use memory::DetectorMemory;
pub use model::{CollideError, Obstacle, Options, Surface};
pub use pose::Pose;
pub use shape::{Deepest, Shape, ShapeError};
pub use tasks::{Serial, Tasks};
