//! Why a solver cannot be set up, cannot solve a step or cannot hold a point, and why a setting is refused.

use super::kind::Kind;
use super::knob::{Knob, Value};
use crate::material::Law;
use pliant_linalg::NotPositiveDefinite;
use pliant_linalg::background::BackgroundError;

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
    /// A factor that was made beside the simulation did not arrive.
    #[error("the factor is missing: {0}")]
    Background(#[from] BackgroundError),
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
    /// A step of a barrier starts from places that it must not have.
    #[error("{what}: start from places where nothing touches and no element is inverted")]
    NotFree {
        /// What touches or is inverted.
        what: String,
    },
    /// Pins and obstacles cannot get to where they should be at the end of the step.
    #[error(
        "pins and obstacles got only {:.3} % of their way, because {between} leave no room ({gap:.2e} m apart): leave more room \
         between what moves, or use a smaller dt",
        100.0 * .part
    )]
    NoRoom {
        /// Part of their way that they went.
        part: f64,
        /// What is in the way.
        between: String,
        /// How far that is apart, in m.
        gap: f64,
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
    #[error("it knows no contact: use {}, or remove obstacles", .others.join(" or "))]
    NoContact {
        /// Kinds that do.
        others: Vec<&'static str>,
    },
    /// It does not know attachments, cables, needles or friction with a direction.
    #[error("it knows no {what}: use {}, or remove them", .others.join(" or "))]
    NoJoints {
        /// What it does not know.
        what: &'static str,
        /// Kinds that do.
        others: Vec<&'static str>,
    },
    /// Its matrix is constant, and there is damping by the true stiffness.
    #[error(
        "its matrix is constant, so it knows no damping by the tangent stiffness: use a solver that assembles the true stiffness, \
         or damping.stiffness"
    )]
    NoTangentDamping,
    /// Something touches at the start, or an element is inverted, which a barrier cannot leave.
    #[error("at the start {what}: {remedy}")]
    NotFree {
        /// What touches, and where.
        what: String,
        /// What to do.
        remedy: &'static str,
    },
    /// Its global solve is incomplete, which contact cannot do with.
    #[error("contact needs a complete global step: set global = \"panels\"")]
    IncompleteGlobal,
    /// The constant matrix has no factor.
    #[error("{0}: check for elements of extreme size or stiffness")]
    NotPositiveDefinite(#[from] NotPositiveDefinite),
    /// The factor of its matrix does not fit into memory.
    #[error(
        "making the factor of the true stiffness takes {:.2} GiB, and {:.2} GiB are left: use a coarser mesh, or a solver with a \
         constant matrix, whose factor has about a ninth of the numbers",
        gibibytes(*.needed),
        gibibytes(*.available)
    )]
    NoMemory {
        /// Bytes that it takes.
        needed: usize,
        /// Bytes that are left.
        available: usize,
    },
    /// A setting cannot be as it is.
    #[error(transparent)]
    Setting(#[from] SettingError),
}

fn gibibytes(bytes: usize) -> f64 {
    bytes as f64 / (1u64 << 30) as f64
}

impl SetupError {
    /// An error if the system has damping that a constant matrix does not know.
    pub(super) fn unless_constant_damping(system: &crate::fem::System) -> Result<(), SetupError> {
        if system.materials.iter().any(|m| m.tangent_damping > 0.0) {
            return Err(SetupError::NoTangentDamping);
        }
        Ok(())
    }
}

/// Why a solver cannot hold points.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HoldError {
    /// Holds are rows of the contact problem, and the solver has none.
    #[error("{} knows no holds: use {}", .kind.name, .others.join(" or "))]
    NoRows {
        /// The solver.
        kind: &'static Kind,
        /// Kinds that do.
        others: Vec<&'static str>,
    },
    /// Its global solve is incomplete.
    #[error("holds need a complete global step: set global = \"panels\"")]
    IncompleteGlobal,
    /// The constant matrix has no factor.
    #[error(transparent)]
    NotPositiveDefinite(#[from] NotPositiveDefinite),
}

/// Why a setting cannot be as it is.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SettingError {
    /// The solver has no such setting.
    Unknown {
        /// What was asked for.
        name: String,
        /// What it has.
        known: Vec<&'static str>,
    },
    /// A value of the wrong type or out of bounds.
    OutOfRange {
        /// The setting.
        knob: &'static Knob,
        /// The value.
        value: Value,
        /// A good one.
        example: Value,
    },
    /// The setting means nothing together with the others.
    Unused {
        /// The setting.
        knob: &'static Knob,
    },
    /// Two settings exclude each other.
    Conflict {
        /// One of them.
        name: &'static str,
        /// What it needs.
        needs: &'static str,
        /// What to do.
        remedy: &'static str,
    },
}

impl SettingError {
    /// What is wrong, starting with the name of the setting.
    pub fn cause(&self) -> String {
        match self {
            SettingError::Unknown { name, .. } => format!("{name} is no setting of this solver"),
            SettingError::OutOfRange { knob, value, .. } => {
                format!("{} = {value} must be {}", knob.name, knob.domain)
            }
            SettingError::Unused { knob } => match knob.only_with {
                Some((other, word)) => format!("{} is for {other} = \"{word}\"", knob.name),
                None => format!("{} is not used", knob.name),
            },
            SettingError::Conflict { name, needs, .. } => format!("{name} needs {needs}"),
        }
    }

    /// What to do about it.
    pub fn remedy(&self) -> String {
        match self {
            SettingError::Unknown { known, .. } => format!("it has {}", known.join(", ")),
            SettingError::OutOfRange { example, .. } => format!("write for example {example}"),
            SettingError::Unused { knob } => match knob.only_with {
                Some((other, _)) => format!("remove it, or set `{other}`"),
                None => "remove it".to_string(),
            },
            SettingError::Conflict { remedy, .. } => remedy.to_string(),
        }
    }
}

impl std::fmt::Display for SettingError {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}: {}", self.cause(), self.remedy())
    }
}

impl std::error::Error for SettingError {}
