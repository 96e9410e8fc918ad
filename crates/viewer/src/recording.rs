//! A recording, as the page asks for it: its head, an index, single frames.

use axum::body::Bytes;
use pliant_scene::OutputError;
use pliant_scene::record::Recording;
use serde_json::json;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// A recording that is shown.
#[derive(Debug)]
pub struct Shelf {
    recording: Mutex<Recording>,
    head: Bytes,
    index: String,
}

impl Shelf {
    /// Opens the recording of a run in a folder.
    pub fn open(directory: &Path) -> Result<Shelf, OutputError> {
        let mut recording = Recording::open(&directory.join("frames.bin"))?;
        let head = recording.head_bytes()?.into();
        let index = json!({
            "frames": recording.frames(),
            "complete": recording.is_complete(),
            "bytes": recording.sizes().collect::<Vec<_>>(),
            "times": recording.times().collect::<Vec<_>>(),
        });
        Ok(Shelf { recording: Mutex::new(recording), head, index: index.to_string() })
    }

    /// A recording up to its frames.
    pub fn head(&self) -> Bytes {
        self.head.clone()
    }

    /// Number, sizes and times of the frames, as JSON.
    pub fn index(&self) -> String {
        self.index.clone()
    }

    /// A frame, if there is one.
    pub fn frame(&self, index: usize) -> Option<Vec<u8>> {
        // A reader that failed midway has changed nothing that the next one does not set itself.
        let mut recording = self.recording.lock().unwrap_or_else(PoisonError::into_inner);
        recording.frame_bytes(index).ok()
    }
}
