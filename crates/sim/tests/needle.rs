//! A needle in soft tissue: what is beside it keeps to its line and slides along it.

use crate::common::{material, on_threads, run, solid, world};
use pliant::{
    BodyId, EntryKind, Keyframe, Law, MaterialPoint, Model, ModelError, Motion, Needle, Pin, PinKind,
    SolverConfig, World,
};
use pliant_mesh::{DVec3, block};

/// A needle along x through the middle of a cube of 10 cm; `reach` of its tip.
fn needle(model: &Model, reach: f64, motion: Motion) -> Needle {
    let vertices = model.bodies[0].mesh.vertices();
    let on_line = |p: &DVec3| (p.y - 0.05).abs() < 1e-9 && (p.z - 0.05).abs() < 1e-9;
    let points = (0u32..).zip(vertices).filter(|(_, p)| on_line(p));
    Needle {
        name: "needle".into(),
        ends: [DVec3::new(-0.5, 0.05, 0.05), DVec3::new(reach, 0.05, 0.05)],
        motion,
        points: points.map(|(v, _)| MaterialPoint::vertex(BodyId(0), v)).collect(),
        compliance: 0.0,
        grip: 0.0,
    }
}

/// A cube of 1 kg without gravity, with five vertices on the line of the needle.
fn tissue() -> Model {
    let mesh = block([0.1; 3], [4; 3]).unwrap();
    let body = solid(mesh, material(Law::NeoHookean, 2e4, 0.3));
    Model { gravity: DVec3::ZERO, bodies: vec![body], ..Model::default() }
}

fn frames(list: &[(f64, DVec3)]) -> Motion {
    let frame = |&(time, translation): &(f64, DVec3)| Keyframe { time, translation, angle: 0.0 };
    Motion::Keyframes { point: DVec3::ZERO, axis: DVec3::Z, frames: list.iter().map(frame).collect() }
}

#[test]
fn tissue_follows_the_needle_sideways_and_lets_it_go() {
    let mut model = tissue();
    model.bodies[0].damping.mass = 10.0;
    let vertices = model.bodies[0].mesh.vertices();
    let bottom = (0u32..).zip(vertices).filter(|(_, p)| p.z < 1e-9).map(|(v, _)| v).collect();
    let (motion, kind) = (Motion::Fixed, PinKind::Hard);
    model.pins.push(Pin {
        name: "table".into(),
        body: BodyId(0),
        vertices: bottom,
        motion,
        kind,
        during: pliant::Interval::ALWAYS,
    });
    // In by 8 cm, up by 5 mm, out again.
    let script = [
        (0.0, DVec3::ZERO),
        (0.4, DVec3::new(0.081, 0.0, 0.0)),
        (0.8, DVec3::new(0.081, 0.0, 0.005)),
        (1.6, DVec3::new(0.081, 0.0, 0.005)),
        (2.0, DVec3::new(-0.1, 0.0, 0.005)),
    ];
    model.needles.push(needle(&model, -0.001, frames(&script)));
    let mut w = world(&model, &SolverConfig::default());
    assert_eq!(w.needle(pliant::NeedleId(0)).points, 0);
    run(&mut w, 150);
    // The tip is at 80 mm: the vertices at 0, 25, 50 and 75 mm are on the needle, and the one at 100 mm is not.
    let hold = w.needle(pliant::NeedleId(0));
    assert_eq!(hold.points, 4);
    assert!(hold.gap < 1e-6, "{} m off the line", hold.gap);
    // Tissue pulls back, and the table holds against it.
    let table = w.reaction(pliant::PinId(0));
    assert!(hold.force.z > 0.5, "{hold:?}");
    assert!((hold.force.z + table.z).abs() < 0.02 * hold.force.z, "{hold:?} and {table:?}");
    // It slides freely.
    assert!(hold.force.x.abs() < 1e-9, "{hold:?}");
    run(&mut w, 150);
    assert_eq!(w.needle(pliant::NeedleId(0)).points, 0);
    let rest = &w.system().rest;
    let back = w.positions(BodyId(0)).iter().zip(rest).all(|(x, &r)| x.distance(r) < 1e-4);
    assert!(back, "the tissue did not come back");
}

#[test]
fn friction_drags_with_its_grip_and_no_more() {
    let dragged = |grip: f64, speed: f64, steps: usize| {
        let mut model = tissue();
        let motion =
            Motion::Velocity { velocity: DVec3::new(speed, 0.0, 0.0), start: 0.0, stop: f64::INFINITY };
        model.needles.push(Needle { grip, ..needle(&model, 0.2, motion) });
        let mut w = world(&model, &SolverConfig::default());
        run(&mut w, steps);
        (w.motion(BodyId(0)).velocity.x, w.needle(pliant::NeedleId(0)))
    };
    // Nothing without friction; five points pull 1 kg for 0.2 s.
    let (speed, hold) = dragged(0.0, 1.0, 20);
    assert!(speed.abs() < 1e-9 && hold.points == 5, "{speed} m/s");
    let (speed, hold) = dragged(0.1, 1.0, 20);
    assert!((speed - 5.0 * 0.1 * 0.2).abs() < 1e-4, "{speed} m/s");
    assert!((hold.force.x - 0.5).abs() < 1e-9, "{hold:?}");
    // A firm grip takes it along, once it no longer swings about the needle.
    let (speed, _) = dragged(1e3, 0.1, 100);
    assert!((speed - 0.1).abs() < 1e-2, "{speed} m/s");
}

#[test]
fn a_soft_needle_gives_way_by_its_compliance() {
    let mut model = tissue();
    model.bodies[0].damping.mass = 20.0;
    model.gravity = DVec3::new(0.0, 0.0, -9.81);
    model.needles.push(Needle { compliance: 1e-3, ..needle(&model, 0.2, Motion::Fixed) });
    let mut w = world(&model, &SolverConfig::default());
    run(&mut w, 200);
    // Five points carry 1 kg.
    let hold = w.needle(pliant::NeedleId(0));
    assert!((hold.force.z / 9.81 - 1.0).abs() < 0.02, "{hold:?}");
    assert!(hold.gap > 1e-3 && hold.gap < 4e-3, "{hold:?}");
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let hash = |threads| {
        on_threads(threads, || {
            let mut model = tissue();
            let sideways = frames(&[(0.0, DVec3::ZERO), (0.3, DVec3::new(0.0, 0.01, 0.02))]);
            model.needles.push(Needle { grip: 0.05, ..needle(&model, 0.2, sideways) });
            let mut w = world(&model, &SolverConfig::default());
            run(&mut w, 30);
            w.state().hash()
        })
    };
    assert_eq!(hash(1), hash(2));
}

#[test]
fn bad_needles_are_refused() {
    let refused = |change: &dyn Fn(&mut Needle), says: &str| {
        let mut model = tissue();
        let mut bad = needle(&model, 0.2, Motion::Fixed);
        change(&mut bad);
        model.needles.push(bad);
        let error = World::new(model, SolverConfig::default()).expect_err(says);
        assert!(matches!(&error, ModelError::Entry { kind: EntryKind::Needle, .. }), "{error}");
        assert!(error.to_string().contains(says), "{error}");
    };
    refused(&|n| n.compliance = -1.0, "compliance = -1");
    refused(&|n| n.grip = f64::NAN, "grip = NaN");
    refused(&|n| n.ends[1] = n.ends[0], "no length");
    refused(&|n| n.points.clear(), "no point of a body");
    refused(&|n| n.points[0] = MaterialPoint::vertex(BodyId(2), 0), "body 2 does not exist");
    refused(&|n| n.motion = frames(&[(1.0, DVec3::ZERO), (0.5, DVec3::ZERO)]), "ascend");
}
