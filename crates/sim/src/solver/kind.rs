//! What is known about a kind of solver before one is built, and what its settings must offer.

use super::Solver;
use super::error::{SettingError, SetupError};
use super::knob::{self, Field, Knob, Value};
use super::table::KINDS;
use super::timing::{Counter, Stage};
use crate::fem::System;

/// How a solver takes contact into account. The step decides from this what is detected, what is guarded and where the
/// iteration starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// What it is, in a line.
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

/// The settings of a kind of solver: all that the table of solvers needs.
pub(crate) trait Settings: Default + 'static {
    /// What is known about the kind.
    const KIND: Kind;

    /// All settings that have a key in scene files, those that others depend on first.
    const FIELDS: &'static [Field<Self>];

    /// Settings that exclude each other.
    fn check_together(&self) -> Result<(), SettingError> {
        Ok(())
    }

    /// Builds the solver for time step `dt`; `contacts` says whether there may be contact.
    fn build(&self, system: &System, dt: f64, contacts: bool) -> Result<Box<dyn Solver>, SetupError>;
}

/// [`Settings`] of any kind.
pub(super) trait AnySettings {
    fn description(&self) -> &'static Kind;
    fn knobs(&self) -> Vec<&'static Knob>;
    fn get(&self, name: &str) -> Option<Value>;
    fn set(&mut self, name: &str, value: Value) -> Result<(), SettingError>;
    fn check(&self) -> Result<(), SettingError>;
    fn build(&self, system: &System, dt: f64, contacts: bool) -> Result<Box<dyn Solver>, SetupError>;
}

impl<T: Settings> AnySettings for T {
    fn description(&self) -> &'static Kind {
        &T::KIND
    }

    fn knobs(&self) -> Vec<&'static Knob> {
        T::FIELDS.iter().map(|field| &field.knob).collect()
    }

    fn get(&self, name: &str) -> Option<Value> {
        knob::get(T::FIELDS, self, name)
    }

    fn set(&mut self, name: &str, value: Value) -> Result<(), SettingError> {
        knob::set(T::FIELDS, self, name, value)
    }

    fn check(&self) -> Result<(), SettingError> {
        knob::check_all(T::FIELDS, self)?;
        self.check_together()
    }

    fn build(&self, system: &System, dt: f64, contacts: bool) -> Result<Box<dyn Solver>, SetupError> {
        self.check()?;
        Settings::build(self, system, dt, contacts)
    }
}

/// Names of the kinds that take contact like this.
pub(crate) fn kinds_with(contact: ContactUse) -> String {
    let names: Vec<&str> = KINDS.iter().filter(|k| k.contact == contact).map(|k| k.name).collect();
    names.join(" or ")
}
