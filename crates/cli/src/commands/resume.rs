//! `pliant resume`: continues a run from its checkpoint, as if it had never stopped.

use super::run::{Terminal, Verbosity, finish};
use crate::args::ResumeArgs;
use crate::failure::{Failure, OTHER, SIMULATION};
use crate::output;
use crate::pool;
use pliant_output::{StoppedRun, unmet};
use serde_json::Value;

/// Brings a stopped run to its end; an error if the checkpoint cannot be used, and those of `pliant run`.
pub fn run(args: &ResumeArgs) -> Result<(), Failure> {
    let stopped = StoppedRun::open(&args.checkpoint)?;
    let verbosity = Verbosity { json: args.json, quiet: args.quiet };
    if let Some(report) = stopped.report()? {
        return ended(&stopped, &report, verbosity);
    }
    let checkpoint = stopped.checkpoint();
    if !checkpoint.is_exact_here() {
        output::warning(
            "this machine has vectors of another width than the one that wrote the checkpoint: \
             the run continues, but the last bits of its results will differ",
        );
    }
    pool::install(args.threads.or(checkpoint.options().threads), |_| {
        let job = stopped.job()?;
        if !verbosity.json && !verbosity.quiet {
            let run = job.run();
            output::print(&format!("resuming after step {} of {}", run.steps_taken(), run.steps()));
        }
        let terminal = Terminal::new(job.run(), verbosity, true, None);
        finish(job, terminal, true)
    })
}

/// Leaves a run alone that has ended, and ends as it did.
fn ended(stopped: &StoppedRun, report: &Value, verbosity: Verbosity) -> Result<(), Failure> {
    if verbosity.json {
        output::print_json(report);
    } else if !verbosity.quiet {
        output::print(&format!("this run has ended: see {}", stopped.report_path().display()));
    }
    match report["error"].as_str() {
        Some(error) => Err(Failure { code: SIMULATION, message: error.to_string() }),
        None if report["ok"] == true => Ok(()),
        None => Err(Failure { code: OTHER, message: unmet(report) }),
    }
}
