//! A restored world takes the same steps as the one that was saved, whatever it has to remember.

use pliant::{Snapshot, SnapshotError, World};
use pliant_scene::{Scene, Setup, builtin};

/// A scene with values set that keep it small.
fn setup(name: &str, set: &[(&str, &str)]) -> Setup {
    let mut scene = Scene::load(name).unwrap();
    for (path, value) in set {
        scene.set(path, value).unwrap();
    }
    scene.build().unwrap()
}

/// Takes steps and saves at some moments; then restores a fresh world at each of them and takes the steps again.
fn goes_on_alike(setup: &Setup, steps: usize, moments: &[usize]) {
    let mut world = setup.world().unwrap();
    let mut saved: Vec<(usize, Snapshot)> = Vec::new();
    let mut hashes = vec![world.state().hash()];
    for step in 0..steps {
        if moments.contains(&step) {
            saved.push((step, world.save()));
        }
        world.step().unwrap();
        hashes.push(world.state().hash());
    }
    let end = world.save();
    for (moment, snapshot) in saved {
        let mut again = World::new(setup.model.clone(), setup.solver.clone()).unwrap();
        again.restore(&snapshot).unwrap();
        assert!(again.save() == snapshot, "{}: what is restored at {moment} is what was saved", setup.name);
        for step in moment..steps {
            again.step().unwrap();
            let (there, here) = (hashes[step + 1], again.state().hash());
            assert_eq!(there, here, "{}: step {} after resuming from {moment}", setup.name, step + 1);
        }
        assert!(again.save() == end, "{}: the whole memory at the end", setup.name);
    }
}

#[test]
fn contact_with_obstacles_that_move() {
    goes_on_alike(&setup("drop", &[]), 60, &[0, 14, 40]);
    goes_on_alike(&setup("grasp_hold", &[]), 90, &[30, 80]);
}

#[test]
fn contacts_that_come_and_go() {
    // The contact operator keeps what touched before: another order of its vertices shows in the first step.
    goes_on_alike(&setup("squeezing_ball", &[]), 54, &[50]);
}

#[test]
fn several_bodies() {
    goes_on_alike(&setup("soft_on_soft", &[]), 60, &[25, 45]);
    goes_on_alike(&setup("stacking", &[]), 40, &[20]);
}

#[test]
fn contact_by_admm() {
    goes_on_alike(&setup("ball_on_layers", &[]), 14, &[0, 9]);
    goes_on_alike(&setup("twisting_rods", &[]), 30, &[0, 13]);
}

#[test]
fn a_start_in_equilibrium() {
    goes_on_alike(&setup("stick_slide", &[]), 40, &[0, 1, 20]);
}

/// A block that hangs on another one and on a cable.
const TIED: &str = r#"format = "pliant-scene"
version = 1

[scene]
name = "tied"
duration = 1
dt = 0.01

[[body]]
name = "left"
mesh = { kind = "block", size = [0.1, 0.1, 0.1], cells = [3, 3, 3] }
material = { kind = "neo_hookean", youngs = 1e5, poisson = 0.3 }

[[body]]
name = "right"
mesh = { kind = "block", size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }
transform = { translate = [0.1, 0, 0] }
material = { kind = "neo_hookean", youngs = 1e5, poisson = 0.3 }

[[pin]]
body = "left"
select = { group = "x_min" }

[[pin]]
body = "left"
select = { group = "z_max" }
stiffness = 20

[[attachment]]
from = { body = "right", select = { group = "x_min" } }
to = { body = "left" }
compliance = 1e-5

[[cable]]
points = [{ fixed = [0.18, 0.05, 0.5] }, { body = "right", point = [0.18, 0.05, 0.09] }]
length = 0.405
compliance = 0

[[force]]
body = "right"
kind = "pressure"
value = 100
ramp = 0.5
"#;

#[test]
fn needles_and_cables() {
    goes_on_alike(&setup("needle", &[]), 60, &[45]);
    goes_on_alike(&Scene::parse("tied.toml", TIED).unwrap().build().unwrap(), 40, &[0, 1, 20]);
}

#[test]
fn cloth_that_touches_itself() {
    goes_on_alike(&setup("folding_cloth", &[]), 70, &[60]);
    goes_on_alike(&setup("slope_cloth", &[]), 20, &[10]);
}

#[test]
fn wind_and_pins_that_let_go() {
    goes_on_alike(&setup("flag", &[]), 40, &[0, 1, 20]);
    let early = [("first", "0.05"), ("second", "0.1")];
    goes_on_alike(&setup("released_cloth", &early), 20, &[3, 5, 6, 12]);
}

/// Moments before, between and after the start of a factor and its use, with contact, air and pins that let go.
#[test]
fn factors_that_are_being_made() {
    let with = |scene: &str| Scene::load(scene).unwrap().with_solver("implicit_fe").unwrap().build().unwrap();
    goes_on_alike(&with("drop"), 45, &[0, 1, 4, 6, 7, 30]);
    goes_on_alike(&with("soft_on_soft"), 30, &[13, 25]);
    goes_on_alike(&with("flag"), 12, &[0, 3, 7]);
    goes_on_alike(&with("released_cloth"), 12, &[4, 9]);
    goes_on_alike(&with("seams"), 12, &[5]);
    goes_on_alike(&setup("fast_grasp_rotation", &[]), 60, &[33, 54]);
}

#[test]
fn every_kind_of_solver() {
    let values: [&[(&str, &str)]; 6] = [
        &[("solver.precision", "double")],
        &[("solver.iteration", "admm"), ("solver.anderson", "5"), ("solver.iterations", "14")],
        &[("solver.global", "sparse_inverse")],
        &[("solver.global", "chebyshev"), ("solver.iterations", "15")],
        &[("body.0.material.kind", "arap")],
        &[("body.0.damping.stiffness", "0.01"), ("body.0.damping.mass", "0.1")],
    ];
    for set in values {
        goes_on_alike(&setup("cantilever", set), 12, &[0, 7]);
    }
    for method in ["gauss_seidel", "direct", "non_smooth_newton"] {
        goes_on_alike(&setup("drop", &[("solver.contact", method)]), 40, &[25]);
    }
    let newton = Scene::load("cook_membrane").unwrap().with_solver("newton").unwrap().build().unwrap();
    goes_on_alike(&newton, 4, &[2]);
}

#[test]
fn another_world_is_refused_and_nothing_changes() {
    let small = setup("drop", &[("body.0.mesh.cells", "[2, 2, 2]")]);
    let mut world = setup("drop", &[]).world().unwrap();
    (0..20).for_each(|_| {
        world.step().unwrap();
    });
    let before = world.save();
    let refused = world.restore(&small.world().unwrap().save());
    assert!(matches!(refused, Err(SnapshotError::OtherModel)), "{refused:?}");
    let bytes = before.as_bytes();
    for length in (0..bytes.len()).step_by(bytes.len() / 40) {
        let cut = Snapshot::from_bytes(bytes[..length].to_vec());
        assert!(world.restore(&cut).is_err(), "{length} bytes");
    }
    assert!(world.save() == before);
    // The reaction and the contacts of the last step are still reported.
    assert!(world.contacts().forces().iter().any(|f| f.z > 0.0));
}

#[test]
#[ignore = "takes minutes: all built-in scenes"]
fn every_builtin_scene_goes_on_alike() {
    for name in builtin::names() {
        let setup = setup(name, &[]);
        let steps = setup.steps.min(150);
        goes_on_alike(&setup, steps, &[0, 1, steps / 3, steps / 2 + 7, steps - 2]);
    }
}
