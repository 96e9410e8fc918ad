//! What a run was started with, and how far its files are.

use crate::file::Scene;
use pliant::SnapshotError;
use pliant::snapshot::{Reader, Writer};
use std::path::Path;

use super::CheckpointError;

/// How a run was started, as far as resuming it needs to know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunOptions {
    /// Every how many steps it is recorded.
    pub every: u64,
    /// Every how many steps it is saved.
    pub checkpoint_every: u64,
    /// Threads that were asked for; all cores if none.
    pub threads: Option<usize>,
    /// Names of the formats it is exported to.
    pub export: Vec<String>,
}

impl RunOptions {
    pub(super) fn save(&self, out: &mut Writer) {
        out.u64(self.every);
        out.u64(self.checkpoint_every);
        out.u64(self.threads.map_or(0, |n| n as u64));
        out.list(&self.export, |out, format| out.text(format));
    }

    pub(super) fn load(from: &mut Reader) -> Result<RunOptions, SnapshotError> {
        let (every, checkpoint_every) = (from.u64()?, from.u64()?);
        if every == 0 || checkpoint_every == 0 {
            return Err(SnapshotError::Impossible { what: "interval" });
        }
        let threads = Some(from.usize()?).filter(|n| (1..=1024).contains(n));
        let export = from.list(|r| r.text().map(str::to_string))?;
        Ok(RunOptions { every, checkpoint_every, threads, export })
    }
}

/// How far the files of a run are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunFiles {
    /// Frames of the recording, which are as many as were exported.
    pub frames: u32,
    /// Bytes of its file.
    pub frame_bytes: u64,
}

impl RunFiles {
    pub(super) fn save(&self, out: &mut Writer) {
        out.u32(self.frames);
        out.u64(self.frame_bytes);
    }

    pub(super) fn load(from: &mut Reader) -> Result<RunFiles, SnapshotError> {
        Ok(RunFiles { frames: from.u32()?, frame_bytes: from.u64()? })
    }
}

/// Writes a scene: its text, where its meshes are, what was changed. Meshes that were given with it are in the directory of the run.
pub(super) fn save_scene(scene: &Scene, run: &Path, out: &mut Writer) {
    out.text(&scene.label);
    out.text(scene.text());
    // The run may be resumed from another directory.
    let home = if scene.meshes.is_empty() { &scene.directory } else { run };
    let directory = std::path::absolute(home).unwrap_or_else(|_| home.to_path_buf());
    out.text(&directory.to_string_lossy());
    for choice in [scene.chosen_variant(), scene.chosen_solver()] {
        out.bool(choice.is_some());
        out.text(choice.unwrap_or_default());
    }
    out.list(scene.overrides(), |out, (path, value)| {
        out.text(path);
        out.text(value);
    });
}

/// Reads what [`save_scene`] wrote.
pub(super) fn load_scene(from: &mut Reader) -> Result<Scene, CheckpointError> {
    let (label, text, directory) = (from.text()?, from.text()?, from.text()?);
    let scene = Scene::parse_in(label, text, Path::new(directory))?;
    let mut choice = || -> Result<Option<String>, SnapshotError> {
        let is_made = from.bool()?;
        let name = from.text()?.to_string();
        Ok(is_made.then_some(name))
    };
    let (variant, solver) = (choice()?, choice()?);
    let values = from.list(|r| Ok((r.text()?.to_string(), r.text()?.to_string())))?;
    Ok(scene.with_changes(variant.as_deref(), solver.as_deref(), &values)?)
}
