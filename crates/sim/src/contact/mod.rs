//! Frictional contact for every solver that wants it as rows of one problem: which points touch in a step, what ties
//! others, and the forces between them.
//!
//! `set` finds the contacts and carries their forces from step to step; `guard` looks afterwards for what passed
//! through; `joints` are attachments, cables, needles and holds. `rows` turns all of them into points of one
//! problem, `operator` says how far a force on one point moves another, `methods` find the forces. A solver gives
//! the rows of its matrix, its positions and its factor, and gets forces.

mod guard;
mod joints;
pub(crate) mod methods;
pub(crate) mod operator;
pub(crate) mod places;
pub(crate) mod rows;
mod set;
mod settings;

#[cfg(test)]
mod test_systems;

pub use joints::{Hold, HoldId, Joints, NeedleHold};
pub(crate) use joints::{check_point, path_length};
pub(crate) use set::surfaces;
pub use set::{Contacts, FrictionLaw, Sticking};
pub use settings::{
    ContactConfig, ContactMethod, LinearSolve, Ncp, NonSmoothNewton, OperatorChoice, Preconditioner,
};
