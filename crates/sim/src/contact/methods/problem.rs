//! The contact problem of one iteration, as the methods see it.

use super::one_contact::{OneContact, PointLaw};
use pliant_mesh::DVec3;

/// Contact points, their forces, and how they would move without a change of force.
///
/// With the Delassus operator W, a change `df` of the forces moves point i by `h^2 sum W_ij df_j`.
#[derive(Clone, Debug)]
pub(crate) struct Problem<C> {
    /// h^2 in s^2.
    pub(crate) h2: f64,
    /// Each contact; `free` is the position with the forces `at_start`, `compliance` is `h^2 W_ii`.
    pub(crate) contacts: Vec<OneContact<C>>,
    /// Forces in N on the points, first those of `contacts`, then those that cables run through: given as a guess, then
    /// the solution.
    pub(crate) forces: Vec<DVec3>,
    /// Forces on the points that led to the positions of the problem.
    pub(crate) at_start: Vec<DVec3>,
    /// The cables.
    pub(crate) cables: Vec<CableRow>,
    /// Points that the cables run through, and how the slack grows as each moves.
    pub(crate) terms: Vec<(u32, DVec3)>,
    /// `h^2 [C M^-1 C^T]_ii` of each point.
    pub(crate) by_mass: Vec<f64>,
    /// How many points lie at the vertex of each point that has most of them.
    pub(crate) sharing: Vec<f64>,
    /// The contacts of each island, as parts of `members`: nothing acts from one to another. Empty if there is one.
    pub(crate) islands: Vec<std::ops::Range<usize>>,
    pub(crate) members: Vec<u32>,
    /// Number of pairs that are near, touching or not.
    pub(crate) near: usize,
    /// Whether a sheet is near itself or another body.
    pub(crate) has_folds: bool,
    /// Displacement to which the problem is solved at least, m.
    pub(crate) coarsest: f64,
}

/// A cable that is too long by its slack: `slack + compliance tension >= 0`, `tension >= 0`, and one of them is zero.
#[derive(Clone, Debug)]
pub(crate) struct CableRow {
    /// Its part of [`Problem::terms`].
    pub(crate) terms: std::ops::Range<usize>,
    /// Length it may have minus length it has at the positions of the problem, m.
    pub(crate) slack: f64,
    /// How the slack grows with the tension through its own points, m/N.
    pub(crate) response: f64,
    /// Its own compliance, m/N.
    pub(crate) compliance: f64,
    /// Tension in N: given as a guess, then the solution.
    pub(crate) tension: f64,
    /// Whether the tension is prescribed.
    pub(crate) pulled: bool,
}

/// When a method stops.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StopRule {
    /// Most rounds: sweeps over all contacts, or linear systems.
    pub(crate) rounds: usize,
    /// Displacement by the last changes of force that is small enough, m.
    pub(crate) change: f64,
}

impl<C> Problem<C> {
    /// A problem without points, for time step `h`.
    pub(crate) fn new(h: f64) -> Problem<C> {
        Problem {
            h2: h * h,
            contacts: Vec::new(),
            forces: Vec::new(),
            at_start: Vec::new(),
            cables: Vec::new(),
            terms: Vec::new(),
            by_mass: Vec::new(),
            sharing: Vec::new(),
            islands: Vec::new(),
            members: Vec::new(),
            near: 0,
            has_folds: false,
            coarsest: 0.0,
        }
    }

    /// Contacts that have just closed get the force that stops their share of the mass of their own vertices. Where a
    /// whole face hits the ground this is the solution, since a rigid motion meets no stiffness: `A 1 = M 1`.
    pub(super) fn guess_new_forces(&mut self) {
        let guesses = self.by_mass.iter().zip(&self.sharing);
        for ((c, f), (by_mass, sharing)) in self.contacts.iter().zip(&mut self.forces).zip(guesses) {
            let gap = c.normal.dot(c.free) - c.offset;
            if c.law == PointLaw::Contact && gap < 0.0 && *f == DVec3::ZERO {
                *f = -c.normal * gap / (by_mass * sharing);
            }
        }
    }

    /// Whether a point is guided along a line.
    pub(super) fn has_guided_points(&self) -> bool {
        self.contacts.iter().any(|c| matches!(c.law, PointLaw::Guided { .. }))
    }

    /// The points whose forces differ from those at the start, with the change.
    pub(super) fn changes(&self) -> impl Iterator<Item = (usize, DVec3)> {
        let changed =
            self.forces.iter().zip(&self.at_start).enumerate().filter(|(_, (now, then))| now != then);
        changed.map(|(i, (now, then))| (i, now - then))
    }
}
