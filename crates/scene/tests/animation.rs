//! Motions from files: pins and obstacles that follow an animated mesh, against where its points are.

use pliant_scene::{Run, Scene};
use pliant_testkit::TempFolder;
use std::fmt::Write as _;

/// A square sheet of 0.6 m as the frames of a second, where `place` puts its points.
fn frames(folder: &TempFolder, name: &str, place: impl Fn(f64, [f64; 2]) -> [f64; 3]) {
    const CELLS: usize = 6;
    for k in 0..=30 {
        let t = k as f64 / 30.0;
        let mut text = String::new();
        for j in 0..=CELLS {
            for i in 0..=CELLS {
                let along = |n: usize| 0.6 * (n as f64 / CELLS as f64 - 0.5);
                let [x, y, z] = place(t, [along(i), along(j)]);
                let _ = writeln!(text, "v {x} {y} {z}");
            }
        }
        for j in 0..CELLS {
            for i in 0..CELLS {
                let a = j * (CELLS + 1) + i + 1;
                let (b, c, d) = (a + 1, a + CELLS + 2, a + CELLS + 1);
                let _ = writeln!(text, "f {a} {b} {c}\nf {a} {c} {d}");
            }
        }
        std::fs::write(folder.join(format!("{name}_{k:03}.obj")), text).unwrap();
    }
}

/// A sheet that bends upwards, and one that makes a quarter turn about z.
fn sequences() -> TempFolder {
    let folder = TempFolder::new("animation");
    frames(&folder, "bowl", |t, [x, y]| [x, y, 0.1 * t + 0.5 * (x * x + y * y) * (1.0 + t)]);
    frames(&folder, "plate", |t, [x, y]| {
        let (sin, cos) = (t * std::f64::consts::FRAC_PI_2).sin_cos();
        [cos * x - sin * y, sin * x + cos * y, 0.0]
    });
    folder
}

fn scene(folder: &TempFolder, text: &str) -> Scene {
    let head = "format = 'pliant-scene'\nversion = 1\n";
    Scene::parse_in("animated", &format!("{head}{text}"), folder.path()).unwrap()
}

/// The probes at the end, in order.
fn run(scene: &Scene) -> Vec<Vec<f64>> {
    let mut run = Run::new(scene.build().unwrap()).unwrap();
    while run.steps_taken() < 100 {
        run.step().unwrap();
    }
    let world = run.world();
    run.setup().probes.iter().map(|probe| probe.measure(world)).collect()
}

const BOWL: &str = r#"
[scene]
name = "bowl"
duration = 1
[[body]]
name = "ball"
mesh = { kind = "ball", radius = 0.05, cells = 4 }
transform = { translate = [0.02, 0, 0.06] }
density = 500
material = { kind = "neo_hookean", youngs = 1e5, poisson = 0.4 }
[[body]]
name = "bowl"
mesh = "bowl_000.obj"
thickness = 2e-3
material = { kind = "corotational", youngs = 1e4, poisson = 0.3 }
[[pin]]
body = "bowl"
select = { all = true }
motion = { kind = "animation", file = "bowl_*.obj" }
[[probe]]
name = "lowest"
what = "lowest"
body = "ball"
[[probe]]
name = "corner"
what = "position"
body = "bowl"
select = { index = [0] }
"#;

#[test]
fn a_body_rests_on_a_sheet_that_deforms_as_its_file_says() {
    let folder = sequences();
    let probes = run(&scene(&folder, BOWL));
    // The corner is where the last file has it: 0.1 + 0.5 (0.09 + 0.09) 2.
    let corner = &probes[1];
    assert!((corner[2] - 0.28).abs() < 1e-9 && (corner[0] + 0.3).abs() < 1e-9, "{corner:?}");
    // The ball was lifted with the sheet, which is 0.1 m high in its middle.
    let lowest = probes[0][0];
    assert!((0.099..0.11).contains(&lowest), "{lowest}");
}

#[test]
fn a_rigid_motion_carries_what_lies_on_an_obstacle() {
    let folder = sequences();
    let text = r#"
[scene]
name = "plate"
duration = 1
[[body]]
mesh = { kind = "block", size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }
transform = { translate = [0.1, -0.05, 0.0005] }
material = { kind = "neo_hookean", youngs = 1e6, poisson = 0.4 }
friction = 0.8
[[obstacle]]
shape = { kind = "box", size = [0.8, 0.8, 0.1] }
transform = { translate = [0, 0, -0.05] }
motion = { kind = "animation", file = "plate_*.obj" }
[[probe]]
name = "place"
what = "center"
"#;
    let place = &run(&scene(&folder, text))[0];
    assert!(place[0].abs() < 0.01 && (place[1] - 0.15).abs() < 0.01, "{place:?}");
    let mut bends = scene(&folder, text);
    bends.set("obstacle.0.motion.file", "bowl_*.obj").unwrap();
    let refused = bends.build().unwrap_err().to_string();
    assert!(refused.contains("obstacle.0.motion: the animation is not rigid"), "{refused}");
    bends.set("obstacle.0.motion.file", "gone_*.obj").unwrap();
    assert!(bends.build().unwrap_err().to_string().contains("does not exist"));
}

#[test]
fn pins_beside_a_surface_go_along_with_it() {
    let folder = sequences();
    let text = r#"
[scene]
name = "sail"
duration = 1
[[body]]
mesh = { kind = "cloth", size = [0.3, 0.3], cells = 6 }
transform = { translate = [-0.15, -0.15, 0.1] }
material = { kind = "corotational", youngs = 1e5, poisson = 0.3 }
[[pin]]
select = { group = "x_min" }
motion = { kind = "animation", file = "plate_*.obj", transform = {} }
[[probe]]
name = "edge"
what = "position"
select = { group = "x_min" }
"#;
    let edge = &run(&scene(&folder, text))[0];
    let wanted = [0.0, -0.15, 0.1];
    assert!(edge.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-9), "{edge:?}");
}

#[test]
fn a_scene_takes_in_others() {
    let folder = sequences();
    let (part, rest) = BOWL.split_at(BOWL.find("[[body]]\nname = \"bowl\"").unwrap());
    std::fs::write(folder.join("part.toml"), part).unwrap();
    let whole = scene(&folder, &format!("include = ['part.toml']\n{rest}"));
    assert_eq!(whole.about("name"), Some("bowl"));
    let state = |scene: &Scene| {
        let mut run = Run::new(scene.build().unwrap()).unwrap();
        (0..5).for_each(|_| {
            run.step().unwrap();
        });
        run.world().state().hash()
    };
    assert_eq!(state(&whole), state(&scene(&folder, BOWL)));
}
