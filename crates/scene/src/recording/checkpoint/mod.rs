//! Checkpoints: all that a run needs to resume as if it had never stopped.
//!
//! `checkpoint.bin`, little endian:
//!
//! | what | type |
//! |---|---|
//! | `PLIANTCP` | 8 bytes |
//! | version, 1 | u32 |
//! | bytes of the whole file | u64 |
//! | CRC-64 (ECMA-182, as in .xz) of all other bytes | u64 |
//! | version of pliant, width of the vectors, scene with its changes, fingerprint of what it builds, options of the run, marks of its files, memory of the run and of the world | the rest |
//!
//! Nothing in it is believed before the checksum holds, and no length in it beyond the end of the file.

mod container;
mod crc64;
mod source;

pub use source::{RunFiles, RunOptions};

use crate::building::Setup;
use crate::error::SceneError;
use crate::file::Scene;
use crate::recording::regular::open_regular;
use crate::running::Run;
use crc64::Crc64;
use pliant::SnapshotError;
use pliant::snapshot::{Reader, Writer};
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

/// Name of the file in the directory of a run.
pub const CHECKPOINT: &str = "checkpoint.bin";

/// Why a checkpoint cannot be read, or does not fit.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// There is none.
    #[error(
        "there is no checkpoint here: one is written by `pliant run SCENE --out DIR --checkpoint-every K`"
    )]
    Missing,
    /// The file cannot be read.
    #[error("{0}: check the path and the permissions")]
    Io(#[from] io::Error),
    /// It is something else.
    #[error("this is not a checkpoint of pliant: give the directory of a run, or its {CHECKPOINT}")]
    Foreign,
    /// Its format is another one.
    #[error(
        "the checkpoint has format {found}, this program reads {}: resume with the version of pliant that wrote it",
        container::VERSION
    )]
    Version {
        /// The number of its format.
        found: u32,
    },
    /// The end is missing.
    #[error("the checkpoint is cut off after {bytes} bytes{}: take another copy, or run again", of(*wanted))]
    Cut {
        /// Bytes that are there.
        bytes: u64,
        /// Bytes that it should have, if that much is known.
        wanted: Option<u64>,
    },
    /// Some byte is not what was written.
    #[error("the checkpoint is damaged, its checksum does not hold: take another copy, or run again")]
    Damaged,
    /// It was written by another version of the program.
    #[error(
        "the checkpoint is from pliant {found}, this is {}: only the same version resumes bit for bit, use that one or run again",
        env!("CARGO_PKG_VERSION")
    )]
    Program {
        /// Version of that program.
        found: String,
    },
    /// The scene builds something else than it did.
    #[error(
        "the scene does not build the same bodies as when the run began: put its mesh files back as they were, or run again"
    )]
    Changed,
    /// What it holds cannot be.
    #[error(transparent)]
    Content(#[from] SnapshotError),
    /// Its scene is not accepted.
    #[error(transparent)]
    Scene(#[from] SceneError),
}

fn of(wanted: Option<u64>) -> String {
    wanted.map(|w| format!(" of {w}")).unwrap_or_default()
}

/// A run at some moment.
#[derive(Debug)]
pub struct Checkpoint {
    scene: Scene,
    options: RunOptions,
    files: RunFiles,
    /// Whether the machine that wrote it has vectors as wide as those here.
    same_vectors: bool,
    fingerprint: u64,
    memory: Vec<u8>,
}

/// What stays the same in all checkpoints of a run.
#[derive(Clone, Debug)]
pub struct CheckpointWriter {
    path: PathBuf,
    head: Vec<u8>,
}

impl CheckpointWriter {
    /// Prepares checkpoints of a run in a directory.
    pub fn new(directory: &Path, scene: &Scene, options: &RunOptions, run: &Run) -> CheckpointWriter {
        let mut out = Writer::default();
        out.text(env!("CARGO_PKG_VERSION"));
        out.text(&vectors());
        source::save_scene(scene, directory, &mut out);
        out.u64(fingerprint(run.setup()));
        options.save(&mut out);
        let path = directory.join(CHECKPOINT);
        // A run that was killed may have left a part of one.
        let _ = std::fs::remove_file(container::temporary(&path));
        CheckpointWriter { path, head: out.into_bytes() }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the run as it is now. If that fails the last checkpoint stays as it is.
    ///
    /// # Errors
    /// If the file cannot be written, for example on a full disk.
    pub fn write(&self, run: &Run, files: &RunFiles) -> io::Result<()> {
        let mut rest = Writer::default();
        files.save(&mut rest);
        run.save(&mut rest);
        container::write(&self.path, &[&self.head[..], &rest.into_bytes()].concat())
    }

    /// Removes the checkpoint of a run that was in this directory before, so that nobody resumes that one.
    ///
    /// # Errors
    /// If there is one and it cannot be removed.
    pub fn remove_old(directory: &Path) -> io::Result<()> {
        let path = directory.join(CHECKPOINT);
        let _ = std::fs::remove_file(container::temporary(&path));
        match std::fs::remove_file(&path) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
            _ => Ok(()),
        }
    }
}

impl Checkpoint {
    /// Reads a checkpoint and checks every byte of it.
    ///
    /// # Errors
    /// If it is not one, is damaged, or is of another version.
    pub fn read(path: &Path) -> Result<Checkpoint, CheckpointError> {
        let file = match open_regular(path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Err(CheckpointError::Missing),
            Err(e) if e.kind() == io::ErrorKind::InvalidInput => return Err(CheckpointError::Foreign),
            file => file?,
        };
        let size = file.metadata()?.len();
        Checkpoint::of(&container::unwrap(file, size)?)
    }

    fn of(content: &[u8]) -> Result<Checkpoint, CheckpointError> {
        let mut from = Reader::new(content);
        let program = from.text()?;
        if program != env!("CARGO_PKG_VERSION") {
            return Err(CheckpointError::Program { found: program.to_string() });
        }
        let same_vectors = from.text()? == vectors();
        let scene = source::load_scene(&mut from)?;
        let fingerprint = from.u64()?;
        let options = RunOptions::load(&mut from)?;
        let files = RunFiles::load(&mut from)?;
        let memory = from.rest().to_vec();
        Ok(Checkpoint { scene, options, files, same_vectors, fingerprint, memory })
    }

    /// The run, at the moment of the checkpoint.
    ///
    /// # Errors
    /// If its mesh files have changed, or the content does not fit the scene.
    pub fn run(&self) -> Result<Run, CheckpointError> {
        let setup = self.scene.build()?;
        if fingerprint(&setup) != self.fingerprint {
            return Err(CheckpointError::Changed);
        }
        let world = setup.assemble()?;
        Ok(Run::load(setup, world, &mut Reader::new(&self.memory))?)
    }

    /// The scene with all changes that were made to it.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// How the run was started.
    pub fn options(&self) -> &RunOptions {
        &self.options
    }

    /// How far its files were.
    pub fn files(&self) -> &RunFiles {
        &self.files
    }

    /// Whether it resumes with the same bits here. A machine with vectors of another width rounds differently.
    pub fn is_exact_here(&self) -> bool {
        self.same_vectors
    }
}

/// Name of the vectors that the solver uses on this machine: its sums depend on their width.
fn vectors() -> String {
    format!("{:?}", pliant::solver::vector_level())
}

/// A number for everything that is simulated and shown: the text of it, down to the last bit of every number.
fn fingerprint(setup: &Setup) -> u64 {
    let mut sum = Crc64::new();
    // Taking in text never fails.
    let _ = write!(sum, "{:?}{:?}{:?}", setup.model, setup.solver, setup.skins);
    sum.value()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The content of a checkpoint of a small scene with contact.
    fn content() -> Vec<u8> {
        let mut scene = Scene::load("drop").unwrap();
        scene.set("body.0.mesh.cells", "[2, 2, 2]").unwrap();
        let mut run = Run::new(scene.build().unwrap()).unwrap();
        (0..15).for_each(|_| {
            run.step().unwrap();
        });
        let options = RunOptions { every: 3, checkpoint_every: 7, threads: None, export: vec!["obj".into()] };
        let writer = CheckpointWriter::new(Path::new("nowhere"), &scene, &options, &run);
        let mut rest = Writer::default();
        RunFiles { frames: 5, frame_bytes: 1000 }.save(&mut rest);
        run.save(&mut rest);
        [writer.head, rest.into_bytes()].concat()
    }

    #[test]
    fn all_that_was_saved_is_read() {
        let read = Checkpoint::of(&content()).unwrap();
        assert_eq!((read.options().every, read.files().frames, read.is_exact_here()), (3, 5, true));
        assert_eq!(read.scene().overrides().len(), 1);
        let run = read.run().unwrap();
        assert_eq!((run.steps_taken(), run.traces().contacts.points().len()), (15, 15));
    }

    /// Whoever makes a checksum for content of his own gets a refusal or a run, but never a panic.
    #[test]
    fn invented_content_does_not_panic() {
        let whole = content();
        let head = whole.len() - whole.len().min(6000);
        for at in (0..whole.len()).filter(|at| *at > head || at % 41 == 0).step_by(7) {
            for change in [0x01, 0x80, 0xff] {
                let mut changed = whole.clone();
                changed[at] ^= change;
                if let Ok(mut run) = Checkpoint::of(&changed).and_then(|c| c.run()) {
                    let _ = run.step();
                    let _ = crate::running::report::report(&run, &Default::default());
                }
            }
            assert!(Checkpoint::of(&whole[..at]).and_then(|c| c.run()).is_err(), "cut at {at}");
        }
        assert!(Checkpoint::of(&[&whole[..], &[0]].concat()).and_then(|c| c.run()).is_err());
    }

    #[test]
    fn another_model_is_refused() {
        let read = Checkpoint::of(&content()).unwrap();
        let mut other = Checkpoint { fingerprint: read.fingerprint, ..Checkpoint::of(&content()).unwrap() };
        other.scene.set("youngs", "2e5").unwrap();
        assert!(matches!(other.run(), Err(CheckpointError::Changed)));
    }
}
