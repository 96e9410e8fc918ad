//! Friction with a direction: between structured surfaces it differs along and across.

use crate::common::{admm, floor, implicit_fe, local_global, material, newton, run, solid, world};
use pliant::solver::{Budget, ContactConfig, ContactMethod, NonSmoothNewton};
use pliant::{Body, BodyId, DVec3, Law, Matchstick, Model, SolverConfig, Sticking, World};
use pliant_mesh::block;

const G: f64 = 9.81;
/// Along, across and plain.
const ALONG: f64 = 0.05;
const ACROSS: f64 = 1.3;
const PLAIN: f64 = 0.3;

fn at_angle(degrees: f64) -> Matchstick {
    let (sin, cos) = degrees.to_radians().sin_cos();
    Matchstick { direction: DVec3::new(cos, sin, 0.0), along: ALONG, across: ACROSS }
}

/// A stiff slab on the floor that starts with a velocity, their structures at angles to x.
fn slab(velocity: DVec3, [own, ground]: [f64; 2]) -> Model {
    let mesh = block([0.3, 0.3, 0.02], [4, 4, 1]).expect("valid sizes");
    let body = solid(mesh, material(Law::Corotational, 1e7, 0.3));
    Model {
        bodies: vec![Body { friction: PLAIN, velocity, matchstick: Some(at_angle(own)), ..body }],
        obstacles: vec![pliant::Obstacle { matchstick: Some(at_angle(ground)), ..floor() }],
        ..Model::default()
    }
}

fn solvers() -> Vec<(&'static str, SolverConfig)> {
    let method = |method| local_global(|c| c.contact = ContactConfig { method, ..ContactConfig::default() });
    vec![
        ("local_global", local_global(|_| {})),
        ("directly", method(ContactMethod::Direct)),
        ("by sweeps", method(ContactMethod::GaussSeidel)),
        ("admm", admm(|c| c.iterations = Budget::Most(200))),
        ("implicit_fe", implicit_fe(|_| {})),
    ]
}

/// How far it slides until it rests.
fn slide(model: &Model, config: &SolverConfig) -> DVec3 {
    let mut w = world(model, config);
    let start = w.motion(BodyId(0)).center;
    run(&mut w, 150);
    w.motion(BodyId(0)).center - start
}

/// Backward Euler of a rigid body that friction stops: `v (v / mu g - h) / 2`, where the last step is cut.
fn braking(speed: f64, mu: f64) -> f64 {
    0.5 * speed * (speed / (mu * G) - 0.01)
}

#[test]
fn parallel_structures_slide_along_and_brake_across_and_crossed_ones_have_plain_friction() {
    for (label, config) in solvers() {
        for (angles, velocity, mu) in [
            ([0.0, 0.0], DVec3::X, ALONG),
            ([90.0, 90.0], 2.0 * DVec3::X, ACROSS),
            ([90.0, -90.0], 2.0 * DVec3::X, ACROSS),
            ([0.0, 90.0], 2.0 * DVec3::X, PLAIN),
            ([0.0, 90.0], 2.0 * DVec3::Y, PLAIN),
        ] {
            // At 1 m/s and 0.05 it would take two seconds: what it does in one and a half is enough.
            let way = slide(&slab(velocity, angles), &config);
            let (speed, t) = (velocity.length(), 1.5);
            let want = match speed / (mu * G) < t {
                true => braking(speed, mu),
                false => speed * t - 0.5 * mu * G * t * (t + 0.01),
            };
            let got = way.dot(velocity) / speed;
            println!("{label} {angles:?} {velocity}: {got} {want}");
            assert!(
                (got - want).abs() < 0.01 * want + 1e-3,
                "{label} {angles:?} {velocity}: {got}, not {want}"
            );
            let aside = (way - got * velocity / speed).length();
            assert!(aside < 1e-3, "{label} {angles:?} {velocity}: aside by {aside}");
        }
    }
}

/// At 45 degrees to both axes of the ellipse friction has its radius there and still points against the sliding.
#[test]
fn what_slides_askew_is_braked_straight() {
    let mu = (2.0 / (ALONG.powi(-2) + ACROSS.powi(-2))).sqrt();
    let velocity = DVec3::new(0.5, 0.5, 0.0);
    for (label, config) in solvers() {
        let way = slide(&slab(velocity, [0.0, 0.0]), &config);
        let want = braking(velocity.length(), mu);
        println!("{label}: {way} {want}");
        assert!((way.length() - want).abs() < 0.01 * want, "{label}: {way}, not {want}");
        assert!((way.x - way.y).abs() < 0.01 * want, "{label}: {way}");
    }
}

/// One Newton step in each iteration reaches the same law: down a slope of 10 degrees.
#[test]
fn the_non_smooth_newton_method_knows_the_ellipse() {
    let config = local_global(|c| {
        c.contact.method = ContactMethod::NonSmoothNewton(NonSmoothNewton::default());
        c.iterations = Budget::Most(40);
    });
    let (sin, cos) = 10f64.to_radians().sin_cos();
    for (angle, mu) in [(0.0, ALONG), (90.0, ACROSS)] {
        let gravity = G * DVec3::new(sin, 0.0, -cos);
        let way = slide(&Model { gravity, ..slab(DVec3::ZERO, [angle, angle]) }, &config).x;
        let want = 0.5 * G * (sin - mu * cos).max(0.0) * 1.5 * 1.51;
        assert!((way - want).abs() < 0.02 * want + 5e-3, "{angle}: {way}, not {want}");
    }
}

/// The structure of a body is painted on it: where the body starts turned, so does its structure.
#[test]
fn structures_turn_with_their_bodies() {
    let mut model = slab(2.0 * DVec3::X, [0.0, 90.0]);
    let turned = |x: &DVec3| DVec3::new(-x.y, x.x, x.z);
    model.bodies[0].start = Some(model.bodies[0].mesh.vertices().iter().map(turned).collect());
    for (label, config) in solvers() {
        let way = slide(&model, &config).x;
        let want = braking(2.0, ACROSS);
        assert!((way - want).abs() < 0.01 * want, "{label}: {way}, not {want}");
    }
}

#[test]
fn what_rests_sticks_within_the_ellipse_only() {
    let pushed = |degrees: f64| {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let push = DVec3::new(0.2 * cos, 0.2 * sin, -1.0);
        Model { gravity: G * push, ..slab(DVec3::ZERO, [0.0, 0.0]) }
    };
    // 0.2 is beyond 0.05 / cos for all angles below acos(1/4) = 75.5 degrees.
    for (degrees, sticks) in [(0.0, false), (70.0, false), (80.0, true), (90.0, true)] {
        for (label, config) in solvers() {
            let mut w = world(&pushed(degrees), &config);
            run(&mut w, 30);
            let speed = w.motion(BodyId(0)).velocity.length();
            let contacts = w.contacts();
            let slides = (0..contacts.len()).any(|k| contacts.sticking(k) == Sticking::Slides);
            println!("{label} {degrees}: {speed}");
            assert!(sticks == (speed < 1e-3) && (sticks || slides), "{label} {degrees}: {speed} {slides}");
        }
    }
}

#[test]
fn a_restored_world_goes_on_bit_for_bit() {
    let model = slab(DVec3::new(0.5, 0.5, 0.0), [0.0, 30.0]);
    for (label, config) in solvers() {
        let mut w = world(&model, &config);
        run(&mut w, 10);
        let saved = w.save();
        let mut other = world(&model, &config);
        other.restore(&saved).expect("a snapshot of the same model");
        run(&mut w, 10);
        run(&mut other, 10);
        assert_eq!(w.state(), other.state(), "{label}");
    }
    let mut plain = model.clone();
    plain.bodies[0].matchstick = None;
    let saved = world(&model, &local_global(|_| {})).save();
    assert!(world(&plain, &local_global(|_| {})).restore(&saved).is_err(), "another model");
}

#[test]
fn structures_that_are_none_and_solvers_that_know_none() {
    let refusal = |change: fn(&mut Model), config: &SolverConfig| {
        let mut model = slab(DVec3::ZERO, [0.0, 0.0]);
        model.bodies[0].mesh =
            pliant_mesh::Mesh::Tri(pliant_mesh::cloth([0.3, 0.3], 4).expect("valid")).into();
        model.obstacles[0].placement.translation.z = -0.01;
        change(&mut model);
        World::new(model, config.clone()).expect_err("a bad model").to_string()
    };
    let usual = local_global(|_| {});
    let says = |text: String, part: &str| assert!(text.contains(part), "{text}");
    says(
        refusal(|m| m.bodies[0].matchstick = Some(with(DVec3::ZERO, 0.1)), &usual),
        "body `solid`: the direction",
    );
    says(refusal(|m| m.bodies[0].matchstick = Some(with(DVec3::Z, 0.1)), &usual), "normal to its surface");
    says(
        refusal(|m| m.bodies[0].matchstick = Some(with(DVec3::X, 0.0)), &usual),
        "friction along = 0 must be",
    );
    says(refusal(|m| m.obstacles[0].matchstick = Some(with(DVec3::Z, 0.1)), &usual), "obstacle `floor`");
    says(refusal(|_| {}, &crate::common::barrier(|_| {})), "knows no matchsticks: use local_global");
    // Newton's method refuses obstacles whatever their surface.
    says(refusal(|_| {}, &newton()), "no contact");
}

fn with(direction: DVec3, along: f64) -> Matchstick {
    Matchstick { direction, along, across: 0.5 }
}
