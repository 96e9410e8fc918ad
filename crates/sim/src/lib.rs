//! Soft bodies and cloth, integrated implicitly in real time, with frictional contact.
//!
//! A soft cube falls on the floor and comes to rest:
//!
//! ```
//! use pliant::{Body, Law, Material, Model, Obstacle, Shape, Side, SolverConfig, World};
//! use pliant_mesh::{Mesh, block};
//!
//! let mut mesh = block([0.1; 3], [3; 3])?; // 10 cm in each direction, 27 cells
//! mesh.vertices.iter_mut().for_each(|v| v.z += 0.01); // 1 cm above the floor
//! let rubber = Material::new(Law::NeoHookean, 1e6, 0.4)?;
//! let model = Model {
//!     bodies: vec![Body::new("cube", Mesh::Tet(mesh), rubber)],
//!     obstacles: vec![Obstacle::new("floor", Shape::Plane).with_friction(0.5)],
//!     ..Model::default() // dt = 0.01 s, gravity downwards
//! };
//! let mut world = World::new(model, SolverConfig::default())?;
//! for _ in 0..200 {
//!     world.step()?;
//! }
//! // 1 kg presses on the floor.
//! let cube = world.body("cube").expect("it has this name");
//! assert!((world.contacts().force_on(Side::Body(cube)).z - 9.81).abs() < 0.01);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Map
//!
//! | what | where |
//! |---|---|
//! | what is simulated | [`Model`] with [`Body`], [`Material`], [`Pin`], [`Load`], [`Obstacle`], [`Attachment`], [`Cable`], [`Needle`], [`Air`] |
//! | a simulation that runs | [`World`]: `step`, `save`, `restore`, `edit`, `hold`, and what can be measured |
//! | control between steps | [`World::move_obstacle`], [`World::move_pin`], [`World::set_force`], [`World::set_wind`] and the like |
//! | many of the same model | [`Prepared`]: worlds that share the assembled system and its factor; [`World::share_solver`] |
//! | how a step is solved | [`SolverConfig`]; the kinds of solvers and their settings are in [`solver`] |
//! | contacts, forces, friction | [`World::contacts`], [`contact`] |
//! | what can go wrong | [`ModelError`] before the first step, [`StepError`] in a step |
//!
//! Units are SI, axes right-handed, z is up. Scene files, recordings and reports are in the crate `pliant-scene`.
#![forbid(unsafe_code)]

pub mod contact;
pub mod fem;
mod material;
mod model;
mod motion;
pub mod snapshot;
pub mod solver;
mod state;
mod step;
mod world;

pub use contact::{Contacts, FrictionLaw, Hold, HoldId, NeedleHold, Sticking};
pub use fem::measure::{BodyExtremes, BodyMotion, BodyReach, BodyShape};
pub use material::{Law, Material, MaterialError};
pub use model::{
    Air, Attachment, AttachmentId, Bending, BendingKind, Body, BodyMeshError, Cable, CableDrive, CableId,
    CablePoint, Damping, EntryError, EntryKind, Gusts, Interval, Load, LoadId, LoadKind, Matchstick,
    MaterialPoint, Model, ModelError, Needle, NeedleId, Obstacle, Pin, PinId, PinKind, PointError, Schedule,
};
pub use motion::{Keyframe, Motion, MotionError, Paths};
pub use pliant_collide::{
    BodyId, CollideError, Contact, HeldBack, Intersections, ObstacleId, Overlap, PairDepth, Pose, Shape, Side,
};
pub use pliant_mesh::{DMat3, DVec3};
pub use snapshot::{Snapshot, SnapshotError};
pub use solver::{
    AdmmConfig, BarrierConfig, Counter, LocalGlobalConfig, NewtonConfig, SolverConfig, Stage, StepOutcome,
    StopAt, Timings,
};
pub use state::{State, StateError};
pub use step::StepError;
pub use world::convergence;
pub use world::{
    Edit, EditError, HoldRefused, Inspected, Inspector, PairContact, Prepared, PushError, Pushed, Settled,
    Touch, Verified, World, push_apart, von_mises,
};
