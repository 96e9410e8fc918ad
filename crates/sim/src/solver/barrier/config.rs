//! Settings of the barrier solver.

use super::Barrier;
use crate::fem::System;
use crate::solver::field::{Field, place, words};
use crate::solver::knob::Range;
use crate::solver::settings::Settings;
use crate::solver::{ContactUse, Counter, Kind, SetupError, Solver, Stage};

/// Pairs, their free part of a motion, and distances.
pub(super) const FREE: Stage = Stage::new("free_part");
/// Energies along a step.
pub(super) const LINE_SEARCH: Stage = Stage::new("line_search");

/// Pairs within reach at the end of a step.
pub(super) const PAIRS: Counter = Counter::new("pairs");
/// Halvings of line searches.
pub(super) const HALVINGS: Counter = Counter::new("halvings");
/// Iterations of the linear solver.
pub(super) const PCG: Counter = Counter::new("pcg");
/// Steps that were shortened because something would have been met or inverted.
pub(super) const SHORTENED: Counter = Counter::new("shortened");

/// Settings of the barrier solver.
#[derive(Clone, Debug, PartialEq)]
pub struct BarrierConfig {
    /// Most Newton iterations in a step.
    pub iterations: usize,
    /// A step has converged when no vertex would move faster in another iteration, m/s.
    pub tolerance: f64,
    /// Gap from which on surfaces push each other apart, m.
    pub d_hat: f64,
    /// Speed below which friction sticks, m/s.
    pub eps_v: f64,
    /// Stiffness of the barrier in parts of the stiffness of the vertices that it holds.
    pub stiffness: f64,
    /// Whether multipliers carry the force of contacts whose gap gets small.
    pub augmentation: Augmentation,
    /// When friction is taken anew.
    pub friction_lag: FrictionLag,
    /// How Newton's systems are solved.
    pub linear: NewtonSolve,
    /// Most iterations of conjugate gradients for one system.
    pub pcg_iterations: usize,
    /// Part of the right-hand side that conjugate gradients may leave.
    pub pcg_tolerance: f64,
}

/// Whether contacts are augmented by multipliers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Augmentation {
    /// Those whose gap gets small \[Guo24\].
    Small,
    /// None: the barrier alone \[Li20\].
    Off,
}

/// When friction is taken anew from the forces and directions of the contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FrictionLag {
    /// In each iteration, as long as that converges \[Guo24\].
    Iteration,
    /// When the step has converged with the last one \[Li20\].
    Solve,
}

/// How Newton's systems are solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NewtonSolve {
    /// By a Cholesky factor.
    Cholesky,
    /// By conjugate gradients with the 3x3 blocks of the diagonal as preconditioner.
    Pcg,
}

words!(AUGMENTATION, AUGMENTATIONS: Augmentation {
    "small" => Augmentation::Small, "Of contacts whose gap gets small.";
    "off" => Augmentation::Off, "None: the barrier alone.";
});

words!(FRICTION_LAG, LAGS: FrictionLag {
    "iteration" => FrictionLag::Iteration, "In each iteration, as long as that converges.";
    "solve" => FrictionLag::Solve, "When the step has converged with the last one.";
});

words!(LINEAR, SOLVES: NewtonSolve {
    "cholesky" => NewtonSolve::Cholesky, "By a Cholesky factor.";
    "pcg" => NewtonSolve::Pcg, "By conjugate gradients with the 3x3 blocks of the diagonal as preconditioner.";
});

impl Default for BarrierConfig {
    fn default() -> Self {
        BarrierConfig {
            iterations: 200,
            tolerance: 1e-3,
            d_hat: 1e-3,
            eps_v: 1e-3,
            stiffness: 1.0,
            augmentation: Augmentation::Off,
            friction_lag: FrictionLag::Iteration,
            linear: NewtonSolve::Cholesky,
            pcg_iterations: 2000,
            pcg_tolerance: 1e-4,
        }
    }
}

impl Settings for BarrierConfig {
    const KIND: Kind = Kind {
        name: "barrier",
        about: "Newton's method with a barrier: nothing ever intersects or inverts",
        snapshot_id: 5,
        contact: ContactUse::Barrier,
        stages: &[FREE, LINE_SEARCH],
        counters: &[PAIRS, HALVINGS, PCG, SHORTENED],
        presets: &[],
    };

    const FIELDS: &'static [Field<Self>] = &[
        Field::<Self>::iterations(|c| c.iterations, |c, n| c.iterations = n),
        Field::<Self>::number(
            "tolerance",
            "Speed that no vertex would reach in another iteration when a step has converged, m/s.",
            Range::POSITIVE,
            |c| c.tolerance,
            |c, x| c.tolerance = x,
        ),
        Field::<Self>::number(
            "d_hat",
            "Gap from which on surfaces push each other apart, m; less where they start nearer.",
            Range::POSITIVE,
            |c| c.d_hat,
            |c, x| c.d_hat = x,
        ),
        Field::<Self>::number(
            "eps_v",
            "Speed below which friction sticks, m/s.",
            Range::POSITIVE,
            |c| c.eps_v,
            |c, x| c.eps_v = x,
        ),
        Field::<Self>::number(
            "stiffness",
            "Stiffness of the barrier in parts of that of the vertices that it holds.",
            Range::POSITIVE,
            |c| c.stiffness,
            |c, x| c.stiffness = x,
        ),
        Field::<Self>::word(
            "augmentation",
            "Which contacts have multipliers that carry their force.",
            AUGMENTATION,
            |c| place(AUGMENTATIONS, &c.augmentation),
            |c, i| c.augmentation = AUGMENTATIONS[i],
        ),
        Field::<Self>::word(
            "friction_lag",
            "When friction is taken anew.",
            FRICTION_LAG,
            |c| place(LAGS, &c.friction_lag),
            |c, i| c.friction_lag = LAGS[i],
        ),
        Field::<Self>::word(
            "linear",
            "How Newton's systems are solved.",
            LINEAR,
            |c| place(SOLVES, &c.linear),
            |c, i| c.linear = SOLVES[i],
        ),
        Field::<Self>::count(
            "pcg_iterations",
            "Most iterations of conjugate gradients for one system.",
            [1, 1_000_000],
            |c| c.pcg_iterations,
            |c, n| c.pcg_iterations = n,
        )
        .only_with("linear", "pcg"),
        Field::<Self>::number(
            "pcg_tolerance",
            "Part of the right-hand side that conjugate gradients may leave.",
            Range::POSITIVE,
            |c| c.pcg_tolerance,
            |c, x| c.pcg_tolerance = x,
        )
        .only_with("linear", "pcg"),
    ];

    fn build(&self, system: &System, dt: f64, _: bool) -> Result<Box<dyn Solver>, SetupError> {
        Ok(Box::new(Barrier::new(self, system, dt)))
    }
}
