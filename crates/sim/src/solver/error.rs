//! Why a solver cannot be set up, cannot solve a step or cannot hold a point.

use super::{ContactUse, Kind, kinds_with};
use crate::material::Law;
use pliant_linalg::NotPositiveDefinite;

/// Why a solver could not solve a step.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// Its input is not a number.
    #[error("positions, velocities or loads are not finite")]
    NotFinite,
    /// A matrix of the step has no factor.
    #[error(
        "Newton's matrix could not be factored ({0}): check for vertices without mass or non-finite input"
    )]
    NotPositiveDefinite(#[from] NotPositiveDefinite),
    /// No start with finite energy was found.
    #[error(
        "{} has infinite energy at every start that was tried: use a smaller dt, slower pins or the law {}",
        named(*.tet),
        Law::StableNeoHookean.name()
    )]
    InfeasibleStart {
        /// An inverted tetrahedron; none if a triangle is to blame.
        tet: Option<usize>,
    },
}

fn named(tet: Option<usize>) -> String {
    match tet {
        Some(tet) => format!("the Neo-Hookean tetrahedron {tet}"),
        None => "a Neo-Hookean triangle".to_string(),
    }
}

/// Why a solver cannot be set up for a model.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// It does not see contact, and there is something to touch or to be tied to.
    #[error("it knows no contact: use {}, or remove obstacles", kinds_with(ContactUse::Rows))]
    NoContact(&'static Kind),
    /// Its global solve is incomplete, which contact cannot do with.
    #[error("contact needs a complete global step: set global = \"panels\"")]
    IncompleteGlobal,
    /// The constant matrix has no factor.
    #[error("{0}: check for elements of extreme size or stiffness")]
    NotPositiveDefinite(#[from] NotPositiveDefinite),
    /// A setting is out of range.
    #[error("{0}")]
    Setting(String),
}

/// Why a solver cannot hold points.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HoldError {
    /// Holds are rows of the contact problem, and the solver has none.
    #[error("{} knows no holds: use {}", .0.name, kinds_with(ContactUse::Rows))]
    NoRows(&'static Kind),
    /// Its global solve is incomplete.
    #[error("holds need a complete global step: set global = \"panels\"")]
    IncompleteGlobal,
    /// The constant matrix has no factor.
    #[error(transparent)]
    NotPositiveDefinite(#[from] NotPositiveDefinite),
}
