//! What pictures of worlds and recordings show.

use pliant_output::picture::of_world;
use pliant_output::{
    Error, Field, Mark, Overlays, PictureOptions, RecordingRenderer, RunSettings, run_scene,
};
use pliant_scene::{Run, Scene};
use pliant_testkit::TempFolder;
use std::path::Path;

/// A block that rests on the ground, held at one side, seen from a place of its own.
const SCENE: &str = r#"
format = "pliant-scene"
version = 1

[scene]
name = "pictures"
description = "A block on the ground"
duration = 0.1
settle = true
camera = { direction = [0, -1, 0.2], target = [0, 0, 0.1], distance = 1.5, field_of_view = 30 }

[[body]]
name = "block"
mesh = { kind = "block", size = [0.3, 0.3, 0.3], cells = [4, 4, 4] }
material = { kind = "arap", youngs = 1e4, poisson = 0.3 }

[[obstacle]]
name = "ground"
shape = { kind = "plane" }

[[pin]]
name = "side"
body = "block"
select = { group = "x_min" }
"#;

const SIZE: (u32, u32) = (160, 120);

fn run(text: &str, directory: &Path) {
    let scene = Scene::parse("pictures.toml", text).unwrap();
    run_scene(&scene, directory, &RunSettings::default(), &mut ()).unwrap();
}

fn pixels(directory: &Path, overlays: Overlays) -> Vec<u8> {
    let mut renderer = RecordingRenderer::open(
        directory,
        PictureOptions { size: SIZE, overlays, ..PictureOptions::default() },
    )
    .unwrap();
    let image = renderer.picture(None).unwrap();
    assert_eq!((image.width, image.height, image.pixels.len()), (160, 120, 3 * 160 * 120));
    image.pixels
}

/// Number of pixels that differ by more than a trace.
fn differing(a: &[u8], b: &[u8]) -> usize {
    let apart = |(a, b): (&[u8], &[u8])| a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > 8);
    a.chunks_exact(3).zip(b.chunks_exact(3)).filter(|pair| apart(*pair)).count()
}

#[test]
fn every_overlay_changes_the_picture_and_time_does_not() {
    let s = TempFolder::new("overlays");
    run(SCENE, s.path());
    let plain = pixels(s.path(), Overlays::default());
    assert_eq!(plain, pixels(s.path(), Overlays::default()), "the same picture every time");
    let field = |field| Overlays { field: Some(field), ..Overlays::default() };
    let mut overlays: Vec<Overlays> = Field::ALL.into_iter().map(field).collect();
    overlays.push(Overlays { range: Some((0.0, 10.0)), ..field(Field::Strain) });
    overlays.extend(Mark::ALL.map(|mark| Overlays { marks: vec![mark], ..Overlays::default() }));
    let mut seen = vec![plain.clone()];
    for overlay in overlays {
        let picture = pixels(s.path(), overlay.clone());
        for other in &seen {
            assert!(differing(&picture, other) > 20, "{overlay:?}");
        }
        seen.push(picture);
    }
    // The camera and the lights are those of the scene.
    let red = SCENE.replace("settle = true", "settle = true\nlights = [{ color = [1, 0, 0] }]");
    let near = SCENE.replace("distance = 1.5", "distance = 0.8");
    for scene in [red, near] {
        run(&scene, s.path());
        assert!(differing(&pixels(s.path(), Overlays::default()), &plain) > 500, "{scene}");
    }
}

#[test]
fn a_world_is_drawn_as_its_recording_is() {
    let s = TempFolder::new("world");
    run(SCENE, s.path());
    let mut run = Run::new(Scene::parse("pictures.toml", SCENE).unwrap().build().unwrap()).unwrap();
    while !run.is_done() {
        run.step().unwrap();
    }
    let overlays =
        Overlays { field: Some(Field::Stress), marks: vec![Mark::Forces], range: Some((0.0, 1e3)) };
    let options = PictureOptions { size: SIZE, overlays: overlays.clone(), ..PictureOptions::default() };
    let drawn = of_world(run.setup(), run.world(), &options).pixels;
    assert!(differing(&drawn, &pixels(s.path(), overlays)) < 20);
}

#[test]
fn what_is_not_there_is_not_drawn() {
    let s = TempFolder::new("missing");
    let open = |path: &Path| RecordingRenderer::open(path, PictureOptions::default());
    assert!(matches!(open(&s.join("gone")), Err(Error::NoRecording { .. })));
    run(SCENE, s.path());
    let last = open(s.path()).unwrap().recording().frames() - 1;
    let beyond = open(s.path()).unwrap().picture(Some(last + 1));
    assert!(matches!(beyond, Err(Error::FrameMissing { last: l, .. }) if l == last));
}
