//! Wind, drag and lift: terminal velocities, momentum, energy, and steps that are much longer than the air takes.

use crate::common::{hard, local_global, material, newton, newton_cg, sheet, solid};
use pliant::solver::IterationKind;
use pliant::{Air, BodyId, Gusts, Law, Model, Motion, Schedule, SolverConfig, World};
use pliant_mesh::{DVec3, Mesh, block, cloth};

const G: f64 = 9.81;

fn solvers() -> Vec<SolverConfig> {
    let admm = local_global(|c| c.iteration = IterationKind::Admm);
    vec![newton_cg(|_| {}), admm, newton()]
}

/// A square sheet of 0.1 kg/m^2, 1 m wide.
fn light_sheet(air: Air) -> Model {
    let mesh = cloth([1.0, 1.0], 6).expect("valid sizes");
    let mut body = sheet(mesh, material(Law::Corotational, 1e5, 0.3));
    (body.thickness, body.density) = (2e-4, 500.0);
    Model { bodies: vec![body], air: Some(air), ..Model::default() }
}

fn run(world: &mut World, steps: usize) {
    (0..steps).for_each(|_| {
        world.step().expect("a step");
    });
}

#[test]
fn a_falling_sheet_reaches_its_terminal_velocity() {
    for config in solvers() {
        for dt in [0.005, 1.0 / 30.0] {
            let air = Air { drag: 1.1, lift: 0.9, ..Air::default() };
            let model = Model { dt, ..light_sheet(air) };
            let mut world = World::new(model, config.clone()).expect("a good model");
            run(&mut world, (3.0 / dt) as usize);
            let now = world.motion(BodyId(0));
            let (speed, mass) = (-now.momentum.z / now.mass, now.mass);
            let expected = (2.0 * mass * G / (1.2 * 1.1 * 1.0)).sqrt();
            assert!((speed / expected - 1.0).abs() < 0.02, "{}, dt {dt}: {speed} {expected}", config.kind());
            let lift = world.air_force(BodyId(0)).z;
            assert!((lift / (mass * G) - 1.0).abs() < 0.02, "{lift}");
        }
    }
}

#[test]
fn a_falling_cube_feels_the_air_on_its_lower_face() {
    let mut body =
        solid(block([0.1; 3], [2; 3]).expect("valid sizes"), material(Law::Corotational, 1e6, 0.3));
    body.density = 20.0;
    let air = Air { drag: 1.05, lift: 1.05, ..Air::default() };
    let model = Model { bodies: vec![body], air: Some(air), ..Model::default() };
    let mut world = World::new(model, newton_cg(|_| {})).expect("a good model");
    run(&mut world, 600);
    let now = world.motion(BodyId(0));
    let expected = (2.0 * now.mass * G / (1.2 * 1.05 * 0.01)).sqrt();
    assert!(
        (-now.momentum.z / now.mass / expected - 1.0).abs() < 0.02,
        "{} {expected}",
        now.momentum.z / now.mass
    );
}

/// What the body gains beyond its weight is what the air gives, step by step.
#[test]
fn the_momentum_of_a_body_is_that_of_weight_and_air() {
    for config in solvers() {
        let gusts = Some(Gusts { speed: 3.0, period: 0.5, seed: 7 });
        let wind = Schedule(vec![(0.0, DVec3::new(4.0, 1.0, 0.0)), (0.5, DVec3::new(-3.0, 2.0, 1.0))]);
        let mut world =
            World::new(light_sheet(Air { wind, gusts, ..Air::default() }), config).expect("a good model");
        for _ in 0..50 {
            let before = world.motion(BodyId(0));
            world.step().expect("a step");
            let after = world.motion(BodyId(0));
            let given = after.momentum - before.momentum - 0.01 * after.mass * DVec3::new(0.0, 0.0, -G);
            let force = world.air_force(BodyId(0));
            let off = (given / 0.01 - force).length();
            assert!(off < 1e-3 * force.length().max(after.mass * G), "{given} {force}");
        }
    }
}

/// A sheet that is held still feels the whole force, however light it is and however long the step.
#[test]
fn held_cloth_feels_the_whole_wind() {
    for config in solvers() {
        let wind = DVec3::new(0.0, 0.0, 10.0).into();
        let mut model =
            Model { dt: 1.0 / 30.0, gravity: DVec3::ZERO, ..light_sheet(Air { wind, ..Air::default() }) };
        let count = model.bodies[0].mesh.vertices().len() as u32;
        // All but one corner vertex are held: nearly the whole force is that of the pin.
        model.pins = vec![hard("frame", &(1..count).collect::<Vec<u32>>(), Motion::Fixed)];
        let mut world = World::new(model, config).expect("a good model");
        run(&mut world, 60);
        let expected = 0.5 * 1.2 * 1.2 * 100.0;
        let (force, held) = (world.air_force(BodyId(0)).z, -world.reaction(pliant::PinId(0)).z);
        assert!((force / expected - 1.0).abs() < 0.02, "{force} {expected}");
        assert!((held / expected - 1.0).abs() < 0.02, "{held} {expected}");
    }
}

/// Light cloth in a storm at 30 steps per second: what moves is never faster than a few times the wind.
#[test]
fn a_storm_does_not_blow_up_light_cloth() {
    for config in solvers() {
        let gusts = Some(Gusts { speed: 5.0, period: 0.3, seed: 1 });
        let wind = DVec3::new(20.0, 3.0, 0.0).into();
        let mut model =
            Model { dt: 1.0 / 30.0, ..light_sheet(Air { wind, gusts, lift: 1.1, ..Air::default() }) };
        let body = &mut model.bodies[0];
        let upright = body.mesh.vertices().iter().map(|x| DVec3::new(x.x, 1e-3 * x.x, x.y));
        body.start = Some(upright.collect());
        let Mesh::Tri(mesh) = &*body.mesh else { unreachable!("a sheet") };
        let left: Vec<u32> = (0..mesh.vertices.len() as u32)
            .filter(|&v| mesh.vertices[v as usize].x < -0.4999 || mesh.vertices[v as usize].x.abs() < 1e-9)
            .collect();
        model.pins = vec![hard("pole", &left, Motion::Fixed)];
        let mut world = World::new(model, config.clone()).expect("a good model");
        let mut fastest = 0.0f64;
        for _ in 0..150 {
            world.step().expect("a step");
            let speeds = world.state().velocities.iter().map(|v| v.length());
            fastest = speeds.fold(fastest, f64::max);
        }
        assert!(fastest < 60.0, "{}: {fastest} m/s", config.kind());
        assert!(fastest > 1.0, "{}: it moves", config.kind());
    }
}

#[test]
fn a_flag_in_gusts_is_restored_bit_for_bit() {
    let gusts = Some(Gusts { speed: 3.0, period: 0.5, seed: 3 });
    let model = light_sheet(Air { wind: (5.0 * DVec3::X).into(), gusts, ..Air::default() });
    let new = || World::new(model.clone(), newton_cg(|_| {})).expect("a good model");
    let mut whole = new();
    run(&mut whole, 20);
    let saved = whole.save();
    let mut resumed = new();
    resumed.restore(&saved).expect("a snapshot of such a world");
    assert_eq!(resumed.air_force(BodyId(0)), whole.air_force(BodyId(0)));
    run(&mut whole, 20);
    run(&mut resumed, 20);
    assert_eq!(whole.state().hash(), resumed.state().hash());
}

#[test]
fn air_that_cannot_be_is_refused() {
    let refused = |air: Air, says: &str| {
        let error = World::new(light_sheet(air), newton()).expect_err("bad air").to_string();
        assert!(error.contains(says), "{error}");
    };
    refused(Air { density: -1.0, ..Air::default() }, "air: density = -1");
    refused(Air { lift: 2.0, ..Air::default() }, "lift = 2 must be from 0 to the drag");
    refused(Air { wind: DVec3::NAN.into(), ..Air::default() }, "wind = NaN");
    refused(Air { gusts: Some(Gusts { speed: 1.0, period: 0.0, seed: 0 }), ..Air::default() }, "period");
}
