//! Nothing passes through anything: small versions of the scenes of cloth on blades, folded cloth and a squeezed ring. And
//! where something does intersect, the report says so.

use pliant::BodyId;
use pliant_scene::report::{Circumstances, report};
use pliant_scene::{Run, Scene};
use serde_json::Value;

const HEAD: &str = r#"format = "pliant-scene"
version = 1

[scene]
name = "test"
"#;

/// The apex is below a vertex of the cloth, which then slides off it.
const KNIFE: &str = r#"duration = 0.4

[solver]
kind = "local_global"
iterations = 5

[[body]]
name = "cloth"
mesh = { kind = "cloth", size = [0.4, 0.4], cells = 20 }
transform = { translate = [-0.2, -0.2, 0.31] }
density = 300
thickness = 2e-3
material = { kind = "neo_hookean", youngs = 1e5, poisson = 0.4 }
bending = { kind = "isometric", stiffness = 1e-5 }
friction = 0.3

[[obstacle]]
name = "blade"
shape = { kind = "triangles", points = [[0, -0.35, 0], [0, 0.35, 0], [0, 0, 0.3]], triangles = [[0, 1, 2]] }
"#;

const RIBBON: &str = r#"duration = 0.5
dt = 0.005

[solver]
kind = "local_global"
iterations = 10

[[body]]
name = "ribbon"
mesh = { kind = "cloth", size = [0.05, 0.4], cells = [4, 32] }
transform = { rotate = [{ axis = [1, 0, 0], degrees = 88 }], translate = [0, 0, 0.01] }
density = 300
thickness = 2e-3
material = { kind = "neo_hookean", youngs = 1e5, poisson = 0.3 }
bending = { kind = "isometric", stiffness = 3e-5 }
friction = 0.4
damping = { mass = 1 }

[[obstacle]]
name = "ground"
shape = { kind = "plane" }
"#;

const RING: &str = r#"duration = 1.2
gravity = [0, 0, 0]

[solver]
kind = "local_global"
iterations = 10

[[body]]
name = "ring"
mesh = { kind = "torus", major = 0.1, minor = 0.04, around = 24, across = 4 }
transform = { rotate = [{ axis = [1, 0, 0], degrees = 90 }], translate = [0, 0, 0.141] }
density = 300
material = { kind = "neo_hookean", youngs = 2e4, poisson = 0.4 }
friction = 0.5
damping = { mass = 2 }
self_contact = true
contact_radius = 1e-3

[[obstacle]]
name = "ground"
shape = { kind = "plane" }

[[obstacle]]
name = "press"
shape = { kind = "plane" }
transform = { rotate = { axis = [1, 0, 0], degrees = 180 }, translate = [0, 0, 0.282] }
motion = { kind = "keyframes", frames = [{ time = 0 }, { time = 1, translate = [0, 0, -0.152] }] }
"#;

fn started(text: &str) -> Run {
    let scene = Scene::parse("test.toml", &format!("{HEAD}{text}")).unwrap();
    Run::new(scene.build().unwrap()).unwrap()
}

fn intersections(run: &Run) -> Value {
    report(run, &Circumstances { as_written: true, ..Circumstances::default() })["intersections"].clone()
}

/// Runs to the end; nothing intersects at any tenth step, and nothing has flown away.
#[track_caller]
fn runs_without_intersections(text: &str) -> Run {
    let mut run = started(text);
    while !run.is_done() {
        run.step().unwrap();
        if run.steps_taken().is_multiple_of(10) || run.is_done() {
            let found = run.world().intersections().unwrap();
            assert!(found.is_empty(), "step {}: {} pairs", run.steps_taken(), found.triangles.len());
            let velocities = &run.world().state().velocities;
            let fastest = velocities.iter().fold(0.0, |most: f64, v| most.max(v.abs().max_element()));
            assert!(fastest < 5.0, "step {}: {fastest} m/s", run.steps_taken());
        }
    }
    assert_eq!(intersections(&run), 0);
    run
}

#[test]
fn a_cloth_hangs_on_a_blade_and_is_not_cut() {
    let run = runs_without_intersections(KNIFE);
    let highest = run.world().positions(BodyId(0)).iter().fold(f64::MIN, |z: f64, p| z.max(p.z));
    assert!(highest > 0.3, "{highest}");
}

#[test]
fn a_ribbon_that_falls_on_its_end_folds_and_does_not_pass_through_itself() {
    let run = runs_without_intersections(RIBBON);
    let x = run.world().positions(BodyId(0));
    let (low, high) = x.iter().fold((f64::MAX, f64::MIN), |(l, h), p| (l.min(p.z), h.max(p.z)));
    assert!(low > 0.9e-3 && high < 0.12, "{low} {high}");
    // Folded: some contacts are between two places of the ribbon.
    let own = run.world().contacts().contacts().iter().filter(|c| c.sides[0] == c.sides[1]).count();
    assert!(own > 10, "{own}");
}

#[test]
fn a_ring_is_squeezed_until_its_hole_is_closed() {
    let run = runs_without_intersections(RING);
    let contacts = run.world().contacts();
    let own = contacts
        .contacts()
        .iter()
        .zip(contacts.forces())
        .filter(|(c, f)| c.sides[0] == c.sides[1] && f.z != 0.0);
    assert!(own.count() > 10);
}

const SHEET: &str = r#"mesh = { kind = "cloth", size = [0.2, 0.2], cells = 4 }
thickness = 1e-3
material = { kind = "arap", youngs = 1e5, poisson = 0.3 }
"#;

const CUBE: &str = r#"mesh = { kind = "block", size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }
material = { kind = "arap", youngs = 1e6, poisson = 0.3 }
"#;

/// What the report says of a scene that has not moved yet.
fn told_at_start(text: &str) -> u64 {
    intersections(&started(text)).as_u64().expect("all could be tested")
}

#[test]
fn the_report_counts_bodies_in_each_other() {
    let two = |z: f64| {
        format!(
            "duration = 0.1\n[[body]]\nname = \"a\"\n{CUBE}\n[[body]]\nname = \"b\"\n{CUBE}\n\
             transform = {{ translate = [0.03, 0.02, {z}] }}\n"
        )
    };
    assert!(told_at_start(&two(0.05)) > 0);
    assert_eq!(told_at_start(&two(0.11)), 0);
    // Wholly inside, without any triangles that cross.
    let inside = two(0.02).replacen("size = [0.1, 0.1, 0.1]", "size = [0.2, 0.2, 0.2]", 1);
    assert!(told_at_start(&inside) > 0);
}

#[test]
fn the_report_counts_what_passes_through_a_sheet_or_a_blade() {
    let sheet_and = |other: &str| format!("duration = 0.1\n[[body]]\nname = \"a\"\n{SHEET}\n{other}");
    assert_eq!(told_at_start(&sheet_and("")), 0);
    let cube = format!("[[body]]\nname = \"b\"\n{CUBE}\ntransform = {{ translate = [0.05, 0.03, -0.04] }}\n");
    assert!(told_at_start(&sheet_and(&cube)) > 0);
    let blade = |z: f64| {
        format!(
            "[[obstacle]]\nname = \"blade\"\nshape = {{ kind = \"triangles\", points = [[0.09, -0.3, -0.3], \
             [0.09, 0.3, -0.3], [0.09, 0.11, {z}]], triangles = [[0, 1, 2]] }}\n"
        )
    };
    assert!(told_at_start(&sheet_and(&blade(0.01))) > 0);
    assert_eq!(told_at_start(&sheet_and(&blade(-0.01))), 0);
}

#[test]
fn the_report_counts_a_surface_that_passes_through_itself() {
    // A cloth that is turned over on one half: pins move it through the other half, with self contact switched off.
    let text = format!(
        "duration = 0.05\ngravity = [0, 0, 0]\n[[body]]\nname = \"a\"\n{SHEET}\nself_contact = false\n\
         [[pin]]\nname = \"left\"\nbody = \"a\"\nselect = {{ box = {{ min = [-1, -1, -1], max = [0.06, 1, 1] }} }}\n\
         motion = {{ kind = \"fixed\" }}\n\
         [[pin]]\nname = \"right\"\nbody = \"a\"\nselect = {{ box = {{ min = [0.14, -1, -1], max = [1, 1, 1] }} }}\n\
         motion = {{ kind = \"keyframes\", axis = [0, 1, 0], frames = [{{ time = 0 }}, \
         {{ time = 0.05, translate = [-0.17, 0, 0.005], degrees = 30 }}] }}\n"
    );
    let mut run = started(&text);
    while !run.is_done() {
        run.step().unwrap();
    }
    assert!(intersections(&run).as_u64().expect("all could be tested") > 0);
}
