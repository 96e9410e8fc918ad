//! Settings of the local-global solver.

use super::LocalGlobal;
use crate::contact::{
    ContactConfig, ContactMethod, LinearSolve, Ncp, NonSmoothNewton, OperatorChoice, Preconditioner,
};
use crate::fem::System;
use crate::solver::field::{Field, place, words};
use crate::solver::knob::Range;
use crate::solver::settings::Settings;
use crate::solver::{ContactUse, Counter, Kind, Preset, SettingError, SetupError, Solver, Value, Word};
use std::ops::Bound;

/// Spectral radius that Chebyshev acceleration assumes when none is given.
const DEFAULT_SPECTRAL_RADIUS: f64 = 0.9992;

/// Products with the Hessian in conjugate gradients, each with a global solve.
pub(super) const PRODUCTS: Counter = Counter::new("hessian_products");

/// Settings of the local-global solver.
///
/// ```
/// use pliant::solver::Budget;
/// use pliant::{LocalGlobalConfig, SolverConfig};
///
/// let converged = LocalGlobalConfig { iterations: Budget::Auto, ..LocalGlobalConfig::default() };
/// let config = SolverConfig::LocalGlobal(converged);
/// assert_eq!(config.kind(), "local_global");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LocalGlobalConfig {
    /// Most local-global iterations in a step.
    pub iterations: Budget,
    /// Stop early once the residual is at or below it: the longest correction of an iteration, or the estimate of the error of
    /// a Newton iteration where nothing touches, as a fraction of the size of the bodies. 0 is a choice of the Newton
    /// iteration, 1e-5 or less, and stops ADMM only if the budget is [`Budget::Auto`].
    pub tolerance: f64,
    /// What an iteration is.
    pub iteration: IterationKind,
    /// How the global system is solved.
    pub global: GlobalSolve,
    /// Window of Anderson acceleration; 0 switches it off.
    pub anderson: usize,
    /// Arithmetic of the local and the global step.
    pub precision: Precision,
    /// How the contact forces are found.
    pub contact: ContactConfig,
    /// Factor on the weight of the local step that is chosen from Poisson's ratio; 1 is the guarded default.
    pub weight_scale: f64,
}

impl Default for LocalGlobalConfig {
    fn default() -> Self {
        LocalGlobalConfig {
            iterations: Budget::RealTime,
            tolerance: 0.0,
            iteration: IterationKind::NewtonCg,
            global: GlobalSolve::Panels,
            anderson: 0,
            precision: Precision::Single,
            contact: ContactConfig::default(),
            weight_scale: 1.0,
        }
    }
}

/// How many iterations a step may have. It ends earlier where it has converged to the tolerance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Budget {
    /// What the solver takes for real time. The local-global solver: five. With the Newton iteration up to fifteen where five leave too
    /// much of a contact between solids, then the true stiffness if the solids are small; where nothing touches up to twenty, eighty if there
    /// is cloth: most steps need two there, stiff cloth in long steps many more.
    RealTime,
    /// As many as it takes to converge, up to what the solver allows.
    Auto,
    /// So many.
    Most(usize),
}

impl From<usize> for Budget {
    fn from(n: usize) -> Budget {
        Budget::Most(n)
    }
}

/// Iterations of [`Budget::RealTime`] where something touches, and where nothing does.
pub(super) const REAL_TIME: usize = 5;
const REAL_TIME_FREE: usize = 20;

/// The latter if there is cloth: stiff cloth in long steps turns and folds by large angles, which takes Newton's method long, too.
const REAL_TIME_CLOTH: usize = 80;

/// Most of them where something touches, and five leave too much.
const REAL_TIME_HARD: usize = 15;

/// Iterations after which a step that does not converge ends.
const MOST: usize = 200;

impl Budget {
    /// Whether a step with contact that has got `count` iterations of the Newton iteration gets as many again: a hard one is worth more
    /// than what a wrong one costs later.
    pub(super) fn may_extend(self, count: usize) -> bool {
        self == Budget::RealTime && count < REAL_TIME_HARD
    }

    /// The number of iterations of a step, `free` if it is one of the Newton iteration in which nothing touches, of bodies with or
    /// without cloth.
    pub(super) fn iterations(self, free: bool, cloth: bool) -> usize {
        match self {
            Budget::RealTime if free && cloth => REAL_TIME_CLOTH,
            Budget::RealTime if free => REAL_TIME_FREE,
            Budget::RealTime => REAL_TIME,
            Budget::Auto => MOST,
            Budget::Most(n) => n,
        }
    }

    pub(in crate::solver) fn value(self) -> Value {
        match self {
            Budget::RealTime => Value::Word("real_time"),
            Budget::Auto => Value::Word("auto"),
            Budget::Most(n) => Value::Count(n),
        }
    }

    pub(in crate::solver) fn of(value: Value) -> Budget {
        match value {
            Value::Count(n) => Budget::Most(n),
            Value::Word("auto") => Budget::Auto,
            _ => Budget::RealTime,
        }
    }
}

const BUDGETS: &[Word] = &[
    Word {
        name: "real_time",
        about: "5; with iteration = \"newton_cg\" up to 15 where these leave too much of a contact between solids, and up to 20, or 80 with cloth, where nothing touches.",
    },
    Word { name: "auto", about: "Until the step has converged to the tolerance, at most 200." },
];

/// What an iteration does with the elements. Both end at the same step where both converge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IterationKind {
    /// The true forces and Hessian products, by conjugate gradients that are preconditioned with the factor of A and exact
    /// rotations.
    NewtonCg,
    /// Projections with duals, then a global solve [Zeng25, Overby17]. Diverges at large compression, and turns stiff bodies
    /// too slowly. Incomplete global solves always use it.
    Admm,
}

/// How `A dq = r` is solved in the global step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum GlobalSolve {
    /// Supernodal panels of the Cholesky factor (complete; the fastest on a CPU).
    Panels,
    /// The sparse inverse factor `S = L^-1`, two sparse products [Zeng25, sec. 4] (complete).
    SparseInverse,
    /// One Jacobi iteration (incomplete) \[Wang15\].
    Jacobi,
    /// Jacobi with Chebyshev acceleration over the local-global iterations \[Wang15\]; the value estimates the
    /// spectral radius.
    Chebyshev(f64),
}

/// Arithmetic of the inner kernels. Positions, velocities and sums are always f64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// f32 in SIMD batches, in increment form.
    Single,
    /// f64, the slow oracle.
    Double,
}

impl Settings for LocalGlobalConfig {
    const KIND: Kind = Kind {
        name: "local_global",
        about: "local-global iteration with a matrix that is factored once: for real time",
        snapshot_id: 0,
        contact: ContactUse::Rows,
        stages: &[],
        counters: &[PRODUCTS],
        presets: &[
            Preset { name: "complete", setting: ("global", "panels") },
            Preset { name: "sparse_inverse", setting: ("global", "sparse_inverse") },
            Preset { name: "jacobi", setting: ("global", "jacobi") },
            Preset { name: "chebyshev", setting: ("global", "chebyshev") },
        ],
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
            "Residual at which a step ends early; 0 is 1e-5 or less with newton_cg and \"auto\", and never with admm.",
            Range::NOT_NEGATIVE,
            |c| c.tolerance,
            |c, x| c.tolerance = x,
        ),
        Field::<Self>::word(
            "iteration",
            "What an iteration does with the elements.",
            ITERATION_WORDS,
            |c| place(ITERATIONS, &c.iteration),
            |c, i| c.iteration = ITERATIONS[i],
        ),
        Field::<Self>::word(
            "global",
            "How the global system is solved.",
            GLOBAL_WORDS,
            |c| place(GLOBALS, &c.global),
            |c, i| c.global = GLOBALS[i],
        ),
        Field::<Self>::number(
            "spectral_radius",
            "Estimate of the spectral radius, below 1.",
            Range { low: Bound::Excluded(0.0), high: Bound::Excluded(1.0) },
            |c| if let GlobalSolve::Chebyshev(radius) = c.global { radius } else { DEFAULT_SPECTRAL_RADIUS },
            |c, x| c.global = GlobalSolve::Chebyshev(x),
        )
        .only_with("global", "chebyshev"),
        Field::<Self>::count(
            "anderson",
            "Window of Anderson acceleration, 0 is off; 3 to 10 are useful.",
            [0, 100],
            |c| c.anderson,
            |c, n| c.anderson = n,
        ),
        Field::<Self>::word(
            "precision",
            "Arithmetic of the inner kernels.",
            PRECISION_WORDS,
            |c| place(PRECISIONS, &c.precision),
            |c, i| c.precision = PRECISIONS[i],
        ),
        Field::<Self>::number(
            "weight_scale",
            "Factor on the weight of the local step.",
            Range::POSITIVE,
            |c| c.weight_scale,
            |c, x| c.weight_scale = x,
        ),
        Field::<Self>::word(
            "contact",
            "How contact forces are found.",
            METHOD_WORDS,
            |c| place(METHODS, &c.contact.method),
            |c, i| c.contact.method = METHODS[i],
        ),
        Field::<Self>::count(
            "sweeps",
            "Most sweeps of block Gauss-Seidel over the contacts in an iteration.",
            [1, 100_000],
            |c| c.contact.sweeps,
            |c, n| c.contact.sweeps = n,
        ),
        Field::<Self>::word(
            "ncp",
            "Function of complementarity.",
            NCP_WORDS,
            |c| place(NCPS, &non_smooth(c).ncp),
            |c, i| change_non_smooth(c, |n| n.ncp = NCPS[i]),
        )
        .only_with("contact", "non_smooth_newton"),
        Field::<Self>::word(
            "preconditioner",
            "What scales gaps and forces to each other.",
            PRECONDITIONER_WORDS,
            |c| place(PRECONDITIONERS, &non_smooth(c).preconditioner),
            |c, i| change_non_smooth(c, |n| n.preconditioner = PRECONDITIONERS[i]),
        )
        .only_with("contact", "non_smooth_newton"),
        Field::<Self>::count(
            "residual_iterations",
            "Conjugate residual iterations; 0 solves directly.",
            [0, 1_000_000],
            |c| match non_smooth(c).linear {
                LinearSolve::Direct => 0,
                LinearSolve::ConjugateResiduals(n) => n,
            },
            |c, n| {
                let linear = if n == 0 { LinearSolve::Direct } else { LinearSolve::ConjugateResiduals(n) };
                change_non_smooth(c, |n| n.linear = linear);
            },
        )
        .only_with("contact", "non_smooth_newton"),
        Field::<Self>::word(
            "operator",
            "How the conjugate residual iterations form their products.",
            OPERATOR_WORDS,
            |c| place(OPERATORS, &non_smooth(c).operator),
            |c, i| change_non_smooth(c, |n| n.operator = OPERATORS[i]),
        )
        .only_with("contact", "non_smooth_newton"),
    ];

    fn check_together(&self) -> Result<(), SettingError> {
        if self.anderson > 0 && self.iteration == IterationKind::NewtonCg {
            return Err(SettingError::Conflict {
                name: "anderson",
                needs: "iteration = \"admm\"",
                remedy: "set anderson = 0",
            });
        }
        if self.anderson > 0 && self.precision == Precision::Double {
            return Err(SettingError::Conflict {
                name: "anderson",
                needs: "precision = \"single\"",
                remedy: "set anderson = 0",
            });
        }
        Ok(())
    }

    fn build(&self, system: &System, dt: f64, contacts: bool) -> Result<Box<dyn Solver>, SetupError> {
        SetupError::unless_constant_damping(system)?;
        Ok(Box::new(LocalGlobal::new(self, system, dt, contacts)?))
    }
}

/// Settings of the non-smooth Newton method, whether it is chosen or not.
fn non_smooth(c: &LocalGlobalConfig) -> NonSmoothNewton {
    if let ContactMethod::NonSmoothNewton(settings) = c.contact.method {
        settings
    } else {
        Default::default()
    }
}

fn change_non_smooth(c: &mut LocalGlobalConfig, change: impl FnOnce(&mut NonSmoothNewton)) {
    let mut settings = non_smooth(c);
    change(&mut settings);
    c.contact.method = ContactMethod::NonSmoothNewton(settings);
}

words!(ITERATION_WORDS, ITERATIONS: IterationKind {
    "newton_cg" => IterationKind::NewtonCg, "True forces and Hessian products, by conjugate gradients.";
    "admm" => IterationKind::Admm, "Projections with duals.";
});

words!(GLOBAL_WORDS, GLOBALS: GlobalSolve {
    "panels" => GlobalSolve::Panels, "Supernodal panels of the Cholesky factor.";
    "sparse_inverse" => GlobalSolve::SparseInverse, "The sparse inverse factor.";
    "jacobi" => GlobalSolve::Jacobi, "One Jacobi iteration.";
    "chebyshev" => GlobalSolve::Chebyshev(DEFAULT_SPECTRAL_RADIUS), "Jacobi with Chebyshev acceleration.";
});

words!(PRECISION_WORDS, PRECISIONS: Precision {
    "single" => Precision::Single, "32 bit.";
    "double" => Precision::Double, "64 bit.";
});

words!(METHOD_WORDS, METHODS: ContactMethod {
    "automatic" => ContactMethod::Automatic,
        "Directly where contacts are few, by block Gauss-Seidel where they are many.";
    "direct" => ContactMethod::Direct,
        "An active set of open, sticking and sliding contacts with factorised systems.";
    "gauss_seidel" => ContactMethod::GaussSeidel,
        "Block Gauss-Seidel with the exact solution of each contact.";
    "non_smooth_newton" => ContactMethod::NonSmoothNewton(NonSmoothNewton::DEFAULT),
        "One non-smooth Newton step in each iteration.";
});

words!(NCP_WORDS, NCPS: Ncp {
    "fischer_burmeister" => Ncp::FischerBurmeister, "Smooth except at the origin.";
    "minimum_map" => Ncp::MinimumMap, "The smaller of the two.";
});

words!(PRECONDITIONER_WORDS, PRECONDITIONERS: Preconditioner {
    "system_inverse" => Preconditioner::SystemInverse, "The compliance of the whole step.";
    "mass_inverse" => Preconditioner::MassInverse, "That of the masses alone.";
});

words!(OPERATOR_WORDS, OPERATORS: OperatorChoice {
    "automatic" => OperatorChoice::Automatic, "By what costs less.";
    "entries" => OperatorChoice::Entries, "With its entries, which are computed once.";
    "matrix_free" => OperatorChoice::MatrixFree, "By a global solve each.";
});
