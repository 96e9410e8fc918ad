//! Frictional contact: which surface points touch in a step, and the forces between them.
//!
//! `collide` finds the points ([`Contacts`]); a solver finds the forces that keep them apart and resist their
//! sliding (Signorini and Coulomb, [`coulomb`]), coupled through the compliance of the bodies ([`delassus`]).

pub mod active_set;
pub mod coulomb;
pub mod delassus;
pub mod gauss_seidel;
mod hold;
mod joints;
pub mod ncp;
mod needle;
pub mod newton;
mod problem;
mod response;
mod set;
pub mod unbuilt;

pub use hold::{Hold, HoldId};
pub(crate) use joints::{CableStation, check_point, path_length, piece};
pub use joints::{Joints, WeightedPoint};
pub use needle::NeedleHold;
pub use problem::{CableRow, Problem, Until};
pub(crate) use set::surfaces;
pub use set::{Contacts, Sticking};
