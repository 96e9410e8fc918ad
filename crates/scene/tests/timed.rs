//! Pins, forces and attachments that start and stop, and air, as scene files say it.

use crate::common::refused;
use pliant_scene::report::{Circumstances, report};
use pliant_scene::{Run, Scene};

const SCENE: &str = r#"format = "pliant-scene"
version = 1

[scene]
name = "test"
duration = 0.4

[air]
wind = [{ time = 0, value = [1, 0, 0] }, { time = 1, value = [3, 0, 0] }]
gusts = { speed = 0.5, seed = 3 }
drag = 1.1
lift = 0.9

[[body]]
name = "sheet"
mesh = { kind = "cloth", size = [0.5, 0.5], cells = 3 }
material = { kind = "corotational", youngs = 1e5, poisson = 0.3 }
drag = 0

[[pin]]
select = { all = true }
stop = 0.1

[[force]]
total = [{ time = 0.1, value = [0, 0, 0] }, { time = 0.3, value = [0, 2, 0] }]
start = 0.1
stop = 0.3

[[probe]]
name = "momentum"
what = "momentum"

[[probe]]
name = "air"
what = "air_force"
"#;

fn run(text: &str) -> serde_json::Value {
    let setup = Scene::parse("test.toml", text).unwrap().build().unwrap();
    let mut run = Run::new(setup).unwrap();
    while !run.is_done() {
        run.step().unwrap();
    }
    let about = Circumstances { as_written: true, ..Circumstances::default() };
    report(&run, &about)
}

#[test]
fn a_force_with_keyframes_acts_on_what_a_pin_has_let_go() {
    let report = run(SCENE);
    let momentum = &report["probes"]["momentum"]["last"];
    // Implicit Euler: the sum of h times the force at the end of each step from 0.1 s to 0.3 s.
    let impulse: f64 = (1..=20).map(|k| 0.01 * 2.0 * f64::from(k) / 20.0).sum();
    assert!((momentum[1].as_f64().unwrap() - impulse).abs() < 1e-6, "{momentum} {impulse}");
    // Released at 0.1 s: it has fallen for 0.3 s. Its own drag is none.
    let weight = 0.25 * 9.81;
    assert!((momentum[2].as_f64().unwrap() + 0.3 * weight).abs() < 1e-6, "{momentum}");
    assert_eq!(report["probes"]["air"]["last"], serde_json::json!([0.0, 0.0, 0.0]));
}

#[test]
fn without_a_drag_of_its_own_the_body_is_blown() {
    let report = run(&SCENE.replace("drag = 0\n", ""));
    assert!(report["probes"]["air"]["last"][0].as_f64().unwrap() != 0.0);
    assert!(report["probes"]["momentum"]["last"][0].as_f64().unwrap() > 0.0);
}

#[test]
fn what_cannot_be_is_refused_with_its_place() {
    refused(
        SCENE,
        ("stop = 0.1", "start = 0.2\nstop = 0.1"),
        "test.toml:23:8",
        &["pin.0.stop", "after its start"],
    );
    refused(SCENE, ("start = 0.1\nstop = 0.3", "until = 0.3"), "test.toml:26:1", &["`until`", "stop"]);
    refused(
        SCENE,
        ("time = 0.3, value = [0, 2, 0]", "time = 0.05, value = [0, 2, 0]"),
        "test.toml:25:9",
        &["ascending"],
    );
    refused(SCENE, ("[0, 2, 0]", "[0, 2]"), "test.toml:25:", &["3"]);
    refused(
        SCENE,
        ("[[force]]\ntotal = [{", "[[force]]\ntotal = [1, {"),
        "test.toml:25:9",
        &["{ time, value = [x, y, z] }"],
    );
    refused(SCENE, ("lift = 0.9", "lift = 1.2"), "test.toml:12:8", &["air.lift", "from 0 to the drag"]);
    refused(SCENE, ("speed = 0.5", "speed = -1"), "test.toml:10:19", &["air.gusts.speed"]);
    let vacuum =
        format!("{}{}", &SCENE[..SCENE.find("[air]").unwrap()], &SCENE[SCENE.find("[[body]]").unwrap()..]);
    refused(&vacuum, ("drag = 0", "lift = 0"), "test.toml:", &["without air", "[air]"]);
}
