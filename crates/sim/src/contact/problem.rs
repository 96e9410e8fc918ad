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
    /// Forces in N: given as a guess, then the solution.
    pub forces: Vec<Point>,
}
