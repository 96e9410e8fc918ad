//! The table of solvers: the only list of their kinds. Everything else follows from it: what scene files and their schema
//! accept, what the command line and the viewer offer, how a solver is built and recognised in a snapshot.

use super::error::{SettingError, SetupError};
use super::interface::Solver;
use super::kind::{ContactUse, Kind};
use super::knob::{Knob, Value};
use super::settings::{AnySettings, Settings};
use super::{admm, barrier, implicit_fe, local_global, newton};
use crate::fem::System;

macro_rules! solvers {
    ($($(#[doc = $about:literal])* $(#[cfg($when:meta)])? $variant:ident($config:ty),)+) => {
        /// Which solver, with its settings.
        ///
        /// ```
        /// use pliant::SolverConfig;
        ///
        /// let newton = SolverConfig::named("newton").expect("there is one");
        /// assert!(newton.knob("tolerance").is_some() && newton != SolverConfig::default());
        /// ```
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum SolverConfig {
            $($(#[doc = $about])* $(#[cfg($when)])? $variant($config),)+
        }

        /// All kinds of solvers; the first is the default.
        pub static KINDS: &[&Kind] = &[$($(#[cfg($when)])? &<$config as Settings>::KIND,)+];

        impl SolverConfig {
            /// The default settings of every kind, in the order of [`KINDS`].
            pub fn all() -> Vec<SolverConfig> {
                Vec::from([$($(#[cfg($when)])? SolverConfig::$variant(Default::default()),)+])
            }

            fn settings(&self) -> &dyn AnySettings {
                match self { $($(#[cfg($when)])? SolverConfig::$variant(settings) => settings,)+ }
            }

            fn settings_mut(&mut self) -> &mut dyn AnySettings {
                match self { $($(#[cfg($when)])? SolverConfig::$variant(settings) => settings,)+ }
            }
        }
    };
}

solvers! {
    /// Local-global iteration \[Zeng25\].
    LocalGlobal(local_global::LocalGlobalConfig),
    /// Projected Newton to convergence: the reference.
    Newton(newton::NewtonConfig),
    /// Projective dynamics with contact by ADMM \[Zhu24\].
    Admm(admm::AdmmConfig),
    /// Implicit finite elements with a factor made beside the simulation \[Zeng22\].
    ImplicitFe(implicit_fe::ImplicitFeConfig),
    /// Newton's method with a barrier, which never lets anything intersect or invert \[Guo24\].
    Barrier(barrier::BarrierConfig),
    /// Vertices that fly freely: the worked example of a solver.
    #[cfg(feature = "dummy-solver")] FreeFlight(super::free_flight::FreeFlightConfig),
}

/// Kinds that the scene format has names for and that come later: none.
const PLANNED: [&str; 0] = [];

/// The kinds that scene files can name, and whether this version has them.
pub fn known_kinds() -> impl Iterator<Item = (&'static str, bool)> {
    let here = KINDS.iter().map(|kind| (kind.name, true));
    here.chain(PLANNED.into_iter().map(|name| (name, false)))
}

/// Names of the kinds that take contact like this.
pub(crate) fn kinds_with(contact: ContactUse) -> Vec<&'static str> {
    KINDS.iter().filter(|kind| kind.contact == contact).map(|kind| kind.name).collect()
}

impl Default for SolverConfig {
    fn default() -> Self {
        SolverConfig::all().swap_remove(0)
    }
}

impl SolverConfig {
    /// The default settings of a kind, or those of a [preset](Kind::presets); none if there is no such name.
    pub fn named(name: &str) -> Option<SolverConfig> {
        SolverConfig::default().like(name)
    }

    /// The settings that a kind or a preset means, starting from these where they are of the same kind.
    pub fn like(&self, name: &str) -> Option<SolverConfig> {
        for default in SolverConfig::all() {
            let kind = default.description();
            let start = || if self.kind() == kind.name { self.clone() } else { default.clone() };
            if kind.name == name {
                return Some(start());
            }
            if let Some(preset) = kind.presets.iter().find(|p| p.name == name) {
                let (setting, word) = preset.setting;
                let mut config = start();
                return config.set(setting, Value::Word(word)).is_ok().then_some(config);
            }
        }
        None
    }

    /// The name used in scene files and reports.
    pub fn kind(&self) -> &'static str {
        self.description().name
    }

    /// What there is to know about this kind of solver.
    pub fn description(&self) -> &'static Kind {
        self.settings().description()
    }

    /// The settings by which scene files can change it, those that others depend on first.
    pub fn knobs(&self) -> Vec<&'static Knob> {
        self.settings().knobs()
    }

    /// The setting of this name, if there is one.
    pub fn knob(&self, name: &str) -> Option<&'static Knob> {
        self.knobs().into_iter().find(|knob| knob.name == name)
    }

    /// The value of a setting, if there is such a setting.
    pub fn get(&self, name: &str) -> Option<Value> {
        self.settings().get(name)
    }

    /// Changes a setting.
    ///
    /// # Errors
    /// If there is no such setting, the value is out of range, or the setting means nothing beside the others. Then nothing
    /// has changed.
    pub fn set(&mut self, name: &str, value: Value) -> Result<(), SettingError> {
        self.settings_mut().set(name, value)
    }

    /// Checks all settings.
    ///
    /// # Errors
    /// If one is out of range, or two exclude each other.
    pub fn check(&self) -> Result<(), SettingError> {
        self.settings().check()
    }

    /// Whether a run with these settings gives the same bits whenever it is repeated.
    pub fn is_repeatable(&self) -> bool {
        self.settings().is_repeatable()
    }

    /// The same settings for exactly this many iterations in a step, where a solver knows iterations and can go on after it
    /// has converged.
    pub(crate) fn for_iterations(mut self, n: usize) -> Result<SolverConfig, SettingError> {
        // 0 may be a choice of the solver.
        let never = Value::Number(f64::MIN_POSITIVE);
        if self.knob("iterations").is_some() {
            self.set("iterations", Value::Count(n))?;
        }
        if self.knob("tolerance").is_some_and(|knob| knob.domain.contains(never)) {
            self.set("tolerance", never)?;
        }
        Ok(self)
    }

    pub(super) fn build(
        &self,
        system: &System,
        dt: f64,
        contacts: bool,
    ) -> Result<Box<dyn Solver>, SetupError> {
        self.settings().build(system, dt, contacts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_kind_has_a_name_and_a_number_of_its_own() {
        let names: HashSet<&str> = KINDS.iter().map(|k| k.name).collect();
        let ids: HashSet<u32> = KINDS.iter().map(|k| k.snapshot_id).collect();
        assert_eq!((names.len(), ids.len()), (KINDS.len(), KINDS.len()));
        for (config, kind) in SolverConfig::all().iter().zip(KINDS) {
            assert_eq!(config.kind(), kind.name);
            assert_eq!(SolverConfig::named(kind.name).as_ref(), Some(config));
        }
    }

    #[test]
    fn every_setting_reads_back_what_was_set() {
        for config in SolverConfig::all() {
            config.check().expect("good defaults");
            for knob in config.knobs() {
                let mut changed = config.clone();
                if let Some((other, word)) = knob.only_with {
                    let error = changed.set(knob.name, config.get(knob.name).expect("a setting"));
                    assert_eq!(error, Err(SettingError::Unused { knob }), "{}", knob.name);
                    changed.set(other, Value::Word(word)).expect("the setting that it needs");
                }
                for value in good_values(knob) {
                    changed.set(knob.name, value).expect("a good value");
                    assert_eq!(changed.get(knob.name), Some(value), "{}", knob.name);
                }
                let before = changed.clone();
                changed.set(knob.name, Value::Number(f64::NAN)).expect_err("a bad value");
                assert_eq!(changed, before);
            }
            assert!(config.clone().set("nonsense", Value::Count(1)).is_err());
        }
    }

    fn good_values(knob: &Knob) -> Vec<Value> {
        use super::super::knob::Domain;
        match knob.domain {
            Domain::Count(least, most) => vec![Value::Count(least), Value::Count(most)],
            Domain::CountOrWord([least, most], words, _) => {
                let words = words.iter().map(|w| Value::Word(w.name));
                [least, most].map(Value::Count).into_iter().chain(words).collect()
            }
            Domain::Number(_) => {
                [0.0, 0.25, 0.5].map(Value::Number).into_iter().filter(|v| knob.domain.contains(*v)).collect()
            }
            Domain::Word(words) => words.iter().map(|w| Value::Word(w.name)).collect(),
        }
    }

    #[test]
    fn presets_change_one_setting() {
        for config in SolverConfig::all() {
            for preset in config.description().presets {
                let named = config.like(preset.name).expect("a preset");
                assert_eq!(named.get(preset.setting.0), Some(Value::Word(preset.setting.1)));
                assert_eq!(named.kind(), config.kind());
            }
        }
        assert_eq!(SolverConfig::named("nonsense"), None);
    }
}
