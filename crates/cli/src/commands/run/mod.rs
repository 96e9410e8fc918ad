//! `pliant run`: simulates a scene, records it, reports.

pub mod sink;

mod interrupt;
mod preview;
pub mod summary;

use super::{limit, load};
use crate::args::RunArgs;
use crate::failure::{Failure, INTERRUPTED, OTHER};
use crate::output;
use crate::pool;
use crate::progress::Progress;
use pliant_scene::report::{Circumstances, report};
use pliant_scene::{Run, Scene};
use sink::Sink;
use summary::{summary, unmet};

/// Runs the scene; an error if it breaks down or an expectation does not hold.
pub fn run(args: &RunArgs) -> Result<(), Failure> {
    let scene = load(&args.scene.scene, &args.scene.changes)?;
    pool::install(args.threads, |threads| simulate(args, &scene, threads))
}

fn simulate(args: &RunArgs, scene: &Scene, threads: usize) -> Result<(), Failure> {
    let mut run = Run::new(scene.build()?)?;
    limit(&mut run, &args.length)?;
    if run.world().ignores_contact() {
        let kind = run.setup().solver.kind();
        output::warning(&format!("solver `{kind}` knows no contact: bodies pass through each other"));
    }
    // Only now, when nothing of the input is wrong any more, is anything written.
    let sink = args.out.as_deref().map(|dir| Sink::create(dir, args, scene, &mut run)).transpose()?;
    Job { scene, run, sink, threads, talk: Talk { json: args.json, quiet: args.quiet } }.finish()
}

/// How much is printed.
#[derive(Clone, Copy, Debug)]
pub struct Talk {
    /// The report as JSON and nothing else.
    pub json: bool,
    /// Nothing but errors.
    pub quiet: bool,
}

/// A run that is to be brought to its end.
#[derive(Debug)]
pub struct Job<'a> {
    /// What is run.
    pub scene: &'a Scene,
    /// Where it is.
    pub run: Run,
    /// Where it is written.
    pub sink: Option<Sink>,
    /// Threads of the pool.
    pub threads: usize,
    /// How much is printed.
    pub talk: Talk,
}

/// How the steps ended.
enum Ended {
    /// All were taken.
    Whole,
    /// The simulation broke down.
    Broke(Failure),
    /// The user asked to stop.
    Interrupted,
}

impl Job<'_> {
    /// Takes all steps that are left, writes and prints the report; an error if the run breaks down, is interrupted, or
    /// an expectation does not hold.
    pub fn finish(mut self) -> Result<(), Failure> {
        let progress = Progress::new(self.run.steps(), self.talk.quiet);
        let ended = self.advance(&progress);
        progress.finish();
        let failed = match ended? {
            Ended::Whole => None,
            Ended::Broke(failure) => Some(failure),
            Ended::Interrupted => return Err(self.stopped()),
        };
        let about = Circumstances {
            threads: self.threads,
            variant: self.scene.variant().map(str::to_string),
            as_written: self.scene.is_as_written(),
            error: failed.as_ref().map(|f| f.message.clone()),
        };
        let report = report(&self.run, &about);
        let is_written = self.sink.is_some();
        if let Some(sink) = self.sink {
            sink.finish(self.scene, &self.run, &report)?;
        }
        if self.talk.json {
            output::print_json(&report);
        } else if !self.talk.quiet {
            output::print(&summary(&self.run, &report));
        }
        match failed {
            Some(mut failure) => {
                if !is_written {
                    failure.message += "; give --out DIR to keep the last good state";
                }
                Err(failure)
            }
            None if report["ok"] == true => Ok(()),
            None => Err(Failure { code: OTHER, message: unmet(&report) }),
        }
    }

    /// Takes all steps that are left. An error if the recording could not be written.
    fn advance(&mut self, progress: &Progress) -> Result<Ended, Failure> {
        let can_stop = self.sink.as_ref().is_some_and(Sink::has_checkpoints);
        if can_stop {
            interrupt::listen();
        }
        while !self.run.is_done() {
            if can_stop && interrupt::is_asked() {
                return Ok(Ended::Interrupted);
            }
            if let Err(e) = self.run.step() {
                return Ok(Ended::Broke(e.into()));
            }
            progress.update(&self.run);
            if let Some(sink) = &mut self.sink {
                sink.after_step(&mut self.run)?;
            }
        }
        Ok(Ended::Whole)
    }

    /// Saves the run before the user's wish is done, and tells how to go on.
    fn stopped(mut self) -> Failure {
        let (taken, steps) = (self.run.steps_taken(), self.run.steps());
        let remedy = self.sink.as_mut().map(|sink| sink.stop(&self.run)).unwrap_or_default();
        Failure { code: INTERRUPTED, message: format!("stopped after step {taken} of {steps}{remedy}") }
    }
}
