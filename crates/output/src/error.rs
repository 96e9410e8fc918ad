//! Why something could not be run, written or drawn.

use pliant_mesh::MeshError;
use pliant_render::RenderError;
use pliant_scene::checkpoint::CheckpointError;
use pliant_scene::exporting::UnknownFormat;
use pliant_scene::{OutputError, SceneError};
use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why something could not be run, written or drawn. Each message is one line with cause and remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The scene is not accepted.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The checkpoint cannot be used.
    #[error("{}: {source}", path.display())]
    Checkpoint {
        /// Its file.
        path: PathBuf,
        /// What is wrong with it.
        source: CheckpointError,
    },
    /// A recording, a table or an export could not be read or written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A picture or a film could not be written.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The mesh cannot be drawn.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// A file could not be written.
    #[error("{}: {source}: check space and permissions", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A directory was wanted, and there is a file.
    #[error("{}: this is a file: name a directory", path.display())]
    NotADirectory {
        /// The file.
        path: PathBuf,
    },
    /// Another run writes to the directory.
    #[error("{}: another run is writing here: wait for its end, or use another directory", directory.display())]
    Busy {
        /// The directory.
        directory: PathBuf,
    },
    /// A link in the directory of a run leads out of it.
    #[error("{}: this link leads out of the directory of the run: remove it, or use another directory", path.display())]
    LeadsOut {
        /// The link.
        path: PathBuf,
    },
    /// Something in the directory of a run cannot hold what is written there.
    #[error("{}: this is a pipe or a device: remove it, or use another directory", path.display())]
    NotAFile {
        /// The entry.
        path: PathBuf,
    },
    /// The directory has a checkpoint of another run, which would be taken for one of this run.
    #[error("{}: the checkpoint of another run cannot be removed ({source}): use another directory", directory.display())]
    OldCheckpoint {
        /// The directory.
        directory: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The report of a run cannot be read.
    #[error("{}: the report cannot be read ({source}): remove it to continue the run from its checkpoint", path.display())]
    Report {
        /// The file.
        path: PathBuf,
        /// What the system or the parser said.
        source: io::Error,
    },
    /// The directory has no finished run.
    #[error("{}: {source}: give the directory of a finished run, made by `pliant run SCENE --out DIR`", path.display())]
    NoReport {
        /// The report that is not there.
        path: PathBuf,
        /// What the system or the parser said.
        source: io::Error,
    },
    /// The directory has no recording that could be opened.
    #[error("{}: there is no recording here: give a directory made by `pliant run SCENE --out DIR`", directory.display())]
    NoRecording {
        /// The directory.
        directory: PathBuf,
    },
    /// The recording is empty.
    #[error("{}: the recording has no frame", directory.display())]
    NoFrame {
        /// The directory.
        directory: PathBuf,
    },
    /// The recording has fewer frames.
    #[error("there is no frame {index}: the recording ends with frame {last}")]
    FrameMissing {
        /// The wanted one.
        index: usize,
        /// The last one.
        last: usize,
    },
    /// An export format that this version does not have.
    #[error(transparent)]
    Format(#[from] UnknownFormat),
    /// The directory has the runs of another sweep.
    #[error("{}: this holds another sweep, of another scene, other values or another version: use another directory", directory.display())]
    OtherSweep {
        /// The directory.
        directory: PathBuf,
    },
    /// Too many combinations.
    #[error("the sweep has more than {most} runs: try fewer values")]
    SweepSize {
        /// How many there can be.
        most: usize,
    },
    /// No threads.
    #[error("the thread pool could not start ({0}): use fewer threads")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// A run stopped early, but can be continued.
    #[error("{source}; {resume}")]
    Resumable {
        /// Why it stopped.
        source: Box<Error>,
        /// Where it can be continued.
        resume: ResumePoint,
    },
}

/// Where a run can be continued. Displays as the end of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResumePoint {
    /// Its directory.
    pub directory: PathBuf,
    /// The step of its last checkpoint.
    pub step: usize,
}

impl fmt::Display for ResumePoint {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "continue after step {} with `pliant resume {}`", self.step, self.directory.display())
    }
}

impl Error {
    pub(crate) fn write(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Error {
        let path = path.into();
        move |source| Error::Write { path, source }
    }

    /// The error itself, without the advice how to continue a run.
    pub fn root(&self) -> &Error {
        match self {
            Error::Resumable { source, .. } => source.root(),
            other => other,
        }
    }
}
