//! `pliant compare`: one scene, several solvers, one of them as the reference.

mod in_contact;
mod lockstep;
mod one_step;

use super::{check_directory, write_results};
use crate::args::{CompareArgs, solver_names};
use crate::failure::Failure;
use crate::output;
use crate::pool;
use pliant::solver::SolverConfig;
use pliant_render::Plot;
use serde_json::Value;

/// What a comparison gives.
#[derive(Debug)]
struct Comparison {
    json: Value,
    table: String,
    /// Two plots in a row.
    plots: Vec<Plot>,
}

/// Compares a single step where the scene names one and no solvers are asked for, else whole runs. Of scenes of the solver
/// of [`in_contact`] that step has its contacts.
pub fn run(args: &CompareArgs) -> Result<(), Failure> {
    check_directory(args.out.as_deref())?;
    let comparison = pool::install(args.threads, |_| {
        let scene = super::load(&args.scene.scene, &args.scene.changes)?;
        let setup = scene.build()?;
        match (setup.compare_step.filter(|_| args.solvers.is_empty()), in_contact::settings(&setup.solver)) {
            (Some(_), Some(own)) => in_contact::compare(args, setup, &own),
            (Some(step), None) => one_step::compare(args, &scene, step),
            (None, _) => lockstep::compare(args, setup),
        }
    })?;
    if let Some(directory) = &args.out {
        write_results(directory, "compare", &comparison.json, &comparison.plots)?;
    }
    if args.json {
        output::print_json(&comparison.json);
    } else if !args.quiet {
        output::print(&comparison.table);
    }
    Ok(())
}

/// The settings that a name means; those of the scene's own kind start from the scene's.
fn config(name: &str, own: &SolverConfig) -> Result<SolverConfig, Failure> {
    own.like(name).ok_or_else(|| {
        let known = pliant_scene::solver_kinds().iter().any(|(kind, _)| *kind == name);
        let cause = match known {
            true => format!("`{name}` is not available in this version"),
            false => format!("unknown solver `{name}`"),
        };
        Failure::input(format!("--solvers: {cause}: use {}", solver_names().join(", ")))
    })
}
