//! Hard steps of small solids in contact, which the constant matrix does not solve: they are solved again with the matrix of the true
//! stiffness, by the solver of [`implicit_fe`](crate::solver::implicit_fe).
//!
//! Where a stiff body is pressed deep into a round obstacle by a few vertices, the elements there are many times as stiff as A
//! knows, and what conjugate gradients learn of them in an iteration is not what the contacts need in the next. A factor of the true
//! stiffness costs as much as tens of iterations, but its steps converge.

use super::config::Budget;
use super::{Engine, Given, LocalGlobal, UNSOLVED, Vec4};
use crate::contact::Contacts;
use crate::solver::implicit_fe::{FactorMode, ImplicitFe, ImplicitFeConfig, Linearisations};
use crate::solver::{Monitor, Solver, Stage, StepInput, StepOutcome, Timings};
use pliant_mesh::DVec3;

/// Residual above which a result is none.
const NEARLY: f64 = 1e-3;

/// Iterations with the true stiffness between looks at whether they lead anywhere, and most of these rounds.
const ROUND: usize = 4;
const ROUNDS: usize = 5;

/// Part of the residual that a round may leave. Where a body is about to buckle it hardly falls, and its contacts may be hundreds.
const PROGRESS: f64 = 0.5;

/// Residual at which a step that is solved again ends: what is below [`UNSOLVED`] by its first guess at the rest, is by the whole of it.
const TOLERANCE: f64 = UNSOLVED / 4.0;

/// What solving a step again takes.
#[derive(Clone, Debug, Default)]
pub(super) struct Unsolved {
    /// None before the first such step with these settings.
    solver: Option<Box<ImplicitFe>>,
    /// Forces of the contacts that the step began with.
    start_forces: Vec<DVec3>,
    /// The step that was solved again last: what the guard adds to it is left to the same matrix.
    step: Option<u64>,
}

impl Unsolved {
    /// A step begins.
    pub(super) fn begin(&mut self, contacts: &Contacts) {
        self.start_forces.clear();
        self.start_forces.extend_from_slice(contacts.forces());
    }

    /// Another state follows: its step may have the same number.
    pub(super) fn forget(&mut self) {
        self.step = None;
    }
}

/// Free vertices up to which a factor of the true stiffness takes some 10 ms: a step needs about ten.
const SMALL: usize = 1000;

impl LocalGlobal {
    /// Whether a step of solids with contact that has a residual after `count` iterations is hard, and has more of them to come. Cloth in
    /// contact settles over the steps, and not within one.
    pub(super) fn deserves_more(&self, count: usize, residual: f64) -> bool {
        self.touches() && residual > UNSOLVED && self.config.iterations.may_extend(count)
    }

    /// Whether a step of solids in contact, which ended as `outcome` says, is worth a factor of the true stiffness.
    fn is_worth_exact_stiffness(
        &self,
        input: &StepInput,
        contacts: &Contacts,
        outcome: &StepOutcome,
    ) -> bool {
        // Not a number is not solved either.
        let is_unsolved = outcome.residual_last.is_nan() || outcome.residual_last > UNSOLVED;
        self.touches()
            && is_unsolved
            && !matches!(self.config.iterations, Budget::Most(_))
            && self.numbering.free() <= SMALL
            && input.system.triangles.is_empty()
            && contacts.joints().is_empty()
    }

    /// Whether the step is one of the Newton iteration with contact.
    fn touches(&self) -> bool {
        matches!(&self.iteration, Engine::Newton(_, contact) if !contact.is_empty())
    }

    /// Solves a step again that was not solved, from `x` on, and takes the result over if it is better, and nearly a solution. Returns
    /// how the step went.
    pub(super) fn solve_again(
        &mut self,
        input: &StepInput,
        contacts: &mut Contacts,
        x: &[DVec3],
        outcome: StepOutcome,
        monitor: &mut Monitor,
    ) -> StepOutcome {
        if !self.is_worth_exact_stiffness(input, contacts, &outcome) {
            return outcome;
        }
        let config = ImplicitFeConfig {
            factor: FactorMode::EachStep,
            contact: self.config.contact,
            iterations: Linearisations::Most(ROUND),
            tolerance: TOLERANCE,
            ..ImplicitFeConfig::default()
        };
        let Unsolved { solver, start_forces, .. } = &mut self.unsolved;
        let solver = solver.get_or_insert_with(|| Box::new(ImplicitFe::new(&config, input.system, input.dt)));
        // Forces of a step that was not solved may be anything, or nearly right: those that it began with come first.
        let left = contacts.forces().to_vec();
        let mut outcome = outcome;
        let mut best: Option<(Vec<DVec3>, Vec<DVec3>)> = None;
        for forces in [&*start_forces, &left] {
            contacts.forces_mut().copy_from_slice(forces);
            let mut found = x.to_vec();
            // Nothing is kept from step to step: the state of a run is that of the iteration.
            solver.reset();
            if let Some(again) = solve_in_rounds(solver, input, contacts, &mut found)
                && again.residual_last < outcome.residual_last.min(NEARLY)
            {
                best = Some((found, contacts.forces().to_vec()));
                outcome = outcome.followed_by(again);
                break;
            }
        }
        match best {
            Some((found, forces)) => {
                contacts.forces_mut().copy_from_slice(&forces);
                self.take_over(input, &found);
                self.unsolved.step = Some(input.step);
            }
            None => contacts.forces_mut().copy_from_slice(&left),
        }
        monitor.lap(Stage::GLOBAL);
        outcome
    }

    /// Continues with a step that was solved again, from `x` on, with the contacts that the guard has added: its matrix knows what they
    /// need. None if this is no such step, or if that leaves it unsolved.
    pub(super) fn continue_again(
        &mut self,
        input: &StepInput,
        contacts: &mut Contacts,
        x: &[DVec3],
        monitor: &mut Monitor,
    ) -> Option<StepOutcome> {
        let Unsolved { solver, step, start_forces } = &mut self.unsolved;
        let solver = solver.as_mut().filter(|_| *step == Some(input.step))?;
        let mut found = x.to_vec();
        let outcome = solve_in_rounds(solver, input, contacts, &mut found);
        monitor.lap(Stage::GLOBAL);
        let outcome = outcome.filter(|o| o.residual_last <= NEARLY);
        if outcome.is_some() {
            self.take_over(input, &found);
        } else {
            contacts.forces_mut().copy_from_slice(start_forces);
            self.unsolved.step = None;
        }
        outcome
    }

    /// Continues from `x`, in the order of the vertices.
    fn take_over(&mut self, input: &StepInput, x: &[DVec3]) {
        for (q, &v) in self.q.iter_mut().zip(self.numbering.vertex_of()) {
            *q = Vec4::new(x[v as usize]);
        }
        if let Engine::Newton(newton, _) = &mut self.iteration {
            newton.accept_at(Given { input, q_t: &self.q_t, inertial: &self.inertial }, &self.q);
        }
    }
}

/// Solves a step with the true stiffness, for as long as it converges; none if it breaks down.
fn solve_in_rounds(
    solver: &mut ImplicitFe,
    input: &StepInput,
    contacts: &mut Contacts,
    x: &mut [DVec3],
) -> Option<StepOutcome> {
    let mut round = |x: &mut [DVec3]| {
        let mut timings = Timings::default();
        solver.solve(input, contacts, x, &mut Monitor::new(&mut timings)).ok()
    };
    let mut outcome = round(x)?;
    for _ in 1..ROUNDS {
        let before = outcome.residual_last;
        // Not a number does not converge either.
        if outcome.converged || before.is_nan() {
            break;
        }
        outcome = outcome.followed_by(round(x)?);
        let converges = outcome.residual_last < PROGRESS * before;
        if !converges {
            break;
        }
    }
    Some(outcome)
}
