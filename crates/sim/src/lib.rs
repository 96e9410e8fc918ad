//! Soft bodies and cloth, integrated implicitly in real time.
//!
//! A [`Model`] describes bodies, pins and loads; a [`World`] holds the moving state and advances it with one of
//! the [`solver`]s. The time step itself is [`step`].
#![forbid(unsafe_code)]

pub mod contact;
pub mod fem;
pub mod material;
pub mod model;
pub mod motion;
pub mod snapshot;
pub mod solver;
pub mod state;
pub mod step;
pub mod world;

pub use contact::{Contacts, FrictionLaw, Hold, HoldId, NeedleHold, Sticking};
pub use fem::measure::{BodyMotion, BodyShape};
pub use material::{Law, Material, MaterialError};
pub use model::{
    Attachment, Bending, BendingKind, Body, BodyMeshError, Cable, CableDrive, CablePoint, Damping,
    EntryError, EntryKind, Load, LoadKind, MaterialPoint, Model, ModelError, Needle, Obstacle, Pin, PinKind,
    PointError, Schedule,
};
pub use motion::{Keyframe, Motion, MotionError};
pub use pliant_collide::{Contact, HeldBack, Intersections, Overlap, Pose, Shape, Side};
pub use snapshot::{Snapshot, SnapshotError};
pub use solver::{Counter, LocalGlobalConfig, NewtonConfig, SolverConfig, Stage, StepOutcome, Timings};
pub use state::{State, StateError};
pub use step::StepError;
pub use world::convergence;
pub use world::{
    Edit, EditError, HoldRefused, Prepared, PushError, Pushed, Settled, Touch, World, push_apart, von_mises,
};
