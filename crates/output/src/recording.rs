//! Pictures and films of recordings.

use crate::error::Error;
use crate::picture::{Painter, PictureOptions};
use pliant_render::{GifPalette, GifWriter, Image, Mp4Writer, RenderError, Settings};
use pliant_scene::OutputError;
use pliant_scene::recording::Recording;
use std::io;
use std::path::Path;

/// Frames that are looked at to find a camera that sees everything.
const CAMERA_FRAMES: usize = 64;

/// Directions in which the sky is tested in films, where motion hides the grain of a coarser sky.
const FILM_SKY: u32 = 16;

/// Whether there is no file at all.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Draws the recording of a run.
#[derive(Debug)]
pub struct RecordingRenderer {
    recording: Recording,
    options: PictureOptions,
}

impl RecordingRenderer {
    /// Opens the recording in the directory of a run.
    ///
    /// # Errors
    /// If there is none, or it is damaged or empty.
    pub fn open(directory: &Path, options: PictureOptions) -> Result<RecordingRenderer, Error> {
        let recording = Recording::open(&directory.join("frames.bin")).map_err(|e| match e {
            OutputError::Io { source, .. } if is_absent(&source) => {
                Error::NoRecording { directory: directory.to_path_buf() }
            }
            other => other.into(),
        })?;
        if recording.frames() == 0 {
            return Err(Error::NoFrame { directory: directory.to_path_buf() });
        }
        Ok(RecordingRenderer { recording, options })
    }

    /// The recording.
    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    /// Draws one frame, counted from 0; the last one if none is named.
    ///
    /// # Errors
    /// If there is no such frame, or it cannot be read.
    pub fn picture(&mut self, frame: Option<usize>) -> Result<Image, Error> {
        let last = self.recording.frames() - 1;
        let index = frame.unwrap_or(last);
        if index > last {
            return Err(Error::FrameMissing { index, last });
        }
        let painter = self.painter(Settings::default())?;
        Ok(painter.draw(&self.recording.frame(index)?))
    }

    /// Draws all frames into a GIF; in real time if no frames per second are given.
    ///
    /// # Errors
    /// If a frame cannot be read or the file not be written.
    pub fn write_gif(&mut self, path: &Path, fps: Option<f64>) -> Result<(), Error> {
        let (width, height) = self.options.size;
        let fps = fps.unwrap_or_else(|| self.real_time_fps());
        let mut film = GifWriter::new(path, width, height, fps, GifPalette::Shared)?;
        self.draw_all(|image| film.frame(image))?;
        Ok(film.finish()?)
    }

    /// Draws all frames into an MP4 by ffmpeg; in real time if no frames per second are given.
    ///
    /// # Errors
    /// [`RenderError::FfmpegMissing`] before anything is drawn, and those of [`write_gif`](Self::write_gif).
    pub fn write_mp4(&mut self, path: &Path, fps: Option<f64>) -> Result<(), Error> {
        let (width, height) = self.options.size;
        let fps = fps.unwrap_or_else(|| self.real_time_fps());
        let mut film = Mp4Writer::new(path, width, height, fps)?;
        self.draw_all(|image| film.frame(image))?;
        Ok(film.finish()?)
    }

    fn draw_all(&mut self, mut write: impl FnMut(&Image) -> Result<(), RenderError>) -> Result<(), Error> {
        let painter = self.painter(Settings { ambient_samples: FILM_SKY, ..Settings::default() })?;
        for index in 0..self.recording.frames() {
            write(&painter.draw(&self.recording.frame(index)?))?;
        }
        Ok(())
    }

    fn painter(&mut self, settings: Settings) -> Result<Painter, Error> {
        let count = self.recording.frames();
        let stride = count.div_ceil(CAMERA_FRAMES);
        let looked_at = (0..count).step_by(stride).map(|index| self.recording.frame(index));
        let frames = looked_at.collect::<Result<Vec<_>, _>>()?;
        let (layout, geometry) = (self.options.seen(self.recording.layout()), self.recording.geometry());
        let settings = self.options.sized(settings);
        Ok(Painter::new(&layout, geometry, &frames, settings, self.options.overlays.clone()))
    }

    /// Frames per second at which a film is as fast as the simulated world.
    fn real_time_fps(&self) -> f64 {
        let mut times = self.recording.times();
        let first = times.next().unwrap_or(0.0);
        let span = times.last().unwrap_or(first) - first;
        let intervals = self.recording.frames().saturating_sub(1);
        if span > 0.0 { (intervals as f64 / span).clamp(1.0, 120.0) } else { 30.0 }
    }
}
