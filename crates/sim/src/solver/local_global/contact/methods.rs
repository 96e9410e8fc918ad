//! Which method solves the contact problem, and how well.

use super::{ContactStep, Origin};
use crate::contact::coulomb::PointLaw;
use crate::contact::gauss_seidel::Swept;
use crate::contact::newton::Products;
use crate::contact::{Problem, Until};
use crate::solver::{ContactMethod, NonSmoothNewton};
use pliant_linalg::Team;
use pliant_linalg::small::dot;

/// A change of force that moves its contact by less than this fraction of the size of the bodies is none.
const TOLERANCE: f64 = 1e-10;

/// Displacement, as a fraction of the size, at which sweeps alone have done enough.
const SWEEP_TOLERANCE: f64 = 1e-8;

/// Displacement, as a part of the last correction of the iteration around, at which sweeps have done enough for now.
const SWEEP_PART: f64 = 0.03;

/// Sweeps that guess what contacts do, before they are solved directly.
const GUESS_SWEEPS: usize = 8;

/// Displacement, as a part of the last correction of the iteration around, up to which the guess is the solution.
const GUESS_PART: f64 = 1e-3;

/// Linear systems of the direct solution in one iteration.
const ROUNDS: usize = 6;

impl ContactStep {
    /// Solves the problem by the chosen method. The global step before had this `correction`.
    pub(super) fn solve_problem(&mut self, team: &Team, correction: f64) {
        let enough = (SWEEP_PART * correction).min(self.coarsest).max(SWEEP_TOLERANCE * self.size);
        let sweeps = Until { rounds: self.config.sweeps, change: enough };
        // A guided point is neither held nor free in all directions, which only the sweeps can do.
        if self.origins.iter().any(|o| matches!(o, Origin::Guided(..))) {
            self.guess_new_forces();
            self.sweep(team, Until { change: SWEEP_TOLERANCE * self.size, ..sweeps });
            return;
        }
        let direct = match self.config.method {
            // In folds many contacts say nearly the same of few light vertices, and guesses of what slides go wrong.
            ContactMethod::Automatic => !self.has_folds && self.touching.len() <= self.config.direct_up_to,
            ContactMethod::Direct => true,
            ContactMethod::GaussSeidel => false,
            ContactMethod::NonSmoothNewton(settings) => {
                self.newton_step(team, &settings);
                return;
            }
        };
        self.guess_new_forces();
        if !direct {
            self.sweep(team, sweeps);
            return;
        }
        let guess = Until { rounds: GUESS_SWEEPS, change: TOLERANCE * self.size };
        if self.sweep(team, guess).to_come() > guess.change.max(GUESS_PART * correction) {
            let systems = Until { rounds: ROUNDS, change: enough };
            let ContactStep { active_set, delassus, problem, before, coarsest, .. } = self;
            let solved = active_set.solve(delassus, problem, before, systems, *coarsest);
            if !solved {
                // From the best forces on: sweeps always end inside the cones of friction.
                self.sweep(team, sweeps);
            } else if !self.problem.cables.is_empty() {
                self.gauss_seidel.pull_cables(team, &self.delassus, &mut self.problem, &self.before);
            }
        }
    }

    fn newton_step(&mut self, team: &Team, settings: &NonSmoothNewton) {
        match self.panels.as_deref().filter(|_| self.is_unbuilt) {
            Some(panels) => {
                let products = Products::Unbuilt(team, panels, self.unbuilt.scratch(panels), &self.points);
                self.newton.solve(products, &mut self.problem, settings, &self.by_mass);
            }
            None => {
                let products = Products::Built(&self.delassus);
                self.newton.solve(products, &mut self.problem, settings, &self.by_mass);
                self.gauss_seidel.pull_cables(team, &self.delassus, &mut self.problem, &self.before);
            }
        }
    }

    /// Contacts that have just closed get the force that stops their share of the mass of their own vertices. Where a
    /// whole face hits the ground this is the solution, since a rigid motion meets no stiffness: `A 1 = M 1`.
    fn guess_new_forces(&mut self) {
        let Problem { contacts, forces, .. } = &mut self.problem;
        let guesses = self.by_mass.iter().zip(&self.sharing);
        for ((c, f), (by_mass, sharing)) in contacts.iter().zip(forces).zip(guesses) {
            let gap = dot(&c.normal, &c.free) - c.offset;
            if c.law == PointLaw::Contact && gap < 0.0 && *f == [0.0; 3] {
                *f = c.normal.map(|n| -n * gap / (by_mass * sharing));
            }
        }
    }

    fn sweep(&mut self, team: &Team, until: Until) -> Swept {
        let ContactStep { gauss_seidel, delassus, problem, before, .. } = self;
        gauss_seidel.solve(team, delassus, problem, before, until)
    }
}
