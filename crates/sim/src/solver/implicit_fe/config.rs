//! Settings of the implicit finite-element solver.

use super::{ImplicitFe, memory};
use crate::contact::{ContactConfig, ContactMethod};
use crate::fem::System;
use crate::solver::field::{Field, place, words};
use crate::solver::knob::Range;
use crate::solver::settings::Settings;
use crate::solver::{ContactUse, Counter, Kind, SetupError, Solver, Value, Word};

/// Iterations of conjugate gradients.
pub(super) const PCG: Counter = Counter::new("pcg_iterations");
/// Steps since the state that the factor is of.
pub(super) const AGE: Counter = Counter::new("factor_age");
/// Touched vertices whose columns were computed, and those whose columns were known.
pub(super) const FRESH: Counter = Counter::new("isolated_new");
pub(super) const KNOWN: Counter = Counter::new("isolated_reused");
/// Products with the operator where it is not built.
pub(super) const PRODUCTS: Counter = Counter::new("operator_products");
/// How often a step was halved.
pub(super) const HALVINGS: Counter = Counter::new("halvings");

/// Settings of the implicit finite-element solver.
#[derive(Clone, Debug, PartialEq)]
pub struct ImplicitFeConfig {
    /// Most linearisations of the forces in a step; 1 is the step of \[Zeng22\].
    pub iterations: Linearisations,
    /// A step has converged when another iteration would move no vertex by more than this part of the size of its body; 0 is
    /// never.
    pub tolerance: f64,
    /// When the matrix is factored.
    pub factor: FactorMode,
    /// Whether the factor turns with the bodies.
    pub warp: bool,
    /// Residual at which conjugate gradients end, relative to the right-hand side.
    pub pcg_tolerance: f64,
    /// Most iterations of conjugate gradients; a factor that needs more is replaced at once.
    pub pcg_iterations: usize,
    /// How the compliance between contacts is found.
    pub schur: Schur,
    /// Whether the compliance between contacts has entries.
    pub operator: OperatorUse,
    /// What moves the bodies by the forces of the contacts.
    pub correction: Correction,
    /// Contact problems that are solved in an iteration, each for the directions that the last one led to \[ZengRec\].
    pub recursion: usize,
    /// How far the bodies follow the forces between these contact problems.
    pub update: Update,
    /// When the directions of contacts are found.
    pub directions: Directions,
    /// How the contact forces are found.
    pub contact: ContactConfig,
}

impl Default for ImplicitFeConfig {
    fn default() -> Self {
        ImplicitFeConfig {
            iterations: Linearisations::Auto,
            tolerance: 1e-5,
            factor: FactorMode::Lagged(DEFAULT_LAG),
            warp: true,
            pcg_tolerance: 1e-6,
            pcg_iterations: 100,
            schur: Schur::Reuse,
            operator: OperatorUse::Automatic,
            correction: Correction::Factor,
            recursion: 2,
            update: Update::Fast,
            directions: Directions::Iteration,
            contact: ContactConfig::default(),
        }
    }
}

impl ImplicitFeConfig {
    /// Most contact problems in an iteration.
    pub(super) fn contact_problems(&self) -> usize {
        match self.directions {
            Directions::Sweep => self.contact.sweeps,
            _ => self.recursion,
        }
    }
}

/// Steps that a factor takes if nothing else is said.
const DEFAULT_LAG: usize = 5;

/// How often the forces are linearised in a step. It ends earlier where it has converged to the tolerance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Linearisations {
    /// Until the step has converged, at most 20 times; less where more of them hardly help.
    Auto,
    /// At most so often.
    Most(usize),
}

/// Iterations after which a step that does not converge ends.
const MOST: usize = 20;

const BUDGETS: &[Word] =
    &[Word { name: "auto", about: "Until the step has converged to the tolerance, at most 20." }];

impl Linearisations {
    /// The largest number in a step.
    pub(super) fn most(self) -> usize {
        match self {
            Linearisations::Auto => MOST,
            Linearisations::Most(n) => n,
        }
    }

    fn value(self) -> Value {
        match self {
            Linearisations::Auto => Value::Word("auto"),
            Linearisations::Most(n) => Value::Count(n),
        }
    }

    fn of(value: Value) -> Linearisations {
        match value {
            Value::Count(n) => Linearisations::Most(n),
            _ => Linearisations::Auto,
        }
    }
}

/// When the matrix is factored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FactorMode {
    /// Beside the simulation; taken over this many steps after it was begun, waiting for it if need be.
    Lagged(usize),
    /// Beside the simulation; taken over as soon as it is there, so that results depend on the speed of the machine.
    WhenReady,
    /// At the start of each step.
    EachStep,
}

/// How the compliance between contacts is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Schur {
    /// From columns of the inverse factor along their paths, kept until the factor is replaced.
    Reuse,
    /// The same, computed in each step.
    Isodof,
    /// By a solve for each touched vertex.
    Dense,
    /// No contact moves another one.
    Diagonal,
}

/// Whether the compliance between contacts has entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OperatorUse {
    /// Where they cost less than solves would.
    Automatic,
    /// Always.
    Built,
    /// Never: each product with it is a solve by the factor. Cables and needles need entries all the same.
    Unbuilt,
}

/// What moves the bodies by the forces of the contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Correction {
    /// The factor, as in the contact problem: gaps close exactly.
    Factor,
    /// The matrix of this step, by conjugate gradients: forces balance exactly.
    Pcg,
}

/// How far the bodies follow the forces between the contact problems of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Update {
    /// The touched vertices alone, by the entries between them [ZengRec, algorithm 3].
    Fast,
    /// All vertices.
    Standard,
}

/// When the directions of contacts are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Directions {
    /// Before each contact problem, where its bodies have come to.
    Iteration,
    /// Before each sweep of block Gauss-Seidel over the contacts: a contact problem is one sweep, and there are as many of them in an
    /// iteration as sweeps are allowed.
    Sweep,
    /// Once, at the start of the step.
    Step,
}

impl Settings for ImplicitFeConfig {
    const KIND: Kind = Kind {
        name: "implicit_fe",
        about: "linearised implicit finite elements with a factor of the true stiffness that is made beside the simulation",
        snapshot_id: 2,
        contact: ContactUse::Rows,
        stages: &[super::ASSEMBLY, super::FACTOR],
        counters: &[PCG, AGE, FRESH, KNOWN, PRODUCTS, HALVINGS],
        presets: &[],
    };

    const FIELDS: &'static [Field<Self>] = &[
        Field::<Self>::iterations_or(
            BUDGETS,
            1,
            |c| c.iterations.value(),
            |c, value| c.iterations = Linearisations::of(value),
        ),
        Field::<Self>::number(
            "tolerance",
            "Residual at which a step ends early; 0 is never.",
            Range::NOT_NEGATIVE,
            |c| c.tolerance,
            |c, x| c.tolerance = x,
        ),
        Field::<Self>::word(
            "factor",
            "When the matrix is factored.",
            FACTOR_WORDS,
            |c| place(FACTORS, &c.factor),
            |c, i| c.factor = FACTORS[i],
        ),
        Field::<Self>::count(
            "lag",
            "Steps from the start of a factor to its use, with factor = \"lagged\".",
            [1, 10_000],
            |c| if let FactorMode::Lagged(lag) = c.factor { lag } else { DEFAULT_LAG },
            |c, n| {
                if let FactorMode::Lagged(lag) = &mut c.factor {
                    *lag = n;
                }
            },
        ),
        Field::<Self>::word(
            "warp",
            "Whether the factor turns with the bodies.",
            WARP_WORDS,
            |c| usize::from(!c.warp),
            |c, i| c.warp = WARPS[i],
        ),
        Field::<Self>::number(
            "pcg_tolerance",
            "Residual at which conjugate gradients end, relative to the right-hand side.",
            Range::POSITIVE,
            |c| c.pcg_tolerance,
            |c, x| c.pcg_tolerance = x,
        ),
        Field::<Self>::count(
            "pcg_iterations",
            "Most iterations of conjugate gradients; a factor that needs more is replaced at once.",
            [1, 100_000],
            |c| c.pcg_iterations,
            |c, n| c.pcg_iterations = n,
        ),
        Field::<Self>::word(
            "schur",
            "How the compliance between contacts is found.",
            SCHUR_WORDS,
            |c| place(SCHURS, &c.schur),
            |c, i| c.schur = SCHURS[i],
        ),
        Field::<Self>::word(
            "operator",
            "Whether the compliance between contacts has entries.",
            OPERATOR_WORDS,
            |c| place(OPERATORS, &c.operator),
            |c, i| c.operator = OPERATORS[i],
        ),
        Field::<Self>::word(
            "correction",
            "What moves the bodies by the forces of the contacts.",
            CORRECTION_WORDS,
            |c| place(CORRECTIONS, &c.correction),
            |c, i| c.correction = CORRECTIONS[i],
        ),
        Field::<Self>::count(
            "recursion",
            "Contact problems that are solved in an iteration, each for the directions that the last one led to.",
            [1, 1000],
            |c| c.recursion,
            |c, n| c.recursion = n,
        )
        .live([1.0, 20.0]),
        Field::<Self>::word(
            "update",
            "How far the bodies follow the forces between the contact problems of an iteration.",
            UPDATE_WORDS,
            |c| place(UPDATES, &c.update),
            |c, i| c.update = UPDATES[i],
        ),
        Field::<Self>::word(
            "directions",
            "When the directions of contacts are found.",
            DIRECTION_WORDS,
            |c| place(DIRECTIONS, &c.directions),
            |c, i| c.directions = DIRECTIONS[i],
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
            "Most sweeps of block Gauss-Seidel over the contacts in a contact problem.",
            [1, 100_000],
            |c| c.contact.sweeps,
            |c, n| c.contact.sweeps = n,
        ),
    ];

    fn is_repeatable(&self) -> bool {
        self.factor != FactorMode::WhenReady
    }

    fn build(&self, system: &System, dt: f64, _contacts: bool) -> Result<Box<dyn Solver>, SetupError> {
        let solver = ImplicitFe::new(self, system, dt);
        memory::check(solver.factors.bytes_at_most(), memory::available())?;
        Ok(Box::new(solver))
    }
}

words!(FACTOR_WORDS, FACTORS: FactorMode {
    "lagged" => FactorMode::Lagged(DEFAULT_LAG), "Beside the simulation, taken over after `lag` steps.";
    "when_ready" => FactorMode::WhenReady,
        "Beside the simulation, taken over when it is there: results depend on the speed of the machine.";
    "each_step" => FactorMode::EachStep, "At the start of each step.";
});

words!(WARP_WORDS, WARPS: bool {
    "on" => true, "One rotation for each connected part.";
    "off" => false, "As it was made.";
});

words!(SCHUR_WORDS, SCHURS: Schur {
    "reuse" => Schur::Reuse, "Columns along their paths, kept until the factor is replaced.";
    "isodof" => Schur::Isodof, "The same, computed in each step.";
    "dense" => Schur::Dense, "A solve for each touched vertex.";
    "diagonal" => Schur::Diagonal, "No contact moves another one.";
});

words!(OPERATOR_WORDS, OPERATORS: OperatorUse {
    "automatic" => OperatorUse::Automatic, "Where they cost less than solves would.";
    "built" => OperatorUse::Built, "Always.";
    "unbuilt" => OperatorUse::Unbuilt, "Never: each product is a solve by the factor.";
});

words!(CORRECTION_WORDS, CORRECTIONS: Correction {
    "factor" => Correction::Factor, "The factor, as in the contact problem: gaps close exactly.";
    "pcg" => Correction::Pcg, "The matrix of this step: forces balance exactly.";
});

words!(UPDATE_WORDS, UPDATES: Update {
    "fast" => Update::Fast, "The touched vertices alone, by the entries between them.";
    "standard" => Update::Standard, "All vertices.";
});

words!(DIRECTION_WORDS, DIRECTIONS: Directions {
    "iteration" => Directions::Iteration, "Before each contact problem, where bodies have come to.";
    "sweep" => Directions::Sweep, "Before each sweep over the contacts.";
    "step" => Directions::Step, "Once, at the start of the step.";
});

words!(METHOD_WORDS, METHODS: ContactMethod {
    "automatic" => ContactMethod::Automatic,
        "Directly where contacts are few, by block Gauss-Seidel where they are many.";
    "direct" => ContactMethod::Direct,
        "An active set of open, sticking and sliding contacts with factorised systems.";
    "gauss_seidel" => ContactMethod::GaussSeidel, "Block Gauss-Seidel over the contacts.";
    "non_smooth_newton" => ContactMethod::NonSmoothNewton(crate::contact::NonSmoothNewton::DEFAULT),
        "One non-smooth Newton step in each contact problem.";
});
