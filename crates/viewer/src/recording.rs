//! A recording, as the page asks for it: its head, an index, single frames.

use axum::body::Bytes;
use pliant_scene::OutputError;
use pliant_scene::recording::Recording;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A recording that is shown.
#[derive(Debug)]
pub struct Shelf {
    file: PathBuf,
    recording: Mutex<Recording>,
    head: Bytes,
}

impl Shelf {
    /// Opens the recording of a run in a folder.
    pub fn open(directory: &Path) -> Result<Shelf, OutputError> {
        let file = directory.join("frames.bin");
        let mut recording = Recording::open(&file)?;
        let head = recording.head_bytes()?.into();
        Ok(Shelf { file, recording: Mutex::new(recording), head })
    }

    /// A recording up to its frames.
    pub fn head(&self) -> Bytes {
        self.head.clone()
    }

    /// Number, sizes and times of the frames, as JSON. A run that is still going may have written more.
    pub fn index(&self) -> String {
        let mut recording = self.lock();
        if !recording.is_complete()
            && let Ok(longer) = Recording::open(&self.file)
            && longer.layout() == recording.layout()
        {
            *recording = longer;
        }
        let index = json!({
            "frames": recording.frames(),
            "complete": recording.is_complete(),
            "bytes": recording.sizes().collect::<Vec<_>>(),
            "times": recording.times().collect::<Vec<_>>(),
        });
        index.to_string()
    }

    /// A frame, if there is one.
    pub fn frame(&self, index: usize) -> Result<Option<Vec<u8>>, OutputError> {
        let mut recording = self.lock();
        if index < recording.frames() { recording.frame_bytes(index).map(Some) } else { Ok(None) }
    }

    fn lock(&self) -> MutexGuard<'_, Recording> {
        // A reader that failed midway has changed nothing that the next one does not set itself.
        self.recording.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
