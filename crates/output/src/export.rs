//! Exports after the fact. A recording holds what is seen; other programs want all of a body and its stresses. A run is the same bit
//! for bit each time, so that it is repeated, and the frames of its recording are written.

use crate::directory::REPORT;
use crate::error::Error;
use crate::picture::colors;
use pliant_scene::exporting::{Exporter, Format};
use pliant_scene::recording::Recording;
use pliant_scene::{Run, Scene};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// What was exported.
#[derive(Debug)]
pub struct Exported {
    /// What a format could not hold.
    pub notes: Vec<String>,
    /// Whether the run ended in the same state as the first time; also if it was not to end.
    pub is_same: bool,
}

/// Repeats the run in a directory and writes its recorded frames in other formats.
///
/// # Errors
/// If there is no finished run, its scene is not accepted any more, or a file cannot be written.
pub fn export_again(directory: &Path, formats: &[Format]) -> Result<Exported, Error> {
    let path = directory.join(REPORT);
    let unreadable = |source: std::io::Error| Error::NoReport { path: path.clone(), source };
    let bytes = fs::read(&path).map_err(unreadable)?;
    let report: Value = serde_json::from_slice(&bytes).map_err(|e| unreadable(e.into()))?;
    let scene = scene_of(directory, &report)?;
    let mut recording = Recording::open(&directory.join("frames.bin"))?;
    let mut wanted = Vec::with_capacity(recording.frames());
    for index in 0..recording.frames() {
        wanted.push(recording.frame(index)?.steps as usize);
    }
    let mut run = Run::new(scene.build()?)?;
    let steps = report["steps"].as_u64().unwrap_or(0) as usize;
    run.limit_steps(steps.max(1));
    let mut exporter = Exporter::create(directory, formats, &run)?;
    let mut wanted = wanted.into_iter().peekable();
    loop {
        if wanted.next_if_eq(&run.steps_taken()).is_some() {
            exporter.frame(&run)?;
        }
        if wanted.peek().is_none() || run.is_done() || run.step().is_err() {
            break;
        }
    }
    let notes = exporter.finish(&run, &colors(run.world().model()))?;
    let hash = report["state_hash"].as_str().unwrap_or_default();
    let is_same = run.steps_taken() != steps || format!("{:016x}", run.world().state().hash()) == hash;
    Ok(Exported { notes, is_same })
}

/// The scene of a run with its changes, from the copy beside its report.
fn scene_of(directory: &Path, report: &Value) -> Result<Scene, Error> {
    let copy = directory.join("scene.toml");
    let set = report["set"].as_object().into_iter().flatten();
    let text = |v: &Value| v.as_str().map_or_else(|| v.to_string(), str::to_string);
    let values: Vec<(String, String)> = set.map(|(name, value)| (name.clone(), text(value))).collect();
    let solver = report["solver"].as_str();
    Ok(Scene::load(&copy.to_string_lossy())?.with_changes(report["variant"].as_str(), solver, &values)?)
}
