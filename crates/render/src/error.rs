//! What can go wrong when a picture is written.

use std::path::PathBuf;
use thiserror::Error;

/// Failure of a writer. Nothing is left at the target path after one of these.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RenderError {
    /// The file system refused.
    #[error("cannot write {}: {source}", path.display())]
    Io {
        /// The picture's path.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The PNG encoder refused.
    #[error("cannot encode {} as PNG: {source}", path.display())]
    Png {
        /// The picture's path.
        path: PathBuf,
        /// What the encoder said.
        source: png::EncodingError,
    },
    /// The GIF encoder refused.
    #[error("cannot encode {} as GIF: {source}", path.display())]
    Gif {
        /// The picture's path.
        path: PathBuf,
        /// What the encoder said.
        source: gif::EncodingError,
    },
    /// The image is empty, too large for the format, or its buffer has the wrong length.
    #[error("an image of {width} x {height} with {bytes} bytes cannot be written")]
    BadImage {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
        /// Length of the pixel buffer.
        bytes: usize,
    },
    /// A frame differs in size from the first one.
    #[error("the film is {} x {}, this frame is {} x {}", expected.0, expected.1, found.0, found.1)]
    FrameSize {
        /// Width and height of the film.
        expected: (u32, u32),
        /// Width and height of the frame.
        found: (u32, u32),
    },
    /// A film was finished before it had a frame.
    #[error("{} has no frame", path.display())]
    NoFrames {
        /// The film's path.
        path: PathBuf,
    },
    /// The frame rate is not a positive number.
    #[error("{fps} frames per second is not a frame rate")]
    BadFrameRate {
        /// The rate asked for.
        fps: f64,
    },
    /// There is no `ffmpeg` on PATH; a GIF needs none.
    #[error("ffmpeg was not found on PATH; install it for MP4, or write a GIF instead")]
    FfmpegMissing,
    /// `ffmpeg` ran and failed.
    #[error("ffmpeg failed: {message}")]
    FfmpegFailed {
        /// The end of what it printed.
        message: String,
    },
}

impl RenderError {
    pub(crate) fn io(path: &std::path::Path, source: std::io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }
}
