//! What happens when things go wrong: a step that is not finite is an error that names the place and leaves the last good
//! state, from which the world goes on; and a bar twisted far too much is finite and comes back.

use crate::common::{hard, local_global, material, newton, run, solid, twisting_bar, world};
use pliant::{BodyId, DVec3, Keyframe, Law, Model, Motion, PinKind, SolverConfig, StateError, StepError};
use std::f64::consts::TAU;

/// A bar whose pin `top` does something impossible after 0.05 s.
fn broken(motion: Motion) -> Model {
    let mut model = twisting_bar(material(Law::NeoHookean, 1e6, 0.4), [2, 2, 4]);
    model.pins[1].motion = motion;
    model
}

fn huge_velocity() -> Motion {
    Motion::Velocity { velocity: DVec3::new(0.0, 0.0, f64::MAX), start: 0.05, stop: f64::INFINITY }
}

/// Finite keyframes whose interpolation overflows after 0.05 s.
fn not_a_number() -> Motion {
    let frame = |time, x| Keyframe { time, translation: DVec3::new(x, 0.0, 0.0), angle: 0.0 };
    let frames = vec![frame(0.0, 0.0), frame(0.05, 0.0), frame(0.051, f64::MAX), frame(0.1, -f64::MAX)];
    Motion::Keyframes { point: DVec3::ZERO, axis: DVec3::Z, frames }
}

/// Steps until one fails; checks that it changed nothing.
fn fail(label: &str, model: &Model, config: &SolverConfig) -> (StepError, pliant::World) {
    let mut w = world(model, config);
    for _ in 0..10 {
        let before = w.state().clone();
        if let Err(error) = w.step() {
            assert_eq!(w.state(), &before, "{label}: the state changed");
            assert!(before.positions.iter().all(|x| x.is_finite()));
            return (error, w);
        }
    }
    panic!("{label}: no step failed");
}

#[test]
fn a_broken_step_is_an_error_and_changes_nothing() {
    for (label, motion) in [("huge velocity", huge_velocity()), ("not a number", not_a_number())] {
        for config in [SolverConfig::default(), newton()] {
            let model = broken(motion.clone());
            let label = format!("{label}, {}", config.kind());
            let (error, mut w) = fail(&label, &model, &config);
            println!("{label}: {error}");
            assert!(w.state().steps >= 4, "{label}: good until 0.05 s");
            let text = error.to_string();
            assert!(text.contains(&format!("step {}", w.state().steps + 1)), "{label}: {text}");
            assert!(text.contains("rolled back"), "{label}: {text}");
            // The same again: an error does not wear off.
            assert_eq!(w.step(), Err(error), "{label}");
        }
    }
}

/// The place is that of the cause, not of the first vertex that it spread to.
#[test]
fn the_error_names_body_and_vertex() {
    for config in [SolverConfig::default(), newton()] {
        let model = broken(not_a_number());
        let (error, w) = fail("not a number", &model, &config);
        let StepError::NonFinite { step, time, body, vertex, cause } = error else { panic!("{error}") };
        assert_eq!((step, time, body.as_str()), (w.state().steps + 1, w.state().time, "solid"));
        assert_eq!(vertex, model.pins[1].vertices[0] as usize);
        assert!(cause.contains("pin"), "{cause}");
    }
    let (error, w) = fail("huge velocity", &broken(huge_velocity()), &SolverConfig::default());
    let StepError::NonFinite { body, vertex, .. } = error else { panic!("{error}") };
    assert!(body == "solid" && vertex < w.state().positions.len());
}

#[test]
fn a_soft_pin_that_is_not_finite_is_named() {
    let mut model = broken(not_a_number());
    model.pins[1].kind = PinKind::Soft(10.0);
    for config in [SolverConfig::default(), newton()] {
        let (error, _) = fail("soft pin", &model, &config);
        let StepError::NonFinite { vertex, .. } = error else { panic!("{error}") };
        assert_eq!(vertex, model.pins[1].vertices[0] as usize);
    }
}

/// Nothing of a broken step is left in the solver: it goes on from a good state as a fresh world does.
#[test]
fn after_an_error_the_world_goes_on() {
    for config in [SolverConfig::default(), newton()] {
        let model = broken(huge_velocity());
        let start = world(&model, &config).state().clone();
        let (_, mut w) = fail("huge velocity", &model, &config);
        w.set_state(start).expect("the same vertices");
        let mut fresh = world(&model, &config);
        run(&mut w, 4);
        run(&mut fresh, 4);
        assert_eq!(w.state(), fresh.state(), "{}", config.kind());
    }
}

#[test]
fn a_velocity_that_is_not_finite_is_refused_and_one_that_overflows_is_found() {
    let mut model = twisting_bar(material(Law::Arap, 1e6, 0.4), [2, 2, 4]);
    model.pins.clear();
    let mut w = world(&model, &SolverConfig::default());
    run(&mut w, 2);
    let good = w.state().clone();
    let mut bad = good.clone();
    bad.velocities[7].y = f64::INFINITY;
    assert!(w.set_state(bad.clone()).is_err());
    assert_eq!(w.state(), &good);
    bad.velocities[7].y = 1e200;
    w.set_state(bad).expect("finite numbers");
    let error = w.step().expect_err("a velocity that overflows");
    println!("{error}");
    w.set_state(good).expect("the same vertices");
    run(&mut w, 2);
}

#[test]
fn a_state_of_the_wrong_size_is_refused() {
    let model = twisting_bar(material(Law::Arap, 1e6, 0.4), [2, 2, 2]);
    let mut w = world(&model, &SolverConfig::default());
    let good = w.state().clone();
    let mut short = good.clone();
    short.positions.pop();
    let refused = |positions, velocities| Err(StateError::Size { positions, velocities, vertices: 27 });
    assert_eq!(w.set_state(short), refused(26, 27));
    let mut long = good.clone();
    long.velocities.push(DVec3::ZERO);
    assert_eq!(w.set_state(long), refused(27, 28));
    assert_eq!(w.state(), &good);
}

/// Three full turns in 3 s, back in 3 s, one second to calm down.
#[test]
fn three_turns_and_back() {
    for law in [Law::Arap, Law::NeoHookean, Law::StableNeoHookean, Law::FixedCorotated] {
        for youngs in [1e5, 1e6, 1e7, 1e8, 1e9] {
            let mesh = pliant_mesh::block([0.1, 0.1, 0.2], [3, 3, 6]).expect("valid sizes");
            let ends = [mesh.groups["z_min"].vertices.clone(), mesh.groups["z_max"].vertices.clone()];
            let frame = |time, angle| Keyframe { time, translation: DVec3::ZERO, angle };
            let frames = vec![frame(0.0, 0.0), frame(3.0, 3.0 * TAU), frame(6.0, 0.0)];
            let turn = Motion::Keyframes { point: DVec3::new(0.05, 0.05, 0.0), axis: DVec3::Z, frames };
            let mut body = solid(mesh, material(law, youngs, 0.4));
            body.damping.mass = 4.0;
            let model = Model {
                bodies: vec![body],
                pins: vec![hard("bottom", &ends[0], Motion::Fixed), hard("top", &ends[1], turn)],
                gravity: DVec3::ZERO,
                ..Model::default()
            };
            // Pressed together by the twist it may be close to balance for long: small errors would keep it there.
            let config = local_global(|c| (c.iterations, c.tolerance) = (5.into(), 1e-6));
            let mut w = world(&model, &config);
            let (mut least, mut inverted) = (1.0f64, 0);
            for _ in 0..700 {
                run(&mut w, 1);
                let now = w.shape(BodyId(0));
                (least, inverted) = (least.min(now.min_j), inverted.max(now.inverted));
            }
            let back = w.shape(BodyId(0));
            let label = format!("{} E = {youngs:e}", law.name());
            println!("{label}: min J {least:.2}, up to {inverted} inverted, back at {:.7}", back.min_j);
            assert!(least < 0.8, "{label}: the twist was harmless: min J {least}");
            assert_eq!(back.inverted, 0, "{label}: {back:?}");
            assert!((back.min_j - 1.0).abs() < 1e-4, "{label}: {back:?}");
        }
    }
}

/// A state may come from another run: its time goes on from where it was.
#[test]
fn time_goes_on_from_a_state_that_was_set() {
    let model = twisting_bar(material(Law::Arap, 1e6, 0.4), [2, 2, 2]);
    let mut w = world(&model, &SolverConfig::default());
    let mut later = w.state().clone();
    later.time = 0.1234;
    w.set_state(later).expect("the same vertices");
    run(&mut w, 2);
    assert!((w.state().time - (0.1234 + 2.0 * model.dt)).abs() < 1e-12, "{}", w.state().time);
}

/// Finite but absurd velocities: the error names an element that they tear, and how far.
#[test]
fn the_torn_element_is_named() {
    let mut model = twisting_bar(material(Law::NeoHookean, 1e6, 0.4), [2, 2, 4]);
    model.pins.clear();
    model.bodies[0].angular_velocity = DVec3::new(0.0, 0.0, 1e150);
    let mut w = world(&model, &SolverConfig::default());
    let error = w.step().expect_err("torn apart");
    let StepError::NonFinite { cause, .. } = &error else { panic!("{error}") };
    assert!(cause.contains("tet") && cause.contains("stretched by"), "{error}");
}
