//! Settings of the ADMM solver.

use super::Admm;
use crate::fem::System;
use crate::solver::field::{Field, place, words};
use crate::solver::knob::Range;
use crate::solver::settings::Settings;
use crate::solver::{Budget, ContactUse, Counter, Kind, SetupError, Solver, Word};
use std::ops::Bound;

/// Settings of the ADMM solver.
///
/// ```
/// use pliant::{AdmmConfig, SolverConfig};
///
/// let config = SolverConfig::Admm(AdmmConfig { sweeps: 5, ..AdmmConfig::default() });
/// assert_eq!(config.kind(), "admm");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct AdmmConfig {
    /// Most iterations in a step: 30 for real time, 1000 where it is to converge.
    pub iterations: Budget,
    /// Residual at which a step ends early, as a fraction of the size of the bodies. 0 is never.
    pub tolerance: f64,
    /// Which residual that is.
    pub stop_at: StopAt,
    /// Sweeps over all contacts in each iteration.
    pub sweeps: usize,
    /// Iterations after which contacts are detected again; 0 is once in a step.
    pub detection_interval: usize,
    /// Weight W_e of the elements in parts of their stiffness; ARAP is exact and has its own.
    pub elastic_weight: f64,
    /// Factor on the weight W_c of the contacts that is chosen from mass and stiffness of each vertex.
    pub contact_weight: f64,
    /// How far a contact gives way to its normal force, m/N.
    pub contact_compliance: f64,
    /// Part of a penetration that a step takes back.
    pub recovery: f64,
}

/// Residuals at which a step can end [Zhu24, sec. 7.1.4].
///
/// ```
/// use pliant::{AdmmConfig, StopAt};
///
/// // As soon as nothing is where contact does not allow it.
/// let config = AdmmConfig { stop_at: StopAt::Primal, tolerance: 1e-5, ..AdmmConfig::default() };
/// # let _ = config;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopAt {
    /// The larger of both.
    Combined,
    /// The longest distance of a vertex from its virtual place, which obeys the laws of contact.
    Primal,
    /// The longest way of a vertex in an iteration.
    Dual,
}

words!(STOP_WORDS, STOPS: StopAt {
    "combined" => StopAt::Combined, "The larger of both.";
    "primal" => StopAt::Primal, "How far vertices are from what contact allows.";
    "dual" => StopAt::Dual, "How far the last iteration moved a vertex.";
});

/// Residuals of the last iteration of a step.
pub(crate) const PRIMAL: Counter = Counter::new("primal_residual");
pub(crate) const DUAL: Counter = Counter::new("dual_residual");

/// Iterations of a step for real time, and after which one that does not converge ends.
const REAL_TIME: usize = 30;
const MOST: usize = 1000;

const BUDGETS: &[Word] = &[
    Word { name: "real_time", about: "30." },
    Word { name: "auto", about: "Until the step has converged to the tolerance, at most 1000." },
];

impl AdmmConfig {
    /// Most iterations of a step.
    pub(super) fn most_iterations(&self) -> usize {
        match self.iterations {
            Budget::RealTime => REAL_TIME,
            Budget::Auto => MOST,
            Budget::Most(n) => n,
        }
    }
}

impl Default for AdmmConfig {
    fn default() -> Self {
        AdmmConfig {
            iterations: Budget::RealTime,
            tolerance: 5e-8,
            stop_at: StopAt::Combined,
            sweeps: 3,
            detection_interval: 0,
            elastic_weight: 0.5,
            contact_weight: 1.0,
            contact_compliance: 0.0,
            recovery: 1.0,
        }
    }
}

impl Settings for AdmmConfig {
    const KIND: Kind = Kind {
        name: "admm",
        about: "projective dynamics with contact by ADMM: cheap per contact, for many layers",
        snapshot_id: 3,
        contact: ContactUse::Rows,
        stages: &[],
        counters: &[PRIMAL, DUAL],
        presets: &[],
    };

    const FIELDS: &'static [Field<Self>] = &[
        Field::<Self>::iterations_or(
            BUDGETS,
            REAL_TIME,
            |c| c.iterations.value(),
            |c, value| c.iterations = Budget::of(value),
        ),
        Field::<Self>::number(
            "tolerance",
            "Residual at which a step ends early; 0 is never.",
            Range::NOT_NEGATIVE,
            |c| c.tolerance,
            |c, x| c.tolerance = x,
        ),
        Field::<Self>::word(
            "stop_at",
            "Residual that the tolerance is for.",
            STOP_WORDS,
            |c| place(STOPS, &c.stop_at),
            |c, k| c.stop_at = STOPS[k],
        ),
        Field::<Self>::count(
            "sweeps",
            "Sweeps over all contacts in each iteration.",
            [1, 1000],
            |c| c.sweeps,
            |c, n| c.sweeps = n,
        ),
        Field::<Self>::count(
            "detection_interval",
            "Iterations after which contacts are detected again; 0 is once in a step.",
            [0, 1_000_000],
            |c| c.detection_interval,
            |c, n| c.detection_interval = n,
        ),
        Field::<Self>::number(
            "elastic_weight",
            "Weight of the elements in parts of their stiffness; arap has its own.",
            Range::POSITIVE,
            |c| c.elastic_weight,
            |c, x| c.elastic_weight = x,
        ),
        Field::<Self>::number(
            "contact_weight",
            "Factor on the weight of the contacts.",
            Range::POSITIVE,
            |c| c.contact_weight,
            |c, x| c.contact_weight = x,
        ),
        Field::<Self>::number(
            "contact_compliance",
            "How far a contact gives way to its normal force, m/N.",
            Range::NOT_NEGATIVE,
            |c| c.contact_compliance,
            |c, x| c.contact_compliance = x,
        ),
        Field::<Self>::number(
            "recovery",
            "Part of a penetration that a step takes back, up to 1.",
            Range { low: Bound::Excluded(0.0), high: Bound::Included(1.0) },
            |c| c.recovery,
            |c, x| c.recovery = x,
        ),
    ];

    fn build(&self, system: &System, dt: f64, contacts: bool) -> Result<Box<dyn Solver>, SetupError> {
        Ok(Box::new(Admm::new(self, system, dt, contacts)?))
    }
}
