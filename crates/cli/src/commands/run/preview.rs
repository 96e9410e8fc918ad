//! The picture of a run at its end.

use crate::picture::{Bounds, Part, Prop, Shown, Stage};
use pliant_render::Settings;
use pliant_scene::Run;
use pliant_scene::record::Frame;

/// The world as it is now.
pub fn preview(run: &Run) -> pliant_render::Image {
    let seen = run.shown();
    let (world, time) = (run.world(), run.world().state().time);
    let props: Vec<Prop> = world.model().obstacles.iter().map(Prop::of).collect();
    let frame = Frame {
        time,
        poses: world.model().obstacles.iter().map(|o| o.pose(time)).collect(),
        positions: seen.positions.iter().map(|p| p.map(|c| c as f32)).collect(),
        lines: run.lines().iter().map(|(_, l)| l.iter().map(|p| p.map(|c| c as f32)).collect()).collect(),
    };
    let mut bounds = Bounds::default();
    bounds.add(&frame, &props);
    let parts = seen.bodies.into_iter().map(|triangles| Part { triangles }).collect();
    let shown = Shown { triangles: seen.triangles, parts, props };
    let camera = run.setup().camera.map(|c| c as f32);
    Stage::new(shown, &bounds, camera, Settings::default()).draw(&frame)
}
