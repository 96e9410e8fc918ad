//! A free body in flight: linear momentum stays, angular momentum and energy fall only as backward Euler makes them
//! fall, and under gravity the centre of mass follows the discrete parabola.

mod common;

use common::{local_global, material, newton, newton_cg, run, solid, world};
use pliant::{BodyId, Law, Model, SolverConfig, World};
use pliant_mesh::DVec3;

const LAWS: [Law; 2] = [Law::Arap, Law::NeoHookean];

/// A thick plate that flies and tumbles.
fn thrown(law: Law) -> Model {
    let mesh = pliant_mesh::block([0.2, 0.15, 0.1], [4, 3, 2]).expect("valid sizes");
    let mut body = solid(mesh, material(law, 1e5, 0.4));
    body.velocity = DVec3::new(1.0, -2.0, 0.5);
    body.angular_velocity = DVec3::new(1.0, 2.0, 5.0);
    Model { gravity: DVec3::ZERO, bodies: vec![body], ..Model::default() }
}

/// Enough iterations for a step that is converged to f32.
fn converging() -> SolverConfig {
    local_global(|c| c.iterations = 30)
}

/// Angular momentum about the centre of mass, kg m^2/s.
fn spin(world: &World) -> DVec3 {
    let s = world.motion(BodyId(0));
    s.angular_momentum - s.center.cross(s.momentum)
}

#[test]
fn linear_momentum_stays() {
    for law in LAWS {
        // With few iterations too: it does not depend on convergence.
        for config in [local_global(|_| {}), converging()] {
            let mut w = world(&thrown(law), &config);
            let before = w.motion(BodyId(0)).momentum;
            run(&mut w, 1000);
            let drift = w.motion(BodyId(0)).momentum.distance(before) / before.length();
            println!("{}: momentum drift {drift:.1e}", law.name());
            assert!(drift < 1e-7, "{}: {drift:e}", law.name());
        }
    }
}

#[test]
fn a_stiff_body_turns_like_the_converged_step_at_the_defaults() {
    for law in Law::ALL {
        for youngs in [1e4, 1e6, 1e9] {
            let spins = [newton(), newton_cg(|_| {})].map(|config| {
                let mut model = thrown(law);
                model.bodies[0].materials = vec![material(law, youngs, 0.4)];
                let mut w = world(&model, &config);
                run(&mut w, 30);
                spin(&w)
            });
            let error = spins[0].distance(spins[1]) / spins[0].length();
            println!("{} {youngs:e}: {error:.1e}", law.name());
            assert!(error < 1e-3, "{} {youngs:e}: {error:e}", law.name());
        }
    }
}

/// Internal forces exert no torque, hence `L1 - L0 = h sum m v1 x v0` exactly for backward Euler.
#[test]
fn angular_momentum_changes_as_backward_euler_predicts() {
    for law in LAWS {
        for (iterations, tolerance) in [(0, 1e-11), (30, 1e-3), (300, 1e-6)] {
            let config = if iterations == 0 { newton() } else { local_global(|c| c.iterations = iterations) };
            let mut w = world(&thrown(law), &config);
            let first = spin(&w).length();
            let mut worst = 0.0f64;
            for _ in 0..50 {
                let (before, v0) = (w.motion(BodyId(0)).angular_momentum, w.state().velocities.clone());
                run(&mut w, 1);
                let mut predicted = before;
                for ((m, v1), &v0) in w.system().masses.iter().zip(&w.state().velocities).zip(&v0) {
                    predicted += w.model().dt * m * v1.cross(v0);
                }
                worst = worst.max(w.motion(BodyId(0)).angular_momentum.distance(predicted) / first);
            }
            let label = format!("{} {} {iterations}", law.name(), w.config().kind());
            println!("{label}: stray torque {worst:.1e} of L per step");
            assert!(worst < tolerance, "{label}: {worst:e}");
        }
    }
}

#[test]
fn angular_momentum_falls_like_that_of_newton() {
    for law in LAWS {
        let mut worlds = [newton(), converging()].map(|config| world(&thrown(law), &config));
        let first = spin(&worlds[0]).length();
        let mut last = [first; 2];
        let mut fallen = [0.0; 2];
        for step in 1..=300 {
            for (k, w) in worlds.iter_mut().enumerate() {
                run(w, 1);
                let now = spin(w).length();
                assert!(
                    now <= last[k] * (1.0 + 1e-9),
                    "{} grew in step {step}: {now} after {}",
                    law.name(),
                    last[k]
                );
                last[k] = now;
                fallen[k] = 1.0 - now / first;
            }
        }
        println!("{}: angular momentum fell by {:.5} (newton), {:.5}", law.name(), fallen[0], fallen[1]);
        assert!((fallen[1] / fallen[0] - 1.0).abs() < 0.02, "{}: {fallen:?}", law.name());
    }
}

#[test]
fn energy_never_grows() {
    for law in LAWS {
        for (config, steps) in [(newton(), 200), (converging(), 1000), (local_global(|_| {}), 1000)] {
            let mut w = world(&thrown(law), &config);
            let energy = |w: &World| w.motion(BodyId(0)).kinetic_energy + w.elastic_energy(BodyId(0));
            let first = energy(&w);
            let mut last = first;
            for step in 1..=steps {
                run(&mut w, 1);
                let now = energy(&w);
                assert!(now <= last + 1e-9 * first, "{} step {step}: {now} J after {last} J", law.name());
                last = now;
            }
            println!("{} {}: energy {first:.4} J -> {last:.4} J", law.name(), w.config().kind());
        }
    }
}

/// `z_n = z_0 + v t - g (t^2 + h t)/2` with `t = n h`: the sum of backward Euler.
#[test]
fn the_centre_of_mass_follows_the_discrete_parabola() {
    for law in LAWS {
        for (config, steps) in [(newton(), 50), (local_global(|_| {}), 300)] {
            let mut model = thrown(law);
            model.gravity = DVec3::new(0.3, 0.0, -9.81);
            let mut w = world(&model, &config);
            let start = w.motion(BodyId(0));
            let mut worst = 0.0f64;
            for _ in 0..steps {
                run(&mut w, 1);
                let (t, now) = (w.state().time, w.motion(BodyId(0)).center);
                let expected =
                    start.center + start.velocity * t + 0.5 * model.gravity * (t * t + model.dt * t);
                worst = worst.max(now.distance(expected));
            }
            println!("{} {}: {worst:.1e} m off the parabola", law.name(), w.config().kind());
            assert!(worst < 1e-9, "{} {}: {worst:e} m", law.name(), w.config().kind());
        }
    }
}
