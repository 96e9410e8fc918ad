//! The converged local-global step is the step of implicit Euler: it equals Newton's method for every law, on solids and
//! on cloth, with moving pins, soft pins, gravity, both dampings, a force and a pressure, in f32 and in f64.

use crate::common::{admm, hard, largest_distance, local_global, material, newton, run, sheet, solid, world};
use pliant::solver::{Budget, IterationKind, Precision};
use pliant::{
    Bending, BendingKind, BodyId, Damping, Keyframe, Law, Load, LoadKind, Model, Motion, Pin, PinKind,
    SolverConfig,
};
use pliant_mesh::DVec3;
use std::f64::consts::PI;

/// Largest distance of a vertex to Newton's, relative to the size of the body. Measured: up to 2e-7 with nu = 0.49 and
/// 4e-8 otherwise in f32, 2e-9 in f64.
const EQUAL: f64 = 1e-6;
const EQUAL_DOUBLE: f64 = 1e-8;

/// Steps before the one that is compared: the body is then deformed and moving.
const WARM_UP: usize = 5;

/// Stretches by a fifth and turns by half a radian within 0.1 s.
fn pull(direction: DVec3, point: DVec3) -> Motion {
    let end = Keyframe { time: 0.1, translation: 0.04 * direction, angle: 0.5 };
    Motion::Keyframes { point, axis: direction, frames: vec![Keyframe::default(), end] }
}

fn soft(vertices: Vec<u32>, stiffness: f64) -> Pin {
    let motion = Motion::Velocity { velocity: DVec3::new(0.0, 0.3, 0.0), start: 0.0, stop: 1.0 };
    Pin {
        name: "soft".into(),
        body: BodyId(0),
        vertices,
        motion,
        kind: PinKind::Soft(stiffness),
        during: pliant::Interval::ALWAYS,
    }
}

fn loads(vertices: Vec<u32>, total: DVec3, pressure: f64) -> Vec<Load> {
    let load = |name: &str, kind| Load {
        name: name.into(),
        body: BodyId(0),
        kind,
        ramp: 0.02,
        during: pliant::Interval::ALWAYS,
    };
    vec![
        load("force", LoadKind::Force { vertices, total: total.into() }),
        load("pressure", LoadKind::Pressure { value: pressure.into() }),
    ]
}

/// A twisted and stretched bar with everything that can act on it.
fn bar(law: Law, poisson: f64) -> Model {
    let mesh = pliant_mesh::block([0.1, 0.1, 0.2], [3, 3, 6]).expect("valid sizes");
    let (bottom, top) = (mesh.groups["z_min"].vertices.clone(), mesh.groups["z_max"].vertices.clone());
    // The vertices around the middle of the bar.
    let middle: Vec<u32> = (48..52).collect();
    let mut body = solid(mesh, material(law, 1e6, poisson));
    body.damping = Damping { mass: 10.0, stiffness: 2e-3, ..Damping::default() };
    Model {
        bodies: vec![body],
        pins: vec![
            hard("bottom", &bottom, Motion::Fixed),
            hard("top", &top, pull(DVec3::Z, DVec3::new(0.05, 0.05, 0.0))),
            soft(middle.clone(), 500.0),
        ],
        loads: loads(middle, DVec3::new(20.0, 0.0, -10.0), 5e3),
        ..Model::default()
    }
}

/// A stretched and turned cloth with everything that can act on it.
fn cloth(law: Law, kind: BendingKind) -> Model {
    let mesh = pliant_mesh::cloth([0.2, 0.2], 5).expect("valid sizes");
    let (left, right) = (mesh.groups["x_min"].vertices.clone(), mesh.groups["x_max"].vertices.clone());
    let middle = vec![14, 15, 48];
    let mut body = sheet(mesh, material(law, 1e5, 0.3));
    body.bending = Some(Bending { kind, stiffness: 1e-3 });
    body.damping = Damping { mass: 10.0, stiffness: 2e-3, ..Damping::default() };
    Model {
        bodies: vec![body],
        pins: vec![
            hard("left", &left, Motion::Fixed),
            hard("right", &right, pull(DVec3::X, DVec3::new(0.0, 0.1, 0.0))),
            soft(middle.clone(), 5.0),
        ],
        loads: loads(middle, DVec3::new(0.0, 0.2, 0.1), 50.0),
        ..Model::default()
    }
}

/// Largest distance to Newton's step, relative to the body's size, and the iterations it took.
fn difference(model: &Model, config: &SolverConfig) -> (f64, usize) {
    let mut exact = world(model, &newton());
    run(&mut exact, WARM_UP);
    let mut tested = world(model, config);
    tested.set_state(exact.state().clone()).expect("the same vertices");
    let reference = exact.step().expect("a good step");
    assert!(reference.converged, "{reference:?}");
    let outcome = tested.step().expect("a good step");
    let distance = largest_distance(&tested.state().positions, &exact.state().positions);
    (distance / exact.system().size(), outcome.iterations)
}

fn check(label: &str, model: &Model, precision: Precision) {
    for iteration in [IterationKind::Admm, IterationKind::NewtonCg] {
        check_iteration(label, model, precision, iteration);
    }
}

fn check_iteration(label: &str, model: &Model, precision: Precision, iteration: IterationKind) {
    let config = local_global(|c| {
        c.iteration = iteration;
        // In f32 corrections end at their rounding error, about 1e-8.
        c.iterations = Budget::Most(match (iteration, precision) {
            (IterationKind::NewtonCg, Precision::Single) => 30,
            _ => 400,
        });
        c.tolerance = 1e-10;
        c.precision = precision;
    });
    let (distance, iterations) = difference(model, &config);
    let label = format!("{label} {iteration:?} {precision:?}");
    println!("{label}: {distance:.1e} after {iterations} iterations");
    let equal = if precision == Precision::Double { EQUAL_DOUBLE } else { EQUAL };
    assert!(distance < equal, "{label}: {distance:e} after {iterations} iterations");
}

/// The same for the solver that splits contact off, which here has none.
fn check_admm(label: &str, model: &Model) {
    let config = admm(|c| {
        c.iterations = Budget::Auto;
        c.tolerance = 1e-10;
    });
    let (distance, iterations) = difference(model, &config);
    println!("{label} admm: {distance:.1e} after {iterations} iterations");
    assert!(distance < EQUAL, "{label}: {distance:e} after {iterations} iterations");
}

#[test]
fn admm_of_every_law() {
    for law in Law::ALL {
        for poisson in [0.3, 0.49] {
            check_admm(&format!("{} nu {poisson}", law.name()), &bar(law, poisson));
        }
        for kind in [BendingKind::Isometric, BendingKind::LaplaceBeltrami] {
            check_admm(&format!("{} {kind:?}", law.name()), &cloth(law, kind));
        }
    }
}

/// A bar between two pinned ends, one of which has moved in the warm-up as far as `motion` says.
fn gripped(law: Law, poisson: f64, motion: Motion) -> Model {
    let mesh = pliant_mesh::block([0.3, 0.1, 0.1], [6, 2, 2]).expect("valid sizes");
    let (left, right) = (mesh.groups["x_min"].vertices.clone(), mesh.groups["x_max"].vertices.clone());
    Model {
        bodies: vec![solid(mesh, material(law, 1e5, poisson))],
        pins: vec![hard("left", &left, Motion::Fixed), hard("right", &right, motion)],
        ..Model::default()
    }
}

/// What ADMM cannot do: half the length, three times the length, half a turn.
#[test]
fn large_strain() {
    let time = 0.01 * (WARM_UP + 1) as f64;
    let moved =
        |by: f64| Motion::Velocity { velocity: DVec3::new(by / time, 0.0, 0.0), start: 0.0, stop: time };
    // The end goes round to below the other one.
    let round = Keyframe { time, translation: DVec3::ZERO, angle: PI };
    let point = DVec3::new(0.15, 0.0, -0.045);
    let bent = Motion::Keyframes { point, axis: DVec3::Y, frames: vec![Keyframe::default(), round] };
    for (label, motion) in [("pressed", moved(-0.15)), ("pulled", moved(0.6)), ("bent", bent)] {
        for law in [Law::NeoHookean, Law::StableNeoHookean, Law::FixedCorotated] {
            // In f32 the rounding of J is multiplied by lambda / mu: 1e-5 for nu = 0.49.
            for (poisson, precision) in [(0.3, Precision::Single), (0.49, Precision::Double)] {
                let model = gripped(law, poisson, motion.clone());
                let label = format!("{label} {} nu {poisson}", law.name());
                check_iteration(&label, &model, precision, IterationKind::NewtonCg);
            }
        }
    }
}

fn check_solids(poisson: f64) {
    for law in Law::ALL {
        for precision in [Precision::Single, Precision::Double] {
            check(&format!("{} nu {poisson}", law.name()), &bar(law, poisson), precision);
        }
    }
}

#[test]
fn solids_of_every_law() {
    check_solids(0.3);
}

#[test]
fn nearly_incompressible_solids_of_every_law() {
    check_solids(0.49);
}

#[test]
fn cloth_of_every_law_and_bending() {
    for law in Law::ALL {
        for kind in [BendingKind::Isometric, BendingKind::LaplaceBeltrami] {
            for precision in [Precision::Single, Precision::Double] {
                check(&format!("{} {kind:?}", law.name()), &cloth(law, kind), precision);
            }
        }
    }
}

type Change = fn(&mut Model);

/// Without any of the loads the step is a different one: what the tests above compare depends on all of them.
#[test]
fn every_load_matters() {
    let full = bar(Law::NeoHookean, 0.3);
    let after = |model: &Model| {
        let mut w = world(model, &newton());
        run(&mut w, WARM_UP);
        w.state().positions.clone()
    };
    let reference = after(&full);
    let changes: [(&str, Change); 6] = [
        ("force", |m| drop(m.loads.remove(0))),
        ("pressure", |m| drop(m.loads.remove(1))),
        ("soft pin", |m| drop(m.pins.remove(2))),
        ("gravity", |m| m.gravity = DVec3::ZERO),
        ("mass damping", |m| m.bodies[0].damping.mass = 0.0),
        ("stiffness damping", |m| m.bodies[0].damping.stiffness = 0.0),
    ];
    for (name, change) in changes {
        let mut model = full.clone();
        change(&mut model);
        let distance = largest_distance(&after(&model), &reference);
        println!("without {name}: {distance:.1e} m");
        assert!(distance > 10.0 * EQUAL * 0.245, "{name} moves no vertex by more than {distance} m");
    }
}
