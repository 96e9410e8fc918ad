//! What two bodies, or a body and an obstacle, do to each other: one row per pair, sums, area and pressure.

use crate::common::refused;
use pliant_scene::report::{Circumstances, report};
use pliant_scene::{Run, Scene};

/// Two blocks of 1 kg and 10 cm, one on the other, on a slope that holds them.
const SCENE: &str = r#"format = "pliant-scene"
version = 1

[scene]
name = "tower"
duration = 1.0
gravity = [0.981, 0, -9.81]

[[body]]
name = "low"
mesh = { kind = "block", size = [0.1, 0.1, 0.1], cells = [3, 3, 3] }
material = { kind = "corotational", youngs = 1e6, poisson = 0.3 }

[[body]]
name = "high"
mesh = { kind = "block", size = [0.1, 0.1, 0.1], cells = [4, 4, 4] }
transform = { translate = [0, 0, 0.1] }
material = { kind = "corotational", youngs = 1e6, poisson = 0.3 }

[[obstacle]]
name = "ground"
shape = { kind = "plane" }

[[probe]]
name = "on_low"
what = "contact_force"
body = "high"
other = "low"

[[probe]]
name = "on_high"
what = "contact_force"
body = "low"
other = "high"

[[probe]]
name = "normal"
what = "normal_force"
body = "low"
other = "high"

[[probe]]
name = "friction"
what = "friction_force"
body = "low"
obstacle = "ground"

[[probe]]
name = "area"
what = "contact_area"
body = "low"
obstacle = "ground"

[[probe]]
name = "pressure"
what = "contact_pressure"
body = "low"
obstacle = "ground"

[[probe]]
name = "all"
what = "contacts"
"#;

#[test]
fn a_tower_presses_with_its_weight_on_its_area() {
    let mut run = Run::new(Scene::parse("test.toml", SCENE).unwrap().build().unwrap()).unwrap();
    while !run.is_done() {
        run.step().unwrap();
    }
    let report = report(&run, &Circumstances { as_written: true, ..Circumstances::default() });
    let last = |name: &str| report["probes"][name]["last"].clone();
    let near = |got: &serde_json::Value, want: f64| {
        let got = got.as_f64().unwrap();
        assert!(
            (got - want).abs() < 0.02 * want.abs().max(1.0),
            "{got} {want}: {:#}",
            report["contact_pairs"]
        );
    };
    let (on_low, on_high) = (last("on_low"), last("on_high"));
    near(&on_low[2], -9.81);
    near(&on_low[0], 0.981);
    (0..3).for_each(|k| assert_eq!(on_low[k].as_f64().unwrap(), -on_high[k].as_f64().unwrap()));
    near(&last("normal"), 9.81);
    let area = last("area").as_f64().unwrap();
    assert!((area - 0.01).abs() < 1e-4, "{area}");
    let pressure = last("pressure").as_f64().unwrap();
    assert!((pressure / (2.0 * 9.81 / 0.01) - 1.0).abs() < 0.02, "{pressure}");
    // Friction of single points need not point the same way: their sizes add up to at least the total.
    assert!(last("friction").as_f64().unwrap() > 0.98 * 2.0 * 0.981);
    let pairs = report["contact_pairs"].as_array().unwrap();
    let sides: Vec<String> = pairs.iter().map(|p| p["sides"].to_string()).collect();
    assert_eq!(sides, [r#"["low","ground"]"#, r#"["low","high"]"#], "one row for each pair");
    let points: u64 = pairs.iter().map(|p| p["points"].as_u64().unwrap()).sum();
    assert_eq!(last("all").as_f64().unwrap() as u64, points);
}

#[test]
fn another_body_is_for_contacts_only() {
    let twice = (
        "what = \"contact_force\"\nbody = \"high\"\nother = \"low\"",
        "what = \"center\"\nbody = \"high\"\nother = \"low\"",
    );
    refused(SCENE, twice, "test.toml:28:9", &["probe.0.other", "contact_force"]);
    refused(SCENE, ("other = \"low\"", "other = \"lwo\""), "test.toml:28:9", &["`lwo`", "`low`"]);
}
