//! The picture of a run at its end.

use crate::picture::Stage;
use pliant_render::Settings;
use pliant_scene::Run;
use pliant_scene::view::{Fields, Frame, Geometry, Layout};

/// The world as it is now.
pub fn preview(run: &Run) -> pliant_render::Image {
    let (setup, world) = (run.setup(), run.world());
    let frame = Frame::of(setup, world, Fields::default());
    let (layout, geometry) = (Layout::of(setup, world), Geometry::of(setup, world));
    Stage::new(&layout, &geometry, std::slice::from_ref(&frame), Settings::default()).draw(&frame)
}
