//! Running scenes to their end: new runs, and stopped ones that continue from a checkpoint.

use crate::directory::{REPORT, RunDirectory, RunSettings};
use crate::error::{Error, ResumePoint};
use crate::observer::Observer;
use crate::threads::with_threads;
use pliant::StepError;
use pliant_scene::checkpoint::{CHECKPOINT, Checkpoint, CheckpointError};
use pliant_scene::report::{Circumstances, report};
use pliant_scene::{Run, Scene};
use serde_json::Value;
use std::io;
use std::path::{Path, PathBuf};

/// A run and where it is written.
#[derive(Debug)]
pub struct Job<'a> {
    scene: &'a Scene,
    run: Run,
    directory: Option<RunDirectory>,
}

/// How a run ended.
#[derive(Debug)]
pub enum Ended {
    /// It took all its steps, or broke down.
    Finished(Box<Finished>),
    /// The observer stopped it.
    Stopped {
        /// Steps taken.
        taken: usize,
        /// Steps of the whole run.
        steps: usize,
        /// Where it can be continued, if it has a checkpoint.
        resume: Option<ResumePoint>,
    },
}

/// A run with its report.
#[derive(Debug)]
pub struct Finished {
    /// The run at its end.
    pub run: Run,
    /// Its report.
    pub report: Value,
    /// Why the simulation broke down, if it did.
    pub error: Option<StepError>,
}

impl<'a> Job<'a> {
    /// A run that leaves no files.
    pub fn new(scene: &'a Scene, run: Run) -> Job<'a> {
        Job { scene, run, directory: None }
    }

    /// A run that is written to a directory, whose files are started.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn in_directory(
        scene: &'a Scene,
        mut run: Run,
        path: &Path,
        settings: &RunSettings,
        observer: &mut dyn Observer,
    ) -> Result<Job<'a>, Error> {
        let directory = Some(RunDirectory::create(path, settings, scene, &mut run, observer)?);
        Ok(Job { scene, run, directory })
    }

    /// The run where it is.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Takes all steps that are left, checks the expectations and writes what belongs to the end.
    ///
    /// # Errors
    /// If a file cannot be written. A simulation that breaks down is no error here: it has a report.
    pub fn finish(mut self, observer: &mut dyn Observer) -> Result<Ended, Error> {
        let mut error = None;
        while !self.run.is_done() {
            if observer.should_stop() {
                return self.stop(observer);
            }
            if let Err(e) = self.run.step() {
                error = Some(e);
                break;
            }
            observer.step(&self.run);
            if let Some(directory) = &mut self.directory {
                directory.after_step(&mut self.run, observer)?;
            }
        }
        let about = Circumstances {
            threads: rayon::current_num_threads(),
            variant: self.scene.variant().map(str::to_string),
            as_written: self.scene.is_as_written(),
            set: self.scene.overrides().to_vec(),
            error: error.as_ref().map(StepError::to_string),
        };
        let report = report(&self.run, &about);
        if let Some(directory) = self.directory {
            directory.finish(self.scene, &self.run, &report, observer)?;
        }
        Ok(Ended::Finished(Box::new(Finished { run: self.run, report, error })))
    }

    fn stop(mut self, observer: &mut dyn Observer) -> Result<Ended, Error> {
        let (taken, steps) = (self.run.steps_taken(), self.run.steps());
        let resume = match &mut self.directory {
            Some(directory) => directory.stop(&self.run, observer)?,
            None => None,
        };
        Ok(Ended::Stopped { taken, steps, resume })
    }
}

/// Runs a scene to its end and writes a directory with its report, recording, tables, picture and log.
///
/// # Errors
/// If the scene is not accepted or a file cannot be written.
pub fn run_scene(
    scene: &Scene,
    directory: &Path,
    settings: &RunSettings,
    observer: &mut dyn Observer,
) -> Result<Ended, Error> {
    with_threads(settings.threads, || {
        let mut run = Run::new(scene.build()?)?;
        if let Some(steps) = settings.steps {
            run.limit_steps(steps);
        }
        Job::in_directory(scene, run, directory, settings, observer)?.finish(observer)
    })?
}

/// The directory of a run that was started with checkpoints.
#[derive(Debug)]
pub struct StoppedRun {
    directory: PathBuf,
    path: PathBuf,
    checkpoint: Checkpoint,
}

impl StoppedRun {
    /// Reads the checkpoint in a directory, or the checkpoint file itself.
    ///
    /// # Errors
    /// If there is none, or it is damaged or of another version.
    pub fn open(directory_or_file: &Path) -> Result<StoppedRun, Error> {
        let path = match directory_or_file.is_dir() {
            true => inside(directory_or_file, CHECKPOINT)?,
            false => directory_or_file.to_path_buf(),
        };
        let checkpoint = Checkpoint::read(&path).map_err(|e| refusal(&path, e))?;
        let directory = path.parent().unwrap_or(Path::new("")).to_path_buf();
        Ok(StoppedRun { directory, path, checkpoint })
    }

    /// The checkpoint.
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// File of the report.
    pub fn report_path(&self) -> PathBuf {
        self.directory.join(REPORT)
    }

    /// The report, if the run has ended after all.
    ///
    /// # Errors
    /// If there is one that cannot be read.
    pub fn report(&self) -> Result<Option<Value>, Error> {
        let path = match self.directory.is_dir() {
            true => inside(&self.directory, REPORT)?,
            false => self.report_path(),
        };
        let unreadable = |source: io::Error| Error::Report { path: path.clone(), source };
        if std::fs::metadata(&path).is_ok_and(|about| !about.is_file()) {
            return Err(unreadable(io::Error::other("this is not a file")));
        }
        match std::fs::read(&path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(unreadable(e)),
            Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|e| unreadable(e.into())),
        }
    }

    /// The run and its files as they were at the checkpoint, ready to continue.
    ///
    /// # Errors
    /// If the scene's mesh files have changed, or the files of the run do not fit the checkpoint.
    pub fn job(&self) -> Result<Job<'_>, Error> {
        let run = self.checkpoint.run().map_err(|e| refusal(&self.path, e))?;
        let directory = Some(RunDirectory::resume(&self.directory, &self.checkpoint, &run)?);
        Ok(Job { scene: self.checkpoint.scene(), run, directory })
    }

    /// Continues the run to its end, bit for bit as if it had never stopped.
    ///
    /// # Errors
    /// Those of [`job`](Self::job) and [`Job::finish`].
    pub fn resume(&self, threads: Option<usize>, observer: &mut dyn Observer) -> Result<Ended, Error> {
        let threads = threads.or(self.checkpoint.options().threads);
        with_threads(threads, || self.job()?.finish(observer))?
    }
}

/// A file of a run, which must not be a link to somewhere else.
fn inside(directory: &Path, name: &str) -> Result<PathBuf, Error> {
    let path = directory.join(name);
    let leads_out = |target: &Path| !directory.canonicalize().is_ok_and(|home| target.starts_with(home));
    match path.canonicalize() {
        Ok(target) if leads_out(&target) => Err(Error::LeadsOut { path }),
        _ => Ok(path),
    }
}

fn refusal(path: &Path, error: CheckpointError) -> Error {
    match error {
        CheckpointError::Scene(e) => e.into(),
        source => Error::Checkpoint { path: path.to_path_buf(), source },
    }
}
