//! Attachments, cables and the reactions of pins, from the scene file to the report.

use crate::common;

use pliant::{BodyId, DVec3};
use pliant_scene::recording::{FrameWriter, Recording};
use pliant_scene::report::{Circumstances, report};
use pliant_scene::{Run, Scene};
use serde_json::Value;

/// Two cubes of 1 kg each: the left one is held by a wall, the right one is tied to it and hangs on a rope.
const SCENE: &str = r#"format = "pliant-scene"
version = 1

[scene]
name = "test"
duration = 1.5

[[body]]
name = "left"
mesh = { kind = "block", size = [0.1, 0.1, 0.1], cells = [3, 3, 3] }
material = { kind = "neo_hookean", youngs = 1e5, poisson = 0.3 }
damping = { mass = 8 }

[[body]]
name = "right"
mesh = { kind = "block", size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }
transform = { translate = [0.1, 0, 0] }
material = { kind = "neo_hookean", youngs = 1e5, poisson = 0.3 }
damping = { mass = 8 }

[[pin]]
name = "wall"
body = "left"
select = { group = "x_min" }

[[attachment]]
name = "weld"
from = { body = "right", select = { group = "x_min" } }
to = { body = "left" }
compliance = 0

[[cable]]
name = "rope"
points = [{ fixed = [0.18, 0.05, 0.5] }, { body = "right", point = [0.18, 0.05, 0.09] }]
length = 0.4
compliance = 0

[[probe]]
name = "wall"
what = "reaction"
axis = "z"

[[probe]]
name = "tension"
what = "cable_tension"

[[probe]]
name = "length"
what = "cable_length"
cable = "rope"

[[probe]]
name = "weld"
what = "attachment_force"
attachment = "weld"
"#;

fn finished(text: &str) -> (Run, Value) {
    let mut run = Run::new(Scene::parse("test.toml", text).unwrap().build().unwrap()).unwrap();
    while !run.is_done() {
        run.step().unwrap();
    }
    let report = report(&run, &Circumstances { as_written: true, ..Circumstances::default() });
    (run, report)
}

#[track_caller]
fn refused(from: &str, to: &str, place: &str, parts: &[&str]) {
    common::refused(SCENE, (from, to), place, parts);
}

#[test]
fn ties_cables_and_pins_carry_the_weight_together() {
    let (run, report) = finished(SCENE);
    let at = |path: &str| report.pointer(path).and_then(Value::as_f64).expect(path);
    let (tension, length) = (at("/cables/0/tension"), at("/cables/0/length"));
    assert!((length - 0.4).abs() < 1e-6, "the rope is {length} m long");
    assert!(tension > 1.0, "{tension} N");
    assert_eq!(tension, at("/probes/tension/last"));
    assert_eq!(length, at("/probes/length/last"));
    // The rope pulls along its last piece, and wall and rope carry both cubes.
    let path = run.world().cable_path(pliant::CableId(0));
    let up = tension * (path[0].z - path[1].z) / length;
    let carried = up + at("/pins/0/reaction/2");
    assert_eq!(at("/pins/0/reaction/2"), at("/probes/wall/last"));
    assert!((carried / 19.62 - 1.0).abs() < 0.01, "{carried} N carried of 19.62");
    // Contact between the touching faces helps the tie: together they balance the right cube.
    let [tie, touch] = [at("/attachments/0/force/2"), at("/bodies/1/contact_force/2")];
    assert!((tie + touch + up - 9.81).abs() < 0.1, "{tie} + {touch} + {up} N");
    assert_eq!(tie, at("/probes/weld/last/2"));
    // The tied vertices are where the left cube is.
    let right = run.world().positions(BodyId(1));
    let vertices = run.setup().model.bodies[1].mesh.vertices();
    let left = run.world().positions(BodyId(0));
    let corner = |x: &[DVec3]| x.iter().position(|v| v.abs_diff_eq(DVec3::splat(0.1), 1e-9)).unwrap();
    let a = right[corner(vertices)];
    let b = left[corner(run.setup().model.bodies[0].mesh.vertices())];
    assert!(a.abs_diff_eq(b, 1e-6), "{a:?} and {b:?}");
}

#[test]
fn a_cable_is_driven_by_length_shortening_or_pull() {
    let drive = |text: &str| finished(&SCENE.replacen("length = 0.4", text, 1)).1;
    let report = drive("shorten = [{ time = 0.2, value = 0 }, { time = 0.8, value = 0.03 }]");
    let length = report["cables"][0]["length"].as_f64().unwrap();
    assert!((length - (0.41 - 0.03)).abs() < 1e-6, "{length} m");
    let report = drive("pull = [{ time = 0, value = 0 }, { time = 0.5, value = 3 }]");
    assert_eq!(report["cables"][0]["tension"], 3.0);
    // Longer than the way: slack, and no push.
    let report = drive("length = 2");
    assert_eq!(report["cables"][0]["tension"], 0.0);
    // Without a drive it keeps its length.
    let report = drive("");
    assert!((report["cables"][0]["length"].as_f64().unwrap() - 0.41).abs() < 1e-6);
    // One that gives way is longer by its tension times its compliance.
    let soft = SCENE.replacen("length = 0.4\ncompliance = 0", "length = 0.4\ncompliance = 1e-3", 1);
    let report = finished(&soft).1;
    let [tension, length] = ["tension", "length"].map(|key| report["cables"][0][key].as_f64().unwrap());
    assert!((length - 0.4 - 1e-3 * tension).abs() < 1e-6, "{tension} N, {length} m");
}

#[test]
fn points_are_vertices_groups_lines_and_places() {
    let built = |points: &str| {
        let old = r#"{ body = "right", point = [0.18, 0.05, 0.09] }"#;
        Scene::parse("test.toml", &SCENE.replacen(old, points, 1)).unwrap().build().unwrap()
    };
    let path = |points: &str| built(points).world().unwrap().cable_path(pliant::CableId(0));
    let far = r#"{ body = "right", select = { group = "x_max" } }"#;
    // The vertex in the middle of the group, and the one nearest to a point.
    let near = |p: DVec3, x: f64, y: f64, z: f64| p.abs_diff_eq(DVec3::new(x, y, z), 1e-9);
    assert!(near(path(far)[1], 0.2, 0.05, 0.05));
    let corner = r#"{ body = "right", select = { group = "x_max" }, point = [0.2, 0.09, 0.08] }"#;
    assert!(near(path(corner)[1], 0.2, 0.1, 0.1));
    let line = r#"{ body = "right", line = [[0.12, 0.05, 0.05], [0.18, 0.05, 0.05]], count = 4 }"#;
    let way = path(line);
    assert_eq!(way.len(), 5);
    assert!(near(way[2], 0.14, 0.05, 0.05));
    let tied =
        |from: &str, to: &str| {
            let text = SCENE
                .replacen(r#"{ body = "right", select = { group = "x_min" } }"#, from, 1)
                .replacen(r#"to = { body = "left" }"#, &format!("to = {to}"), 1);
            Scene::parse("test.toml", &text).unwrap().build().unwrap().model.attachments[0].pairs.clone()
        };
    let all = tied(r#"{ body = "right", select = { all = true } }"#, r#"{ body = "left" }"#);
    assert_eq!(all.len(), 27);
    let to_vertices = r#"{ body = "left", select = { group = "x_max" } }"#;
    let pairs = tied(r#"{ body = "right", select = { group = "x_min" } }"#, to_vertices);
    assert!(pairs.len() == 9 && pairs.iter().all(|p| p[1].weights[0] == 1.0));
    let point = r#"{ body = "left", point = [0.09, 0.05, 0.05] }"#;
    assert_eq!(tied(r#"{ body = "right", point = [0.11, 0.05, 0.05] }"#, point).len(), 1);
}

#[test]
fn bad_attachments_have_a_place_and_a_remedy() {
    let to = r#"to = { body = "left" }"#;
    refused(to, r#"to = { body = "lefd" }"#, "test.toml:29:15:", &["no body `lefd`", "`left`"]);
    refused(to, "to = {}", "test.toml:29:6:", &["missing key `body`", "`left`"]);
    refused(to, r#"to = { body = "left", select = { group = "x_mac" } }"#, "test.toml:29:32:", &["x_mac"]);
    let nothing = r#"to = { body = "left", select = { box = { min = [5, 5, 5], max = [6, 6, 6] } } }"#;
    refused(to, nothing, "test.toml:29:32:", &["select"]);
    refused(to, r#"to = { body = "left", point = [3, 0, 0] }"#, "test.toml:29:31:", &["outside of the body"]);
    refused(to, r#"to = { bdy = "left" }"#, "test.toml:29:8:", &["`bdy`", "`body`"]);
    let from = r#"from = { body = "right", select = { group = "x_min" } }"#;
    refused(from, r#"from = { body = "right" }"#, "test.toml:28:8:", &["names no points", "select"]);
    let away = "from = { body = \"right\", select = { group = \"x_max\" } }\nreach = 0.01";
    refused(from, away, "test.toml:29:9:", &["within the reach of 0.01 m", "1.000e-1 m away"]);
    let vertex = r#"{ body = "left", select = { index = [3] } }"#;
    let itself = format!("from = {vertex}\nto = {vertex}");
    refused(&format!("{from}\n{to}"), &itself, "test.toml:26:1:", &["ties a point to itself"]);
    refused("compliance = 0", "compliance = -1", "test.toml:30:14:", &["= -1 must be 0 or more"]);
}

#[test]
fn bad_cables_have_a_place_and_a_remedy() {
    let hook = r#"{ body = "right", point = [0.18, 0.05, 0.09] }"#;
    refused(
        hook,
        r#"{ body = "rihgt", point = [0.18, 0.05, 0.09] }"#,
        "test.toml:34:51:",
        &["`rihgt`", "`right`"],
    );
    let group = r#"{ body = "right", select = { group = "hook" } }"#;
    refused(hook, group, "test.toml:34:69:", &["no group `hook`"]);
    let none = r#"{ body = "right", select = { sphere = { center = [9, 9, 9], radius = 1 } } }"#;
    refused(hook, none, "test.toml:34:69:", &["select"]);
    let outside = r#"{ body = "right", point = [0.18, 0.05, 0.12] }"#;
    let parts = ["2.00e-2 m outside of the body", "[0.1800, 0.0500, 0.1000]"];
    refused(hook, outside, "test.toml:34:68:", &parts);
    refused(hook, r#"{ body = "right" }"#, "test.toml:34:42:", &["must be one place", "`line`"]);
    refused(hook, "{ fixed = [0, 0, 0] }", "test.toml:34:10:", &["no point of a body"]);
    refused(&format!(", {hook}"), "", "test.toml:34:10:", &["has 1 entries", "two or more"]);
    refused("length = 0.4", "length = 0.4\npull = 3", "test.toml:36:8:", &["beside `length`", "one of"]);
    refused("length = 0.4", "length = -0.4", "test.toml:35:10:", &["must not be negative"]);
    refused("length = 0.4", "shorten = 3", "test.toml:35:11:", &["cannot be shortened by 3 m", "0.4100"]);
    refused("length = 0.4", "length = []", "test.toml:35:10:", &["at least one value"]);
    refused(
        "length = 0.4",
        r#"length = "long""#,
        "test.toml:35:10:",
        &["a number or a list of { time, value }"],
    );
    let late = "length = [{ time = 1, value = 1 }, { time = 0, value = 1 }]";
    refused("length = 0.4", late, "test.toml:35:10:", &["ascending times"]);
    refused("length = 0.4\ncompliance = 0", "compliance = -1", "test.toml:35:14:", &["must be 0 or more"]);
    let count = r#"{ body = "right", point = [0.18, 0.05, 0.09], count = 3 }"#;
    refused(hook, count, "test.toml:34:96:", &["belongs to a `line`"]);
}

#[test]
fn probes_of_joints_name_what_is_there() {
    refused("cable = \"rope\"", "cable = \"string\"", "test.toml:50:9:", &["no cable `string`", "`rope`"]);
    refused("cable = \"rope\"", "pin = \"wall\"", "test.toml:50:7:", &["not about a pin", "reaction"]);
    refused("cable = \"rope\"", "body = \"left\"", "test.toml:50:8:", &["not about a body"]);
    refused("name = \"weld\"\nfrom", "name = \"tie\"\nfrom", "test.toml:55:14:", &["no attachment `weld`"]);
}

#[test]
fn recordings_show_the_cables() {
    let folder = std::env::temp_dir().join(format!("pliant-lines-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("frames.bin");
    let run = Run::new(Scene::parse("test.toml", SCENE).unwrap().build().unwrap()).unwrap();
    let mut writer = FrameWriter::create(&file, &run).unwrap();
    writer.frame(&run).unwrap();
    writer.finish().unwrap();
    let mut recording = Recording::open(&file).unwrap();
    let frame = recording.frame(0).unwrap();
    assert_eq!(recording.layout().lines[0].name, "rope");
    // Those inside of the bodies are not seen.
    assert_eq!(frame.positions.len(), 56 + 26);
    // From place to place in pieces, which could hang.
    let [rope] = frame.lines.as_slice() else { panic!("{:?}", frame.lines) };
    assert_eq!((rope.len(), recording.layout().lines[0].points), (17, 17));
    assert_eq!([rope[0], rope[16]], [[0.18f32, 0.05, 0.5], [0.18, 0.05, 0.09]]);
    assert!(rope.iter().all(|p| p[0] == 0.18 && p[1] == 0.05), "{rope:?}");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Ten links, the first hinged at an edge, each tied to the one before at an edge. They scrape along each other at their ends.
fn chain(youngs: f64, dt: f64, iterations: &str) -> String {
    let edge = |x: f64| format!("{{ box = [[{}, -1, -0.001], [{}, 1, 0.001]] }}", x - 0.001, x + 0.001);
    let link = |i: usize| {
        let x = 0.1 * i as f64;
        let joint = match i {
            0 => format!("[[pin]]\nbody = \"l0\"\nselect = {}\n", edge(x)),
            _ => format!(
                "[[attachment]]\nfrom = {{ body = \"l{i}\", select = {} }}\nto = {{ body = \"l{}\" }}\n",
                edge(x),
                i - 1
            ),
        };
        format!(
            "[[body]]\nname = \"l{i}\"\nmesh = {{ kind = \"block\", size = [0.1, 0.03, 0.03], cells = [4, 1, 1] }}\n\
             transform = {{ translate = [{x}, 0, 0] }}\nfriction = 0.6\n\
             material = {{ kind = \"neo_hookean\", youngs = {youngs}, poisson = 0.3 }}\n{joint}"
        )
    };
    let links: String = (0..10).map(link).collect();
    format!(
        "format = \"pliant-scene\"\nversion = 1\n[scene]\nname = \"chain\"\nduration = 0.5\ndt = {dt}\n\
         [solver]\nkind = \"local_global\"\niterations = {iterations}\n{links}"
    )
}

#[test]
fn a_chain_swings_as_its_converged_steps_do() {
    // Soft links scrape along each other with friction, which has several solutions: they part further.
    for (youngs, dt, most) in [(1e6, 0.01, 0.05), (1e8, 0.01, 0.01), (1e8, 1.0 / 60.0, 0.01)] {
        let [real_time, converged] = ["\"real_time\"", "\"auto\""].map(|iterations| {
            let (run, report) = finished(&chain(youngs, dt, iterations));
            // Of whole surfaces: where links scrape along each other, edges cut in between vertices.
            let depth = report["penetration_max_m"].as_f64().unwrap();
            assert!(depth < 5e-4, "{youngs} {dt}: {depth} m");
            run.world().motion(BodyId(9)).center
        });
        let error = real_time.distance(converged);
        assert!(error < most, "E {youngs}, dt {dt}: the last link is {error} m away");
        assert!(converged.z < -0.5, "{converged:?}");
    }
}

/// A finger that is scaled, turned and moved takes the way of its cable along, and places in its own coordinates too.
#[test]
fn the_tendon_of_a_finger_goes_along_with_it() {
    let text = |transform: &str, points: &str| {
        format!(
            "format = \"pliant-scene\"\nversion = 1\n[scene]\nname = \"t\"\nduration = 0.1\n[[body]]\nname = \"finger\"\n\
             mesh = {{ kind = \"body\", name = \"gripper_finger\", size = 0.4, vertices = 400 }}\ntransform = {{ {transform} }}\n\
             material = {{ kind = \"arap\", youngs = 1e5, poisson = 0.3 }}\n[[cable]]\nname = \"c\"\npoints = [{points}]\n"
        )
    };
    let length = |transform: &str, points: &str| {
        let setup = Scene::parse("t", &text(transform, points)).unwrap().build().unwrap();
        setup.world().unwrap().cable_length(pliant::CableId(0))
    };
    let tendon = "{ along = \"tendon\" }";
    let here = length("", tendon);
    assert!(here > 0.25 && here < 0.45, "{here} m");
    let turned = "scale = 2, rotate = { axis = [1, 2, 3], degrees = 40 }, translate = [1, 2, 3]";
    assert!((length(turned, tendon) - 2.0 * here).abs() < 1e-9);
    let line = "{ line = [[0.01, 0, 0.015], [0.01, 0, 0.025]], count = 5, local = true }";
    assert!((length(turned, line) - 0.02).abs() < 1e-9);
    let refused =
        Scene::parse("t", &text("", tendon).replace("\"gripper_finger\"", "\"donut\"")).unwrap().build();
    assert!(refused.unwrap_err().to_string().contains("has no tendon"));
}
