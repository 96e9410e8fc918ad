//! What overlaps at the start is separated before the first step, or refused with a reason.

use crate::common::{floor, material, run, solid, world};
use pliant::{Body, BodyId, Law, Model, Motion, Pin, PinKind, PushError, SolverConfig, push_apart};
use pliant_mesh::{DVec3, block};

fn cube(name: &str, at: DVec3) -> Body {
    let mut mesh = block([0.1; 3], [3; 3]).unwrap();
    mesh.vertices.iter_mut().for_each(|v| *v += at);
    Body { name: name.into(), ..solid(mesh, material(Law::NeoHookean, 1e5, 0.3)) }
}

#[test]
fn overlapping_bodies_start_apart_and_at_rest() {
    let bodies =
        vec![cube("lower", DVec3::new(0.0, 0.0, -0.003)), cube("upper", DVec3::new(0.013, 0.011, 0.09))];
    let mut model = Model { bodies, obstacles: vec![floor()], ..Model::default() };
    let overlapping = world(&model, &SolverConfig::default());
    assert_eq!(overlapping.overlaps(1e-6).unwrap().len(), 2);
    let pushed = push_apart(&mut model).unwrap().expect("something was pushed");
    assert_eq!(pushed.pairs, 2);
    assert!(pushed.farthest > 0.005 && pushed.farthest < 0.03, "{pushed:?}");
    let mut w = world(&model, &SolverConfig::default());
    assert!(w.overlaps(1e-6).unwrap().is_empty());
    assert!(w.state().velocities.iter().all(|&v| v == DVec3::ZERO));
    assert!((0..2).all(|b| w.shape(BodyId(b)).inverted == 0));
    // Nothing jumps: the upper cube would leave at some 0.5 m/s.
    let mut fastest = 0.0f64;
    for _ in 0..20 {
        run(&mut w, 1);
        fastest = fastest.max(w.motion(BodyId(1)).velocity.z);
    }
    assert!(fastest < 0.05, "{fastest} m/s");
    // Once is enough.
    assert_eq!(push_apart(&mut model).unwrap(), None);
}

#[test]
fn what_does_not_overlap_is_left_alone() {
    let bodies = vec![cube("lower", DVec3::ZERO), cube("upper", DVec3::new(0.0, 0.0, 0.1))];
    let mut model = Model { bodies, obstacles: vec![floor()], ..Model::default() };
    assert_eq!(push_apart(&mut model).unwrap(), None);
    assert!(model.bodies.iter().all(|b| b.start.is_none()));
}

#[test]
fn what_cannot_move_is_refused() {
    let body = cube("cube", DVec3::new(0.0, 0.0, -0.02));
    let vertices = (0..body.mesh.vertices().len() as u32).collect();
    let pin = Pin {
        name: "held".into(),
        body: BodyId(0),
        vertices,
        motion: Motion::Fixed,
        kind: PinKind::Hard,
        during: pliant::Interval::ALWAYS,
    };
    let mut model =
        Model { bodies: vec![body], obstacles: vec![floor()], pins: vec![pin], ..Model::default() };
    let error = push_apart(&mut model).unwrap_err();
    assert!(matches!(error, PushError::Remains { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("body `cube` and obstacle `floor` still overlap by 2.00e-2 m"), "{text}");
    assert!(model.bodies[0].start.is_none());
}
