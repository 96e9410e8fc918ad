//! Needles and bodies that are pushed apart at the start, from the scene file to the report.

use crate::common;

use pliant_mesh::DVec3;
use pliant_scene::report::{Circumstances, report};
use pliant_scene::{Run, Scene};

const SCENE: &str = r#"format = "pliant-scene"
version = 1

[scene]
name = "test"
duration = 0.6
gravity = [0, 0, 0]
push_apart = true

[[body]]
name = "tissue"
mesh = { kind = "block", size = [0.1, 0.1, 0.1], cells = [4, 4, 4] }
material = { kind = "neo_hookean", youngs = 1e4, poisson = 0.3 }
damping = { mass = 10 }

[[obstacle]]
name = "ground"
shape = { kind = "plane" }
transform = { translate = [0, 0, -0.01] }

[[pin]]
select = { group = "z_min" }

[[needle]]
end = [-0.3, 0.05, 0.05]
tip = [-0.01, 0.05, 0.05]
path = [[0, 0.05, 0.05], [0.09, 0.05, 0.05]]
count = 7
grip = 0.01
motion = { kind = "keyframes", frames = [{ time = 0 }, { time = 0.3, translate = [0.075, 0, 0] }, { time = 0.5, translate = [0.075, 0.004, 0] }] }

[[probe]]
name = "force"
what = "needle_force"

[[probe]]
name = "gap"
what = "needle_gap"
needle = "needle0"

[[probe]]
name = "count"
what = "needle_points"
"#;

#[track_caller]
fn refused(from: &str, to: &str, place: &str, parts: &[&str]) {
    common::refused(SCENE, (from, to), place, parts);
}

#[test]
fn a_needle_goes_in_and_takes_the_tissue_along() {
    let mut run = Run::new(Scene::parse("test.toml", SCENE).unwrap().build().unwrap()).unwrap();
    let ends = [DVec3::new(-0.3, 0.05, 0.05), DVec3::new(-0.01, 0.05, 0.05)];
    assert_eq!(pliant_scene::view::lines(run.world())[0].1, ends);
    while !run.is_done() {
        run.step().unwrap();
    }
    let report = report(&run, &Circumstances::default());
    let needle = &report["needles"][0];
    // The tip is at 65 mm, and the points are 15 mm apart.
    assert_eq!((needle["name"].as_str(), needle["points"].as_u64()), (Some("needle0"), Some(5)));
    assert_eq!(report["probes"]["count"]["last"], 5.0);
    assert!(needle["gap"].as_f64().unwrap() < 1e-5, "{needle}");
    assert!(needle["force"][1].as_f64().unwrap() > 0.05, "{needle}");
    assert_eq!(needle["force"], report["probes"]["force"]["last"]);
    assert_eq!(report["pushed_apart_m"], 0.0);
}

#[test]
fn bad_needles_have_a_place_and_a_remedy() {
    let path = "path = [[0, 0.05, 0.05], [0.09, 0.05, 0.05]]";
    let far = "path = [[0, 0.05, 0.05], [0.2, 0.05, 0.05]]";
    refused(path, far, "test.toml:27:8:", &["outside of the body", "nearest point"]);
    refused("tip = [-0.01, 0.05, 0.05]", "tip = [-0.3, 0.05, 0.05]", "test.toml:26:7:", &["same place"]);
    refused("grip = 0.01", "grip = -1", "test.toml:29:8:", &["must be 0 or more"]);
    refused("count = 7", "count = 1", "test.toml:28:9:", &["from 2 to 10000"]);
    refused("grip = 0.01", "grib = 0.01", "test.toml:29:1:", &["`grib`", "`grip`"]);
    refused("end = [-0.3", "body = \"liver\"\nend = [-0.3", "test.toml:25:8:", &["no body `liver`"]);
    refused("needle = \"needle0\"", "needle = \"pin\"", "test.toml:39:10:", &["no needle `pin`"]);
    refused("{ time = 0.3,", "{ time = -1,", "test.toml:30:41:", &["ascending"]);
}

#[test]
fn bodies_are_pushed_out_of_the_ground_or_the_scene_is_refused() {
    let sunk = SCENE.replacen("[0, 0, -0.01]", "[0, 0, 0.004]", 1);
    let place = "test.toml:8:14:";
    refused(
        "[0, 0, -0.01]",
        "[0, 0, 0.004]",
        place,
        &["`tissue` and obstacle `ground` still overlap", "by hand"],
    );
    let free = sunk.replacen("[[pin]]\nselect = { group = \"z_min\" }\n", "", 1);
    let setup = Scene::parse("test.toml", &free).unwrap().build().unwrap();
    assert!(setup.pushed_apart.is_some_and(|p| p.pairs == 1 && p.farthest >= 0.004));
    let world = setup.world().unwrap();
    assert!(world.overlaps(1e-6).unwrap().is_empty());
    let as_it_is = free.replacen("push_apart = true", "push_apart = false", 1);
    let setup = Scene::parse("test.toml", &as_it_is).unwrap().build().unwrap();
    assert_eq!(setup.world().unwrap().overlaps(1e-6).unwrap().len(), 1);
}
