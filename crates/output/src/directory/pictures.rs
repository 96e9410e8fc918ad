//! Small pictures of the course of a run.

use crate::error::Error;
use crate::picture::{Overlays, Painter};
use pliant_render::{Settings, png_bytes};
use pliant_scene::recording::Recording;
use std::path::Path;

/// Pictures in a strip, and their size in pixels.
const STRIP: usize = 6;
const STRIP_SIZE: (u32, u32) = (320, 180);

/// Times and PNG files of some frames of a recording, from the first to the last.
pub(super) fn strip(recording: &Path) -> Result<Vec<(f64, Vec<u8>)>, Error> {
    let mut recording = Recording::open(recording)?;
    let last = recording.frames().saturating_sub(1);
    let mut wanted: Vec<usize> = (0..STRIP).map(|k| k * last / (STRIP - 1)).collect();
    wanted.dedup();
    let frames = wanted.iter().map(|&i| recording.frame(i)).collect::<Result<Vec<_>, _>>()?;
    let settings = Settings { width: STRIP_SIZE.0, height: STRIP_SIZE.1, ..Settings::default() };
    let (layout, geometry) = (recording.layout(), recording.geometry());
    let painter = Painter::new(layout, geometry, &frames, settings, Overlays::default());
    frames.iter().map(|frame| Ok((frame.time, png_bytes(&painter.draw(frame))?))).collect()
}
