//! `pliant run`: simulates a scene, records it, reports.

mod interrupt;

use super::{limit, load};
use crate::args::RunArgs;
use crate::failure::{Failure, INTERRUPTED, OTHER};
use crate::output;
use crate::pool;
use crate::progress::Progress;
use pliant_output::{Ended, Finished, Job, Observer, RunSettings, Warning, summary, unmet};
use pliant_scene::{Run, Scene, Verifier};

/// Runs the scene; an error if it breaks down or an expectation does not hold.
pub fn run(args: &RunArgs) -> Result<(), Failure> {
    let scene = load(&args.scene.scene, &args.scene.changes)?;
    pool::install(args.threads, |_| simulate(args, &scene))
}

fn simulate(args: &RunArgs, scene: &Scene) -> Result<(), Failure> {
    let mut run = Run::new(scene.build()?)?;
    limit(&mut run, &args.length)?;
    if run.world().ignores_contact() {
        let kind = run.setup().solver.kind();
        output::warning(&format!("solver `{kind}` knows no contact: bodies pass through each other"));
    }
    let verbosity = Verbosity { json: args.json, quiet: args.quiet };
    let verifier = match args.verify {
        true => Some(Verifier::new(run.world()).map_err(|e| Failure::input(e.to_string()))?),
        false => None,
    };
    let mut terminal = Terminal::new(&run, verbosity, args.checkpoint_every.is_some(), verifier);
    // Only now, when nothing of the input is wrong any more, is anything written.
    let job = match &args.out {
        Some(directory) => {
            let settings = RunSettings {
                steps: None,
                every: args.every,
                checkpoint_every: args.checkpoint_every,
                export: args.export.clone(),
                threads: args.threads,
            };
            Job::in_directory(scene, run, directory, &settings, &mut terminal)?
        }
        None => Job::new(scene, run),
    };
    finish(job, terminal, args.out.is_some())
}

/// How much is printed.
#[derive(Clone, Copy, Debug)]
pub struct Verbosity {
    /// The report as JSON and nothing else.
    pub json: bool,
    /// Nothing but errors.
    pub quiet: bool,
}

/// The terminal at which a run is watched and interrupted.
pub struct Terminal {
    progress: Progress,
    verbosity: Verbosity,
    can_stop: bool,
    verifier: Option<Verifier>,
}

impl Terminal {
    /// Shows the progress of a run, and has its states verified. One that `can_stop` is stopped by Ctrl-C instead of being killed.
    pub fn new(run: &Run, verbosity: Verbosity, can_stop: bool, verifier: Option<Verifier>) -> Terminal {
        if can_stop {
            interrupt::listen();
        }
        Terminal { progress: Progress::new(run.steps(), verbosity.quiet), verbosity, can_stop, verifier }
    }
}

impl Observer for Terminal {
    fn step(&mut self, run: &Run) {
        self.progress.update(run);
        self.verifier.iter_mut().for_each(|verifier| verifier.look(run.world()));
    }

    fn should_stop(&mut self) -> bool {
        self.can_stop && interrupt::is_asked()
    }

    fn warn(&mut self, warning: &Warning) {
        output::warning(&warning.to_string());
    }
}

/// Brings a run to its end and prints its report; an error if it breaks down, is interrupted, or an expectation does
/// not hold.
pub fn finish(job: Job, mut terminal: Terminal, is_written: bool) -> Result<(), Failure> {
    let ended = job.finish(&mut terminal);
    terminal.progress.finish();
    match ended? {
        Ended::Finished(finished) => report(*finished, &terminal, is_written),
        Ended::Stopped { taken, steps, resume } => {
            let resume = resume.map(|point| format!("; {point}")).unwrap_or_default();
            let message = format!("stopped after step {taken} of {steps}{resume}");
            Err(Failure { code: INTERRUPTED, message })
        }
    }
}

fn report(finished: Finished, terminal: &Terminal, is_written: bool) -> Result<(), Failure> {
    let Finished { run, mut report, error } = finished;
    let Terminal { verbosity, verifier, .. } = terminal;
    if let Some(verifier) = verifier {
        report["verify"] = verifier.report();
    }
    if verbosity.json {
        output::print_json(&report);
    } else if !verbosity.quiet {
        output::print(&summary(&run, &report, output::verdict));
        verifier.iter().for_each(|verifier| output::print(&verifier.summary()));
    }
    match error {
        Some(error) => {
            let mut failure = Failure::from(error);
            if !is_written {
                failure.message += "; give --out DIR to keep the last good state";
            }
            Err(failure)
        }
        None => match verifier.as_ref().filter(|verifier| !verifier.is_free()) {
            Some(verifier) => Err(Failure { code: OTHER, message: verifier.summary() }),
            None if report["ok"] == true => Ok(()),
            None => Err(Failure { code: OTHER, message: unmet(&report) }),
        },
    }
}
