//! `pliant compare`: one scene, several solvers, `newton` as the reference.

mod lockstep;
mod one_step;

use super::{check_directory, write_results};
use crate::args::CompareArgs;
use crate::failure::Failure;
use crate::output;
use crate::pool;
use pliant::solver::{GlobalSolve, LocalGlobalConfig, NewtonConfig, SolverConfig};
use pliant_render::Plot;
use pliant_scene::DEFAULT_SPECTRAL_RADIUS;
use serde_json::Value;

/// What a comparison gives.
#[derive(Debug)]
struct Comparison {
    json: Value,
    table: String,
    /// Two plots in a row.
    plots: Vec<Plot>,
}

/// Compares a single step where the scene names one and no solvers are asked for, else whole runs.
pub fn run(args: &CompareArgs) -> Result<(), Failure> {
    check_directory(args.out.as_deref())?;
    let comparison = pool::install(args.threads, |_| {
        let scene = super::load(&args.scene.scene, &args.scene.changes)?;
        match scene.build()?.compare_step {
            Some(step) if args.solvers.is_empty() => one_step::compare(args, &scene, step),
            _ => lockstep::compare(args, scene.build()?),
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

/// Names that `--solvers` takes.
const NAMES: [&str; 6] = ["local_global", "newton", "complete", "sparse_inverse", "jacobi", "chebyshev"];

/// The settings that a name means; local-global ones start from the scene's own.
fn config(name: &str, own: &SolverConfig) -> Result<SolverConfig, Failure> {
    let base = match own {
        SolverConfig::LocalGlobal(c) => c.clone(),
        _ => LocalGlobalConfig::default(),
    };
    let with = |global| Ok(SolverConfig::LocalGlobal(LocalGlobalConfig { global, ..base.clone() }));
    match name {
        "local_global" => Ok(SolverConfig::LocalGlobal(base)),
        "complete" => with(GlobalSolve::Panels),
        "sparse_inverse" => with(GlobalSolve::SparseInverse),
        "jacobi" => with(GlobalSolve::Jacobi),
        "chebyshev" => with(GlobalSolve::Chebyshev(DEFAULT_SPECTRAL_RADIUS)),
        "newton" => Ok(match own {
            SolverConfig::Newton(c) => SolverConfig::Newton(c.clone()),
            _ => SolverConfig::Newton(NewtonConfig::default()),
        }),
        "implicit_fe" | "admm" | "barrier" => Err(Failure::input(format!(
            "--solvers: `{name}` is not available in this version: use {}",
            NAMES.join(", ")
        ))),
        _ => Err(Failure::input(format!("--solvers: unknown solver `{name}`: use {}", NAMES.join(", ")))),
    }
}
