//! One file per command.

pub mod bench;
pub mod check;
pub mod compare;
pub mod export;
pub mod mesh;
pub mod render;
pub mod resume;
pub mod run;
pub mod scenes;
pub mod schema;
pub mod sweep;
pub mod view;

use crate::args::{Changes, Length};
use crate::failure::Failure;
use pliant_render::{Plot, panels};
use pliant_scene::{Run, Scene};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Reads a scene and makes the changes asked for: variant, solver, then single values.
pub fn load(name: &str, changes: &Changes) -> Result<Scene, Failure> {
    let (variant, solver) = (changes.variant.as_deref(), changes.solver.as_deref());
    Ok(Scene::load(name)?.with_changes(variant, solver, &changes.set)?)
}

/// Shortens or lengthens a run.
pub fn limit(run: &mut Run, length: &Length) -> Result<(), Failure> {
    if let Some(steps) = step_count(run.setup().model.dt, length)? {
        run.limit_steps(steps);
    }
    Ok(())
}

/// The number of steps that was asked for, if any was.
pub fn step_count(dt: f64, length: &Length) -> Result<Option<usize>, Failure> {
    if let Some(steps) = length.steps {
        return Ok(Some(steps as usize));
    }
    if let Some(seconds) = length.seconds {
        let steps = (seconds / dt * (1.0 - 1e-9)).ceil().max(1.0);
        if steps > 1e8 {
            return Err(Failure::input(format!(
                "--seconds {seconds}: more than 1e8 steps: use a shorter time"
            )));
        }
        return Ok(Some(steps as usize));
    }
    Ok(None)
}

/// Refuses what cannot become a directory for results, before anything is computed.
pub fn check_directory(path: Option<&Path>) -> Result<(), Failure> {
    match path {
        Some(path) if path.exists() && !path.is_dir() => {
            Err(Failure::input(format!("--out {}: this is a file: name a directory", path.display())))
        }
        _ => Ok(()),
    }
}

/// Creates a directory for results.
pub fn create_directory(path: &Path) -> Result<(), Failure> {
    check_directory(Some(path))?;
    fs::create_dir_all(path).map_err(|e| {
        Failure::other(format!("--out {}: {e}: name a directory that can be written", path.display()))
    })
}

/// Writes `NAME.json` and `NAME.svg` into a directory of results.
pub fn write_results(directory: &Path, name: &str, json: &Value, plots: &[Plot]) -> Result<(), Failure> {
    create_directory(directory)?;
    write_file(directory, &format!("{name}.json"), &format!("{json:#}\n"))?;
    write_file(directory, &format!("{name}.svg"), &panels(plots, 2))
}

/// Writes a text file into a directory of results.
pub fn write_file(directory: &Path, name: &str, text: &str) -> Result<(), Failure> {
    let path = directory.join(name);
    fs::write(&path, text)
        .map_err(|e| Failure::other(format!("{}: {e}: check space and permissions", path.display())))
}
