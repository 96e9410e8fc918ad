//! Solids on open meshes and over seams, at the default settings.

use pliant_scene::report::{Circumstances, report};
use pliant_scene::{Run, Scene};
use serde_json::Value;
use std::fmt::Write;

fn finished(text: &str) -> Value {
    let scene = Scene::parse("test.toml", text).unwrap();
    let mut run = Run::new(scene.build().unwrap()).unwrap();
    while !run.is_done() {
        run.step().unwrap();
    }
    report(&run, &Circumstances { as_written: true, ..Circumstances::default() })
}

/// A tray: a single-sided sheet with a rim that is bent up. Corner k of row i is at `(x(i), y(k), z)`.
fn tray(cells: usize, side: f64) -> String {
    let mut text = String::from("{ kind = \"triangles\", points = [");
    let at = |i: usize| side * (i as f64 / cells as f64 - 0.5);
    for (i, k) in (0..=cells).flat_map(|i| (0..=cells).map(move |k| (i, k))) {
        let rim = i == 0 || k == 0 || i == cells || k == cells;
        write!(text, "[{}, {}, {}],", at(i), at(k), if rim { 0.05 } else { 0.0 }).unwrap();
    }
    text += "], triangles = [";
    let name = |i: usize, k: usize| i * (cells + 1) + k;
    for (i, k) in (0..cells).flat_map(|i| (0..cells).map(move |k| (i, k))) {
        let [a, b, c, d] = [name(i, k), name(i + 1, k), name(i + 1, k + 1), name(i, k + 1)];
        write!(text, "[{a}, {b}, {c}], [{a}, {c}, {d}],").unwrap();
    }
    text + "] }"
}

#[test]
fn solids_rest_on_open_meshes() {
    let block = "{ kind = \"block\", size = [0.1, 0.1, 0.1], cells = [3, 3, 3] }";
    let ball = "{ kind = \"ball\", radius = 0.06, cells = 5 }";
    for (mesh, youngs, height, dt, cells) in [
        (block, 1e4, 0.05, 0.01, 4),
        (block, 1e7, 0.5, 0.01, 12),
        (ball, 1e4, 0.3, 0.005, 12),
        (ball, 1e6, 0.1, 1.0 / 60.0, 4),
        (ball, 1e5, 0.5, 0.01, 30),
    ] {
        let text = format!(
            r#"format = "pliant-scene"
version = 1
[scene]
name = "test"
duration = 0.8
dt = {dt}
[[body]]
name = "solid"
mesh = {mesh}
transform = {{ rotate = {{ axis = [1, 0.7, 0], degrees = 25 }}, translate = [0.013, 0.007, {}] }}
material = {{ kind = "neo_hookean", youngs = {youngs:?}, poisson = 0.4 }}
[[obstacle]]
name = "tray"
shape = {}
"#,
            height + 0.1,
            tray(cells, 0.6),
        );
        let report = finished(&text);
        let case = format!("E {youngs}, {height} m, dt {dt}, {cells} cells");
        let z = report["bodies"][0]["center"][2].as_f64().unwrap();
        assert!(z > 0.03 && z < height + 0.1, "{case}: at {z} m");
        assert_eq!(report["intersections"], 0, "{case}");
        assert_eq!(report["inverted_elements"], 0, "{case}");
    }
}

#[test]
fn a_seam_takes_no_speed() {
    // Rotation of the whole scene about a slanted axis, with its gravity.
    let axis = [1.0, 2.0, 3.0].map(|c: f64| c / 14.0_f64.sqrt());
    let turned = |degrees: f64, v: [f64; 3]| {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let along: f64 = axis.iter().zip(v).map(|(a, b)| a * b).sum();
        let cross = |i: usize| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            axis[j] * v[k] - axis[k] * v[j]
        };
        [0, 1, 2].map(|i: usize| cos * v[i] + sin * cross(i) + (1.0 - cos) * along * axis[i])
    };
    for (youngs, dt, degrees, yaw, speed) in
        [(1e6, 0.01, 0.0, 0.0, 1.0), (1e4, 0.01, 77.0, 30.0, 1.0), (1e8, 0.004, 200.0, 10.0, 3.0)]
    {
        let place = |v: [f64; 3]| format!("{:?}", turned(degrees, v));
        let turn = format!("{{ axis = [1, 2, 3], degrees = {degrees:?} }}");
        let floor = |name: &str, x: f64, cells: u32| {
            format!(
                r#"[[obstacle]]
name = "{name}"
shape = {{ kind = "mesh", mesh = {{ kind = "block", size = [1, 1, 0.2], cells = [{cells}, {cells}, 1] }} }}
transform = {{ rotate = [{turn}], translate = {} }}
"#,
                place([x, -0.5, -0.2])
            )
        };
        let text = format!(
            r#"format = "pliant-scene"
version = 1
[scene]
name = "test"
duration = {:?}
dt = {dt}
gravity = {}
[[body]]
name = "block"
mesh = {{ kind = "block", size = [0.2, 0.2, 0.1], cells = [4, 4, 2] }}
transform = {{ rotate = [{{ axis = [0, 0, 1], degrees = {yaw:?} }}, {turn}], translate = {} }}
velocity = {}
friction = 0
material = {{ kind = "neo_hookean", youngs = {youngs:?}, poisson = 0.3 }}
{}{}"#,
            0.5 / speed,
            place([0.0, 0.0, -9.81]),
            place([-0.3, -0.1, 0.0]),
            place([speed, 0.0, 0.0]),
            floor("first", -1.0, 7),
            floor("second", 0.0, 5),
        );
        let report = finished(&text);
        let velocity = [0, 1, 2].map(|k: usize| report["bodies"][0]["velocity"][k].as_f64().unwrap());
        let forward = turned(degrees, [1.0, 0.0, 0.0]);
        let kept: f64 = velocity.iter().zip(forward).map(|(a, b)| a * b).sum();
        assert!((kept / speed - 1.0).abs() < 1e-3, "E {youngs}, dt {dt}, {degrees} degrees: {kept} m/s");
    }
}
