//! The directory of a run: created or continued, filled step by step, completed at the end.

mod command;
mod guard;
mod pictures;

pub use command::command_of;

use crate::error::{Error, ResumePoint};
use crate::observer::{Observer, Warning};
use crate::page::{Sources, page};
use crate::picture::{PictureOptions, colors, of_world};
use crate::summary::{summary, verdict};
use guard::{Claim, check_entries};
use pictures::strip;
use pliant_render::{png_bytes, write_png};
use pliant_scene::checkpoint::{Checkpoint, CheckpointWriter, RunFiles, RunOptions};
use pliant_scene::exporting::{Exporter, Format};
use pliant_scene::recording::{FrameWriter, Tables, save_state};
use pliant_scene::{Run, Scene};
use serde_json::Value;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The report of a run in its directory. It is written last: a run without one has not ended.
pub const REPORT: &str = "report.json";

const FRAMES: &str = "frames.bin";
const LOG: &str = "log.txt";
const PREVIEW: &str = "preview.png";

/// How a scene is run and what is written.
#[derive(Clone, Debug, Default)]
pub struct RunSettings {
    /// Steps instead of the scene's own number.
    pub steps: Option<usize>,
    /// Every how many steps a frame is recorded; about 30 frames per simulated second if absent.
    pub every: Option<u64>,
    /// Every how many steps a checkpoint is written; never if absent.
    pub checkpoint_every: Option<u64>,
    /// Formats for other programs.
    pub export: Vec<Format>,
    /// Threads; all cores if absent.
    pub threads: Option<usize>,
}

/// The files of a run.
#[derive(Debug)]
pub struct RunDirectory {
    path: PathBuf,
    every: usize,
    frames: FrameWriter,
    tables: Tables,
    exporter: Option<Exporter>,
    checkpoints: Option<Checkpoints>,
    /// Held until the run has ended.
    _claim: Claim,
}

/// Checkpoints every so many steps.
#[derive(Debug)]
struct Checkpoints {
    writer: CheckpointWriter,
    every: usize,
    /// Step of the last one that was written.
    last: Option<usize>,
}

impl RunDirectory {
    /// Starts the files with the state before the first step.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn create(
        path: &Path,
        settings: &RunSettings,
        scene: &Scene,
        run: &mut Run,
        observer: &mut dyn Observer,
    ) -> Result<RunDirectory, Error> {
        let claim = clear(path)?;
        write_file(path, "scene.toml", &command::annotated_scene(scene))?;
        scene.write_meshes(path)?;
        write_file(path, LOG, "")?;
        let frames = FrameWriter::create(&path.join(FRAMES), run)?;
        let tables = Tables::create(path, run)?;
        let exporter = match settings.export.is_empty() {
            true => None,
            false => Some(Exporter::create(path, &settings.export, run)?),
        };
        let options = run_options(settings, run);
        let checkpoints = settings.checkpoint_every.map(|_| Checkpoints::new(path, scene, &options, run));
        let every = options.every as usize;
        let mut directory = RunDirectory {
            path: path.to_path_buf(),
            every,
            frames,
            tables,
            exporter,
            checkpoints,
            _claim: claim,
        };
        directory.write_frame(run)?;
        directory.save(run, observer);
        Ok(directory)
    }

    /// Continues the files of a run where they were at its checkpoint.
    ///
    /// # Errors
    /// If a file is missing, is of another run or cannot be written.
    pub fn resume(path: &Path, checkpoint: &Checkpoint, run: &Run) -> Result<RunDirectory, Error> {
        let (options, files) = (checkpoint.options(), checkpoint.files());
        let claim = Claim::on(path)?;
        check_entries(path)?;
        remove_leftovers(path)?;
        let frames = FrameWriter::resume(&path.join(FRAMES), run, (files.frames, files.frame_bytes))?;
        let tables = Tables::resume(path, run.steps_taken())?;
        let formats = options.export.iter().map(|f| f.parse::<Format>()).collect::<Result<Vec<_>, _>>()?;
        let exporter = match formats.is_empty() {
            true => None,
            false => Some(Exporter::resume(path, &formats, run, files.frames as usize)?),
        };
        let mut checkpoints = Checkpoints::new(path, checkpoint.scene(), options, run);
        checkpoints.last = Some(run.steps_taken());
        let every = options.every as usize;
        let checkpoints = Some(checkpoints);
        let directory = RunDirectory {
            path: path.to_path_buf(),
            every,
            frames,
            tables,
            exporter,
            checkpoints,
            _claim: claim,
        };
        directory.log(&format!("resumed after step {} of {}", run.steps_taken(), run.steps()))?;
        Ok(directory)
    }

    /// Writes a frame and a checkpoint if it is time for them.
    ///
    /// # Errors
    /// If a file cannot be written. A checkpoint that cannot be written is only a warning.
    pub fn after_step(&mut self, run: &mut Run, observer: &mut dyn Observer) -> Result<(), Error> {
        self.record(run).map_err(|e| resumable(e, self.resume_point()))?;
        let is_time = |c: &Checkpoints| run.steps_taken().is_multiple_of(c.every) && !run.is_done();
        if self.checkpoints.as_ref().is_some_and(is_time) {
            self.save(run, observer);
        }
        Ok(())
    }

    fn record(&mut self, run: &mut Run) -> Result<(), Error> {
        self.tables.step(run)?;
        if run.steps_taken().is_multiple_of(self.every) || run.is_done() {
            self.tables.frame(run)?;
            self.write_frame(run)?;
        }
        Ok(())
    }

    fn write_frame(&mut self, run: &mut Run) -> Result<(), Error> {
        run.record_frame();
        self.frames.frame(run)?;
        if let Some(exporter) = &mut self.exporter {
            exporter.frame(run)?;
        }
        Ok(())
    }

    /// Writes a checkpoint. A run is worth more than its checkpoint: if that fails, the run continues.
    fn save(&mut self, run: &Run, observer: &mut dyn Observer) {
        let Some(checkpoints) = &mut self.checkpoints else { return };
        if let Err(cause) = checkpoints.write(run, &mut self.frames) {
            let (step, last) = (run.steps_taken(), checkpoints.last);
            observer.warn(&Warning::NoCheckpoint { step, last, cause });
        }
    }

    /// Saves a run that is to be stopped; returns where it can be continued.
    ///
    /// # Errors
    /// If the log cannot be written.
    pub fn stop(&mut self, run: &Run, observer: &mut dyn Observer) -> Result<Option<ResumePoint>, Error> {
        self.save(run, observer);
        self.log(&format!("stopped after step {} of {}", run.steps_taken(), run.steps()))?;
        Ok(self.resume_point())
    }

    /// Where the run can be continued, if it has a checkpoint.
    pub fn resume_point(&self) -> Option<ResumePoint> {
        let step = self.checkpoints.as_ref()?.last?;
        Some(ResumePoint { directory: self.path.clone(), step })
    }

    /// Writes everything that belongs to the end of a run; the report last.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn finish(
        self,
        scene: &Scene,
        run: &Run,
        report: &Value,
        observer: &mut dyn Observer,
    ) -> Result<(), Error> {
        let resume = self.resume_point();
        self.write_end(scene, run, report, observer).map_err(|e| resumable(e, resume))
    }

    fn write_end(
        mut self,
        scene: &Scene,
        run: &Run,
        report: &Value,
        observer: &mut dyn Observer,
    ) -> Result<(), Error> {
        self.log(&summary(run, report, verdict))?;
        self.frames.finish()?;
        save_state(&self.path.join("state.bin"), run.world().state())?;
        let picture = of_world(run.setup(), run.world(), &PictureOptions::default());
        write_png(self.path.join(PREVIEW), &picture)?;
        let sources = Sources {
            scene,
            report,
            picture: Some(png_bytes(&picture)?),
            strip: strip(&self.path.join(FRAMES))?,
            command: command::full_command(scene, run),
        };
        write_file(&self.path, "report.html", &page(run, &sources))?;
        if let Some(exporter) = &mut self.exporter {
            let notes = exporter.complete(run, &colors(run.world().model()))?;
            notes.into_iter().for_each(|note| observer.warn(&Warning::Export(note)));
        }
        write_report(&self.path, report)?;
        // Only now is nothing needed any more to continue.
        self.exporter.into_iter().for_each(Exporter::clean_up);
        Ok(())
    }

    /// Appends lines to the log.
    fn log(&self, lines: &str) -> Result<(), Error> {
        let path = self.path.join(LOG);
        let append = || -> io::Result<()> {
            let mut log = OpenOptions::new().append(true).create(true).open(&path)?;
            log.write_all(format!("{lines}\n").as_bytes())
        };
        append().map_err(Error::write(&path))
    }
}

impl Checkpoints {
    fn new(directory: &Path, scene: &Scene, options: &RunOptions, run: &Run) -> Checkpoints {
        let writer = CheckpointWriter::new(directory, scene, options, run);
        Checkpoints { writer, every: (options.checkpoint_every as usize).max(1), last: None }
    }

    /// Writes the run as it is now, after all of its frames are in their file.
    fn write(&mut self, run: &Run, frames: &mut FrameWriter) -> Result<(), Error> {
        let (frames, frame_bytes) = frames.mark()?;
        let path = self.writer.path().to_path_buf();
        self.writer.write(run, &RunFiles { frames, frame_bytes }).map_err(Error::write(path))?;
        self.last = Some(run.steps_taken());
        Ok(())
    }
}

/// The error with where the run can be continued, if it can.
fn resumable(error: Error, resume: Option<ResumePoint>) -> Error {
    match resume {
        Some(resume) => Error::Resumable { source: Box::new(error), resume },
        None => error,
    }
}

/// The options of a run as its checkpoints keep them.
fn run_options(settings: &RunSettings, run: &Run) -> RunOptions {
    let thirty_per_second = (1.0 / (30.0 * run.setup().model.dt)).round().max(1.0) as u64;
    RunOptions {
        every: settings.every.unwrap_or(thirty_per_second),
        checkpoint_every: settings.checkpoint_every.unwrap_or(0),
        threads: settings.threads,
        export: settings.export.iter().map(|f| f.name().to_string()).collect(),
    }
}

/// Makes the directory and claims it, without what could be taken for the end or the checkpoint of this run.
fn clear(path: &Path) -> Result<Claim, Error> {
    if path.exists() && !path.is_dir() {
        return Err(Error::NotADirectory { path: path.to_path_buf() });
    }
    fs::create_dir_all(path).map_err(Error::write(path))?;
    let claim = Claim::on(path)?;
    check_entries(path)?;
    CheckpointWriter::remove_old(path)
        .map_err(|source| Error::OldCheckpoint { directory: path.to_path_buf(), source })?;
    remove_if_there(&path.join(REPORT))?;
    remove_leftovers(path)?;
    Ok(claim)
}

fn write_file(directory: &Path, name: &str, text: &str) -> Result<(), Error> {
    let path = directory.join(name);
    fs::write(&path, text).map_err(Error::write(&path))
}

/// Writes the report, which is whole as soon as it is there.
fn write_report(directory: &Path, report: &Value) -> Result<(), Error> {
    let (path, filled) = (directory.join(REPORT), format!("{REPORT}.new"));
    write_file(directory, &filled, &format!("{report:#}\n"))?;
    fs::rename(directory.join(filled), &path).map_err(Error::write(&path))
}

fn remove_if_there(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(Error::write(path)(e)),
        _ => Ok(()),
    }
}

/// Removes pictures that a run was killed in the middle of.
fn remove_leftovers(directory: &Path) -> Result<(), Error> {
    for entry in fs::read_dir(directory).map_err(Error::write(directory))? {
        let entry = entry.map_err(Error::write(directory))?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(&format!(".{PREVIEW}.")) && name.ends_with(".partial") {
            remove_if_there(&entry.path())?;
        }
    }
    Ok(())
}
