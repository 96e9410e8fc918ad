//! Soft bodies and cloth, integrated implicitly in real time.
//!
//! A [`Model`] describes bodies, pins and loads; a [`World`] holds the moving state and advances it with one of
//! the [`solver`]s. The time step itself is [`step`].
#![forbid(unsafe_code)]

pub mod contact;
mod edit;
pub mod fem;
mod fields;
mod hold;
mod inspect;
pub mod material;
pub mod model;
pub mod motion;
mod push_apart;
mod settle;
pub mod snapshot;
pub mod solver;
pub mod state;
pub mod step;
pub mod world;

pub use contact::{Contacts, FrictionLaw, Hold, HoldId, NeedleHold, Sticking};
pub use edit::Edit;
pub use fields::{Touch, von_mises};
pub use material::{Law, Material, MaterialError};
pub use model::{
    Attachment, Bending, BendingKind, Body, Cable, CableDrive, CablePoint, Damping, Load, LoadKind,
    MaterialPoint, Model, ModelError, Needle, Obstacle, Pin, PinKind, Schedule,
};
pub use motion::{Keyframe, Motion};
pub use pliant_collide::{Contact, HeldBack, Intersections, Overlap, Pose, Shape, Side};
pub use push_apart::{PushError, Pushed, push_apart};
pub use settle::Settled;
pub use snapshot::{Snapshot, SnapshotError};
pub use solver::{Counter, LocalGlobalConfig, NewtonConfig, SolverConfig, Stage, StepOutcome, Timings};
pub use state::State;
pub use step::StepError;
pub use world::{BodyMotion, BodyShape, World};
