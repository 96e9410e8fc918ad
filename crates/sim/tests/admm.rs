//! The ADMM solver where nothing but its contact and its rigid motions decide: slopes, weights, rotations. All at default
//! settings unless said.

use crate::common::{
    admm, floor, hard, largest_distance, local_global, material, newton, run, sheet, solid, world,
};
use pliant::convergence::{Method, trace_in_contact};
use pliant::solver::Budget;
use pliant::{
    AdmmConfig, Attachment, Body, BodyId, Cable, CableDrive, CableId, CablePoint, Law, MaterialPoint, Model,
    Motion, Obstacle, ObstacleId, Schedule, Shape, Side, SolverConfig, StopAt,
};
use pliant_mesh::{DVec3, block};

const G: f64 = 9.81;

/// A body on the floor with gravity tilted by an angle.
fn on_slope(mut body: Body, degrees: f64, friction: f64) -> Model {
    let (sin, cos) = degrees.to_radians().sin_cos();
    body.friction = friction;
    Model {
        gravity: DVec3::new(G * sin, 0.0, -G * cos),
        bodies: vec![body],
        obstacles: vec![floor()],
        ..Model::default()
    }
}

fn stiff_block(law: Law) -> Body {
    solid(block([0.2, 0.2, 0.1], [4, 4, 2]).expect("valid sizes"), material(law, 1e8, 0.4))
}

fn cloth() -> Body {
    let mut mesh = pliant_mesh::cloth([0.3, 0.3], 8).expect("valid sizes");
    // Half its thickness.
    mesh.vertices.iter_mut().for_each(|v| v.z = 5e-4);
    sheet(mesh, material(Law::Arap, 1e6, 0.3))
}

/// Distance slid in a second, and the mean speed in the next.
fn slide(model: &Model, config: &SolverConfig) -> (f64, f64) {
    let mut w = world(model, config);
    let start = w.motion(BodyId(0)).center.x;
    run(&mut w, 100);
    let after = w.motion(BodyId(0)).center.x;
    run(&mut w, 100);
    (after - start, w.motion(BodyId(0)).center.x - after)
}

/// Backward Euler of a rigid body: `g (sin - mu cos) (t^2 + h t) / 2`.
#[test]
fn slopes_follow_the_law() {
    for (label, body) in
        [("arap", stiff_block(Law::Arap)), ("neo", stiff_block(Law::NeoHookean)), ("cloth", cloth())]
    {
        for (degrees, mu) in [(10.0f64, 0.1), (30.0, 0.4), (30.0, 0.54), (45.0, 0.7), (45.0, 0.95)] {
            let (distance, _) = slide(&on_slope(body.clone(), degrees, mu), &admm(|_| {}));
            let (sin, cos) = degrees.to_radians().sin_cos();
            let want = 0.5 * G * (sin - mu * cos) * 1.01;
            println!("{label} {degrees} {mu}: {distance} {want}");
            assert!((distance / want - 1.0).abs() < 0.01, "{label} {degrees} {mu}: {distance}, not {want}");
        }
        for (degrees, mu) in [(10.0f64, 0.18), (30.0, 0.7), (45.0, 1.02)] {
            let (distance, speed) = slide(&on_slope(body.clone(), degrees, mu), &admm(|_| {}));
            println!("{label} {degrees} {mu}: {distance} {speed}");
            assert!(
                distance.abs() < 1e-4 && speed.abs() < 1e-6,
                "{label} {degrees} {mu}: {distance} {speed}"
            );
        }
    }
}

/// Two cubes on each other: the ground carries both, the lower one the upper one; and what is stuck together stays so.
#[test]
fn forces_carry_the_weights() {
    let cube = |name: &str, z: f64| {
        let mut mesh = block([0.1; 3], [4; 3]).expect("valid sizes");
        mesh.vertices.iter_mut().for_each(|v| v.z += z);
        Body { name: name.into(), ..solid(mesh, material(Law::NeoHookean, 1e6, 0.3)) }
    };
    let model = Model {
        bodies: vec![cube("lower", 0.0), cube("upper", 0.1)],
        obstacles: vec![floor()],
        ..Model::default()
    };
    let mut w = world(&model, &admm(|_| {}));
    run(&mut w, 150);
    let weight = w.motion(BodyId(1)).mass * G;
    let ground = w.contacts().force_on(Side::Obstacle(ObstacleId(0))).z;
    assert!((ground + 2.0 * weight).abs() < 2e-3 * weight, "{ground} for {weight} each");
    let upper = w.contacts().force_on(Side::Body(BodyId(1))).z;
    assert!((upper - weight).abs() < 1e-3 * weight, "{upper} for {weight}");
}

fn vertex(body: u32, vertex: u32) -> MaterialPoint {
    MaterialPoint::vertex(BodyId(body), vertex)
}

/// Two bars that are tied together, one of them pinned; the converged solver agrees with the local-global one.
#[test]
fn attachments_hold_as_with_local_global() {
    let bar = |name: &str, x: f64| {
        let mut mesh = block([0.2, 0.05, 0.05], [8, 2, 2]).expect("valid sizes");
        mesh.vertices.iter_mut().for_each(|v| v.x += x);
        Body { name: name.into(), ..solid(mesh, material(Law::NeoHookean, 1e6, 0.3)) }
    };
    let mesh = block([0.2, 0.05, 0.05], [8, 2, 2]).expect("valid sizes");
    let [held, ends] = ["x_min", "x_max"].map(|side| mesh.groups[side].vertices.clone());
    let pairs = ends.iter().zip(&held).map(|(&a, &b)| [vertex(0, a), vertex(1, b)]);
    let model = Model {
        pins: vec![hard("held", &held, Motion::Fixed)],
        attachments: vec![Attachment {
            name: "tie".into(),
            pairs: pairs.collect(),
            compliance: 0.0,
            during: pliant::Interval::ALWAYS,
        }],
        bodies: vec![bar("left", 0.0), bar("right", 0.201)],
        ..Model::default()
    };
    let converged = admm(|c| {
        c.iterations = Budget::Auto;
        c.tolerance = 1e-9;
    });
    let reference = local_global(|c| c.iterations = Budget::Auto);
    let [mut a, mut b] = [world(&model, &converged), world(&model, &reference)];
    run(&mut a, 10);
    run(&mut b, 10);
    assert!(largest_distance(&a.state().positions, &b.state().positions) < 1e-4);
}

/// A stiff bar that falls about a hinge: plain projective dynamics turns it at a tenth of its speed.
#[test]
fn stiff_bodies_turn_as_with_newton() {
    for (law, youngs) in [(Law::NeoHookean, 1e7), (Law::NeoHookean, 1e9), (Law::Arap, 1e8)] {
        let mesh = block([0.4, 0.05, 0.05], [8, 1, 1]).expect("valid sizes");
        let hinge: Vec<u32> = (0..mesh.vertices.len() as u32)
            .filter(|&v| mesh.vertices[v as usize].x == 0.0 && mesh.vertices[v as usize].z == 0.0)
            .collect();
        let model = Model {
            bodies: vec![solid(mesh, material(law, youngs, 0.4))],
            pins: vec![hard("hinge", &hinge, Motion::Fixed)],
            ..Model::default()
        };
        let [mut a, mut b] = [world(&model, &admm(|_| {})), world(&model, &newton())];
        run(&mut a, 25);
        run(&mut b, 25);
        let distance = largest_distance(&a.state().positions, &b.state().positions);
        println!("{} {youngs}: {distance:e}", law.name());
        assert!(distance < 1e-3, "{} {youngs}: {distance}", law.name());
    }
}

/// Contact stabilisation: at rest each contact gives way by the compliance times its force, and a step takes back the part of
/// a penetration that it is told to.
#[test]
fn stabilised_contacts_give_way_and_recover_slowly() {
    let soft = 1e-5;
    let model = on_slope(stiff_block(Law::NeoHookean), 0.0, 0.5);
    let mut w = world(&model, &admm(|c| c.contact_compliance = soft));
    run(&mut w, 100);
    let contacts = w.contacts();
    for (contact, force) in contacts.contacts().iter().zip(contacts.forces()) {
        let (gap, want) = (contact.gap(&w.state().positions), -soft * force.dot(contact.normal));
        assert!((gap - want).abs() < 2e-6, "{gap} instead of {want}");
    }
    let weight = w.motion(BodyId(0)).mass * G;
    let ground = contacts.force_on(Side::Obstacle(ObstacleId(0))).z;
    assert!((ground / weight + 1.0).abs() < 1e-3, "{ground} for {weight}");

    for recovery in [0.1, 1.0] {
        let mut sunk = model.clone();
        sunk.obstacles[0].placement.translation.z = 1e-3;
        let mut w = world(&sunk, &admm(|c| c.recovery = recovery));
        run(&mut w, 1);
        let left = w.contacts().penetration(&w.state().positions);
        assert!((left - (1.0 - recovery) * 1e-3).abs() < 5e-5, "{left} m left with {recovery}");
    }
}

/// A block on a spring from outside, and on a cable: both carry its weight.
#[test]
fn holds_and_cables_carry_the_weight() {
    let body = solid(block([0.1; 3], [2; 3]).expect("valid sizes"), material(Law::NeoHookean, 1e6, 0.3));
    let top = (0..27u32).find(|&v| {
        let p = body.mesh.vertices()[v as usize];
        (p - DVec3::new(0.05, 0.05, 0.1)).length() < 1e-9
    });
    let top = vertex(0, top.expect("a vertex in the middle of the top"));
    let mut model = Model { bodies: vec![body], ..Model::default() };
    model.bodies[0].damping.mass = 5.0;
    let mut w = world(&model, &admm(|_| {}));
    w.hold(top, DVec3::new(0.05, 0.05, 0.1), 3000.0).expect("held");
    run(&mut w, 300);
    let (weight, force) = (w.motion(BodyId(0)).mass * G, w.holds()[0].force.z);
    assert!((force / weight - 1.0).abs() < 0.01, "{force} for {weight}");

    model.cables.push(Cable {
        name: "rope".into(),
        points: vec![CablePoint::Fixed(DVec3::new(0.05, 0.05, 0.3)), CablePoint::Material(top)],
        drive: CableDrive::Length(Schedule(vec![(0.0, 0.2)])),
        compliance: 0.0,
    });
    let mut w = world(&model, &admm(|_| {}));
    run(&mut w, 300);
    let tension = w.contacts().joints().tension(CableId(0));
    assert!((tension / weight - 1.0).abs() < 0.01, "{tension} for {weight}");
}

/// A fabric that was pushed together and let go in space. Damping takes from the wrinkles, not from the momentum.
#[test]
fn stiffness_damping_keeps_momentum_and_takes_energy() {
    let mut left = Vec::new();
    for stiffness in [0.0, 3e-5, 1e-4, 3e-4] {
        let mesh = pliant_mesh::cloth([0.5, 0.5], 8).expect("valid sizes");
        let mut body = sheet(mesh, material(Law::Corotational, 1e5, 0.3));
        body.damping.stiffness = stiffness;
        body.velocity = DVec3::new(0.5, 0.2, 0.0);
        // Pressed and folded a little.
        let bent = |x: &DVec3| DVec3::new(0.9 * x.x, x.y, 0.03 * (20.0 * x.x).sin() * (1.0 + x.y));
        body.start = Some(body.mesh.vertices().iter().map(bent).collect());
        let model = Model { gravity: DVec3::ZERO, dt: 0.005, bodies: vec![body], ..Model::default() };
        let mut w = world(&model, &admm(|c| c.iterations = Budget::Auto));
        let sum = |w: &pliant::World| {
            let motion = w.motion(BodyId(0));
            (motion.momentum, motion.kinetic_energy + w.elastic_energy(BodyId(0)))
        };
        let (momentum, mut energy) = sum(&w);
        let moving = 0.5 * momentum.length_squared() / w.motion(BodyId(0)).mass;
        let at_start = energy - moving;
        for step in 0..100 {
            run(&mut w, 1);
            let (p, e) = sum(&w);
            assert!((p - momentum).length() < 1e-12 * momentum.length(), "{stiffness} {step}: {p}");
            assert!(e < energy * (1.0 + 1e-9), "{stiffness} {step}: {e} after {energy}");
            energy = e;
        }
        left.push((energy - moving) / at_start);
    }
    println!("{left:?}");
    assert!(left.is_sorted_by(|more, less| more > less) && left[3] < 0.2 * left[0], "{left:?}");
}

/// The two residuals are apart in the counters of a step, and either can end it.
#[test]
fn a_step_ends_at_the_residual_that_is_asked_for() {
    let model = on_slope(stiff_block(Law::Arap), 30.0, 0.7);
    let ended = |stop_at: StopAt| {
        let config = admm(|c| (c.iterations, c.tolerance, c.stop_at) = (Budget::Most(500), 1e-7, stop_at));
        let mut w = world(&model, &config);
        run(&mut w, 5);
        let outcome = w.step().expect("a step");
        let counted = |name: &str| {
            let counters = w.timings().counters();
            counters.iter().find(|(c, _)| c.name() == name).expect("it is counted").1
        };
        let (primal, dual) = (counted("primal_residual"), counted("dual_residual"));
        assert!(outcome.converged);
        assert_eq!(outcome.residual_last, primal.max(dual));
        (outcome.iterations, primal, dual)
    };
    let (both, primal, dual) = ended(StopAt::Combined);
    assert!(primal <= 1e-7 && dual <= 1e-7);
    let (first, primal, _) = ended(StopAt::Primal);
    assert!(primal <= 1e-7 && first <= both);
    let (second, _, dual) = ended(StopAt::Dual);
    assert!(dual <= 1e-7 && second <= both);
    assert!(first < both || second < both, "{first} {second} {both}");
}

/// Cloth that falls on a ball: XPBD, whose constraints pass on what they know from element to element, needs more iterations to
/// where it ends [Zhu24, fig. 10].
#[test]
fn xpbd_converges_more_slowly() {
    let mut mesh = pliant_mesh::cloth([0.3, 0.3], 8).expect("valid sizes");
    mesh.vertices.iter_mut().for_each(|v| *v += DVec3::new(-0.15, -0.15, 0.101));
    let mut body = sheet(mesh, material(Law::Arap, 1e4, 0.3));
    body.friction = 0.3;
    let ball = Obstacle::new("ball", Shape::Sphere { radius: 0.1 });
    let model = Model { bodies: vec![body], obstacles: vec![ball], ..Model::default() };
    let mut w = world(&model, &admm(|_| {}));
    run(&mut w, 12);
    let own = AdmmConfig { tolerance: 0.0, ..AdmmConfig::default() };
    let methods = [
        ("admm".to_string(), Method::Solver(SolverConfig::Admm(own.clone()))),
        ("xpbd".to_string(), Method::Xpbd(own)),
    ];
    let traces = trace_in_contact(&w, &methods, 100).expect("both can do the step");
    let [by_admm, by_xpbd] = &traces[..] else { panic!("two methods") };
    for k in [0, 4, 9, 29, 99] {
        let of = |t: &pliant::convergence::ContactTrace| (t.errors[k], t.depths[k]);
        println!("{} {:?} {:?}", k + 1, of(by_admm), of(by_xpbd));
    }
    assert_eq!([by_admm.residuals.len(), by_xpbd.residuals.len()], [100, 0]);
    assert!(by_admm.errors[29] < 0.5 * by_xpbd.errors[29]);
    assert!(by_admm.depths[99] < 1e-5 && by_xpbd.errors[99] < by_xpbd.errors[0]);
}
