//! Many worlds of one prepared model: each steps as if it were alone, and a copy continues bit for bit.

use crate::common::{floor, local_global, material, newton, run, solid, twisting_bar, world};
use pliant::solver::{IterationKind, Precision, Value};
use pliant::{Body, BodyId, DVec3, Edit, Law, MaterialPoint, Model, ObstacleId, Prepared, SolverConfig};
use std::sync::Arc;

/// Two cubes that fall onto each other and onto the floor.
fn falling_cubes() -> Model {
    let cube = |name: &str, z: f64| {
        let mut mesh = pliant_mesh::block([0.1; 3], [3; 3]).expect("valid sizes");
        mesh.vertices.iter_mut().for_each(|v| v.z += z);
        Body { name: name.into(), ..solid(mesh, material(Law::NeoHookean, 1e5, 0.3)) }
    };
    Model {
        bodies: vec![cube("lower", 0.005), cube("upper", 0.12)],
        obstacles: vec![floor()],
        ..Model::default()
    }
}

fn cases() -> Vec<(Model, SolverConfig)> {
    let bar = || twisting_bar(material(Law::StableNeoHookean, 1e5, 0.4), [3, 3, 6]);
    vec![
        (falling_cubes(), SolverConfig::default()),
        (bar(), local_global(|c| c.precision = Precision::Double)),
        (bar(), local_global(|c| (c.iteration, c.anderson) = (IterationKind::Admm, 4))),
        (bar(), newton()),
    ]
}

#[test]
fn a_world_of_a_prepared_model_steps_like_one_of_its_own() {
    for (model, config) in cases() {
        let prepared = Prepared::new(model.clone(), config.clone()).expect("a valid model");
        let mut alone = world(&model, &config);
        run(&mut alone, 12);
        let mut worlds = [prepared.world(), prepared.world()];
        for w in &mut worlds {
            run(w, 12);
            assert_eq!(w.state().hash(), alone.state().hash(), "{}", config.kind());
        }
    }
}

#[test]
fn a_copy_continues_bit_for_bit_and_by_itself() {
    for (model, config) in cases() {
        let mut original = world(&model, &config);
        run(&mut original, 6);
        let mut copy = original.clone();
        let at = original.state().hash();
        run(&mut copy, 9);
        assert_eq!(original.state().hash(), at, "a step of the copy moved the original");
        run(&mut original, 9);
        assert_eq!(original.state().hash(), copy.state().hash(), "{}", config.kind());
        assert_eq!(original.contacts().forces(), copy.contacts().forces());
    }
}

#[test]
fn worlds_that_take_a_solver_in_turn_step_like_those_with_their_own() {
    for (model, config) in cases() {
        let mut first = world(&model, &config);
        let mut alone = [first.clone(), first.clone()];
        first.share_solver();
        let mut shared = [first.clone(), first];
        let pull =
            |w: &mut pliant::World| w.edit(&Edit::Gravity(DVec3::new(3.0, 0.0, -9.0))).expect("a good value");
        pull(&mut alone[1]);
        pull(&mut shared[1]);
        for step in 0..15 {
            for (own, shared) in alone.iter_mut().zip(&mut shared) {
                run(own, 1);
                run(shared, 1);
                assert_eq!(own.state().hash(), shared.state().hash(), "{} step {step}", config.kind());
            }
        }
        assert_ne!(alone[0].state().hash(), alone[1].state().hash());
        // They are saved alike, and go back alike.
        assert_eq!(alone[0].save(), shared[0].save());
        let saved = alone[1].save();
        for w in [&mut alone[0], &mut shared[0]] {
            w.restore(&saved).expect("a world of this model");
            run(w, 5);
        }
        assert_eq!(alone[0].state().hash(), shared[0].state().hash(), "{}", config.kind());
    }
}

#[test]
fn a_world_that_shares_a_solver_gets_its_own_to_be_held_or_tuned() {
    let mut first = world(&falling_cubes(), &SolverConfig::default());
    let mut alone = first.clone();
    first.share_solver();
    let mut others = [first.clone(), first];
    for w in [&mut alone, &mut others[0]] {
        run(w, 3);
        w.hold(MaterialPoint::vertex(BodyId(1), 0), DVec3::new(0.0, 0.0, 0.3), 50.0).expect("a good hold");
        let iterations = w.config().knob("iterations").expect("a setting");
        w.edit(&Edit::Setting(iterations, Value::Count(8))).expect("a good value");
        run(w, 6);
    }
    assert_eq!(alone.state().hash(), others[0].state().hash());
    let mut untouched = world(&falling_cubes(), &SolverConfig::default());
    run(&mut others[1], 9);
    run(&mut untouched, 9);
    assert_eq!(others[1].state().hash(), untouched.state().hash());
}

#[test]
fn a_copy_keeps_holds_and_edits() {
    let mut original = world(&falling_cubes(), &SolverConfig::default());
    original.hold(MaterialPoint::vertex(BodyId(1), 0), DVec3::new(0.0, 0.0, 0.3), 50.0).expect("a good hold");
    original.edit(&Edit::Gravity(DVec3::new(1.0, 0.0, -5.0))).expect("a good value");
    original.edit(&Edit::BodyFriction(BodyId(0), 0.1)).expect("a good value");
    let iterations = original.config().knob("iterations").expect("a setting");
    original.edit(&Edit::Setting(iterations, Value::Count(8))).expect("a good value");
    run(&mut original, 5);
    let mut copy = original.clone();
    assert_eq!(copy.model().gravity, DVec3::new(1.0, 0.0, -5.0));
    for w in [&mut original, &mut copy] {
        run(w, 15);
    }
    assert_eq!(original.state().hash(), copy.state().hash());
    assert_eq!(original.holds(), copy.holds());
}

#[test]
fn an_edit_concerns_one_world_and_copies_no_mesh() {
    let prepared = Prepared::new(falling_cubes(), SolverConfig::default()).expect("a valid model");
    let (mut edited, mut other) = (prepared.world(), prepared.world());
    edited.edit(&Edit::Gravity(DVec3::ZERO)).expect("a good value");
    edited.edit(&Edit::ObstacleFriction(ObstacleId(0), 0.2)).expect("a good value");
    assert_eq!((edited.model().gravity, edited.model().obstacles[0].friction), (DVec3::ZERO, Some(0.2)));
    assert_eq!(
        (other.model().gravity, other.model().obstacles[0].friction),
        (DVec3::new(0.0, 0.0, -9.81), None)
    );
    for (a, b) in edited.model().bodies.iter().zip(&other.model().bodies) {
        assert!(Arc::ptr_eq(&a.mesh, &b.mesh), "the mesh of `{}` was copied", a.name);
    }
    for w in [&mut edited, &mut other] {
        run(w, 5);
    }
    assert!(edited.motion(BodyId(1)).velocity.z.abs() < 1e-12);
    assert!(other.motion(BodyId(1)).velocity.z < -0.4);
}

#[test]
fn settling_one_world_leaves_the_start_of_the_others() {
    let prepared = Prepared::new(falling_cubes(), SolverConfig::default()).expect("a valid model");
    let (mut settled, other) = (prepared.world(), prepared.world());
    settled.settle().expect("good steps");
    assert_eq!(settled.start_positions(BodyId(1)), settled.positions(BodyId(1)));
    assert_eq!(other.start_positions(BodyId(1)), other.positions(BodyId(1)));
    assert_ne!(settled.start_positions(BodyId(1)), other.start_positions(BodyId(1)));
    assert!(std::ptr::eq(settled.system(), other.system()));
}
