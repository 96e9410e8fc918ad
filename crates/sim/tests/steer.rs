//! Obstacles, pins, cables, loads and wind that are moved from outside between steps, against what they ought to do.

use crate::common::{floor, hard, material, newton_cg, solid};
use pliant::{
    Air, BodyId, Cable, CableDrive, CablePoint, Interval, Law, Load, LoadKind, MaterialPoint, Model, Motion,
    ObstacleId, Pose, SolverConfig, World,
};
use pliant_mesh::{DMat3, DVec3, block};

const G: f64 = 9.81;

fn config() -> SolverConfig {
    newton_cg(|_| {})
}

fn cube() -> Model {
    let body = solid(block([0.1; 3], [2; 3]).expect("valid sizes"), material(Law::Corotational, 1e6, 0.3));
    Model { bodies: vec![body], ..Model::default() }
}

fn all_vertices(model: &Model) -> Vec<u32> {
    (0..model.bodies[0].mesh.vertices().len() as u32).collect()
}

/// A floor that swings up and down carries a cube, and pushes with the mass times gravity and acceleration.
#[test]
fn an_obstacle_moved_between_steps_carries_what_lies_on_it() {
    let mut world = World::new(Model { obstacles: vec![floor()], ..cube() }, config()).expect("a good model");
    (0..50).for_each(|_| {
        world.step().expect("a step");
    });
    let rest = world.motion(BodyId(0));
    let (amplitude, omega, start) = (0.05, 6.0, world.state().time);
    let height = |t: f64| amplitude * (1.0 - (omega * (t - start)).cos());
    for _ in 0..150 {
        let [before, now, t1] = [-0.01, 0.0, 0.01].map(|d| world.state().time + d);
        let pose = Pose { translation: height(t1) * DVec3::Z, ..Pose::IDENTITY };
        world.move_obstacle(ObstacleId(0), pose).expect("a good pose");
        world.step().expect("a step");
        let lifted = world.motion(BodyId(0)).center.z - rest.center.z;
        assert!((lifted - height(t1)).abs() < 2e-4, "{lifted} {}", height(t1));
        // The acceleration of implicit Euler is that of the last three places.
        let acceleration = (height(t1) - 2.0 * height(now) + height(before.max(start))) / 1e-4;
        if now > start + 0.1 {
            let force = world.contacts().force_on(pliant::Side::Body(BodyId(0))).z;
            let expected = rest.mass * (G + acceleration);
            assert!((force - expected).abs() < 0.1 * rest.mass * G, "{force} {expected}");
        }
    }
    assert!(world.model().obstacles[0].pose(world.state().time).translation.z > 0.0, "the model knows of it");
}

#[test]
fn an_obstacle_arrives_at_any_pose_and_goes_on_from_there() {
    let mut world = World::new(Model { obstacles: vec![floor()], ..cube() }, config()).expect("a good model");
    let turn = |axis: DVec3, angle: f64| DMat3::from_axis_angle(axis.normalize(), angle);
    for (axis, angle) in
        [(DVec3::X, 0.3), (DVec3::ONE, 3.1), (DVec3::Y, std::f64::consts::PI), (DVec3::Z, 0.0)]
    {
        let to = Pose { rotation: turn(axis, angle), translation: DVec3::new(1.0, 2.0, -30.0) };
        world.move_obstacle(ObstacleId(0), to).expect("a good pose");
        world.step().expect("a step");
        let at = world.model().obstacles[0].pose(world.state().time);
        assert!(at.rotation.abs_diff_eq(to.rotation, 1e-9), "{at:?} {to:?}");
        assert!(at.translation.abs_diff_eq(to.translation, 1e-9), "{at:?}");
    }
    let before = world.model().obstacles[0].pose(world.state().time);
    let motion = Motion::Velocity { velocity: DVec3::X, start: 0.0, stop: f64::INFINITY };
    world.set_obstacle_motion(ObstacleId(0), motion).expect("a good motion");
    world.step().expect("a step");
    let moved = world.model().obstacles[0].pose(world.state().time).translation - before.translation;
    assert!(moved.abs_diff_eq(0.01 * DVec3::X, 1e-12), "{moved}");
    let scaled = Pose { rotation: 2.0 * DMat3::IDENTITY, ..Pose::IDENTITY };
    let mirrored = Pose { rotation: -1.0 * DMat3::IDENTITY, ..Pose::IDENTITY };
    let nowhere = Pose { translation: DVec3::NAN, ..Pose::IDENTITY };
    for pose in [scaled, mirrored, nowhere] {
        world.move_obstacle(ObstacleId(0), pose).expect_err("no pose");
    }
    world.move_obstacle(ObstacleId(7), Pose::IDENTITY).expect_err("no such obstacle");
}

#[test]
fn a_pin_goes_where_it_is_sent() {
    let mut model = cube();
    model.pins = vec![hard("hand", &all_vertices(&model), Motion::Fixed)];
    let mut world = World::new(model, config()).expect("a good model");
    let start = world.positions(BodyId(0))[3];
    for k in 1..=20 {
        let by = DVec3::new(0.001, 0.0, 0.002 * f64::from(k % 3));
        world.move_pin(pliant::PinId(0), by).expect("a good way");
        let before = world.positions(BodyId(0))[3];
        world.step().expect("a step");
        assert!((world.positions(BodyId(0))[3] - before).abs_diff_eq(by, 1e-12));
    }
    world.step().expect("a step");
    assert!((world.positions(BodyId(0))[3] - start).abs_diff_eq(DVec3::new(0.02, 0.0, 0.042), 1e-9));
    world.move_pin(pliant::PinId(0), DVec3::NAN).expect_err("nowhere");
    world.move_pin(pliant::PinId(1), DVec3::X).expect_err("no such pin");
}

#[test]
fn loads_and_wind_change_between_steps() {
    let mut model = cube();
    (model.gravity, model.air) = (DVec3::ZERO, Some(Air::default()));
    let kind = LoadKind::Force { vertices: all_vertices(&model), total: DVec3::ZERO.into() };
    let load =
        |kind| Load { name: "load".into(), body: BodyId(0), kind, ramp: 0.0, during: Interval::ALWAYS };
    model.loads = vec![load(kind), load(LoadKind::Pressure { value: 0.0.into() })];
    let mut world = World::new(model, config()).expect("a good model");
    let mut impulse = 0.0;
    for k in 0..20 {
        let force = (0.3 * f64::from(k)).sin();
        impulse += 0.01 * force;
        world.set_force(pliant::LoadId(0), force * DVec3::Y).expect("a good force");
        world.step().expect("a step");
    }
    let momentum = world.motion(BodyId(0)).momentum.y;
    assert!((momentum - impulse).abs() < 1e-3 * impulse, "{momentum} {impulse}");
    world.set_wind(10.0 * DVec3::X).expect("a good wind");
    world.step().expect("a step");
    let force = world.air_force(BodyId(0)).x;
    assert!((force / (0.5 * 1.2 * 1.2 * 0.01 * 100.0) - 1.0).abs() < 0.01, "{force}");
    world.set_pressure(pliant::LoadId(1), 1e4).expect("a good pressure");
    (0..20).for_each(|_| {
        world.step().expect("a step");
    });
    assert!(world.shape(BodyId(0)).volume_ratio > 1.001, "it swells");
    world.set_force(pliant::LoadId(1), DVec3::X).expect_err("a pressure");
    world.set_pressure(pliant::LoadId(0), 1.0).expect_err("a force");
    world.set_force(pliant::LoadId(0), DVec3::NAN).expect_err("no force");
}

#[test]
fn a_cable_is_wound_between_steps() {
    let mut model = cube();
    let top = MaterialPoint::vertex(BodyId(0), 26);
    let from = model.bodies[0].mesh.vertices()[26];
    let motor = from + 0.5 * DVec3::Z;
    let drive = CableDrive::Length(0.5.into());
    let points = vec![CablePoint::Fixed(motor), CablePoint::Material(top)];
    model.cables = vec![Cable { name: "rope".into(), points, drive, compliance: 0.0 }];
    let mut world = World::new(model, config()).expect("a good model");
    let mut length = 0.5;
    for _ in 0..100 {
        length -= 0.001;
        world.set_cable(pliant::CableId(0), CableDrive::Length(length.into())).expect("a good length");
        world.step().expect("a step");
    }
    assert!(
        (world.cable_length(pliant::CableId(0)) - length).abs() < 2e-3,
        "{} {length}",
        world.cable_length(pliant::CableId(0))
    );
    world.set_cable(pliant::CableId(0), CableDrive::Length((-1.0).into())).expect_err("no length");
    world.set_cable(pliant::CableId(3), CableDrive::Length(1.0.into())).expect_err("no such cable");
}
