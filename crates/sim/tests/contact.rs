//! Contact and friction against what is known: slopes, a dropped cube, stacked cubes, ties and cables.

use crate::common::{floor, largest_distance, local_global, material, on_threads, run, solid, world};
use pliant::solver::{ContactMethod, LinearSolve, Ncp, NonSmoothNewton, OperatorChoice, Preconditioner};
use pliant::{
    Attachment, Body, BodyId, Cable, CableDrive, CablePoint, Law, Load, LoadKind, MaterialPoint, Model,
    Motion, Obstacle, ObstacleId, Pin, PinKind, Schedule, Shape, Side, SolverConfig, Sticking, World,
};
use pliant_mesh::{DMat3, DVec3, TetMesh, block};

const G: f64 = 9.81;

fn shifted(mut mesh: TetMesh, by: DVec3) -> TetMesh {
    mesh.vertices.iter_mut().for_each(|v| *v += by);
    mesh
}

/// A stiff block on a slope: gravity is tilted instead of the floor. Turned by `yaw` about the normal.
fn slope(youngs: f64, degrees: f64, friction: f64, yaw: f64) -> Model {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let mut mesh = block([0.2, 0.2, 0.1], [4, 4, 2]).expect("valid sizes");
    let turn = DMat3::from_rotation_z(yaw.to_radians());
    mesh.vertices.iter_mut().for_each(|v| *v = turn * *v);
    let mut body = solid(mesh, material(Law::Arap, youngs, 0.4));
    body.friction = friction;
    Model {
        gravity: DVec3::new(G * sin, 0.0, -G * cos),
        bodies: vec![body],
        obstacles: vec![floor()],
        ..Model::default()
    }
}

fn ten_iterations(method: ContactMethod) -> SolverConfig {
    local_global(|c| {
        c.iterations = 10.into();
        c.contact.method = method;
    })
}

/// Distance slid in a second, and the largest speed in its second half.
fn slide(model: &Model, config: &SolverConfig) -> (f64, f64) {
    let mut w = world(model, config);
    let start = w.motion(BodyId(0)).center.x;
    run(&mut w, 50);
    let mut fastest = 0.0f64;
    for _ in 0..50 {
        run(&mut w, 1);
        fastest = fastest.max(w.motion(BodyId(0)).velocity.x.abs());
    }
    (w.motion(BodyId(0)).center.x - start, fastest)
}

/// What backward Euler gives for a rigid block after a second.
fn analytic(degrees: f64, friction: f64) -> f64 {
    let (sin, cos) = degrees.to_radians().sin_cos();
    0.5 * G * (sin - friction * cos) * 1.01
}

#[test]
fn a_stiff_block_slides_or_sticks_as_coulomb_says() {
    let config = ten_iterations(ContactMethod::Automatic);
    for (degrees, yaw) in [(10.0f64, 0.0), (30.0, 0.0), (45.0, 45.0)] {
        let threshold = degrees.to_radians().tan();
        // Close to the threshold of a steep slope ten iterations leave the first step short of the full weight.
        let close: &[(f64, f64)] = if degrees == 10.0 { &[(0.9925, 0.05)] } else { &[] };
        for &(part, allowed) in [(0.567, 1e-3), (0.851, 1e-3), (0.964, 1e-2)].iter().chain(close) {
            let mu = part * threshold;
            let (distance, _) = slide(&slope(1e8, degrees, mu, yaw), &config);
            let want = analytic(degrees, mu);
            assert!((distance / want - 1.0).abs() < allowed, "{degrees} {mu}: {distance} instead of {want}");
        }
        // It must stick: no creep.
        let (distance, creep) = slide(&slope(1e8, degrees, threshold + 0.0017, yaw), &config);
        assert!(creep < 1e-6 && distance < 1e-5, "{degrees}: {distance} m, {creep} m/s");
        // The threshold is found to 0.0002.
        let (distance, _) = slide(&slope(1e8, degrees, threshold - 2e-4, yaw), &config);
        assert!(distance > 0.3 * analytic(degrees, threshold - 2e-4), "{degrees}: {distance}");
        let (distance, _) = slide(&slope(1e8, degrees, threshold + 2e-4, yaw), &config);
        assert!(distance < 1e-4, "{degrees}: {distance}");
    }
}

#[test]
fn the_preconditioner_decides_what_a_non_smooth_newton_method_sees() {
    // [Zeng25, fig. 7]: with the inverse of the system it slides below and sticks above the threshold, with the
    // inverse of the mass it sticks where it must slide.
    let config = |preconditioner, linear| {
        let ncp = Ncp::FischerBurmeister;
        ten_iterations(ContactMethod::NonSmoothNewton(NonSmoothNewton {
            ncp,
            preconditioner,
            linear,
            ..NonSmoothNewton::default()
        }))
    };
    let few = LinearSolve::ConjugateResiduals(24);
    for linear in [few, LinearSolve::Direct] {
        let system = config(Preconditioner::SystemInverse, linear);
        let (distance, _) = slide(&slope(1e8, 10.0, 0.15, 0.0), &system);
        assert!((distance / analytic(10.0, 0.15) - 1.0).abs() < 0.01, "{linear:?}: {distance}");
        let (distance, _) = slide(&slope(1e8, 10.0, 0.2, 0.0), &system);
        assert!(distance < 1e-3, "{linear:?}: {distance}");
    }
    let (distance, _) = slide(&slope(1e8, 10.0, 0.15, 0.0), &config(Preconditioner::MassInverse, few));
    assert!(distance < 1e-3, "{distance}");
}

#[test]
fn every_contact_solver_lets_a_block_slide_without_friction() {
    let newton =
        NonSmoothNewton { linear: LinearSolve::ConjugateResiduals(24), ..NonSmoothNewton::default() };
    let minimum = NonSmoothNewton { ncp: Ncp::MinimumMap, ..newton };
    let methods = [
        ContactMethod::Direct,
        ContactMethod::GaussSeidel,
        ContactMethod::NonSmoothNewton(newton),
        ContactMethod::NonSmoothNewton(minimum),
    ];
    let want = 0.5 * G * 10f64.to_radians().sin() * 1.01;
    for method in methods {
        let (way, _) = slide(&slope(1e8, 10.0, 0.0, 0.0), &ten_iterations(method));
        assert!((way / want - 1.0).abs() < 1e-3, "{method:?}: {way} instead of {want} m");
    }
}

#[test]
fn an_operator_without_entries_gives_the_same_motion() {
    let with = |operator| {
        let newton = NonSmoothNewton { operator, ..NonSmoothNewton::default() };
        let mut w =
            world(&slope(1e6, 30.0, 0.3, 20.0), &ten_iterations(ContactMethod::NonSmoothNewton(newton)));
        // Longer, and the roundings of the unsettled iterations grow.
        run(&mut w, 2);
        assert!(w.contacts().len() > 20);
        w.positions(BodyId(0)).to_vec()
    };
    let (entries, matrix_free) = (with(OperatorChoice::Entries), with(OperatorChoice::MatrixFree));
    let farthest = largest_distance(&entries, &matrix_free);
    assert!(farthest < 1e-6, "{farthest} m");
    assert_ne!(entries, matrix_free, "the products must have been formed in two ways");
}

#[test]
fn gauss_seidel_needs_many_sweeps_where_bodies_are_stiff() {
    let config = |sweeps| {
        local_global(|c| {
            c.iterations = 10.into();
            c.contact.method = ContactMethod::GaussSeidel;
            c.contact.sweeps = sweeps;
        })
    };
    let want = analytic(10.0, 0.15);
    let error = |sweeps| (slide(&slope(1e8, 10.0, 0.15, 0.0), &config(sweeps)).0 / want - 1.0).abs();
    let (few, many) = (error(10), error(400));
    assert!(few < 1e-2 && many < 1e-4 && many < few, "{few} {many}");
}

/// A soft cube that falls from `height`.
fn dropped(n: usize, height: f64) -> Model {
    let mesh = shifted(block([0.2; 3], [n; 3]).expect("valid sizes"), DVec3::new(0.0, 0.0, height));
    let mut body = solid(mesh, material(Law::NeoHookean, 1e5, 0.4));
    body.friction = 0.5;
    Model { bodies: vec![body], obstacles: vec![floor()], ..Model::default() }
}

#[test]
fn a_dropped_cube_comes_to_rest_and_weighs_what_it_should() {
    let mut w = world(&dropped(5, 0.05), &SolverConfig::default());
    let mut deepest = 0.0f64;
    for _ in 0..200 {
        run(&mut w, 1);
        deepest = w.state().positions.iter().map(|x| -x.z).fold(deepest, f64::max);
    }
    assert!(deepest < 3e-4, "{deepest} m deep");
    let fastest = w.state().velocities.iter().map(|v| v.length()).fold(0.0, f64::max);
    assert!(fastest < 1e-4, "{fastest} m/s");
    let weight = w.motion(BodyId(0)).mass * G;
    let force = w.contacts().force_on(Side::Body(BodyId(0)));
    assert!((force.z / weight - 1.0).abs() < 1e-3, "{force:?} N instead of {weight}");
    assert_eq!(w.contacts().force_on(Side::Obstacle(ObstacleId(0))), -force);
    assert!((0..w.contacts().len()).all(|c| w.contacts().sticking(c) == Sticking::Sticks));
}

#[test]
fn the_energy_of_a_bouncing_cube_never_grows() {
    let mut w = world(&dropped(4, 0.1), &local_global(|c| c.iterations = 20.into()));
    let energy = |w: &World| {
        let m = w.motion(BodyId(0));
        m.kinetic_energy + w.elastic_energy(BodyId(0)) + m.mass * G * m.center.z
    };
    let mut last = energy(&w);
    let first = last;
    for step in 0..100 {
        run(&mut w, 1);
        let now = energy(&w);
        assert!(now < last + 1e-5 * first, "step {step}: {last} -> {now}");
        last = now;
    }
}

fn cube(name: &str, at: DVec3, density: f64) -> Body {
    let mesh = shifted(block([0.1; 3], [3; 3]).expect("valid sizes"), at);
    Body { name: name.into(), density, ..solid(mesh, material(Law::NeoHookean, 1e6, 0.3)) }
}

#[test]
fn a_stack_with_a_mass_ratio_of_256_stands() {
    let bodies: Vec<Body> = (0..3)
        .map(|i| cube(&format!("cube{i}"), DVec3::new(0.0, 0.0, 0.1 * f64::from(i)), 100.0 * 16f64.powi(i)))
        .collect();
    let model = Model { bodies, obstacles: vec![floor()], ..Model::default() };
    let mut w = world(&model, &SolverConfig::default());
    run(&mut w, 150);
    for (i, height) in [0.049, 0.146, 0.244].into_iter().enumerate() {
        let c = w.motion(BodyId::new(i)).center;
        assert!((c.x - 0.05).abs() < 0.01 && (c.y - 0.05).abs() < 0.01, "cube {i}: {c:?}");
        assert!((c.z - height).abs() < 3e-3, "cube {i}: {c:?}");
    }
    let total: f64 = (0..3).map(|i| w.motion(BodyId(i)).mass * G).sum();
    let on_floor = -w.contacts().force_on(Side::Obstacle(ObstacleId(0))).z;
    assert!((on_floor / total - 1.0).abs() < 0.02, "{on_floor} N instead of {total}");
}

#[test]
fn tied_bodies_stay_together_and_keep_their_momentum() {
    let mut model = Model { gravity: DVec3::ZERO, ..Model::default() };
    model.bodies = vec![cube("left", DVec3::ZERO, 1000.0), cube("right", DVec3::new(0.1, 0.0, 0.0), 500.0)];
    model.bodies[0].velocity = DVec3::new(-0.5, 0.2, 0.0);
    model.bodies[1].velocity = DVec3::new(0.5, 0.0, 0.3);
    let side = |name: &str, b: &Body| match &*b.mesh {
        pliant_mesh::Mesh::Tet(m) => m.groups[name].vertices.clone(),
        pliant_mesh::Mesh::Tri(_) => Vec::new(),
    };
    let (a, b) = (side("x_max", &model.bodies[0]), side("x_min", &model.bodies[1]));
    let tie = |(&a, &b)| [MaterialPoint::vertex(BodyId(0), a), MaterialPoint::vertex(BodyId(1), b)];
    let pairs = a.iter().zip(&b).map(tie);
    model.attachments.push(Attachment {
        name: "tie".into(),
        pairs: pairs.collect(),
        compliance: 0.0,
        during: pliant::Interval::ALWAYS,
    });
    let mut w = world(&model, &SolverConfig::default());
    let momentum = |w: &World| w.motion(BodyId(0)).momentum + w.motion(BodyId(1)).momentum;
    let before = momentum(&w);
    for _ in 0..50 {
        run(&mut w, 1);
        for (&i, &j) in a.iter().zip(&b) {
            let (x, y) = (w.positions(BodyId(0))[i as usize], w.positions(BodyId(1))[j as usize]);
            let apart = x.distance(y);
            assert!(apart < 5e-7, "{apart} m apart");
        }
    }
    let after = momentum(&w);
    assert!(after.distance(before) < 1e-9, "{before:?} -> {after:?}");
}

#[test]
fn a_hanging_weight_pulls_its_cable_with_its_weight() {
    let mut model = Model { bodies: vec![cube("weight", DVec3::ZERO, 1000.0)], ..Model::default() };
    // From a hook through the middle of the top.
    let mesh = model.bodies[0].mesh.vertices();
    let top = (0..mesh.len() as u32).filter(|&v| mesh[v as usize].z > 0.0999);
    let corners: Vec<u32> = top
        .filter(|&v| {
            let p = mesh[v as usize];
            (p.x - 0.05).abs() < 0.02 && (p.y - 0.05).abs() < 0.02
        })
        .collect();
    let vertices = [corners[0], corners[1], corners[2], corners[3]];
    let middle = MaterialPoint { body: BodyId(0), vertices, weights: [0.25; 4] };
    model.cables.push(Cable {
        name: "rope".into(),
        points: vec![CablePoint::Fixed(DVec3::new(0.05, 0.05, 0.3)), CablePoint::Material(middle)],
        drive: CableDrive::Length(Schedule(vec![(0.0, 0.2), (0.5, 0.1)])),
        compliance: 0.0,
    });
    let mut w = world(&model, &SolverConfig::default());
    run(&mut w, 300);
    let weight = w.motion(BodyId(0)).mass * G;
    let tension = w.contacts().joints().tension(pliant::CableId(0));
    assert!((tension / weight - 1.0).abs() < 0.02, "{tension} N instead of {weight}");
    let z = vertices.iter().map(|&v| w.positions(BodyId(0))[v as usize].z).sum::<f64>() / 4.0;
    assert!((z - 0.2).abs() < 1e-5, "pulled up to {z} m");
}

#[test]
fn a_pulled_cable_has_the_tension_it_is_given_and_never_pushes() {
    let pulled = |drive| {
        let mut model = Model { gravity: DVec3::ZERO, ..Model::default() };
        model.bodies = vec![cube("load", DVec3::ZERO, 1000.0)];
        // Pulled at the middle of a side, it does not turn.
        let mesh = model.bodies[0].mesh.vertices();
        let is_middle = |p: &DVec3| p.x > 0.0999 && (p.y - 0.05).abs() < 0.02 && (p.z - 0.05).abs() < 0.02;
        let middle: Vec<u32> = (0..mesh.len() as u32).filter(|&v| is_middle(&mesh[v as usize])).collect();
        let vertices = [middle[0], middle[1], middle[2], middle[3]];
        let middle = MaterialPoint { body: BodyId(0), vertices, weights: [0.25; 4] };
        model.cables.push(Cable {
            name: "rope".into(),
            points: vec![CablePoint::Fixed(DVec3::new(0.5, 0.05, 0.05)), CablePoint::Material(middle)],
            drive,
            compliance: 0.0,
        });
        let mut w = world(&model, &SolverConfig::default());
        run(&mut w, 10);
        (w.contacts().joints().tension(pliant::CableId(0)), w.motion(BodyId(0)).velocity.x)
    };
    let (tension, speed) = pulled(CableDrive::Pull(Schedule(vec![(0.0, 2.0)])));
    assert_eq!(tension, 2.0);
    assert!((speed - 2.0 * 0.1).abs() < 1e-6, "{speed} m/s for 1 kg");
    // Longer than the way: slack.
    let (tension, speed) = pulled(CableDrive::Length(Schedule(vec![(0.0, 0.7)])));
    assert!(tension == 0.0 && speed.abs() < 1e-12, "{tension} N, {speed} m/s");
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    // Many vertices: little work is done by one thread anyway.
    let fine = |name: &str, at| {
        let mesh = shifted(block([0.1; 3], [9; 3]).expect("valid sizes"), at);
        Body { name: name.into(), ..solid(mesh, material(Law::NeoHookean, 1e5, 0.4)) }
    };
    let bodies = vec![fine("lower", DVec3::ZERO), fine("upper", DVec3::new(0.03, 0.01, 0.11))];
    let model = Model { bodies, obstacles: vec![floor()], ..Model::default() };
    let hash = |threads| {
        on_threads(threads, || {
            let mut w = world(&model, &SolverConfig::default());
            run(&mut w, 30);
            assert!(w.contacts().len() > 10);
            w.state().hash()
        })
    };
    assert_eq!(hash(1), hash(2));
}

#[test]
fn bad_obstacles_ties_and_cables_are_refused() {
    let good = || Model { bodies: vec![cube("cube", DVec3::ZERO, 1000.0)], ..Model::default() };
    let refused = |change: &dyn Fn(&mut Model), says: &str| {
        let mut model = good();
        change(&mut model);
        let error = World::new(model, SolverConfig::default()).expect_err(says).to_string();
        assert!(error.contains(says), "{error}");
    };
    refused(&|m| m.obstacles.push(Obstacle { friction: Some(-0.1), ..floor() }), "friction = -0.1");
    refused(&|m| m.obstacles.push(Obstacle { shape: Shape::Sphere { radius: 0.0 }, ..floor() }), "radius");
    refused(&|m| m.bodies[0].friction = f64::NAN, "friction");
    let tie =
        |pairs| Attachment { name: "tie".into(), pairs, compliance: 0.0, during: pliant::Interval::ALWAYS };
    refused(&|m| m.attachments.push(tie(Vec::new())), "ties no points");
    let missing = MaterialPoint::vertex(BodyId(3), 0);
    refused(&|m| m.attachments.push(tie(vec![[missing; 2]])), "body 3 does not exist");
    let cable = |points: Vec<CablePoint>| Cable {
        name: "rope".into(),
        points,
        drive: CableDrive::Length(Schedule(vec![(0.0, 1.0)])),
        compliance: 0.0,
    };
    refused(&|m| m.cables.push(cable(vec![CablePoint::Fixed(DVec3::ZERO)])), "at least two points");
    refused(&|m| m.cables.push(cable(vec![CablePoint::Fixed(DVec3::ZERO); 2])), "no point of a body");
}

/// Whether rigid or by springs, a wall holds what hangs on it: weight, a cable that pulls at it, a cable inside of it, a
/// body under pressure.
#[test]
fn a_pin_reacts_with_all_that_it_holds() {
    let held = |kind, cables: &[(CablePoint, CablePoint)], pressure: f64| {
        let mut body = cube("cube", DVec3::ZERO, 1000.0);
        body.damping.mass = 10.0;
        let top: Vec<u32> = (0..body.mesh.vertices().len() as u32)
            .filter(|&v| body.mesh.vertices()[v as usize].z > 0.0999)
            .collect();
        let pin = Pin {
            name: "ceiling".into(),
            body: BodyId(0),
            vertices: top,
            motion: Motion::Fixed,
            kind,
            during: pliant::Interval::ALWAYS,
        };
        let mut model = Model { bodies: vec![body], pins: vec![pin], ..Model::default() };
        if pressure > 0.0 {
            let kind = LoadKind::Pressure { value: pressure.into() };
            model.loads.push(Load {
                name: "air".into(),
                body: BodyId(0),
                kind,
                ramp: 0.0,
                during: pliant::Interval::ALWAYS,
            });
        }
        for (i, (from, to)) in cables.iter().enumerate() {
            model.cables.push(Cable {
                name: format!("rope{i}"),
                points: vec![*from, *to],
                drive: CableDrive::Pull(Schedule(vec![(0.0, 5.0)])),
                compliance: 0.0,
            });
        }
        let mut w = world(&model, &SolverConfig::default());
        assert_eq!(w.reaction(pliant::PinId(0)), DVec3::ZERO);
        run(&mut w, 200);
        (w.reaction(pliant::PinId(0)), w.motion(BodyId(0)).mass * G)
    };
    let corner = |high: bool| {
        let mesh = cube("cube", DVec3::ZERO, 1000.0).mesh;
        let wanted = DVec3::new(0.0, 0.0, if high { 0.1 } else { 0.0 });
        let near = |p: &DVec3| p.distance(wanted) < 1e-9;
        let vertex = mesh.vertices().iter().position(near).unwrap() as u32;
        CablePoint::Material(MaterialPoint::vertex(BodyId(0), vertex))
    };
    let below = CablePoint::Fixed(DVec3::NEG_Z);
    for kind in [PinKind::Hard, PinKind::Soft(1e4)] {
        let (force, weight) = held(kind, &[], 0.0);
        assert!((force.z / weight - 1.0).abs() < 1e-3, "{kind:?}: {force:?} N for {weight}");
        let (force, weight) = held(kind, &[(below, corner(false))], 0.0);
        assert!((force.z - weight - 5.0).abs() < 0.02, "{kind:?}: {force:?} N for {weight} and 5");
        // On a closed surface the forces of a pressure cancel.
        let (force, weight) = held(kind, &[], 1e3);
        assert!((force.z / weight - 1.0).abs() < 1e-3, "{kind:?}: {force:?} N for {weight} and a pressure");
        // Both ends on the body, one of them on the pin: nothing is added from outside.
        let (force, weight) = held(kind, &[(corner(true), corner(false))], 0.0);
        assert!((force.z / weight - 1.0).abs() < 1e-3, "{kind:?}: {force:?} N for {weight}");
    }
}
