//! A step of the solvers for real time allocates nothing once it is warm: a counting allocator watches all threads.
//!
//! One test only: the count belongs to the whole process.

mod common;

use common::{
    admm, floor, hard, implicit_fe, material, newton_cg, on_threads, run, sheet, solid, twisting_bar, world,
};
use pliant::solver::FactorMode;
use pliant::{
    Bending, BendingKind, Body, BodyId, DVec3, Damping, Law, Load, LoadKind, Model, Motion, Pin, PinKind,
    SolverConfig,
};
use pliant_testkit::{CountingAllocator, allocations};
use std::sync::Barrier;
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// A cloth with bending, soft pins, damping and pressure.
fn cloth(law: Law, kind: BendingKind) -> Model {
    let mesh = pliant_mesh::cloth([1.0, 1.0], 20).expect("valid sizes");
    let (left, right) = (mesh.groups["x_min"].vertices.clone(), mesh.groups["x_max"].vertices.clone());
    let mut body = sheet(mesh, material(law, 1e5, 0.3));
    body.bending = Some(Bending { kind, stiffness: 1e-4 });
    body.damping = Damping { mass: 0.1, stiffness: 1e-3, ..Damping::default() };
    let motion = Motion::Velocity { velocity: DVec3::new(0.2, 0.0, 0.0), start: 0.0, stop: 1.0 };
    let soft = Pin {
        name: "soft".into(),
        body: BodyId(0),
        vertices: right.clone(),
        motion,
        kind: PinKind::Soft(10.0),
        during: pliant::Interval::ALWAYS,
    };
    let load = |name: &str, kind| Load {
        name: name.into(),
        body: BodyId(0),
        kind,
        ramp: 0.1,
        during: pliant::Interval::ALWAYS,
    };
    Model {
        bodies: vec![body],
        pins: vec![hard("left", &left, Motion::Fixed), soft],
        loads: vec![
            load("pressure", LoadKind::Pressure { value: 5.0.into() }),
            load("force", LoadKind::Force { vertices: right, total: DVec3::new(0.0, 0.0, 0.1).into() }),
        ],
        air: Some(pliant::Air {
            wind: DVec3::X.into(),
            gusts: Some(pliant::Gusts { speed: 0.5, period: 1.0, seed: 0 }),
            ..pliant::Air::default()
        }),
        ..Model::default()
    }
}

/// Two cubes that rest on each other and on the floor: the contacts stay the same.
fn resting_cubes() -> Model {
    let cube = |name: &str, z: f64| {
        let mut mesh = pliant_mesh::block([0.1; 3], [4; 3]).expect("valid sizes");
        mesh.vertices.iter_mut().for_each(|v| v.z += z);
        Body { name: name.into(), ..solid(mesh, material(Law::NeoHookean, 1e6, 0.3)) }
    };
    Model {
        bodies: vec![cube("lower", 0.0), cube("upper", 0.1)],
        obstacles: vec![floor()],
        ..Model::default()
    }
}

/// A solver that makes factors beside the simulation allocates where one is begun or taken over, and nowhere else.
fn check_between_factors(label: &str, model: &Model) {
    let mut w = world(model, &implicit_fe(|c| c.factor = FactorMode::Lagged(10_000)));
    run(&mut w, if model.obstacles.is_empty() { 5 } else { 100 });
    // The factor that the second step began is done when nobody allocates any more.
    let mut before = allocations::calls();
    loop {
        std::thread::sleep(Duration::from_millis(300));
        if allocations::calls() == before {
            break;
        }
        before = allocations::calls();
    }
    run(&mut w, 20);
    assert_eq!(allocations::calls() - before, 0, "{label}: allocations in 20 steps of implicit_fe");
}

#[test]
fn a_warm_step_allocates_nothing() {
    let mut models: Vec<(String, Model)> = Law::ALL
        .into_iter()
        .map(|law| (law.name().to_string(), twisting_bar(material(law, 1e6, 0.4), [8, 8, 16])))
        .collect();
    for (law, kind) in [(Law::Arap, BendingKind::Isometric), (Law::NeoHookean, BendingKind::LaplaceBeltrami)]
    {
        models.push((format!("cloth of {}", law.name()), cloth(law, kind)));
    }
    models.push(("cubes on the floor".into(), resting_cubes()));
    // One pool for all: a thread that ends allocates, and may do so after its pool is gone.
    on_threads(2, || {
        // Both threads must be up, with their memory for stealing work, before the count starts.
        let both = Barrier::new(2);
        rayon::join(|| both.wait(), || both.wait());
        for (label, model) in &models {
            for config in [SolverConfig::default(), newton_cg(|_| {}), admm(|_| {})] {
                let mut w = world(model, &config);
                // Contacts must have settled: which of them slide decides how much memory the direct solution needs.
                run(&mut w, if model.obstacles.is_empty() { 3 } else { 100 });
                let before = allocations::calls();
                run(&mut w, 20);
                assert_eq!(allocations::calls() - before, 0, "{label}: allocations in 20 steps, {config:?}");
            }
            check_between_factors(label, model);
        }
    });
    // The count does count.
    let before = allocations::calls();
    drop(std::hint::black_box(vec![1u8; 100]));
    assert!(allocations::calls() > before);
}
