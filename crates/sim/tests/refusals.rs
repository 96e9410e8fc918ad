//! What no world takes: numbers beyond the arithmetic, placements that are not rigid, states that are not finite, snapshots of other
//! models. And what looks strange but is fine.

use crate::common;

use common::{hard, material};
use pliant::solver::IterationKind;
use pliant::{
    Body, BodyId, DMat3, DVec3, Keyframe, Law, Load, LoadKind, Model, ModelError, Motion, NewtonConfig,
    Obstacle, Pin, Pose, Shape, SnapshotError, SolverConfig, StateError, World,
};
use pliant_mesh::Mesh;

/// A cube of 10 cm above a floor.
fn cube() -> Model {
    let mut mesh = pliant_mesh::block([0.1; 3], [2; 3]).expect("valid sizes");
    mesh.vertices.iter_mut().for_each(|x| x.z += 0.01);
    Model {
        bodies: vec![Body::new("cube", Mesh::Tet(mesh), material(Law::StableNeoHookean, 1e5, 0.3))],
        obstacles: vec![Obstacle::new("floor", Shape::Plane)],
        ..Model::default()
    }
}

fn changed(change: impl FnOnce(&mut Model)) -> Model {
    let mut model = cube();
    change(&mut model);
    model
}

fn world(model: Model) -> World {
    World::new(model, SolverConfig::default()).expect("a good model")
}

fn refusal(change: impl FnOnce(&mut Model)) -> ModelError {
    World::new(changed(change), SolverConfig::default()).expect_err("a bad model")
}

#[test]
fn numbers_that_the_arithmetic_cannot_carry() {
    let says = |e: ModelError, part: &str| assert!(e.to_string().contains(part), "{e}");
    says(refusal(|m| m.bodies[0].density = 1e-15), "kg/m^3, or dt below");
    says(refusal(|m| m.bodies[0].materials[0].youngs = 1e24), "use at most");
    says(refusal(|m| m.dt = 1e-13), "use 1e-12 to 1e6 s");
    says(refusal(|m| m.dt = 1e7), "use 1e-12 to 1e6 s");
    says(refusal(|m| m.bodies[0].density = 1e30), "1e-24 to 1e24 kg");
    // Steel, feathers and small steps are fine.
    for (youngs, density, dt) in [(2e11, 7800.0, 0.01), (1e4, 1.0, 0.01), (1e5, 1000.0, 1e-6)] {
        let mut world = world(changed(|m| {
            (m.bodies[0].materials[0].youngs, m.bodies[0].density, m.dt) = (youngs, density, dt);
        }));
        world.step().expect("a step");
    }
}

#[test]
fn the_bound_in_the_message_is_accepted() {
    let text = refusal(|m| m.bodies[0].density = 1e-15).to_string();
    let bound = text.split("at least ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a bound");
    let bound: f64 = bound.parse().expect("a number");
    // It is rounded to two digits.
    world(changed(|m| m.bodies[0].density = 1.1 * bound));
}

#[test]
fn placements_that_are_not_rigid() {
    let place = |rotation: DMat3, translation: DVec3| {
        refusal(|m| m.obstacles[0].placement = Pose { rotation, translation })
    };
    let turn = DMat3::from_rotation_y(0.3);
    for (rotation, translation) in [
        (DMat3::NAN, DVec3::ZERO),
        (DMat3::ZERO, DVec3::ZERO),
        (2.0 * turn, DVec3::ZERO),
        (DMat3::from_diagonal(DVec3::new(1.0, 1.0, -1.0)), DVec3::ZERO),
        (DMat3::from_cols(DVec3::X, DVec3::X, DVec3::Z), DVec3::ZERO),
        (turn, DVec3::new(0.0, f64::NAN, 0.0)),
        (turn, DVec3::new(0.0, 0.0, f64::INFINITY)),
    ] {
        let e = place(rotation, translation);
        assert!(matches!(e, ModelError::Entry { .. }) && e.to_string().contains("floor"), "{e}");
        assert!(e.to_string().contains("rotation"), "{e}");
    }
    // Digits that were typed are enough.
    let typed = DMat3::from_cols(DVec3::new(0.8660254, 0.5, 0.0), DVec3::new(-0.5, 0.8660254, 0.0), DVec3::Z);
    world(changed(|m| m.obstacles[0].placement.rotation = typed));
}

#[test]
fn states_that_are_not_finite() {
    let mut world = world(cube());
    let good = world.state().clone();
    let mut refuses = |change: fn(&mut pliant::State)| {
        let mut state = good.clone();
        change(&mut state);
        let e = world.set_state(state).expect_err("a bad state");
        assert_eq!(world.state(), &good, "nothing has changed");
        e
    };
    assert_eq!(refuses(|s| s.positions[3].y = f64::NAN), StateError::NotFinite { vertex: 3 });
    assert_eq!(refuses(|s| s.velocities[5].x = f64::INFINITY), StateError::NotFinite { vertex: 5 });
    assert!(matches!(refuses(|s| s.time = f64::NAN), StateError::Time(_)));
    assert!(matches!(refuses(|s| s.positions.truncate(3)), StateError::Size { .. }));
}

#[test]
fn steps_do_not_wrap() {
    let mut world = world(cube());
    let state = pliant::State { steps: u64::MAX, ..world.state().clone() };
    world.set_state(state).expect("a strange but good state");
    for _ in 0..3 {
        world.step().expect("a step");
    }
    assert_eq!(world.state().steps, u64::MAX);
}

#[test]
fn snapshots_of_other_models() {
    let mut saved = world(changed(|m| m.pins = vec![hard("corner", &[0], Motion::Fixed)]));
    saved.step().expect("a step");
    let snapshot = saved.save();
    let with_pin = |change: fn(&mut Model)| {
        world(changed(|m| {
            m.pins = vec![hard("corner", &[0], Motion::Fixed)];
            change(m);
        }))
    };
    with_pin(|_| ()).restore(&snapshot).expect("the same model");
    for (what, change) in [
        ("dt", (|m| m.dt = 0.005) as fn(&mut Model)),
        ("another vertex", |m| m.pins[0].vertices = vec![1]),
        ("moving pin", |m| {
            let frames = vec![Keyframe::default(), Keyframe { time: 1.0, ..Keyframe::default() }];
            m.pins[0].motion = Motion::Keyframes { point: DVec3::ZERO, axis: DVec3::Z, frames };
        }),
        ("place of the floor", |m| m.obstacles[0].placement.translation.z = -1.0),
        ("shape of the floor", |m| m.obstacles[0].shape = Shape::Sphere { radius: 0.1 }),
        ("a load", |m| {
            let kind = LoadKind::Force { vertices: vec![3], total: DVec3::X.into() };
            m.loads.push(Load {
                name: "push".into(),
                body: BodyId(0),
                kind,
                ramp: 0.0,
                during: pliant::Interval::ALWAYS,
            });
        }),
        ("a finer mesh of the same number of vertices", |m| {
            let mut mesh = (*m.bodies[0].mesh).clone();
            if let Mesh::Tet(mesh) = &mut mesh {
                mesh.vertices[0].x -= 1e-3;
            }
            m.bodies[0].mesh = mesh.into();
        }),
    ] {
        let mut other = with_pin(change);
        let before = other.state().clone();
        let e = other.restore(&snapshot).expect_err(what);
        assert!(matches!(e, SnapshotError::OtherModel | SnapshotError::Mismatch { .. }), "{what}: {e}");
        assert_eq!(other.state(), &before, "{what}");
    }
}

/// A hard pin and a pressure on the same vertices: forces on pinned vertices have no row in the solver.
#[test]
fn hard_pins_bear_pressure() {
    let pressed = |config: SolverConfig| {
        let mesh = pliant_mesh::block([0.1; 3], [2; 3]).expect("valid sizes");
        let held: Vec<u32> = mesh.groups["x_min"].vertices.clone();
        let pin: Pin = hard("wall", &held, Motion::Fixed);
        let body = Body::new("cube", Mesh::Tet(mesh), material(Law::NeoHookean, 1e5, 0.3));
        let air = Load {
            name: "air".into(),
            body: BodyId(0),
            kind: LoadKind::Pressure { value: 10.0.into() },
            ramp: 0.0,
            during: pliant::Interval::ALWAYS,
        };
        let model = Model {
            bodies: vec![body],
            pins: vec![pin],
            loads: vec![air],
            gravity: DVec3::ZERO,
            ..Model::default()
        };
        let mut world = World::new(model, config).expect("a good model");
        for _ in 0..100 {
            world.step().expect("a step");
        }
        world.reaction(pliant::PinId(0))
    };
    // A pressure on a closed surface has no total.
    for config in [
        SolverConfig::default(),
        common::local_global(|c| c.iteration = IterationKind::Admm),
        SolverConfig::Newton(NewtonConfig::default()),
    ] {
        let force = pressed(config.clone());
        assert!(force.length() < 1e-3, "{config:?}: {force}");
    }
}

#[test]
fn speeds_beyond_all_bounds_are_an_error_or_a_step_but_no_panic() {
    for speed in [1e8, 1e155, 1e200, f64::MAX] {
        for vertex in [0, 3, 13] {
            let mut world = world(cube());
            for _ in 0..30 {
                world.step().expect("it falls and rests");
            }
            let mut state = world.state().clone();
            state.velocities[vertex] = DVec3::new(speed, -0.5 * speed, 0.0);
            world.set_state(state).expect("it is finite");
            // Whatever comes of it, the state stays finite.
            let _ = (world.step(), world.step());
            assert!(world.state().positions.iter().all(|x| x.is_finite()), "{speed}");
        }
    }
}
