//! The implicit finite-element solver: one iteration is a Newton step, more of them converge to Newton's method, and its
//! factor, however late, changes neither the result nor the bits.

use crate::common::{
    floor, hard, implicit_fe, largest_distance, local_global, material, newton, on_threads, run, sheet,
    solid, twisting_bar, world,
};
use pliant::solver::{
    Budget, Correction, Directions, FactorMode, Linearisations, OperatorUse, Schur, Update,
};
use pliant::{Damping, Law, Model, Motion, NewtonConfig, SolverConfig, World};
use pliant_mesh::DVec3;

/// A bar with a twisted end, and a cloth that hangs from a moving side.
fn models(law: Law) -> [Model; 2] {
    let bar =
        Model { gravity: DVec3::new(0.0, 0.0, -9.81), ..twisting_bar(material(law, 1e5, 0.4), [3, 3, 6]) };
    let mesh = pliant_mesh::cloth([0.2, 0.2], 6).expect("valid sizes");
    let side = mesh.groups["x_min"].vertices.clone();
    let velocity = DVec3::new(0.1, 0.0, 0.3);
    let cloth = Model {
        bodies: vec![sheet(mesh, material(law, 1e5, 0.3))],
        pins: vec![hard("side", &side, Motion::Velocity { velocity, start: 0.0, stop: 1.0 })],
        ..Model::default()
    };
    [bar, cloth]
}

/// Iterations to the very end.
fn converged() -> SolverConfig {
    implicit_fe(|c| {
        c.iterations = Linearisations::Most(200);
        c.tolerance = 1e-11;
        c.pcg_tolerance = 1e-9;
    })
}

#[test]
fn converged_steps_are_those_of_newton() {
    for law in Law::ALL {
        for (k, model) in models(law).iter().enumerate() {
            let mut exact = world(model, &newton());
            run(&mut exact, 5);
            let mut tested = world(model, &converged());
            tested.set_state(exact.state().clone()).expect("the same vertices");
            for _ in 0..3 {
                assert!(exact.step().expect("a good step").converged);
                let outcome = tested.step().expect("a good step");
                let distance = largest_distance(&tested.state().positions, &exact.state().positions);
                let relative = distance / exact.system().size();
                assert!(relative < 1e-7, "{} {k}: {relative:.1e} {outcome:?}", law.name());
            }
        }
    }
}

/// A resting start has no pins that move: one iteration is then one Newton step from the last positions.
#[test]
fn one_iteration_is_one_newton_step() {
    for law in Law::ALL {
        let mesh = pliant_mesh::block([0.1, 0.1, 0.2], [3, 3, 6]).expect("valid sizes");
        let bottom = mesh.groups["z_min"].vertices.clone();
        let model = Model {
            bodies: vec![solid(mesh, material(law, 1e5, 0.4))],
            pins: vec![hard("bottom", &bottom, Motion::Fixed)],
            ..Model::default()
        };
        // From rest the first iterate of Newton's method is the last positions.
        let one = SolverConfig::Newton(NewtonConfig { iterations: 1, ..NewtonConfig::default() });
        let mut exact = world(&model, &one);
        let mut tested = world(
            &model,
            &implicit_fe(|c| {
                c.iterations = Linearisations::Most(1);
                c.pcg_tolerance = 1e-12;
            }),
        );
        exact.step().expect("a good step");
        tested.step().expect("a good step");
        let distance = largest_distance(&tested.state().positions, &exact.state().positions);
        assert!(distance < 1e-9 * exact.system().size(), "{}: {distance:.1e}", law.name());
    }
}

#[test]
fn the_lag_of_the_factor_does_not_matter_to_the_free_motion() {
    let [model, _] = models(Law::StableNeoHookean);
    let end = |factor: FactorMode, warp: bool| {
        let mut world = world(
            &model,
            &implicit_fe(|c| {
                c.factor = factor;
                c.warp = warp;
                c.tolerance = 1e-9;
                c.pcg_tolerance = 1e-8;
            }),
        );
        run(&mut world, 30);
        world.state().positions.clone()
    };
    let exact = end(FactorMode::EachStep, true);
    for (factor, warp) in [
        (FactorMode::Lagged(1), true),
        (FactorMode::Lagged(5), false),
        (FactorMode::Lagged(20), true),
        (FactorMode::WhenReady, true),
    ] {
        let distance = largest_distance(&end(factor, warp), &exact);
        assert!(distance < 1e-6 * 0.2, "{factor:?} {warp}: {distance:.1e}");
    }
}

/// A soft block that drops on the ground and slides.
fn sliding_block() -> Model {
    let mut mesh = pliant_mesh::block([0.2, 0.2, 0.1], [4, 4, 2]).expect("valid sizes");
    mesh.vertices.iter_mut().for_each(|v| v.z += 0.002);
    let mut body = solid(mesh, material(Law::Corotational, 1e5, 0.3));
    body.velocity = DVec3::new(0.5, 0.1, 0.0);
    body.friction = 0.3;
    Model { bodies: vec![body], obstacles: vec![floor()], ..Model::default() }
}

#[test]
fn the_bits_do_not_depend_on_threads() {
    let [bar, cloth] = models(Law::NeoHookean);
    for (name, model) in [("bar", bar), ("cloth", cloth), ("block", sliding_block())] {
        let hash = |threads| {
            on_threads(threads, || {
                let mut world = world(&model, &implicit_fe(|_| {}));
                run(&mut world, 20);
                world.state().hash()
            })
        };
        let one = hash(1);
        assert!(one == hash(2) && one == hash(4), "{name}");
    }
}

/// Between the start of a factor and its use, and right at it.
#[test]
fn a_snapshot_continues_with_the_same_bits() {
    let [bar, _] = models(Law::StableNeoHookean);
    for model in [bar, sliding_block()] {
        let config = implicit_fe(|c| c.factor = FactorMode::Lagged(4));
        let mut straight = world(&model, &config);
        for steps in [1, 2, 4, 5, 6, 7, 9] {
            run(&mut straight, 1);
            let mut resumed = world(&model, &config);
            resumed.restore(&straight.save()).expect("of the same model");
            // A snapshot of what was restored and has not gone on is the same.
            assert!(resumed.save().as_bytes() == straight.save().as_bytes());
            let mut copy = straight.clone();
            run(&mut copy, steps);
            run(&mut resumed, steps);
            assert_eq!(copy.state().hash(), resumed.state().hash(), "after {steps} steps");
        }
    }
}

fn ends_of(model: &Model, configs: impl IntoIterator<Item = SolverConfig>) -> Vec<Vec<DVec3>> {
    let positions = |config: SolverConfig| {
        let mut world = world(model, &config);
        run(&mut world, 25);
        world.state().positions.clone()
    };
    configs.into_iter().map(positions).collect()
}

#[test]
fn every_way_to_the_compliance_gives_the_same_contact() {
    let with = |schur: Schur, correction: Correction, update: Update| {
        implicit_fe(|c| {
            c.schur = schur;
            c.correction = correction;
            c.update = update;
            c.recursion = 3;
            c.tolerance = 1e-8;
        })
    };
    let found = ends_of(
        &sliding_block(),
        [
            with(Schur::Dense, Correction::Factor, Update::Standard),
            with(Schur::Isodof, Correction::Factor, Update::Fast),
            with(Schur::Reuse, Correction::Factor, Update::Fast),
            with(Schur::Reuse, Correction::Factor, Update::Standard),
            with(Schur::Reuse, Correction::Pcg, Update::Fast),
        ],
    );
    assert!(found[1] == found[2], "reuse changes no bit");
    for (other, bound) in found[1..].iter().zip([1e-6, 1e-6, 1e-6, 1e-5]) {
        let distance = largest_distance(other, &found[0]);
        assert!(distance < bound * 0.2, "{distance:.1e}");
    }
}

/// Without entries, and with directions that follow every sweep, the same forces are found.
#[test]
fn products_that_are_solves_give_the_same_contact() {
    let with = |operator: OperatorUse, directions: Directions| {
        implicit_fe(|c| {
            c.operator = operator;
            c.directions = directions;
            c.iterations = Linearisations::Most(60);
            c.tolerance = 1e-8;
        })
    };
    let found = ends_of(
        &sliding_block(),
        [
            with(OperatorUse::Built, Directions::Iteration),
            with(OperatorUse::Unbuilt, Directions::Iteration),
            with(OperatorUse::Built, Directions::Sweep),
        ],
    );
    for other in &found[1..] {
        let distance = largest_distance(other, &found[0]);
        assert!(distance < 2e-6 * 0.2, "{distance:.1e}");
    }
}

#[test]
fn a_resting_block_presses_with_its_weight_whatever_the_age_of_the_factor() {
    let mut model = sliding_block();
    model.bodies[0].velocity = DVec3::ZERO;
    for lag in [1, 50] {
        let mut world = world(&model, &implicit_fe(|c| c.factor = FactorMode::Lagged(lag)));
        run(&mut world, 100);
        let force: DVec3 = world.contacts().forces().iter().sum();
        let weight = 9.81 * world.system().masses.iter().sum::<f64>();
        assert!((force.z - weight).abs() < 1e-3 * weight, "{} instead of {weight}", force.z);
    }
}

/// Steps in contact end where those of `local_global` end, if both are converged.
#[test]
fn converged_steps_in_contact_are_those_of_local_global() {
    let mut other = world(
        &sliding_block(),
        &local_global(|c| {
            c.iterations = Budget::Most(200);
            c.tolerance = 1e-9;
        }),
    );
    let tight = implicit_fe(|c| {
        c.iterations = Linearisations::Most(100);
        c.tolerance = 1e-9;
        c.pcg_tolerance = 1e-8;
    });
    let mut worst = 0.0f64;
    for _ in 0..15 {
        let mut tested = world(&sliding_block(), &tight);
        tested.set_state(other.state().clone()).expect("the same vertices");
        run(&mut other, 1);
        run(&mut tested, 1);
        let distance = largest_distance(&tested.state().positions, &other.state().positions);
        worst = worst.max(distance / other.system().size());
    }
    assert!(worst < 1e-6, "{worst:.1e}");
}

#[test]
fn worlds_that_are_dropped_leave_no_thread_behind() {
    let threads = || std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count);
    let [model, _] = models(Law::Corotational);
    let before = threads();
    for _ in 0..50 {
        let mut world: World = world(&model, &implicit_fe(|_| {}));
        run(&mut world, 2);
    }
    // The last ones may still be at work, and other tests run beside this one.
    for _ in 0..100 {
        if threads() <= before + 8 {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("{} threads, {before} before", threads());
}

/// Damping by the true stiffness: the converged step is Newton's, a stretched bar comes to rest, and it is refused where the matrix is
/// constant.
#[test]
fn damping_by_the_tangent_stiffness_is_that_of_newton() {
    let [mut bar, mut cloth] = models(Law::StableNeoHookean);
    for model in [&mut bar, &mut cloth] {
        model.bodies[0].damping = Damping { tangent: 0.2, ..Damping::default() };
        let mut exact = world(model, &newton());
        let mut tested = world(model, &converged());
        let mut undamped = model.clone();
        undamped.bodies[0].damping = Damping::default();
        let mut free = world(&undamped, &newton());
        for _ in 0..8 {
            run(&mut exact, 1);
            run(&mut tested, 1);
            run(&mut free, 1);
        }
        let size = exact.system().size();
        let distance = largest_distance(&tested.state().positions, &exact.state().positions);
        assert!(distance < 1e-6 * size, "{distance:.1e}");
        let change = largest_distance(&free.state().positions, &exact.state().positions);
        assert!(change > 2e-5 * size, "it damps nothing: {change:.1e}");
    }
    let refused = World::new(bar, local_global(|_| {})).map(|_| ()).expect_err("a constant matrix");
    assert!(refused.to_string().contains("tangent stiffness"), "{refused}");
}
