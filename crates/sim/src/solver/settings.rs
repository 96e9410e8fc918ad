//! What the settings of a kind of solver must offer: all that the table of solvers needs.

use super::error::{SettingError, SetupError};
use super::field::{self, Field};
use super::interface::Solver;
use super::kind::Kind;
use super::knob::{Knob, Value};
use crate::fem::System;

/// The settings of a kind of solver.
pub(crate) trait Settings: Default + 'static {
    /// What is known about the kind.
    const KIND: Kind;

    /// All settings that have a key in scene files, those that others depend on first.
    const FIELDS: &'static [Field<Self>];

    /// Settings that exclude each other.
    fn check_together(&self) -> Result<(), SettingError> {
        Ok(())
    }

    /// Whether a run with these settings gives the same bits whenever it is repeated.
    fn is_repeatable(&self) -> bool {
        true
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
    fn is_repeatable(&self) -> bool;
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
        field::get(T::FIELDS, self, name)
    }

    fn set(&mut self, name: &str, value: Value) -> Result<(), SettingError> {
        field::set(T::FIELDS, self, name, value)
    }

    fn check(&self) -> Result<(), SettingError> {
        field::check_all(T::FIELDS, self)?;
        self.check_together()
    }

    fn is_repeatable(&self) -> bool {
        Settings::is_repeatable(self)
    }

    fn build(&self, system: &System, dt: f64, contacts: bool) -> Result<Box<dyn Solver>, SetupError> {
        self.check()?;
        Settings::build(self, system, dt, contacts)
    }
}
