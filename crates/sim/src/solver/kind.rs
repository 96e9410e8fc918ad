//! What is known about a kind of solver before one is built.

use super::timing::{Counter, Stage};

/// How a solver takes contact into account. The step decides from this what is detected, what is guarded and where the
/// iteration starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ContactUse {
    /// Not at all: nothing is detected, bodies pass through each other, obstacles are refused. The first iterate is
    /// `q_t + h v_t` with pins at their places at the end of the step.
    None,
    /// As rows of a contact problem for the contacts of [`Contacts`](crate::Contacts): they are detected before the
    /// solve, and a guard looks for missed ones after it. The first iterate is as for [`None`](Self::None).
    Rows,
    /// By a barrier, which is infinite where surfaces touch: it starts at the positions of the last step, where nothing
    /// does, pins included, moves pins to their targets itself, and leaves nothing for a guard.
    Barrier,
}

/// What is known about a kind of solver.
#[derive(Debug, PartialEq)]
#[non_exhaustive]
pub struct Kind {
    /// Its name in scene files and reports.
    pub name: &'static str,
    /// A line about it.
    pub about: &'static str,
    /// Its number in snapshots; never used again for another kind.
    pub snapshot_id: u32,
    /// How it takes contact into account.
    pub contact: ContactUse,
    /// Stages whose time it measures besides [the common ones](Stage::COMMON).
    pub stages: &'static [Stage],
    /// What it counts in each step.
    pub counters: &'static [Counter],
    /// Settings with names of their own.
    pub presets: &'static [Preset],
}

/// Settings with a name of their own, so that [comparisons](crate::convergence) can ask for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// The name.
    pub name: &'static str,
    /// A setting, and the word that it has.
    pub setting: (&'static str, &'static str),
}
