//! Block Gauss-Seidel: one contact after the other is solved, with the forces of all others as they are.
//!
//! Where the response of a contact to its own force is a block W_ii, the sweeps take the number r for it that is its largest
//! eigenvalue: `f <- law(free + h^2 (W f)_i - r f)`. The forces at which nothing changes are the same, a force never
//! overshoots as `r 1 - W_ii` has no negative eigenvalue, and the law of a number has a closed form. A sweep takes half the
//! time; mostly no more of them are needed, at worst 1.7 times as many were.

use super::momentum::Momentum;
use super::one_contact::{OneContact, PointLaw, PointSolve};
use super::problem::{Problem, StopRule};
use crate::contact::operator::{Compliance, Entries};
use pliant_linalg::Team;
use pliant_mesh::DVec3;

/// Sweeps over the cables where they are solved alone: there are few.
const CABLE_SWEEPS: usize = 8;

/// A change of force that moves its contact by less than this part of the tolerance waits until it has grown: where the
/// bodies are far from settled in one place, the rest costs little.
const SMALL: f64 = 0.3;

/// Sweeps over a crowd of contacts go on for as long as the change falls to this part of it within so many of them.
const PROGRESS: f64 = 0.7;
const PATIENCE: usize = 5;

/// Memory of the sweeps.
#[derive(Clone, Debug)]
pub(super) struct GaussSeidel<W: Entries> {
    /// What the changes of force since the start do, up to the pending ones.
    response: W::Response,
    /// Changes of force of the last contacts, whose effect is added at once. Until then the contacts that follow see them
    /// entry by entry, so that the order of the sweep is kept.
    pending: Vec<(u32, DVec3)>,
    /// The largest response of each contact to its own force, m/N.
    own: Vec<f64>,
    /// The same along its normal and across it, where they differ much.
    split: Vec<[f64; 2]>,
    momentum: Momentum,
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct SweepOutcome {
    /// Longest displacement that a contact was given by its own force in the last sweep, m.
    change: f64,
    /// The same of the sweep before; zero if there was none.
    before: f64,
}

impl SweepOutcome {
    /// Longest displacement that a contact was given by its own force in the last sweep, m.
    pub(super) fn last_change(self) -> f64 {
        self.change
    }

    /// What all further sweeps would change if each changed less than the one before by the same factor, m.
    pub(super) fn remaining_change(self) -> f64 {
        let faster = self.before - self.change;
        if self.change == 0.0 {
            0.0
        } else if faster > 0.0 {
            self.change * self.change / faster
        } else {
            f64::INFINITY
        }
    }
}

impl<W: Entries> Default for GaussSeidel<W> {
    fn default() -> Self {
        GaussSeidel {
            response: W::Response::default(),
            pending: Vec::new(),
            own: Vec::new(),
            split: Vec::new(),
            momentum: Momentum::default(),
        }
    }
}

impl<W: Entries<Block: PointSolve>> GaussSeidel<W> {
    /// Sweeps over the contacts, forwards and backwards in turn, until no change of force moves its point by more than
    /// the tolerance. Islands do not wait for each other.
    pub(super) fn solve(
        &mut self,
        team: &Team,
        w: &W,
        problem: &mut Problem<W::Block>,
        until: StopRule,
    ) -> SweepOutcome {
        self.respond(team, w, problem);
        if problem.islands.is_empty() {
            return self.settle(team, w, problem, until, None);
        }
        let members = std::mem::take(&mut problem.members);
        let mut worst = SweepOutcome::default();
        for island in 0..problem.islands.len() {
            let some = &members[problem.islands[island].clone()];
            let outcome = self.settle(team, w, problem, until, Some(some));
            if outcome.remaining_change() >= worst.remaining_change() {
                worst = outcome;
            }
        }
        problem.members = members;
        worst
    }

    /// Sweeps over some contacts, or over all of them and the cables.
    fn settle(
        &mut self,
        team: &Team,
        w: &W,
        problem: &mut Problem<W::Block>,
        until: StopRule,
        some: Option<&[u32]>,
    ) -> SweepOutcome {
        let count = some.map_or(problem.contacts.len(), <[u32]>::len);
        let member = |k: usize| some.map_or(k, |some| some[k] as usize);
        let waiting = w.waiting();
        let least = (SMALL * until.change).powi(2);
        let is_crowd = !self.split.is_empty();
        let mut result = SweepOutcome::default();
        let mut progress = Progress::default();
        if is_crowd {
            self.momentum.begin(&problem.forces, (0..count).map(member));
        }
        for sweep in 0..until.rounds {
            let mut largest = 0.0f64;
            for k in 0..count {
                let i = member(if sweep % 2 == 0 { k } else { count - 1 - k });
                largest = largest.max(self.visit(w, problem, i, least));
                if self.pending.len() == waiting {
                    self.apply_pending(team, w);
                }
            }
            self.apply_pending(team, w);
            if some.is_none() {
                for cable in 0..problem.cables.len() {
                    largest = largest.max(self.pull(team, w, problem, cable));
                }
            }
            result = SweepOutcome { change: largest.sqrt(), before: result.change };
            if result.change <= until.change || is_crowd && progress.has_ended(result.change, sweep) {
                break;
            }
            if is_crowd && sweep % 2 == 1 && sweep + 1 < until.rounds {
                let GaussSeidel { momentum, response, own, .. } = self;
                let changes = momentum.go_on(&mut problem.forces, own, (0..count).map(member));
                w.push(team, response, changes.iter().copied());
            }
        }
        if is_crowd {
            // A contact that was not visited for a small change may have been taken out of its cone.
            for i in (0..count).map(member) {
                let contact = &problem.contacts[i];
                if contact.law == PointLaw::Contact {
                    problem.forces[i] = contact.friction.into_cone(problem.forces[i], contact.normal);
                }
            }
        }
        result
    }

    /// Solves the cables alone, with all other forces as they are.
    pub(super) fn pull_cables(&mut self, team: &Team, w: &W, problem: &mut Problem<W::Block>) {
        if problem.cables.is_empty() {
            return;
        }
        self.respond(team, w, problem);
        for _ in 0..CABLE_SWEEPS {
            for cable in 0..problem.cables.len() {
                self.pull(team, w, problem, cable);
            }
        }
    }

    /// Starts with what has happened to the forces already.
    fn respond(&mut self, team: &Team, w: &W, problem: &Problem<W::Block>) {
        w.clear_response(&mut self.response);
        self.pending.clear();
        self.own.clear();
        self.own.extend(problem.contacts.iter().map(|c| c.compliance.largest()));
        self.split.clear();
        if w.mixes_directions() {
            self.split.extend(problem.contacts.iter().map(|c| along_and_across(&c.compliance, c.normal)));
        }
        w.push(team, &mut self.response, problem.changes());
    }

    fn apply_pending(&mut self, team: &Team, w: &W) {
        w.push_noted(team, &mut self.response, &self.pending);
        self.pending.clear();
    }

    /// Solves contact `i`; returns the square of the displacement its change of force gives it. Does nothing if that is
    /// less than `least`.
    #[inline]
    fn visit(&mut self, w: &W, problem: &mut Problem<W::Block>, i: usize, least: f64) -> f64 {
        let moved = w.displacement_with(&self.response, &self.pending, i);
        let (contact, old, own) = (&problem.contacts[i], problem.forces[i], self.own[i]);
        let at = contact.free + problem.h2 * moved;
        let (new, size) = match self.split.get(i) {
            Some(&own) if contact.law == PointLaw::Contact => split_force(contact, at, old, own),
            _ => {
                let contact = contact.with(at - own.apply(old), own);
                let new = contact.force();
                (new, contact.compliance.displacement_sq(new - old))
            }
        };
        if size > least {
            let step = new - old;
            problem.forces[i] = new;
            self.pending.push((i as u32, step));
            w.note(&mut self.response, i, step);
        }
        size
    }

    /// Solves a cable with the forces of all others as they are; returns the square of the change of its slack.
    fn pull(&mut self, team: &Team, w: &W, problem: &mut Problem<W::Block>, cable: usize) -> f64 {
        let row = &problem.cables[cable];
        if row.pulled {
            return 0.0;
        }
        let terms = row.terms.clone();
        let mut slack = row.slack;
        for (point, gradient) in &problem.terms[terms.clone()] {
            slack += problem.h2 * gradient.dot(w.displacement(&self.response, *point as usize));
        }
        let stiffness = 1.0 / (row.response + row.compliance);
        let tension = (row.tension - (slack + row.compliance * row.tension) * stiffness).max(0.0);
        let (step, response) = (tension - row.tension, row.response);
        let changes = problem.terms[terms].iter().map(|(point, g)| (*point as usize, step * g));
        for (point, by) in changes.clone() {
            problem.forces[point] += by;
        }
        w.push(team, &mut self.response, changes);
        problem.cables[cable].tension = tension;
        (step * response).powi(2)
    }
}

/// Whether sweeps still help. In a crowd some light vertex is always pinched between others, and where its forces settle
/// hardly matters.
#[derive(Default)]
struct Progress {
    /// The change that counts as the last progress, and its sweep.
    least: f64,
    since: usize,
}

impl Progress {
    fn has_ended(&mut self, change: f64, sweep: usize) -> bool {
        if sweep == 0 || change < PROGRESS * self.least {
            *self = Progress { least: change, since: sweep };
        }
        sweep >= self.since + PATIENCE
    }
}

/// Numbers that are not below the response of a contact to its own force, along its normal and across it.
fn along_and_across<C: Compliance>(own: &C, normal: DVec3) -> [f64; 2] {
    let moved = own.apply(normal);
    let along = normal.dot(moved);
    let mixed = (moved - along * normal).length();
    [along + mixed, 2.0 * own.across(normal) + mixed]
}

/// The force of a contact that is `at` a place, by its own responses along its normal and across it, and the square
/// of the displacement that its change gives.
#[inline(always)]
fn split_force<C>(contact: &OneContact<C>, at: DVec3, old: DVec3, [along, across]: [f64; 2]) -> (DVec3, f64) {
    let n = contact.normal;
    let gap = n.dot(at) - contact.offset;
    let normal = n.dot(old) - gap / along;
    let mut new = DVec3::ZERO;
    if normal > 0.0 {
        let moved = at - contact.start;
        let slip = moved - n.dot(moved) * n;
        let stick = old - n.dot(old) * n - slip / across;
        new = normal * n + contact.friction.shortening(stick, normal) * stick;
    }
    let step = new - old;
    let normal = n.dot(step);
    let size = (along * normal).powi(2) + across * across * (step - normal * n).length_squared();
    (new, size)
}
