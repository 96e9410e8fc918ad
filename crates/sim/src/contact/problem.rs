//! The contact problem of one iteration, as the contact solvers see it.

use super::coulomb::OneContact;
use pliant_mesh::Point;

/// Contact points, their forces, and how they would move without a change of force.
///
/// With the Delassus operator W, a change `df` of the forces moves point i by `h^2 sum W_ij df_j`.
#[derive(Debug, Default)]
pub struct Problem {
    /// h^2 in s^2.
    pub h2: f64,
    /// Each contact; `free` is the position with the forces at the start of the iteration, `compliance` is `h^2 W_ii`.
    pub contacts: Vec<OneContact>,
    /// Forces in N on the points, first those of `contacts`, then those that cables run through: given as a guess, then
    /// the solution.
    pub forces: Vec<Point>,
    /// The cables.
    pub cables: Vec<CableRow>,
    /// Points that the cables run through, and how the slack grows as each moves.
    pub terms: Vec<(u32, Point)>,
}

/// A cable that is too long by its slack: `slack + compliance tension >= 0`, `tension >= 0`, and one of them is zero.
#[derive(Clone, Debug)]
pub struct CableRow {
    /// Its part of [`Problem::terms`].
    pub terms: std::ops::Range<usize>,
    /// Length it may have minus length it has at the positions of the problem, m.
    pub slack: f64,
    /// How the slack grows with the tension through its own points, m/N.
    pub response: f64,
    /// Its own compliance, m/N.
    pub compliance: f64,
    /// Tension in N: given as a guess, then the solution.
    pub tension: f64,
    /// Whether the tension is prescribed.
    pub pulled: bool,
}

/// When a contact solver ends.
#[derive(Clone, Copy, Debug)]
pub struct Until {
    /// Most rounds: sweeps over all contacts, or linear systems.
    pub rounds: usize,
    /// Displacement by the last changes of force that is small enough, m.
    pub change: f64,
}
