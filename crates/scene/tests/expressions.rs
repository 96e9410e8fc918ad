//! Arithmetic with parameters in scene files.

use crate::common::refused;
use pliant_scene::Scene;

const SCENE: &str = r#"format = "pliant-scene"
version = 1

[scene]
name = "costs $5"
duration = 0.1

[parameters]
radius = 0.05
n = 2
shift = [1, 2, 3]
angle = 30

[[body]]
name = "block"
mesh = { kind = "block", size = ["2 * $radius", "$radius", "sin($angle)"], cells = ["2 * $n", "$n", "$n + 1"] }
transform = { translate = "-2 * $shift" }
density = "500 * $n^2"
material = { kind = "corotational", youngs = 1e6, poisson = "0.6 * sqrt($n / 8)" }
"#;

#[test]
fn entries_calculate_with_parameters() {
    let mut scene = Scene::parse("test.toml", SCENE).unwrap();
    let setup = scene.build().unwrap();
    let body = &setup.model.bodies[0];
    assert_eq!(setup.name, "costs $5", "a text stays one");
    assert_eq!(body.mesh.vertices().len(), 5 * 3 * 4);
    assert_eq!(body.density, 2000.0);
    assert!((body.materials[0].poisson - 0.3).abs() < 1e-15);
    let low = body
        .mesh
        .vertices()
        .iter()
        .fold([f64::INFINITY; 3], |low, v| std::array::from_fn(|k| low[k].min(v[k])));
    let high = body
        .mesh
        .vertices()
        .iter()
        .fold([f64::NEG_INFINITY; 3], |high, v| std::array::from_fn(|k| high[k].max(v[k])));
    let size: Vec<f64> = (0..3).map(|k| high[k] - low[k]).collect();
    assert!((size[0] - 0.1).abs() < 1e-12 && (size[1] - 0.05).abs() < 1e-12 && (size[2] - 0.5).abs() < 1e-12);
    assert_eq!(low, [-2.0, -4.0, -6.0]);
    scene.set("n", "3").unwrap();
    assert_eq!(scene.build().unwrap().model.bodies[0].density, 4500.0);
}

#[test]
fn wrong_arithmetic_is_refused_with_its_place() {
    refused(SCENE, ("500 * $n^2", "500 * $m^2"), "test.toml:18:11", &["unknown parameter `$m`", "`n`"]);
    refused(SCENE, ("500 * $n^2", "500 * ($n"), "test.toml:18:11", &["closing bracket", "500 * ($n"]);
    refused(SCENE, ("500 * $n^2", "500 / ($n - 2)"), "test.toml:18:11", &["divides by zero"]);
    refused(SCENE, ("\"$n + 1\"", "\"$n / 4\""), "test.toml:16:", &["0.5"]);
    refused(SCENE, ("500 * $n^2", "$shift + 1"), "test.toml:18:11", &["lists"]);
}
