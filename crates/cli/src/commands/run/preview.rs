//! Pictures of a run: of its end, and small ones of its course.

use crate::failure::Failure;
use crate::picture::{Stage, Wanted};
use pliant_render::{Settings, png_bytes};
use pliant_scene::Run;
use pliant_scene::recording::Recording;
use pliant_scene::view::{Fields, Frame, Geometry, Layout};
use std::path::Path;

/// Pictures in a strip, and their size in pixels.
const STRIP: usize = 6;
const STRIP_SIZE: (u32, u32) = (320, 180);

/// The world as it is now.
pub fn preview(run: &Run) -> pliant_render::Image {
    let (setup, world) = (run.setup(), run.world());
    let frame = Frame::of(setup, world, Fields::default());
    let (layout, geometry) = (Layout::of(setup, world), Geometry::of(setup, world));
    Stage::new(&layout, &geometry, std::slice::from_ref(&frame), Settings::default(), Wanted::default())
        .draw(&frame)
}

/// Times and PNG files of some frames of a recording, from the first to the last.
pub fn strip(recording: &Path) -> Result<Vec<(f64, Vec<u8>)>, Failure> {
    let mut recording = Recording::open(recording)?;
    let last = recording.frames().saturating_sub(1);
    let mut wanted: Vec<usize> = (0..STRIP).map(|k| k * last / (STRIP - 1)).collect();
    wanted.dedup();
    let frames = wanted.iter().map(|&i| recording.frame(i)).collect::<Result<Vec<_>, _>>()?;
    let settings = Settings { width: STRIP_SIZE.0, height: STRIP_SIZE.1, ..Settings::default() };
    let stage = Stage::new(recording.layout(), recording.geometry(), &frames, settings, Wanted::default());
    let each = frames.iter().map(|frame| Ok((frame.time, png_bytes(&stage.draw(frame))?)));
    each.collect()
}
