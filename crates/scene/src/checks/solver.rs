//! `[solver]`: whether there is such a solver, and the ranges of its settings.

use crate::error::{quoted, suggest};
use crate::file::document::Problems;
use crate::file::spec::{SolverSpec, solver_kinds};
use pliant::solver::{SettingError, SolverConfig};

/// Settings of the solver that `[solver]` asks for.
pub(crate) fn solver(spec: &SolverSpec, problems: &mut Problems) -> Option<SolverConfig> {
    let mut config = chosen(spec.kind.as_deref(), problems)?;
    let mut report = |name: &str, e: &SettingError| {
        problems.add(&format!("solver.{name}"), format!("solver.{}", e.cause()), e.remedy());
    };
    // In the order of the settings: what others depend on comes first.
    for knob in config.knobs() {
        for (name, value) in spec.settings.iter().filter(|(name, _)| *name == knob.name) {
            if let Err(e) = config.set(name, *value) {
                report(name, &e);
            }
        }
    }
    if let Err(e @ SettingError::Conflict { name, .. }) = config.check() {
        report(name, &e);
    }
    for (name, _) in spec.settings.iter().filter(|(name, _)| config.knob(name).is_none()) {
        let names: Vec<&str> = config.knobs().iter().map(|knob| knob.name).collect();
        let cause = format!("solver.{name} does not belong to solver `{}`", config.kind());
        problems.add(&format!("solver.{name}"), cause, format!("its settings are {}", quoted(&names)));
    }
    Some(config)
}

/// The default settings of the kind that is asked for.
fn chosen(kind: Option<&str>, problems: &mut Problems) -> Option<SolverConfig> {
    let Some(kind) = kind else { return Some(SolverConfig::default()) };
    let config = SolverConfig::all().into_iter().find(|config| config.kind() == kind);
    if config.is_none() {
        let kinds = solver_kinds();
        let (known, here): (Vec<&str>, Vec<&str>) = (
            kinds.iter().map(|(kind, _)| *kind).collect(),
            kinds.iter().filter(|(_, here)| *here).map(|(kind, _)| *kind).collect(),
        );
        let (cause, remedy) = if known.contains(&kind) {
            (format!("solver `{kind}` is not available in this version"), format!("use {}", quoted(&here)))
        } else {
            let shown: String = kind.chars().take(60).collect();
            (format!("unknown solver `{shown}`"), suggest(kind, &known, "solvers"))
        };
        problems.add("solver.kind", cause, remedy);
    }
    config
}
