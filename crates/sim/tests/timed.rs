//! Pins, loads and attachments that start, stop and follow keyframes, against their analytic motion.

use crate::common::{hard, local_global, material, newton, newton_cg, solid};
use pliant::solver::IterationKind;
use pliant::{
    Attachment, BodyId, Interval, Law, Load, LoadKind, MaterialPoint, Model, Motion, Pin, PinKind, Schedule,
    SolverConfig, World,
};
use pliant_mesh::{DVec3, block};

const G: f64 = 9.81;

fn cube() -> Model {
    let mesh = block([0.1; 3], [2; 3]).expect("valid sizes");
    let body = solid(mesh, material(Law::Corotational, 1e6, 0.3));
    Model { bodies: vec![body], ..Model::default() }
}

fn all_vertices(model: &Model) -> Vec<u32> {
    (0..model.bodies[0].mesh.vertices().len() as u32).collect()
}

fn solvers() -> Vec<SolverConfig> {
    let admm = local_global(|c| c.iteration = IterationKind::Admm);
    vec![newton_cg(|_| {}), admm, newton()]
}

fn run(world: &mut World, steps: usize) {
    (0..steps).for_each(|_| {
        world.step().expect("a step");
    });
}

fn height(world: &World) -> f64 {
    world.motion(BodyId(0)).center.z
}

/// Implicit Euler falls by `g h^2 n (n + 1) / 2` in n steps from rest, which is `g t^2 / 2` and `g t h / 2` more.
#[test]
fn a_pin_that_lets_go_drops_its_body() {
    for kind in [PinKind::Hard, PinKind::Soft(1e5)] {
        for config in solvers() {
            let mut model = cube();
            let (vertices, during) = (all_vertices(&model), Interval::until(0.2));
            model.gravity = if kind == PinKind::Hard { model.gravity } else { DVec3::ZERO };
            model.pins = vec![Pin { kind, during, ..hard("hand", &vertices, Motion::Fixed) }];
            let mut world = World::new(model, config.clone()).expect("a good model");
            let start = height(&world);
            run(&mut world, 20);
            assert!((height(&world) - start).abs() < 1e-9, "held until 0.2 s");
            if kind == PinKind::Hard {
                let weight = world.motion(BodyId(0)).mass * G;
                assert!(
                    (world.reaction(pliant::PinId(0)).z - weight).abs() < 1e-6 * weight,
                    "{}",
                    world.reaction(pliant::PinId(0))
                );
            }
            world.edit(&pliant::Edit::Gravity(DVec3::new(0.0, 0.0, -G))).expect("good gravity");
            run(&mut world, 30);
            let fallen = start - height(&world);
            let expected = G * 1e-4 * 30.0 * 31.0 / 2.0;
            assert!((fallen - expected).abs() < 1e-6 * expected, "{}: {fallen} {expected}", config.kind());
            assert_eq!(world.reaction(pliant::PinId(0)), DVec3::ZERO);
        }
    }
}

#[test]
fn a_pin_that_takes_hold_later_moves_its_vertices_from_where_they_are() {
    for config in solvers() {
        let mut model = cube();
        let vertices = all_vertices(&model);
        // It would have moved for 0.1 s before it takes hold: that does not count.
        let motion = Motion::Velocity { velocity: DVec3::X, start: 0.0, stop: f64::INFINITY };
        let during = Interval { from: 0.1, until: 0.3 };
        model.pins = vec![Pin { during, ..hard("hand", &vertices, motion) }];
        let mut world = World::new(model, config).expect("a good model");
        let start = world.motion(BodyId(0)).center;
        run(&mut world, 30);
        let moved = world.motion(BodyId(0)).center - start;
        let fallen = G * 1e-4 * 10.0 * 11.0 / 2.0;
        assert!(moved.abs_diff_eq(DVec3::new(0.2, 0.0, -fallen), 1e-9), "{moved}");
        // Thrown: it goes on with the velocity of the hand.
        run(&mut world, 10);
        let thrown = world.motion(BodyId(0)).momentum / world.motion(BodyId(0)).mass;
        assert!(thrown.abs_diff_eq(DVec3::new(1.0, 0.0, -10.0 * 0.01 * G), 1e-9), "{thrown}");
    }
}

#[test]
fn one_pin_hands_its_vertices_to_the_next() {
    let mut model = cube();
    let pin = |name: &str, during| Pin { during, ..hard(name, &[0, 1, 2], Motion::Fixed) };
    model.pins = vec![pin("left", Interval::until(0.1)), pin("right", Interval::from(0.1))];
    let mut world = World::new(model.clone(), newton()).expect("one after the other");
    let start = world.positions(BodyId(0))[1];
    run(&mut world, 15);
    assert!(world.positions(BodyId(0))[1].abs_diff_eq(start, 1e-12), "never let go");
    assert!(world.reaction(pliant::PinId(1)).z > 0.0 && world.reaction(pliant::PinId(0)) == DVec3::ZERO);
    model.pins[1].during = Interval::from(0.05);
    let refused = World::new(model.clone(), newton()).expect_err("both at once").to_string();
    assert!(refused.contains("pin `right`") && refused.contains("`left`"), "{refused}");
    model.pins[1].during = Interval { from: 0.2, until: 0.1 };
    let refused = World::new(model, newton()).expect_err("ends before it starts").to_string();
    assert!(refused.contains("until 0.1 s"), "{refused}");
}

#[test]
fn a_force_that_follows_keyframes_gives_its_impulse() {
    for config in solvers() {
        let mut model = cube();
        model.gravity = DVec3::ZERO;
        let total = Schedule(vec![(0.1, DVec3::ZERO), (0.3, 5.0 * DVec3::X), (0.5, 5.0 * DVec3::X)]);
        let kind = LoadKind::Force { vertices: all_vertices(&model), total: total.clone() };
        let during = Interval { from: 0.0, until: 0.4 };
        model.loads = vec![Load { name: "push".into(), body: BodyId(0), kind, ramp: 0.0, during }];
        let mut world = World::new(model, config).expect("a good model");
        run(&mut world, 60);
        let now = world.motion(BodyId(0));
        // The force of the end of each step, as implicit Euler has it.
        let discrete: f64 = (1..=40).map(|k| 0.01 * total.at(0.01 * f64::from(k)).x).sum();
        assert!((now.momentum.x - discrete).abs() < 1e-9, "{} {discrete}", now.momentum.x);
        let integral = 0.5 * 0.2 * 5.0 + 0.1 * 5.0;
        assert!((now.momentum.x - integral).abs() < 0.5 * 0.01 * 5.0 + 1e-9, "{}", now.momentum.x);
    }
}

#[test]
fn an_attachment_that_lets_go_drops_what_hangs_on_it() {
    let mut model = cube();
    let mut below = model.bodies[0].clone();
    below.name = "below".into();
    below.start = Some(below.mesh.vertices().iter().map(|x| x - 0.1 * DVec3::Z).collect());
    model.bodies.push(below);
    let all = all_vertices(&model);
    model.pins = vec![hard("hand", &all, Motion::Fixed)];
    // The upper face of the lower cube coincides with the lower one of the upper cube.
    let places = model.bodies[0].mesh.vertices();
    let pair = |v: u32| {
        let at = places[v as usize];
        let other = places.iter().position(|x| x.distance(at + 0.1 * DVec3::Z) < 1e-9)?;
        Some([MaterialPoint::vertex(BodyId(1), other as u32), MaterialPoint::vertex(BodyId(0), v)])
    };
    let (pairs, during) = (all.iter().filter_map(|&v| pair(v)).collect(), Interval::until(0.1));
    model.attachments = vec![Attachment { name: "glue".into(), pairs, compliance: 0.0, during }];
    let mut world = World::new(model, newton_cg(|_| {})).expect("a good model");
    run(&mut world, 10);
    let weight = world.motion(BodyId(1)).mass * G;
    assert!(
        (world.contacts().joints().attachment_force(pliant::AttachmentId(0)).z - weight).abs()
            < 0.05 * weight
    );
    let before = world.motion(BodyId(1));
    run(&mut world, 20);
    let after = world.motion(BodyId(1));
    let speed = (after.momentum - before.momentum).z / after.mass;
    assert!((speed + 0.2 * G).abs() < 1e-6, "{speed}");
    assert_eq!(world.contacts().joints().attachment_force(pliant::AttachmentId(0)), DVec3::ZERO);
}

#[test]
fn a_world_is_restored_across_the_release() {
    let mut model = cube();
    let vertices = all_vertices(&model)[..9].to_vec();
    let motion = Motion::Velocity { velocity: DVec3::X, start: 0.0, stop: f64::INFINITY };
    let during = Interval { from: 0.05, until: 0.15 };
    model.pins = vec![Pin { during, ..hard("hand", &vertices, motion) }];
    let new = || World::new(model.clone(), newton_cg(|_| {})).expect("a good model");
    let mut whole = new();
    let mut saved = Vec::new();
    for _ in 0..25 {
        saved.push(whole.save());
        whole.step().expect("a step");
    }
    for (steps, snapshot) in saved.iter().enumerate() {
        let mut world = new();
        world.restore(snapshot).expect("a snapshot of such a world");
        assert_eq!(world.save().as_bytes(), snapshot.as_bytes());
        run(&mut world, 25 - steps);
        assert_eq!(world.state().hash(), whole.state().hash(), "from step {steps}");
    }
    // And back: the pins are those of the snapshot.
    whole.restore(&saved[0]).expect("a snapshot of this world");
    run(&mut whole, 7);
    assert_eq!(whole.save().as_bytes(), saved[7].as_bytes());
}
