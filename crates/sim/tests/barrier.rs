//! The barrier solver: nothing ever intersects or inverts, and what it converges to is what Newton's method, weights and Coulomb's law say.

use crate::common::{
    barrier, floor, hard, largest_distance, material, newton, on_threads, run, sheet, solid, twisting_bar,
    world,
};
use pliant::{
    Attachment, Body, BodyId, DVec3, Interval, Law, MaterialPoint, Model, Motion, Obstacle, Pose, Shape,
    Side, SolverConfig, World,
};
use pliant_mesh::{block, cloth};

#[path = "common/drops.rs"]
mod drops;

const G: f64 = 9.81;

fn precise() -> SolverConfig {
    barrier(|c| c.tolerance = 1e-8)
}

/// Without contact it is Newton's method.
#[test]
fn converged_steps_are_those_of_newton() {
    for law in Law::ALL {
        let bar = Model { gravity: -G * DVec3::Z, ..twisting_bar(material(law, 1e5, 0.4), [3, 3, 6]) };
        let mesh = cloth([0.2, 0.2], 6).expect("valid sizes");
        let side = mesh.groups["x_min"].vertices.clone();
        let velocity = DVec3::new(0.1, 0.0, 0.3);
        let hanging = Model {
            bodies: vec![sheet(mesh, material(law, 1e5, 0.3))],
            pins: vec![hard("side", &side, Motion::Velocity { velocity, start: 0.0, stop: 1.0 })],
            ..Model::default()
        };
        for (k, model) in [bar, hanging].iter().enumerate() {
            let mut exact = world(model, &newton());
            run(&mut exact, 5);
            let mut tested = world(model, &precise());
            tested.set_state(exact.state().clone()).expect("the same vertices");
            for _ in 0..3 {
                assert!(exact.step().expect("a good step").converged);
                let outcome = tested.step().expect("a good step");
                let distance = largest_distance(&tested.state().positions, &exact.state().positions);
                let relative = distance / exact.system().size();
                assert!(relative < 1e-6, "{} {k}: {relative:.1e} {outcome:?}", law.name());
            }
        }
    }
}

fn cube_at(place: DVec3, law: Law, youngs: f64) -> Body {
    let mut mesh = block([0.1; 3], [3; 3]).expect("valid sizes");
    mesh.vertices.iter_mut().for_each(|x| *x += place);
    solid(mesh, material(law, youngs, 0.4))
}

/// Nothing intersects, by exact predicates, and nothing is inverted.
fn check_free(world: &World, what: &str) {
    let found = world.inspector().expect("good surfaces").verify(world);
    assert!(found.is_free(), "{what}: {} inverted, {:?}", found.inverted, found.intersections.by_pair());
}

#[test]
fn a_body_at_rest_presses_with_its_weight() {
    for youngs in [1e4, 1e6, 1e8] {
        let mut body = cube_at(1e-3 * DVec3::Z, Law::StableNeoHookean, youngs);
        body.damping.stiffness = 1e-2;
        let model = Model {
            gravity: -G * DVec3::Z,
            bodies: vec![body],
            obstacles: vec![floor()],
            ..Model::default()
        };
        let mut w = world(&model, &barrier(|c| c.tolerance = 1e-5));
        run(&mut w, 150);
        let force = w.contacts().force_on(Side::Body(BodyId(0))).z;
        let weight = G * w.motion(BodyId(0)).mass;
        assert!((force / weight - 1.0).abs() < 1e-3, "E {youngs}: {force} of {weight} N");
        assert!(w.contacts().len() >= 16 && w.contacts().penetration(&w.state().positions) == 0.0);
        check_free(&w, "at rest");
    }
}

/// Friction sticks below the tangent of a slope, but for a creep slower than `eps_v`, and slides above it with what is left of gravity.
#[test]
fn friction_holds_up_to_its_coefficient() {
    let angle = 10f64.to_radians();
    let eps_v = 1e-4;
    let on_slope = |friction: f64| {
        let mut body = cube_at(5e-4 * DVec3::Z, Law::Arap, 1e6);
        body.friction = friction;
        let gravity = G * DVec3::new(angle.sin(), 0.0, -angle.cos());
        let model = Model { gravity, bodies: vec![body], obstacles: vec![floor()], ..Model::default() };
        let mut w = world(&model, &barrier(|c| (c.eps_v, c.tolerance) = (eps_v, 1e-5)));
        run(&mut w, 60);
        let speed = |w: &World| w.motion(BodyId(0)).momentum.x / w.motion(BodyId(0)).mass;
        let before = speed(&w);
        run(&mut w, 40);
        (speed(&w), (speed(&w) - before) / 0.4)
    };
    let (creep, _) = on_slope(0.2);
    assert!(creep > 0.0 && creep < eps_v, "{creep}");
    let (_, acceleration) = on_slope(0.1);
    let exact = G * (angle.sin() - 0.1 * angle.cos());
    assert!((acceleration / exact - 1.0).abs() < 0.01, "{acceleration} for {exact}");
}

/// A block that rests on a slope starts to slide with the default settings, too, however little it creeps while it sticks: the force of
/// friction that a short step still has to change counts.
#[test]
fn what_must_slide_does_at_the_defaults() {
    let angle = 10f64.to_radians();
    for (friction, eps_v) in [(0.15, 1e-3), (0.15, 1e-5), (0.1, 1e-3), (0.2, 1e-5)] {
        let mut body = cube_at(5e-4 * DVec3::Z, Law::Arap, 1e7);
        body.friction = friction;
        let gravity = G * DVec3::new(angle.sin(), 0.0, -angle.cos());
        let model = Model { gravity, bodies: vec![body], obstacles: vec![floor()], ..Model::default() };
        let mut w = world(&model, &barrier(|c| c.eps_v = eps_v));
        run(&mut w, 40);
        let speed = w.motion(BodyId(0)).momentum.x / w.motion(BodyId(0)).mass;
        let exact = 0.4 * G * (angle.sin() - friction * angle.cos());
        let right = if exact > 0.0 { (speed / exact - 1.0).abs() < 0.05 } else { speed < eps_v };
        assert!(right, "{friction}, {eps_v}: {speed} for {exact}");
    }
}

/// A start within the reach of the barrier does not throw a stiff body up.
#[test]
fn a_start_within_reach_gains_no_energy() {
    let body = cube_at(1e-4 * DVec3::Z, Law::Arap, 1e8);
    let model =
        Model { gravity: -G * DVec3::Z, bodies: vec![body], obstacles: vec![floor()], ..Model::default() };
    let mut w = world(&model, &barrier(|_| {}));
    for _ in 0..10 {
        run(&mut w, 1);
        assert!(w.motion(BodyId(0)).momentum.z < 1e-6, "{:?}", w.motion(BodyId(0)).momentum);
    }
    check_free(&w, "at rest");
}

/// Bodies that are thrown at each other and at obstacles of all shapes.
fn thrown(seed: u64) -> Model {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    let laws = Law::ALL;
    let speed = 10f64.powf(1.0 + random());
    let bodies = (0..3).map(|k| {
        let place = DVec3::new(0.06 * random(), 0.06 * random(), 0.35 + 0.2 * f64::from(k));
        let law = laws[((random() + 1.0) * 0.5 * laws.len() as f64) as usize % laws.len()];
        let mut body = cube_at(place, law, 10f64.powf(5.5 + 1.5 * random()));
        body.name = format!("cube {k}");
        body.velocity = speed * DVec3::new(0.3 * random(), 0.3 * random(), -1.0 - 0.3 * random());
        body.angular_velocity = 10.0 * DVec3::new(random(), random(), random());
        body.friction = 0.3 * (random() + 1.0);
        body
    });
    let mut bodies: Vec<Body> = bodies.collect();
    let mut mesh = cloth([0.4, 0.4], 8).expect("valid sizes");
    mesh.vertices.iter_mut().for_each(|x| *x += DVec3::new(-0.2, -0.2, 0.25));
    bodies.push(Body { name: "cloth".into(), ..sheet(mesh, material(Law::Arap, 1e5, 0.3)) });
    let shapes = [
        Shape::Sphere { radius: 0.08 },
        Shape::Capsule { radius: 0.05, half_length: 0.05 },
        Shape::Box { half: DVec3::splat(0.06) },
        Shape::Cylinder { radius: 0.07, half_length: 0.07 },
        Shape::Torus { major: 0.07, minor: 0.03 },
    ];
    let turned = Pose::turned(DVec3::new(random(), random(), random()), 2.0);
    let placed = turned.then_moved(DVec3::new(0.0, 0.0, 0.13));
    let shape = shapes[(seed % 5) as usize].clone();
    let obstacles = vec![floor(), Obstacle::new("thing", shape).at(placed)];
    Model { dt: 0.01, gravity: -G * DVec3::Z, bodies, obstacles, ..Model::default() }
}

#[test]
fn whatever_is_thrown_nothing_intersects_or_inverts() {
    for seed in 1..=6 {
        let model = Model { dt: if seed % 2 == 0 { 0.03 } else { 0.005 }, ..thrown(seed) };
        let mut w = world(&model, &barrier(|c| c.iterations = 40));
        for step in 0..8 {
            w.step().unwrap_or_else(|e| panic!("seed {seed}, step {step}: {e}"));
            check_free(&w, &format!("seed {seed}, step {step}"));
        }
    }
}

#[test]
fn the_bits_do_not_depend_on_threads_and_a_snapshot_goes_on() {
    let model = thrown(3);
    let hash = |threads| {
        on_threads(threads, || {
            let mut w = world(&model, &barrier(|c| c.iterations = 20));
            run(&mut w, 6);
            w.state().hash()
        })
    };
    assert_eq!(hash(1), hash(2));
    let config = barrier(|c| c.iterations = 20);
    let mut first = world(&model, &config);
    run(&mut first, 4);
    let mut second = world(&model, &config);
    second.restore(&first.save()).expect("its own snapshot");
    run(&mut first, 3);
    run(&mut second, 3);
    assert_eq!(first.state().hash(), second.state().hash());
    assert_eq!(first.contacts().forces(), second.contacts().forces());
}

#[test]
fn conjugate_gradients_and_the_factor_agree() {
    let mut body = cube_at(5e-4 * DVec3::Z, Law::Corotational, 1e5);
    body.damping.stiffness = 1e-2;
    let model =
        Model { gravity: -G * DVec3::Z, bodies: vec![body], obstacles: vec![floor()], ..Model::default() };
    let end = |linear| {
        let mut w = world(&model, &barrier(|c| (c.linear, c.tolerance) = (linear, 1e-6)));
        run(&mut w, 20);
        w.state().positions.clone()
    };
    use pliant::solver::NewtonSolve;
    let distance = largest_distance(&end(NewtonSolve::Cholesky), &end(NewtonSolve::Pcg));
    assert!(distance < 1e-6, "{distance}");
}

/// Two plates press a cube: it gives way as long as there is room, and without room the step ends with the pair and the last good state.
#[test]
fn plates_that_leave_no_room_end_the_run() {
    let plate = |name: &str, z: f64, speed: f64| {
        let velocity = speed * DVec3::Z;
        Obstacle::new(name, Shape::Box { half: DVec3::new(0.2, 0.2, 0.02) })
            .at(Pose::moved(DVec3::new(0.05, 0.05, z)))
            .with_motion(Motion::Velocity { velocity, start: 0.0, stop: f64::INFINITY })
    };
    let body = cube_at(DVec3::ZERO, Law::StableNeoHookean, 1e4);
    let obstacles = vec![plate("lower", -0.021, 0.0), plate("upper", 0.121, -1.0)];
    let model = Model { bodies: vec![body], obstacles, ..Model::default() };
    let mut w = world(&model, &barrier(|c| c.iterations = 60));
    let mut steps = 0;
    let error = loop {
        match w.step() {
            Ok(_) => steps += 1,
            Err(error) => break error.to_string(),
        }
        check_free(&w, &format!("step {steps}"));
        assert!(steps < 12, "the plates have met");
    };
    assert!(steps >= 5, "{steps} steps, then {error}");
    assert!(error.contains("leave no room") && error.contains("obstacle"), "{error}");
    check_free(&w, "the last good state");
}

#[test]
fn what_merely_touches_at_the_start_is_moved_apart_by_a_hair() {
    let cube =
        |name: &str, place: DVec3| Body { name: name.into(), ..cube_at(place, Law::StableNeoHookean, 1e6) };
    // A stack, flush, with a pinned neighbour whose side touches it.
    let mut bodies: Vec<Body> =
        (0..3).map(|k| cube(&format!("cube {k}"), DVec3::new(0.0, 0.0, 0.1 * f64::from(k)))).collect();
    bodies.push(cube("neighbour", DVec3::new(0.1, 0.0, 0.0)));
    let mut pin = hard("held", &[0, 1, 2, 3], Motion::Fixed);
    pin.body = BodyId(3);
    let model = Model {
        gravity: -G * DVec3::Z,
        bodies,
        obstacles: vec![floor()],
        pins: vec![pin],
        ..Model::default()
    };
    let mut w = world(&model, &barrier(|_| {}));
    assert!(w.moved_apart() > 5e-5 && w.moved_apart() < 1e-3, "{}", w.moved_apart());
    check_free(&w, "the start");
    for step in 0..5 {
        run(&mut w, 1);
        check_free(&w, &format!("step {step}"));
    }
    // As far as its thickness nearly: that gives way.
    let mut mesh = cloth([0.1; 2], 2).expect("valid sizes");
    mesh.vertices.iter_mut().for_each(|x| x.z += 4.9e-4);
    let bodies = vec![sheet(mesh, material(Law::Arap, 1e5, 0.3))];
    let model = Model { bodies, obstacles: vec![floor()], gravity: -G * DVec3::Z, ..Model::default() };
    let mut w = world(&model, &barrier(|_| {}));
    assert_eq!(w.moved_apart(), 0.0);
    run(&mut w, 3);
    check_free(&w, "the cloth");
}

#[test]
fn drops_up_to_100_m_s_are_free() {
    for seed in 1..=16 {
        let mut w = world(&drops::drop(seed), &barrier(|c| c.iterations = 60));
        for step in 0..3 {
            w.step().unwrap_or_else(|e| panic!("seed {seed}, step {step}: {e}"));
            check_free(&w, &format!("seed {seed}, step {step}"));
        }
    }
}

/// A thin sheet that is pushed together along its plane wrinkles: there the projected Hessian is too stiff, and took over a hundred iterations.
#[test]
fn what_wrinkles_converges_with_the_true_hessian() {
    let mesh = cloth([0.3, 0.1], 12).expect("valid sizes");
    let sides = ["x_min", "x_max"].map(|name| mesh.groups[name].vertices.clone());
    let velocity = -0.4 * DVec3::X;
    let mut body = sheet(mesh, material(Law::StableNeoHookean, 1e6, 0.3));
    body.velocity = DVec3::ZERO;
    let model = Model {
        gravity: -G * DVec3::Z,
        bodies: vec![body],
        pins: vec![
            hard("left", &sides[0], Motion::Fixed),
            hard("right", &sides[1], Motion::Velocity { velocity, start: 0.0, stop: 1.0 }),
        ],
        ..Model::default()
    };
    let mut w = world(&model, &barrier(|_| {}));
    for step in 0..15 {
        let outcome = w.step().expect("a good step");
        assert!(outcome.converged && outcome.iterations < 60, "step {step}: {outcome:?}");
        check_free(&w, &format!("step {step}"));
    }
}

#[test]
fn a_start_that_touches_without_room_and_joints_are_refused() {
    let refusal = |model: Model| match World::new(model, barrier(|_| {})) {
        Ok(_) => panic!("accepted"),
        Err(error) => error.to_string(),
    };
    let cube = |z: f64| cube_at(z * DVec3::Z, Law::Arap, 1e5);
    let on_floor = |z| Model { bodies: vec![cube(z)], obstacles: vec![floor()], ..Model::default() };
    // Too deep to be moved, and without room.
    let ceiling = Obstacle::new("ceiling", Shape::Box { half: DVec3::new(1.0, 1.0, 0.05) });
    let ceiling = ceiling.at(Pose::moved(DVec3::new(0.0, 0.0, 0.15)));
    let mut between = on_floor(0.0);
    between.obstacles.push(ceiling);
    for model in [on_floor(-0.02), between] {
        let error = refusal(model);
        assert!(error.contains("body `solid`") && error.contains("obstacle `"), "{error}");
        assert!(error.contains("move them apart"), "{error}");
    }
    // Wholly inside, where no features are near.
    let outer = Body {
        name: "outer".into(),
        ..solid(block([0.5; 3], [1; 3]).expect("sizes"), material(Law::Arap, 1e5, 0.3))
    };
    let inner = cube_at(DVec3::splat(0.2), Law::Arap, 1e5);
    let error = refusal(Model { bodies: vec![outer, inner], ..Model::default() });
    assert!(error.contains("pass through each other"), "{error}");
    // Cloths nearer than they are thick.
    let sheets = [0.0, 5e-4].map(|z| {
        let mut mesh = cloth([0.1; 2], 2).expect("valid sizes");
        mesh.vertices.iter_mut().for_each(|x| x.z += z);
        sheet(mesh, material(Law::Arap, 1e5, 0.3))
    });
    let error = refusal(Model { bodies: sheets.to_vec(), ..Model::default() });
    assert!(error.contains("5.00e-4 m apart"), "{error}");
    let tied = Attachment {
        name: "tie".into(),
        pairs: vec![[MaterialPoint::vertex(BodyId(0), 0), MaterialPoint::vertex(BodyId(1), 0)]],
        compliance: 0.0,
        during: Interval::ALWAYS,
    };
    let bodies = vec![cube(0.0), cube(0.2)];
    let error = refusal(Model { bodies, attachments: vec![tied], ..Model::default() });
    assert!(error.contains("knows no attachments"), "{error}");
}
