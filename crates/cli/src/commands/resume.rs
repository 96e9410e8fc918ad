//! `pliant resume`: goes on with a run from its checkpoint, as if it had never stopped.

use super::run::sink::{REPORT, Sink};
use super::run::summary::unmet;
use super::run::{Job, Talk};
use crate::args::ResumeArgs;
use crate::failure::{Failure, OTHER, SIMULATION};
use crate::output;
use crate::pool;
use pliant_scene::checkpoint::{CHECKPOINT, Checkpoint, CheckpointError};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Brings a run to its end that was stopped; an error if the checkpoint cannot be used, and those of `pliant run`.
pub fn run(args: &ResumeArgs) -> Result<(), Failure> {
    let path = file_of(&args.checkpoint);
    let refuse = |e: CheckpointError| refusal(&path, e);
    let checkpoint = Checkpoint::read(&path).map_err(refuse)?;
    let directory = path.parent().unwrap_or(Path::new(""));
    let talk = Talk { json: args.json, quiet: args.quiet };
    if let Some(report) = report_in(directory) {
        return ended(directory, &report, talk);
    }
    if !checkpoint.is_exact_here() {
        output::warning(
            "this machine has vectors of another width than the one that wrote the checkpoint: \
             the run goes on, but the last bits of its results will differ",
        );
    }
    pool::install(args.threads.or(checkpoint.options().threads), |threads| {
        let run = checkpoint.run().map_err(refuse)?;
        let sink = Some(Sink::resume(directory, &checkpoint, &run)?);
        if !talk.json && !talk.quiet {
            output::print(&format!("going on after step {} of {}", run.steps_taken(), run.steps()));
        }
        Job { scene: checkpoint.scene(), run, sink, threads, talk }.finish()
    })
}

/// The report of a run that has ended.
fn report_in(directory: &Path) -> Option<Value> {
    serde_json::from_slice(&std::fs::read(directory.join(REPORT)).ok()?).ok()
}

/// Leaves a run alone that has ended, and ends as it did.
fn ended(directory: &Path, report: &Value, talk: Talk) -> Result<(), Failure> {
    if talk.json {
        output::print_json(report);
    } else if !talk.quiet {
        output::print(&format!("this run has ended: see {}", directory.join(REPORT).display()));
    }
    match report["error"].as_str() {
        Some(error) => Err(Failure { code: SIMULATION, message: error.to_string() }),
        None if report["ok"] == true => Ok(()),
        None => Err(Failure { code: OTHER, message: unmet(report) }),
    }
}

/// The checkpoint in the directory of a run, or the file itself.
fn file_of(path: &Path) -> PathBuf {
    if path.is_dir() { path.join(CHECKPOINT) } else { path.to_path_buf() }
}

fn refusal(path: &Path, error: CheckpointError) -> Failure {
    match error {
        CheckpointError::Scene(e) => e.into(),
        e => Failure::input(format!("{}: {e}", path.display())),
    }
}
