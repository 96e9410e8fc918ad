//! The directory that a run is written to, and gone on from.

use super::preview::{preview, strip};
use super::summary::{plain, summary};
use crate::args::RunArgs;
use crate::commands::{create_directory, write_file};
use crate::failure::Failure;
use crate::output;
use crate::page::{Sources, page};
use crate::picture::colors;
use pliant_render::{png_bytes, write_png};
use pliant_scene::checkpoint::{Checkpoint, CheckpointWriter, RunFiles, RunOptions};
use pliant_scene::exporting::{Exporter, Format};
use pliant_scene::recording::{FrameWriter, save_state};
use pliant_scene::{Run, Scene, Tables};
use serde_json::Value;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The report of a run in its directory. It is written last: a run without one has not ended.
pub const REPORT: &str = "report.json";

/// The files of a run.
#[derive(Debug)]
pub struct Sink {
    directory: PathBuf,
    every: usize,
    frames: FrameWriter,
    tables: Tables,
    exporter: Option<Exporter>,
    checkpoints: Option<Checkpoints>,
}

/// Checkpoints every so many steps.
#[derive(Debug)]
struct Checkpoints {
    writer: CheckpointWriter,
    every: usize,
    /// Step of the last one that was written.
    last: Option<usize>,
}

impl Sink {
    /// Starts the files with the state before the first step.
    pub fn create(directory: &Path, args: &RunArgs, scene: &Scene, run: &mut Run) -> Result<Sink, Failure> {
        create_directory(directory)?;
        CheckpointWriter::remove_old(directory).map_err(|e| {
            Failure::other(format!(
                "--out {}: the checkpoint of another run cannot be removed ({e}): use another directory",
                directory.display()
            ))
        })?;
        // The report is there when a run has ended.
        let _ = fs::remove_file(directory.join(REPORT));
        remove_leftovers(directory);
        write_file(directory, "scene.toml", &copy_of(scene))?;
        write_file(directory, "log.txt", "")?;
        let frames = FrameWriter::create(&directory.join("frames.bin"), run)?;
        let tables = Tables::create(directory, run)?;
        let exporter = match args.export.is_empty() {
            true => None,
            false => Some(Exporter::create(directory, &args.export, run)?),
        };
        let thirty = (1.0 / (30.0 * run.setup().model.dt)).round().max(1.0) as u64;
        let options = RunOptions {
            every: args.every.unwrap_or(thirty),
            checkpoint_every: args.checkpoint_every.unwrap_or(0),
            threads: args.threads,
            export: args.export.iter().map(|f| f.name().to_string()).collect(),
        };
        let checkpoints = args.checkpoint_every.map(|_| Checkpoints::new(directory, scene, &options, run));
        let every = options.every as usize;
        let mut sink =
            Sink { directory: directory.to_path_buf(), every, frames, tables, exporter, checkpoints };
        sink.write_frame(run)?;
        sink.save(run);
        Ok(sink)
    }

    /// Goes on with the files of a run where they were at its checkpoint.
    pub fn resume(directory: &Path, checkpoint: &Checkpoint, run: &Run) -> Result<Sink, Failure> {
        let (options, files) = (checkpoint.options(), checkpoint.files());
        remove_leftovers(directory);
        let frames =
            FrameWriter::resume(&directory.join("frames.bin"), run, (files.frames, files.frame_bytes))?;
        let tables = Tables::resume(directory, run.steps_taken())?;
        let formats = options.export.iter().map(|f| f.parse::<Format>()).collect::<Result<Vec<_>, _>>();
        let formats = formats.map_err(Failure::input)?;
        let exporter = match formats.is_empty() {
            true => None,
            false => Some(Exporter::resume(directory, &formats, run, files.frames as usize)?),
        };
        let mut checkpoints = Checkpoints::new(directory, checkpoint.scene(), options, run);
        checkpoints.last = Some(run.steps_taken());
        let every = options.every as usize;
        let directory = directory.to_path_buf();
        let sink = Sink { directory, every, frames, tables, exporter, checkpoints: Some(checkpoints) };
        sink.log(&format!("went on after step {} of {}", run.steps_taken(), run.steps()))?;
        Ok(sink)
    }

    /// Whether the run can be gone on with.
    pub fn has_checkpoints(&self) -> bool {
        self.checkpoints.is_some()
    }

    /// Writes a frame and a checkpoint if it is time for them.
    pub fn after_step(&mut self, run: &mut Run) -> Result<(), Failure> {
        let written = self.record(run);
        written.map_err(|e| self.with_remedy(e))?;
        let is_time = |c: &Checkpoints| run.steps_taken().is_multiple_of(c.every) && !run.is_done();
        if self.checkpoints.as_ref().is_some_and(is_time) {
            self.save(run);
        }
        Ok(())
    }

    fn record(&mut self, run: &mut Run) -> Result<(), Failure> {
        self.tables.step(run)?;
        if run.steps_taken().is_multiple_of(self.every) || run.is_done() {
            self.tables.frame(run)?;
            self.write_frame(run)?;
        }
        Ok(())
    }

    fn write_frame(&mut self, run: &mut Run) -> Result<(), Failure> {
        run.record_energies();
        self.frames.frame(run)?;
        if let Some(exporter) = &mut self.exporter {
            exporter.frame(run)?;
        }
        Ok(())
    }

    /// Writes a checkpoint. A run is worth more than its checkpoint: if that fails, a warning tells so.
    fn save(&mut self, run: &Run) {
        let Some(checkpoints) = &mut self.checkpoints else { return };
        if let Err(cause) = checkpoints.write(run, &mut self.frames) {
            let step = run.steps_taken();
            let kept = match checkpoints.last {
                Some(last) => format!("the one of step {last} is whole and stays"),
                None => "there is none so far".to_string(),
            };
            output::warning(&format!(
                "no checkpoint at step {step} ({cause}); the run goes on, {kept}: make room"
            ));
        }
    }

    /// Saves the run at once; returns how to go on, as the end of a sentence.
    pub fn stop(&mut self, run: &Run) -> String {
        self.save(run);
        let _ = self.log(&format!("stopped after step {} of {}", run.steps_taken(), run.steps()));
        self.remedy()
    }

    /// How to go on from the last checkpoint, as the end of a sentence.
    fn remedy(&self) -> String {
        let last = self.checkpoints.as_ref().and_then(|c| c.last);
        match last {
            Some(step) => {
                let directory = self.directory.display();
                format!("; go on after step {step} with `pliant resume {directory}`")
            }
            None => String::new(),
        }
    }

    fn with_remedy(&self, failure: Failure) -> Failure {
        Failure { message: failure.message + &self.remedy(), ..failure }
    }

    /// Writes everything that belongs to the end of a run.
    pub fn finish(self, scene: &Scene, run: &Run, report: &Value) -> Result<(), Failure> {
        let remedy = self.remedy();
        let written = self.write_end(scene, run, report);
        written.map_err(|e| Failure { message: e.message + &remedy, ..e })
    }

    fn write_end(mut self, scene: &Scene, run: &Run, report: &Value) -> Result<(), Failure> {
        self.log(&plain(&summary(run, report)))?;
        self.frames.finish()?;
        save_state(&self.directory.join("state.bin"), run.world().state())?;
        let picture = preview(run);
        write_png(self.directory.join("preview.png"), &picture)?;
        let length = match run.is_full_length() {
            true => String::new(),
            false => format!(" --steps {}", run.steps()),
        };
        let sources = Sources {
            scene,
            report,
            picture: png_bytes(&picture).ok(),
            // A page without its small pictures is better than none.
            strip: strip(&self.directory.join("frames.bin")).unwrap_or_default(),
            command: command_of(scene) + &length,
        };
        write_file(&self.directory, "report.html", &page(run, &sources))?;
        if let Some(exporter) = &mut self.exporter {
            let notes = exporter.complete(run, &colors(run.world().model()))?;
            notes.iter().for_each(|note| output::warning(note));
        }
        write_report(&self.directory, report)?;
        // Only now is nothing needed any more to go on.
        self.exporter.into_iter().for_each(Exporter::clean_up);
        Ok(())
    }

    /// Appends lines to the log.
    fn log(&self, lines: &str) -> Result<(), Failure> {
        let path = self.directory.join("log.txt");
        let append = || {
            OpenOptions::new()
                .append(true)
                .create(true)
                .open(&path)?
                .write_all(format!("{lines}\n").as_bytes())
        };
        append().map_err(|e| Failure::other(format!("{}: {e}: check space and permissions", path.display())))
    }
}

impl Checkpoints {
    fn new(directory: &Path, scene: &Scene, options: &RunOptions, run: &Run) -> Checkpoints {
        let writer = CheckpointWriter::new(directory, scene, options, run);
        Checkpoints { writer, every: (options.checkpoint_every as usize).max(1), last: None }
    }

    /// The recording first: a checkpoint must not tell of frames that are not on the disk.
    fn write(&mut self, run: &Run, frames: &mut FrameWriter) -> Result<(), String> {
        let (frames, frame_bytes) = frames.mark().map_err(|e| e.to_string())?;
        self.writer.write(run, &RunFiles { frames, frame_bytes }).map_err(|e| e.to_string())?;
        self.last = Some(run.steps_taken());
        Ok(())
    }
}

/// Writes the report, which is whole as soon as it is there.
fn write_report(directory: &Path, report: &Value) -> Result<(), Failure> {
    let (path, filled) = (directory.join(REPORT), format!("{REPORT}.new"));
    write_file(directory, &filled, &format!("{report:#}\n"))?;
    fs::rename(directory.join(filled), &path)
        .map_err(|e| Failure::other(format!("{}: {e}: check the permissions", path.display())))
}

/// The scene's text, preceded by how it was changed.
fn copy_of(scene: &Scene) -> String {
    // The text of an override cannot end the comment.
    format!("# {}\n{}", command_of(scene).replace(['\n', '\r'], " "), scene.text())
}

/// The command that runs the scene with its changes.
fn command_of(scene: &Scene) -> String {
    let mut words = vec!["pliant".to_string(), "run".to_string(), scene.label().to_string()];
    let mut option = |name: &str, value: &str| words.extend([name.to_string(), value.to_string()]);
    if let Some(variant) = scene.variant() {
        option("--variant", variant);
    }
    if let Some(solver) = scene.chosen_solver() {
        option("--solver", solver);
    }
    for (path, value) in scene.overrides() {
        option("--set", &format!("{path}={value}"));
    }
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// A word as a shell takes it for one.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=.,/:+@".contains(c);
    if word.chars().all(plain) && !word.is_empty() {
        return word.to_string();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Removes pictures that a run was killed in the middle of.
fn remove_leftovers(directory: &Path) {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(".preview.png.") && name.ends_with(".partial") {
            // Whoever cannot remove it will not be able to write either, and is told so then.
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_can_be_typed_again() {
        let mut scene = Scene::load("drop").unwrap();
        scene.set("body.0.name", "it's").unwrap();
        scene.set("youngs", "2e5").unwrap();
        let command = command_of(&scene);
        assert_eq!(command, r"pliant run drop --variant n6 --set 'body.0.name=it'\''s' --set youngs=2e5");
    }
}
