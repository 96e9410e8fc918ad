//! Same input, same bits: the state after some steps does not depend on the number of threads nor on the run.

use crate::common::{
    admm, floor, hard, local_global, material, newton, newton_cg, on_threads, run, sheet, twisting_bar, world,
};
use pliant::solver::{GlobalSolve, IterationKind};
use pliant::{Bending, BendingKind, BodyId, Law, Load, LoadKind, Model, Motion, SolverConfig};

/// A cloth that swings from one side, inflated.
fn swinging_cloth(law: Law, kind: BendingKind) -> Model {
    let mesh = pliant_mesh::cloth([1.0, 1.0], 40).expect("valid sizes");
    let side = mesh.groups["x_min"].vertices.clone();
    let mut body = sheet(mesh, material(law, 1e6, 0.3));
    body.bending = Some(Bending { kind, stiffness: 1e-4 });
    let pressure = Load {
        name: "wind".into(),
        body: BodyId(0),
        kind: LoadKind::Pressure { value: 5.0.into() },
        ramp: 0.0,
        during: pliant::Interval::ALWAYS,
    };
    Model {
        bodies: vec![body],
        pins: vec![hard("side", &side, Motion::Fixed)],
        loads: vec![pressure],
        ..Model::default()
    }
}

fn check(label: &str, model: &Model, config: &SolverConfig, steps: usize) {
    let hash = |threads: usize| {
        on_threads(threads, || {
            let mut w = world(model, config);
            run(&mut w, steps);
            w.state().hash()
        })
    };
    let first = hash(1);
    for threads in [1, 2, 3, 2] {
        assert_eq!(hash(threads), first, "{label} on {threads} threads");
    }
}

#[test]
fn bars() {
    for law in [Law::Arap, Law::NeoHookean] {
        let model = twisting_bar(material(law, 1e6, 0.45), [11, 11, 22]);
        let config = SolverConfig::default();
        assert!(world(&model, &config).system().rest.len() > 3000);
        check(law.name(), &model, &config, 10);
    }
}

#[test]
fn cloth_with_bending() {
    for (law, kind) in [(Law::Arap, BendingKind::Isometric), (Law::NeoHookean, BendingKind::LaplaceBeltrami)]
    {
        let model = swinging_cloth(law, kind);
        assert!(world(&model, &SolverConfig::default()).system().rest.len() > 3000);
        check(law.name(), &model, &SolverConfig::default(), 10);
    }
}

#[test]
fn the_newton_iteration() {
    for law in Law::ALL {
        let model = twisting_bar(material(law, 1e6, 0.45), [11, 11, 22]);
        check(law.name(), &model, &newton_cg(|_| {}), 3);
    }
    let cloth = swinging_cloth(Law::NeoHookean, BendingKind::Isometric);
    check("cloth", &cloth, &newton_cg(|_| {}), 5);
}

#[test]
fn every_global_solver() {
    let model = twisting_bar(material(Law::NeoHookean, 1e6, 0.4), [5, 5, 10]);
    let globals =
        [GlobalSolve::Panels, GlobalSolve::SparseInverse, GlobalSolve::Jacobi, GlobalSolve::Chebyshev(0.99)];
    for global in globals {
        check(&format!("{global:?}"), &model, &local_global(|c| c.global = global), 5);
    }
    let accelerated = local_global(|c| {
        c.iterations = 15.into();
        c.iteration = IterationKind::Admm;
        c.anderson = 5;
    });
    check("anderson", &model, &accelerated, 5);
}

/// With thousands of contacts, so that the colours of the sweeps are solved on several threads.
#[test]
fn admm_with_and_without_contact() {
    for law in [Law::Arap, Law::NeoHookean] {
        let model = twisting_bar(material(law, 1e6, 0.45), [11, 11, 22]);
        check(law.name(), &model, &admm(|_| {}), 5);
    }
    let mut model = swinging_cloth(Law::NeoHookean, BendingKind::Isometric);
    model.loads.clear();
    model.pins.clear();
    let mut upper = model.bodies[0].clone();
    upper.name = "upper".into();
    let mut mesh = pliant_mesh::cloth([1.0, 1.0], 40).expect("valid sizes");
    mesh.vertices.iter_mut().for_each(|v| v.z += 0.0015);
    upper.mesh = std::sync::Arc::new(pliant_mesh::Mesh::Tri(mesh));
    model.bodies.push(upper);
    let mut ground = floor();
    ground.placement.translation.z = -0.0005;
    model.obstacles = vec![ground];
    let mut w = world(&model, &admm(|_| {}));
    run(&mut w, 3);
    assert!(w.contacts().len() > 3000, "{} contacts", w.contacts().len());
    check("cloths", &model, &admm(|c| c.detection_interval = 10), 5);
}

#[test]
fn newton_too() {
    let model = twisting_bar(material(Law::FixedCorotated, 1e6, 0.4), [4, 4, 8]);
    check("newton", &model, &newton(), 3);
}

/// Worlds that are built and run at the same time do not disturb each other.
#[test]
fn side_by_side() {
    let model = twisting_bar(material(Law::NeoHookean, 1e6, 0.4), [5, 5, 10]);
    let hash = || {
        let mut w = world(&model, &SolverConfig::default());
        run(&mut w, 2);
        w.state().hash()
    };
    let alone = hash();
    std::thread::scope(|scope| {
        let others: Vec<_> = (0..4).map(|_| scope.spawn(|| [(); 5].map(|()| hash()))).collect();
        for other in others {
            assert_eq!(other.join().expect("no panic"), [alone; 5]);
        }
    });
}

/// The hash sees a difference in the last bit of one number.
#[test]
fn the_hash_is_exact() {
    let model = twisting_bar(material(Law::Arap, 1e6, 0.4), [2, 2, 2]);
    let state = world(&model, &SolverConfig::default()).state().clone();
    let mut other = state.clone();
    assert_eq!(other.hash(), state.hash());
    other.velocities[3].y = f64::from_bits(1);
    assert_ne!(other.hash(), state.hash());
}
