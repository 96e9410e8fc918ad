//! Obstacles, friction and what is measured of contact, from the scene file to the report.

use pliant_scene::report::{Circumstances, report};
use pliant_scene::{Run, Scene};
use serde_json::Value;

const SCENE: &str = r#"format = "pliant-scene"
version = 1

[scene]
name = "test"
duration = 0.3

[[body]]
name = "cube"
mesh = { kind = "block", size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }
material = { kind = "arap", youngs = 1e6, poisson = 0.3 }

[[obstacle]]
name = "ground"
shape = { kind = "plane" }
friction = 0.3

[[probe]]
name = "force"
what = "contact_force"
obstacle = "ground"
"#;

/// The only problem of the scene after a replacement.
#[track_caller]
fn problem(from: &str, to: &str) -> String {
    assert!(SCENE.contains(from), "the scene has no `{from}`");
    let text = SCENE.replacen(from, to, 1);
    let error = Scene::parse("test.toml", &text).and_then(|s| s.build().map(|_| ())).unwrap_err();
    assert_eq!(error.problems.len(), 1, "{error}");
    error.to_string()
}

#[track_caller]
fn refused(from: &str, to: &str, place: &str, parts: &[&str]) {
    let line = problem(from, to);
    assert!(line.starts_with(place), "{line}");
    for part in parts {
        assert!(line.contains(part), "`{part}` is not in: {line}");
    }
}

fn finished(scene: Scene) -> (Run, Value) {
    let mut run = Run::new(scene.build().unwrap()).unwrap();
    while !run.is_done() {
        run.step().unwrap();
    }
    let about = Circumstances { as_written: true, ..Circumstances::default() };
    let report = report(&run, &about);
    (run, report)
}

fn parsed(text: &str) -> Scene {
    Scene::parse("test.toml", text).unwrap()
}

#[test]
fn bad_obstacles_have_a_place_and_a_remedy() {
    let shape = r#"{ kind = "plane" }"#;
    refused(shape, r#"{ kind = "plan" }"#, "test.toml:15:18:", &["`plan`", "`plane`"]);
    refused(shape, r#"{ kind = "sphere" }"#, "test.toml:15:9:", &["missing key `radius`"]);
    refused(shape, r#"{ kind = "sphere", radius = 0 }"#, "test.toml:15:37:", &["must be positive"]);
    refused(shape, r#"{ kind = "sphere", radus = 1 }"#, "test.toml:15:28:", &["`radus`", "`radius`"]);
    refused(shape, r#"{ kind = "box", size = [1, 0, 1] }"#, "test.toml:15:36:", &["must be positive"]);
    refused(shape, r#"{ kind = "cylinder", radius = 1, length = -1 }"#, "test.toml:15:51:", &["positive"]);
    refused(shape, r#"{ kind = "torus", major = 1, minor = 2 }"#, "test.toml:15:46:", &["no hole", "sphere"]);
    refused(
        shape,
        r#"{ kind = "mesh", mesh = "gone.obj" }"#,
        "test.toml:15:9:",
        &["`gone.obj` cannot be read", "check the name"],
    );
    let triangles = r#"{ kind = "triangles", points = [[0, 0, 0]], triangles = [[0, 1, 2]] }"#;
    refused(shape, triangles, "test.toml:15:66:", &["names the point 1", "only 1"]);
    refused("friction = 0.3", "friction = -0.3", "test.toml:16:12:", &["must be 0 or more"]);
    let motion = "motion = { kind = \"rotation\", axis = [0, 0, 0], turns_per_second = 1 }";
    refused("friction = 0.3", motion, "test.toml:16:38:", &["has no direction"]);
    refused("friction = 0.3", "frictoin = 0.3", "test.toml:16:1:", &["`friction`"]);
    let twice = "[[obstacle]]\nname = \"ground\"\nshape = \"plane\"\n\n[[probe]]";
    refused("[[probe]]", twice, "test.toml:19:8:", &["two entries [[obstacle]] are named `ground`"]);
}

#[test]
fn bad_knobs_and_probes_have_a_place_and_a_remedy() {
    refused("duration = 0.3", "duration = 0.3\ncontact_margin = 0", "test.toml:7:18:", &["must be positive"]);
    let body = "material = { kind = \"arap\", youngs = 1e6, poisson = 0.3 }";
    let with = |line: &str| format!("{body}\n{line}");
    refused(body, &with("friction = -1"), "test.toml:12:12:", &["must be 0 or more"]);
    refused(body, &with("contact_radius = -1"), "test.toml:12:18:", &["must be 0 or more"]);
    refused(body, &with("self_contact = 1"), "test.toml:12:16:", &["true or false"]);
    let solver = |line: &str| format!("[solver]\n{line}\n\n[[body]]");
    refused("[[body]]", &solver("contact = \"gaus_seidel\""), "test.toml:9:11:", &["`gauss_seidel`"]);
    refused("[[body]]", &solver("iterations = \"abc\""), "test.toml:9:14:", &["`auto` or a number"]);
    refused("[[body]]", &solver("sweeps = 0"), "test.toml:9:10:", &["1 or more"]);
    let newton = solver("kind = \"newton\"\nsweeps = 3");
    refused("[[body]]", &newton, "test.toml:10:10:", &["does not belong to solver `newton`"]);
    refused("obstacle = \"ground\"", "obstacle = \"grond\"", "test.toml:21:12:", &["`ground`"]);
    refused("obstacle = \"ground\"", "frame = 1", "test.toml:21:9:", &["no obstacle 1"]);
    refused("\"contact_force\"", "\"center\"", "test.toml:21:12:", &["not about an obstacle"]);
    let energy = "what = \"energy\"\nframe = 0";
    let moved = SCENE.replace("obstacle = \"ground\"\n", "").replace("what = \"contact_force\"", energy);
    let error = parsed(&moved).build().unwrap_err().to_string();
    assert!(error.starts_with("test.toml:21:9:") && error.contains("neither place nor direction"), "{error}");
}

#[test]
fn newton_refuses_obstacles_and_takes_bodies() {
    let newton = SCENE.replace("[[body]]", "[solver]\nkind = \"newton\"\n\n[[body]]");
    let error = parsed(&newton).build().unwrap().world().unwrap_err().to_string();
    assert!(error.starts_with("test.toml:8:1: ") && error.contains("knows no contact"), "{error}");
    let alone = newton.split("[[obstacle]]").next().unwrap().replace("\"cube\"", "\"first\"");
    let body = alone.split("[[body]]").nth(1).unwrap().replace("first", "second");
    let world = parsed(&format!("{alone}[[body]]{body}")).build().unwrap().world().unwrap();
    assert!(world.ignores_contact());
}

#[test]
fn a_cube_at_rest_weighs_on_the_ground() {
    let (run, report) = finished(parsed(SCENE));
    let weight = 9.81;
    let force = report["obstacles"][0]["force"][2].as_f64().unwrap();
    assert!((force + weight).abs() < 1e-3 * weight, "{force}");
    assert_eq!(report["probes"]["force"]["last"][2], report["obstacles"][0]["force"][2]);
    let on_body = report["bodies"][0]["contact_force"][2].as_f64().unwrap();
    assert!((on_body + force).abs() < 1e-9 * weight, "{on_body}");
    assert_eq!(report["contacts"]["max_points"], 9);
    assert_eq!(report["contacts"]["max_rows"], 27);
    assert_eq!(report["contacts"]["sticking"], 9);
    assert!(report["penetration_max_m"].as_f64().unwrap() < 1e-5);
    assert!(report["memory"]["delassus_bytes"].as_u64().unwrap() > 0);
    assert!(!run.world().ignores_contact());
}

#[test]
fn probes_see_from_a_moving_obstacle() {
    // A plate goes up and turns about z with the cube on it: in its frame nothing moves.
    let lift = r#"motion = { kind = "velocity", velocity = [0, 0, 0.5] }"#;
    let probes = r#"
[[probe]]
name = "seen"
what = "displacement"
frame = "ground"

[[probe]]
name = "speed_seen"
what = "speed"
frame = "ground"

[[probe]]
name = "moved"
what = "displacement"
select = { all = true }
axis = "z"

[[probe]]
name = "lowest"
what = "lowest"
frame = "ground"

[[probe]]
name = "touching"
what = "contacts"

[[probe]]
name = "depth"
what = "penetration"
"#;
    let text = SCENE.replace("friction = 0.3", lift) + probes;
    let (run, _) = finished(parsed(&text));
    let last = |name: &str| run.probes().iter().find(|p| p.name == name).unwrap().last().to_vec();
    assert!(last("seen").iter().all(|c| c.abs() < 1e-4), "{:?}", last("seen"));
    assert!(last("speed_seen")[0] < 1e-4, "{:?}", last("speed_seen"));
    assert!((last("moved")[0] - 0.15).abs() < 1e-4, "{:?}", last("moved"));
    assert!(last("lowest")[0].abs() < 1e-6, "{:?}", last("lowest"));
    assert_eq!(last("touching"), vec![9.0]);
    assert!(last("depth")[0] < 1e-6);
}

/// Where a block on a slope is after a second, and how fast.
fn slide(values: &[(&str, &str)]) -> (f64, f64) {
    let mut scene = Scene::load("stick_slide").unwrap();
    for (name, value) in values {
        scene.set(name, value).unwrap();
    }
    let (run, _) = finished(scene);
    let last = |name: &str| run.probes().iter().find(|p| p.name == name).unwrap().last()[0];
    (last("slide"), last("slide_speed"))
}

/// Blocks, soft and stiff, straight and turned, on slopes: angle, Young's modulus, yaw.
const SLOPES: [(f64, &str, &str); 6] = [
    (10.0, "1e8", "0"),
    (30.0, "1e8", "45"),
    (45.0, "1e8", "0"),
    (10.0, "1e5", "45"),
    (30.0, "1e6", "0"),
    (45.0, "1e5", "0"),
];

#[test]
fn a_block_slides_as_far_as_it_must() {
    for (angle, youngs, yaw) in SLOPES {
        let a = angle.to_radians();
        // Parts of the friction that would hold it, and how far the distance may be off.
        for (part, tolerance) in [(0.6, 1e-3), (0.96, 1e-2), (0.9925, 5e-2)] {
            let friction = part * a.tan();
            let want = 0.5 * 9.81 * (a.sin() - friction * a.cos()) * 1.01;
            let (mu, degrees) = (friction.to_string(), angle.to_string());
            let (got, _) = slide(&[("friction", &mu), ("angle", &degrees), ("youngs", youngs), ("yaw", yaw)]);
            assert!((got - want).abs() < tolerance * want, "{angle} {youngs} {mu}: {got}, not {want}");
        }
    }
}

#[test]
fn a_block_sticks_when_it_must() {
    for (angle, youngs, yaw) in SLOPES {
        let (mu, degrees) = ((1.01 * angle.to_radians().tan()).to_string(), angle.to_string());
        let (got, speed) = slide(&[("friction", &mu), ("angle", &degrees), ("youngs", youngs), ("yaw", yaw)]);
        assert!(got.abs() < 1e-5 && speed.abs() < 1e-6, "{angle} {youngs} {mu}: {got} m, {speed} m/s");
    }
}

#[test]
fn the_report_tells_what_touches_what_and_how_hard() {
    let settled = SCENE.replacen("duration = 0.3", "duration = 0.01\nsettle = true", 1);
    let (_, report) = finished(parsed(&settled));
    let pair = &report["contact_pairs"][0];
    assert_eq!(pair["sides"], serde_json::json!(["cube", "ground"]));
    assert_eq!((pair["points"].as_u64(), report["contact_pairs"].as_array().unwrap().len()), (Some(9), 1));
    let force = pair["force"][2].as_f64().unwrap();
    assert!((force / 9.81 - 1.0).abs() < 1e-4, "{force} N");
}

#[test]
fn a_start_in_equilibrium_is_asked_for_and_refused_with_a_place() {
    let settled = SCENE.replacen("duration = 0.3", "duration = 0.01\nsettle = true", 1);
    let (_, report) = finished(parsed(&settled));
    let force = report["probes"]["force"]["last"][2].as_f64().unwrap();
    // 1 kg, at once.
    assert!((force.abs() / 9.81 - 1.0).abs() < 1e-4, "{force} N");
    let beside = "kind = \"sphere\", radius = 1e-3 }\ntransform = { translate = [9, 0, 0] }";
    let falling = settled.replacen(r#"kind = "plane" }"#, beside, 1);
    let error = parsed(&falling).build().unwrap().world().unwrap_err().to_string();
    assert!(error.starts_with("test.toml:7:10: the bodies have not come to rest"), "{error}");
    assert!(error.contains("settle = false"), "{error}");
}

/// A cloth of few triangles, and obstacles that poke through them between the vertices.
const POKED: &str = r#"format = "pliant-scene"
version = 1

[scene]
name = "test"
duration = 0.01

[[body]]
name = "cloth"
mesh = { kind = "cloth", size = [1, 1], cells = 2 }
density = 300
material = { kind = "arap", youngs = 1e6, poisson = 0.3 }

[[obstacle]]
name = "ball"
shape = { kind = "sphere", radius = 0.1 }
transform = { translate = [0.6, 0.13, -0.08] }

[[obstacle]]
name = "ground"
shape = { kind = "plane" }
transform = { translate = [0, 0, -0.5] }
"#;

#[test]
fn the_report_tells_what_is_in_what_and_how_deep() {
    // Before the first step the cloth is flat, and the ball is 20 mm higher than the cloth.
    let run = Run::new(parsed(POKED).build().unwrap()).unwrap();
    let about = Circumstances::default();
    let report = report(&run, &about);
    assert!(report["intersections"].as_u64().unwrap() > 0, "{report}");
    let depth = report["penetration_max_m"].as_f64().unwrap();
    assert!((depth - 0.02).abs() < 1e-4, "{depth}");
    let pairs = report["intersection_pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 1, "{pairs:?}");
    assert_eq!(pairs[0]["sides"], serde_json::json!(["cloth", "ball"]));
    assert_eq!(pairs[0]["depth"].as_f64(), Some(depth));
}

#[test]
fn bodies_that_rest_on_each_other_only_touch() {
    let cube = |name: &str, z: f64, youngs: &str| {
        format!(
            "[[body]]\nname = \"{name}\"\nmesh = {{ kind = \"block\", size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }}\n\
             transform = {{ translate = [0, 0, {z}] }}\nmaterial = {{ kind = \"arap\", youngs = {youngs}, poisson = 0.3 }}\n\n"
        )
    };
    let head = "format = \"pliant-scene\"\nversion = 1\n[scene]\nname = \"test\"\nduration = 0.3\n\n";
    let ground = "[[obstacle]]\nname = \"ground\"\nshape = { kind = \"plane\" }\n";
    for youngs in ["1e6", "1e8"] {
        let text = [head, &cube("a", 0.0, youngs), &cube("b", 0.1, youngs), &cube("c", 0.2, youngs), ground];
        let (_, report) = finished(parsed(&text.concat()));
        assert_eq!(report["intersections"], 0, "{youngs}: {}", report["intersection_pairs"]);
        assert!(report["penetration_max_m"].as_f64().unwrap() < 2e-6, "{report}");
    }
}

/// A cube that rests is carried with its weight, however long the step and however stiff it is.
#[test]
fn the_weight_is_carried_at_any_time_step() {
    for dt in [1e-3, 4e-3, 1.0 / 60.0, 1.0 / 30.0, 0.1] {
        for youngs in ["1e4", "1e6", "1e8"] {
            let duration = f64::max(0.4, 20.0 * dt);
            let text = SCENE
                .replace("duration = 0.3", &format!("duration = {duration}\ndt = {dt}"))
                .replace("1e6", youngs)
                .replace("poisson = 0.3 }", "poisson = 0.3 }\ndamping = { mass = 20 }");
            let (_, report) = finished(parsed(&text));
            let force = report["probes"]["force"]["last"][2].as_f64().unwrap();
            assert!((force + 9.81).abs() < 0.02 * 9.81, "dt {dt}, E {youngs}: {force}");
        }
    }
}

/// Hard steps get more than the usual five iterations: with five, the ball of nu 0.48 ends millimetres deep and is held back.
#[test]
fn a_ball_that_is_squeezed_flat_is_solved_at_the_defaults() {
    for (nu, dt) in [(0.3, 0.01), (0.3, 0.02), (0.48, 0.01), (0.48, 0.02)] {
        let text = format!(
            r#"format = "pliant-scene"
version = 1
[scene]
name = "squeeze"
duration = 0.8
dt = {dt}
[[body]]
name = "ball"
mesh = {{ kind = "ball", radius = 0.1, cells = 5 }}
transform = {{ translate = [0, 0, 0.1] }}
material = {{ kind = "neo_hookean", youngs = 1e5, poisson = {nu} }}
[[obstacle]]
name = "ground"
shape = {{ kind = "plane" }}
[[obstacle]]
name = "plate"
shape = {{ kind = "box", size = [0.6, 0.6, 0.02] }}
transform = {{ translate = [0, 0, 0.211] }}
motion = {{ kind = "velocity", velocity = [0, 0, -0.16] }}
"#
        );
        let (_, report) = finished(parsed(&text));
        let case = format!("nu {nu}, dt {dt}");
        assert_eq!(report["inverted_elements"], 0, "{case}");
        assert_eq!(report["contacts"]["held_back"], 0, "{case}");
        assert_eq!(report["residual"]["doubtful_steps"], 0, "{case}");
        let depth = report["penetration_max_m"].as_f64().unwrap();
        assert!(depth < 5e-4, "{case}: {depth} m");
    }
}

/// How a run ends in which a tool goes down on the top of a ball on the ground.
fn pressed(shape: &str, [radius, youngs, poisson, speed, seconds]: [f64; 5]) -> Value {
    let text = format!(
        r#"format = "pliant-scene"
version = 1
[scene]
name = "pressed"
duration = {seconds}
dt = 0.01
[[body]]
name = "ball"
mesh = {{ kind = "ball", radius = 0.1, cells = 6 }}
transform = {{ translate = [0, 0, 0.1001] }}
material = {{ kind = "neo_hookean", youngs = {youngs:e}, poisson = {poisson} }}
friction = 0.5
[[obstacle]]
name = "ground"
shape = {{ kind = "plane" }}
[[obstacle]]
name = "tool"
shape = {{ {shape} }}
transform = {{ rotate = {{ axis = [0, 1, 0], degrees = 90 }}, translate = [0, 0, {height}] }}
motion = {{ kind = "velocity", velocity = [0, 0, -{speed}] }}
"#,
        height = 0.201 + radius
    );
    finished(parsed(&text)).1
}

/// The normals of a round obstacle turn as what it presses moves along it: taken where the vertices are, they swing, and steps end far
/// from their solution.
#[test]
fn round_obstacles_are_pressed_into_a_ball_at_the_defaults() {
    let shapes = [
        ("sphere", r#"kind = "sphere", radius = 0.04"#, 0.04),
        ("capsule", r#"kind = "capsule", radius = 0.03, length = 0.3"#, 0.03),
        ("cylinder", r#"kind = "cylinder", radius = 0.03, length = 0.4"#, 0.03),
    ];
    for (name, shape, radius) in shapes {
        let report = pressed(shape, [radius, 1e5, 0.47, 0.12, 0.7]);
        assert_eq!(report["inverted_elements"], 0, "{name}");
        assert_eq!(report["contacts"]["held_back"], 0, "{name}");
        assert_eq!(report["residual"]["doubtful_steps"], 0, "{name}");
        let depth = report["penetration_max_m"].as_f64().unwrap();
        assert!(depth < 5e-4, "{name}: {depth} m");
    }
}

/// Hard rubber gives way at a few vertices only, where its elements are many times as stiff as the constant matrix knows: these
/// steps need the true stiffness.
#[test]
fn round_obstacles_are_pressed_into_hard_rubber_at_the_defaults() {
    let shapes = [
        ("sphere", r#"kind = "sphere", radius = 0.1"#, 0.1),
        ("capsule", r#"kind = "capsule", radius = 0.05, length = 0.2"#, 0.05),
        ("cylinder", r#"kind = "cylinder", radius = 0.05, length = 0.3"#, 0.05),
    ];
    for (name, shape, radius) in shapes {
        let report = pressed(shape, [radius, 1e7, 0.45, 0.05, 0.6]);
        assert_eq!(report["verdict"], "ok", "{name}: {}", report["residual"]);
        assert_eq!(report["inverted_elements"], 0, "{name}");
        let depth = report["penetration_max_m"].as_f64().unwrap();
        assert!(depth < 1e-3, "{name}: {depth} m");
    }
}
