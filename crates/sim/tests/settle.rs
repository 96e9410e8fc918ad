//! A start in equilibrium: bodies rest under their loads before the first step.

use crate::common::{floor, hard, local_global, material, solid, world};
use pliant::{BodyId, DVec3, Law, Model, Motion, SolverConfig, World};
use pliant_mesh::block;

const G: f64 = 9.81;

fn config() -> SolverConfig {
    local_global(|c| c.iterations = 10.into())
}

/// A soft block on a slope of 30 degrees: gravity is tilted instead of the floor.
fn on_a_slope(friction: f64) -> Model {
    let (sin, cos) = 30f64.to_radians().sin_cos();
    let mesh = block([0.2, 0.2, 0.1], [4, 4, 2]).expect("valid sizes");
    let mut body = solid(mesh, material(Law::Arap, 1e5, 0.3));
    body.friction = friction;
    Model {
        gravity: DVec3::new(G * sin, 0.0, -G * cos),
        bodies: vec![body],
        obstacles: vec![floor()],
        ..Model::default()
    }
}

/// Speed along the slope after each of 20 steps.
fn speeds(w: &mut World) -> Vec<f64> {
    let each = (0..20).map(|_| {
        w.step().expect("step");
        let m = w.motion(BodyId(0));
        m.momentum.x / m.mass
    });
    each.collect()
}

#[test]
fn a_soft_block_that_must_stick_stays_where_it_settled() {
    // A hair above the tangent of the angle: an unloaded start kicks it off.
    let model = on_a_slope(30f64.to_radians().tan() + 0.002);
    let mut settled = world(&model, &config());
    assert!(settled.settle().expect("settles").at_rest);
    assert_eq!((settled.state().time, settled.state().steps), (0.0, 0));
    let fastest = speeds(&mut settled).into_iter().fold(0.0, |a: f64, v| a.max(v.abs()));
    assert!(fastest < 1e-6, "{fastest} m/s");
    let unloaded = speeds(&mut world(&model, &config()));
    assert!(unloaded[19] > 1e-3, "{} m/s", unloaded[19]);
}

#[test]
fn a_soft_block_that_must_slide_gathers_speed_from_the_first_step_on() {
    let friction = 0.5;
    let mut w = world(&on_a_slope(friction), &config());
    assert!(w.settle().expect("settles").at_rest);
    let (sin, cos) = 30f64.to_radians().sin_cos();
    for (k, v) in speeds(&mut w).into_iter().enumerate() {
        let want = G * (sin - friction * cos) * 0.01 * (k + 1) as f64;
        assert!((v / want - 1.0).abs() < 1e-3, "step {k}: {v} instead of {want} m/s");
    }
}

#[test]
fn a_hanging_body_has_its_stretch_at_once_and_its_velocity_again() {
    let mesh = block([0.1, 0.1, 0.4], [2, 2, 8]).expect("valid sizes");
    let top = mesh.groups["z_max"].vertices.clone();
    let mut body = solid(mesh, material(Law::NeoHookean, 1e5, 0.3));
    body.velocity = DVec3::new(0.1, 0.0, 0.0);
    let model =
        Model { bodies: vec![body], pins: vec![hard("top", &top, Motion::Fixed)], ..Model::default() };
    let mut w = world(&model, &config());
    assert!(w.settle().expect("settles").at_rest);
    let lowest = w.positions(BodyId(0)).iter().fold(f64::INFINITY, |a, p| a.min(p.z));
    // rho g L^2 / (2 E) of a thin bar is 7.8 mm.
    assert!((-0.009..-0.0065).contains(&lowest), "{lowest} m");
    assert!(w.velocities(BodyId(0)).iter().any(|v| v.x == 0.1));
}

#[test]
fn what_nothing_holds_does_not_come_to_rest() {
    let mesh = block([0.1, 0.1, 0.1], [1, 1, 1]).expect("valid sizes");
    let model = Model { bodies: vec![solid(mesh, material(Law::Arap, 1e5, 0.3))], ..Model::default() };
    assert!(!world(&model, &config()).settle().expect("falls").at_rest);
}
