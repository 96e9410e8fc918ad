//! A running simulation is held, pulled and changed.

use crate::common::{floor, hard, local_global, material, newton, solid, world};
use pliant::solver::{GlobalSolve, IterationKind, Value};
use pliant::{BodyId, Edit, Law, MaterialPoint, Model, Motion, ObstacleId, World};
use pliant_mesh::{DVec3, block};
use std::f64::consts::TAU;

/// A block of 8 kg on the ground or in the air.
fn block_model(on_ground: bool) -> Model {
    let mesh = block([0.2, 0.2, 0.2], [3, 3, 3]).expect("valid sizes");
    let body = solid(mesh, material(Law::Arap, 1e6, 0.3));
    let obstacles = if on_ground { vec![floor()] } else { Vec::new() };
    Model { bodies: vec![body], obstacles, ..Model::default() }
}

fn steps(w: &mut World, count: usize) {
    for _ in 0..count {
        w.step().expect("step");
    }
}

fn highest(w: &World) -> u32 {
    let key = |p: &DVec3| p.x + p.y + 10.0 * p.z;
    let all = w.positions(BodyId(0)).iter().enumerate();
    all.max_by(|a, b| key(a.1).total_cmp(&key(b.1))).expect("vertices").0 as u32
}

#[test]
fn a_hold_carries_the_body_where_it_goes_with_or_without_contact() {
    for on_ground in [false, true] {
        let mut model = block_model(on_ground);
        model.bodies[0].damping.mass = 3.0;
        let mut w = world(&model, &local_global(|c| c.iterations = 20.into()));
        let v = highest(&w);
        let target = DVec3::new(0.2, 0.2, 0.6);
        let id = w.hold(MaterialPoint::vertex(BodyId(0), v), target, 2000.0).expect("held");
        steps(&mut w, 600);
        let weight = w.motion(BodyId(0)).mass * 9.81;
        let hold = w.holds()[0];
        assert!((hold.force.z / weight - 1.0).abs() < 0.02, "{:?} of {weight} N", hold.force);
        let x = w.positions(BodyId(0))[v as usize];
        // A spring: it hangs lower by its weight over the stiffness.
        assert!((x.z - (target.z - weight / 2000.0)).abs() < 0.02, "{x:?}");
        w.move_hold(id, DVec3::new(0.2, 0.2, 0.8)).expect("still held");
        steps(&mut w, 600);
        assert!((w.positions(BodyId(0))[v as usize].z - x.z - 0.2).abs() < 0.02);
        assert!(w.release(id) && !w.release(id) && w.holds().is_empty());
        assert!(w.move_hold(id, target).is_err());
        let before = w.motion(BodyId(0)).velocity.z;
        steps(&mut w, 10);
        assert!(w.motion(BodyId(0)).velocity.z - before < -0.5, "it falls");
    }
}

#[test]
fn two_holds_share_the_weight_and_every_complete_global_step_knows_them() {
    let mut model = block_model(false);
    model.bodies[0].damping.mass = 2.0;
    for global in [GlobalSolve::Panels, GlobalSolve::SparseInverse] {
        let mut w = world(&model, &local_global(|c| (c.iterations, c.global) = (20.into(), global)));
        for v in [0, highest(&w)] {
            let at = w.positions(BodyId(0))[v as usize];
            w.hold(MaterialPoint::vertex(BodyId(0), v), at, 3000.0).expect("held");
        }
        steps(&mut w, 500);
        let sum: f64 = w.holds().iter().map(|h| h.force.z).sum();
        assert!((sum / (w.motion(BodyId(0)).mass * 9.81) - 1.0).abs() < 0.02, "{global:?}: {sum}");
        assert!(w.holds().iter().all(|h| h.force.z > 5.0), "{global:?}: {:?}", w.holds());
    }
}

#[test]
fn holds_that_cannot_be_are_refused() {
    let mut w = world(&block_model(false), &local_global(|_| {}));
    let point = MaterialPoint::vertex(BodyId(0), 0);
    let refusals = [
        (MaterialPoint::vertex(BodyId(0), 9999), DVec3::ZERO, 1.0, "vertex 9999"),
        (MaterialPoint::vertex(BodyId(3), 0), DVec3::ZERO, 1.0, "body 3"),
        (point, DVec3::new(f64::NAN, 0.0, 0.0), 1.0, "not finite"),
        (point, DVec3::ZERO, 0.0, "stiffness = 0"),
    ];
    for (point, target, stiffness, why) in refusals {
        let error = w.hold(point, target, stiffness).expect_err(why).to_string();
        assert!(error.contains(why), "{error}");
    }
    let mut w = world(&block_model(false), &newton());
    assert!(w.hold(point, DVec3::ZERO, 1.0).expect_err("newton").to_string().contains("use local_global"));
    let jacobi = local_global(|c| c.global = GlobalSolve::Jacobi);
    let mut w = world(&block_model(false), &jacobi);
    assert!(w.hold(point, DVec3::ZERO, 1.0).expect_err("jacobi").to_string().contains("panels"));
}

/// A bar that is held at one end and bends under its weight.
fn bar() -> Model {
    let mesh = block([0.5, 0.1, 0.1], [10, 2, 2]).expect("valid sizes");
    let end = mesh.groups["x_min"].vertices.clone();
    let mut body = solid(mesh, material(Law::Arap, 2e6, 0.3));
    body.damping.mass = 5.0;
    Model { bodies: vec![body], pins: vec![hard("end", &end, Motion::Fixed)], ..Model::default() }
}

/// The same change in a model.
type Change = fn(&mut Model);

#[test]
fn a_changed_stiffness_or_density_ends_where_a_new_simulation_ends() {
    let config = local_global(|c| c.iterations = 30.into());
    let edits: [(Edit, Change); 3] = [
        (Edit::Youngs(BodyId(0), 4e5), |m| m.bodies[0].materials[0].youngs = 4e5),
        (Edit::Density(BodyId(0), 3000.0), |m| m.bodies[0].density = 3000.0),
        (Edit::Gravity(DVec3::new(0.0, 0.0, 5.0)), |m| m.gravity = DVec3::new(0.0, 0.0, 5.0)),
    ];
    for (edit, change) in edits {
        let mut w = world(&bar(), &config);
        steps(&mut w, 50);
        let before = w.state().clone();
        w.edit(&edit).expect("possible");
        assert_eq!(&before, w.state(), "{edit:?}: the motion goes on");
        steps(&mut w, 600);
        let mut model = bar();
        change(&mut model);
        let mut fresh = world(&model, &config);
        steps(&mut fresh, 600);
        let (a, b) = (w.motion(BodyId(0)).center.z, fresh.motion(BodyId(0)).center.z);
        assert!((a - b).abs() < 1e-3 * (b - before.positions[0].z).abs().max(0.01), "{edit:?}: {a}, {b}");
        assert!((a - 0.05).abs() > 5e-3, "{edit:?}: it does something");
    }
}

#[test]
fn friction_and_iterations_change_without_a_new_matrix() {
    let mut model = block_model(true);
    model.gravity = DVec3::new(3.0, 0.0, -9.0);
    model.bodies[0].friction = 0.6;
    let mut w =
        world(&model, &local_global(|c| (c.iteration, c.iterations) = (IterationKind::Admm, 10.into())));
    steps(&mut w, 60);
    assert!(w.motion(BodyId(0)).velocity.x.abs() < 1e-3, "it sticks");
    let iterations = w.config().knob("iterations").expect("a setting");
    for edit in [Edit::BodyFriction(BodyId(0), 0.1), Edit::Setting(iterations, Value::Count(7))] {
        assert!(!edit.rebuilds());
        w.edit(&edit).expect("possible");
    }
    let mut last = 0;
    for _ in 0..50 {
        last = w.step().expect("step").iterations;
    }
    assert_eq!(last, 7);
    let want = (3.0 - 0.1 * 9.0) * 0.5;
    assert!((w.motion(BodyId(0)).velocity.x / want - 1.0).abs() < 0.05, "{:?}", w.motion(BodyId(0)).velocity);
    w.edit(&Edit::ObstacleFriction(ObstacleId(0), 10.0)).expect("possible");
    steps(&mut w, 200);
    assert!(w.motion(BodyId(0)).velocity.x.abs() < 1e-3, "it sticks again");
}

#[test]
fn bad_changes_change_nothing() {
    let mut w = world(&bar(), &local_global(|_| {}));
    steps(&mut w, 3);
    let hash = w.state().hash();
    let bad = [
        Edit::Youngs(BodyId(0), -1.0),
        Edit::Youngs(BodyId(4), 1e5),
        Edit::Poisson(BodyId(0), 0.5),
        Edit::Density(BodyId(0), 0.0),
        Edit::Gravity(DVec3::new(f64::INFINITY, 0.0, 0.0)),
        Edit::Setting(w.config().knob("iterations").expect("a setting"), Value::Count(0)),
        Edit::Setting(w.config().knob("anderson").expect("a setting"), Value::Count(1000)),
        Edit::BodyFriction(BodyId(0), f64::NAN),
        Edit::ObstacleFriction(ObstacleId(0), 0.3),
    ];
    for edit in bad {
        let error = w.edit(&edit).expect_err("refused").to_string();
        assert!(!error.is_empty(), "{edit:?}");
    }
    assert_eq!(w.state().hash(), hash);
    assert_eq!(w.model().bodies[0].materials[0].youngs, 2e6);
    steps(&mut w, 3);
}

#[test]
fn a_setting_that_needs_it_builds_the_solver_anew() {
    let mut w = world(&bar(), &local_global(|c| c.iteration = IterationKind::Admm));
    steps(&mut w, 3);
    let anderson = w.config().knob("anderson").expect("a setting");
    let edit = Edit::Setting(anderson, Value::Count(3));
    assert!(edit.rebuilds());
    w.edit(&edit).expect("possible");
    assert_eq!(w.config().get("anderson"), Some(Value::Count(3)));
    steps(&mut w, 3);
    // Two settings that exclude each other are found when the solver is built: nothing changes then.
    let before = w.config().clone();
    let precision = w.config().knob("precision").expect("a setting");
    w.edit(&Edit::Setting(precision, Value::Word("double"))).expect_err("refused");
    assert_eq!(w.config(), &before);
    steps(&mut w, 3);
}

#[test]
fn holds_are_saved_and_restored_with_everything_else() {
    for global in [GlobalSolve::Panels, GlobalSolve::SparseInverse] {
        let config = local_global(|c| c.global = global);
        let model = block_model(true);
        let mut w = world(&model, &config);
        let v = highest(&w);
        w.hold(MaterialPoint::vertex(BodyId(0), v), DVec3::new(0.2, 0.2, 0.5), 5000.0).expect("held");
        steps(&mut w, 15);
        let saved = w.save();
        steps(&mut w, 15);
        let (end, force) = (w.state().clone(), w.holds()[0].force);
        let mut fresh = world(&model, &config);
        fresh.restore(&saved).expect("of the same model");
        steps(&mut fresh, 15);
        assert_eq!((fresh.state(), fresh.holds()[0].force), (&end, force));
        // Going back works in the same world too, also when the hand let go.
        let id = w.holds()[0].id;
        assert!(w.release(id));
        w.restore(&saved).expect("of the same world");
        steps(&mut w, 15);
        assert_eq!(w.state(), &end);
    }
    let mut newton_world = world(&block_model(false), &newton());
    let held = {
        let mut w = world(&block_model(false), &local_global(|_| {}));
        w.hold(MaterialPoint::vertex(BodyId(0), 0), DVec3::ZERO, 100.0).expect("held");
        w.save()
    };
    assert!(newton_world.restore(&held).is_err());
}

/// As by a hand in the viewer, which pulls with 7 kN. The elements at the vertex are flattened first, and must not stop the
/// cube in mid-air. Soft cubes are stretched from the ground to the hand.
#[test]
fn a_soft_cube_is_lifted_by_one_vertex_whatever_it_is_made_of() {
    use Law::{Arap, FixedCorotated, NeoHookean, StableNeoHookean};
    let cases = [
        (NeoHookean, 1e4, 0.01),
        (NeoHookean, 1e4, 1.0 / 30.0),
        (NeoHookean, 1e5, 0.005),
        (NeoHookean, 1e6, 1.0 / 60.0),
        (StableNeoHookean, 1e4, 0.01),
        (FixedCorotated, 1e4, 0.01),
        (Arap, 1e4, 0.01),
    ];
    for (law, youngs, dt) in cases {
        let mut body = solid(block([0.2; 3], [6; 3]).expect("valid sizes"), material(law, youngs, 0.4));
        body.damping.mass = 2.0;
        let model = Model { bodies: vec![body], obstacles: vec![floor()], dt, ..Model::default() };
        let mut w = world(&model, &local_global(|_| {}));
        steps(&mut w, 10);
        let stiffness = w.motion(BodyId(0)).mass * (TAU * 5.0).powi(2);
        w.hold(MaterialPoint::vertex(BodyId(0), 0), DVec3::new(0.0, 0.0, 0.9), stiffness).expect("held");
        for _ in 0..(2.0 / dt) as usize {
            let outcome = w.step().expect("step");
            assert!(outcome.iterations > 0, "{law:?} {youngs} {dt}: {outcome:?}");
        }
        let (force, weight) = (w.holds()[0].force.z, w.motion(BodyId(0)).mass * 9.81);
        assert!(force > 0.0 && force < 2.0 * weight, "{law:?} {youngs} {dt}: {force} N of {weight} N");
    }
}
