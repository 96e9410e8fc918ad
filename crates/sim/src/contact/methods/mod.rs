//! The methods that find the forces of a contact problem, and which of them is used when.

mod active_set;
mod frame;
mod gauss_seidel;
mod momentum;
mod ncp;
mod non_smooth_newton;
mod one_contact;
mod problem;
mod projected;

use super::operator::{Delassus, Entries};
use super::{ContactConfig, ContactMethod, LinearSolve, NonSmoothNewton, OperatorChoice};
use active_set::ActiveSet;
use gauss_seidel::{GaussSeidel, SweepOutcome};
use non_smooth_newton::NonSmoothNewtonMethod;
pub(crate) use one_contact::{OneContact, PointLaw, PointSolve};
use pliant_linalg::Team;
use problem::StopRule;
pub(crate) use problem::{CableRow, Problem};
use projected::Projected;

/// A change of force that moves its contact by less than this fraction of the size of the bodies is none.
const TOLERANCE: f64 = 1e-10;

/// Displacement, as a fraction of the size, at which sweeps alone have done enough.
const SWEEP_TOLERANCE: f64 = 1e-8;

/// Displacement, as a part of the last correction of the iteration around, at which sweeps have done enough for now.
const SWEEP_PART: f64 = 0.03;

/// Points along a needle are few and close to each other: they take so many times as many sweeps to come to its line.
const GUIDED: usize = 10;

/// Sweeps that guess what contacts do, before they are solved directly.
const GUESS_SWEEPS: usize = 8;

/// Displacement, as a part of the last correction of the iteration around, up to which the guess is the solution.
const GUESS_PART: f64 = 1e-3;

/// Linear systems of the direct solution in one iteration.
const ROUNDS: usize = 6;

/// Products for each sweep of block Gauss-Seidel that is allowed, where the operator is not built.
const PRODUCTS: usize = 4;

/// The methods and their memory.
#[derive(Clone, Debug)]
pub(crate) struct Methods<W: Entries> {
    config: ContactConfig,
    /// Size of the bodies, m.
    size: f64,
    gauss_seidel: GaussSeidel<W>,
    active_set: ActiveSet,
    non_smooth_newton: NonSmoothNewtonMethod,
    projected: Projected,
}

/// A method that needs nothing but products with the operator.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByProducts {
    settings: NonSmoothNewton,
    iterations: usize,
}

impl ByProducts {
    /// How products are to be formed.
    pub(crate) fn operator(&self) -> OperatorChoice {
        self.settings.operator
    }
}

impl<W: Entries<Block: PointSolve>> Methods<W> {
    /// For bodies of this size in m.
    pub(crate) fn new(config: ContactConfig, size: f64) -> Self {
        Methods {
            config,
            size,
            gauss_seidel: GaussSeidel::default(),
            active_set: ActiveSet::default(),
            non_smooth_newton: NonSmoothNewtonMethod::default(),
            projected: Projected::default(),
        }
    }

    /// A new step begins.
    pub(crate) fn begin(&mut self) {
        self.non_smooth_newton.begin();
    }

    /// Whether all pairs that are near take part in every problem of a step. The multipliers of the non-smooth Newton
    /// method live for a whole step, so its set of contacts must not change.
    pub(crate) fn keeps_all_contacts(&self) -> bool {
        matches!(self.config.method, ContactMethod::NonSmoothNewton(_))
    }

    /// The method if it needs nothing but products. Cables and guided points need entries.
    pub(crate) fn by_products(&self) -> Option<ByProducts> {
        match self.config.method {
            ContactMethod::NonSmoothNewton(settings) => match settings.linear {
                LinearSolve::ConjugateResiduals(iterations) => Some(ByProducts { settings, iterations }),
                LinearSolve::Direct => None,
            },
            _ => None,
        }
    }

    /// Solves the problem by the chosen method. The iteration around it last moved the bodies by `correction` (m). Returns how far the
    /// last sweep moved a point, m: where that is much, the forces are not those of the laws yet.
    pub(crate) fn solve(
        &mut self,
        team: &Team,
        w: &mut W,
        problem: &mut Problem<W::Block>,
        correction: f64,
    ) -> f64 {
        let enough = self.enough(problem, correction);
        let sweeps = StopRule { rounds: self.config.sweeps, change: enough };
        // A guided point is neither held nor free in all directions, which only the sweeps can do.
        if problem.has_guided_points() {
            problem.guess_new_forces();
            let rounds = GUIDED * self.config.sweeps;
            let all = StopRule { rounds, change: SWEEP_TOLERANCE * self.size };
            return self.sweep(team, w, problem, all).last_change();
        }
        let direct = match self.config.method {
            // In folds many contacts say nearly the same of few light vertices, and guesses of what slides go wrong.
            ContactMethod::Automatic => !problem.has_folds && problem.near <= self.config.direct_up_to,
            ContactMethod::Direct => true,
            ContactMethod::GaussSeidel => false,
            ContactMethod::NonSmoothNewton(settings) => {
                self.newton_step(team, w, problem, &settings);
                return 0.0;
            }
        };
        problem.guess_new_forces();
        if !direct {
            return self.sweep(team, w, problem, sweeps).last_change();
        }
        let guess = StopRule { rounds: GUESS_SWEEPS, change: TOLERANCE * self.size };
        let guessed = self.sweep(team, w, problem, guess);
        if guessed.remaining_change() <= guess.change.max(GUESS_PART * correction) {
            return guessed.last_change();
        }
        let systems = StopRule { rounds: ROUNDS, change: enough };
        if self.active_set.solve(w, problem, systems) {
            self.gauss_seidel.pull_cables(team, w, problem);
            return enough;
        }
        // From the best forces on: sweeps always end inside the cones of friction.
        self.sweep(team, w, problem, sweeps).last_change()
    }

    /// Solves the problem by a method that needs nothing but products.
    pub(crate) fn solve_by_products(
        &mut self,
        w: &mut impl Delassus<Block = W::Block>,
        problem: &mut Problem<W::Block>,
        method: &ByProducts,
    ) {
        self.non_smooth_newton.step(w, problem, &method.settings, method.iterations);
    }

    /// One sweep of block Gauss-Seidel; returns how far it moved a point, m.
    pub(crate) fn sweep_once(&mut self, team: &Team, w: &W, problem: &mut Problem<W::Block>) -> f64 {
        problem.guess_new_forces();
        self.sweep(team, w, problem, StopRule { rounds: 1, change: SWEEP_TOLERANCE * self.size })
            .last_change()
    }

    /// Solves the problem with an operator whose entries are not known, whatever the method: by products alone. Returns how far the last of
    /// them moved a point, m, and how many there were. Cables and guided points need entries.
    pub(crate) fn solve_unbuilt(
        &mut self,
        w: &mut impl Delassus<Block = W::Block>,
        problem: &mut Problem<W::Block>,
        correction: f64,
    ) -> (f64, usize) {
        if let Some(method) = self.by_products() {
            self.solve_by_products(w, problem, &method);
            // One for the right-hand side, and two before the first iteration.
            return (0.0, method.iterations + 3);
        }
        problem.guess_new_forces();
        let rounds = PRODUCTS * self.config.sweeps;
        self.projected.solve(w, problem, StopRule { rounds, change: self.enough(problem, correction) })
    }

    /// Displacement at which sweeps have done enough for now.
    fn enough(&self, problem: &Problem<W::Block>, correction: f64) -> f64 {
        (SWEEP_PART * correction).min(problem.coarsest).max(SWEEP_TOLERANCE * self.size)
    }

    fn newton_step(
        &mut self,
        team: &Team,
        w: &mut W,
        problem: &mut Problem<W::Block>,
        settings: &NonSmoothNewton,
    ) {
        match settings.linear {
            LinearSolve::Direct => self.non_smooth_newton.step_directly(w, problem, settings),
            LinearSolve::ConjugateResiduals(iterations) => {
                self.non_smooth_newton.step(w, problem, settings, iterations);
            }
        }
        self.gauss_seidel.pull_cables(team, w, problem);
    }

    fn sweep(
        &mut self,
        team: &Team,
        w: &W,
        problem: &mut Problem<W::Block>,
        until: StopRule,
    ) -> SweepOutcome {
        self.gauss_seidel.solve(team, w, problem, until)
    }
}

#[cfg(test)]
mod tests;
