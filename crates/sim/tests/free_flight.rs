//! A free body in flight: linear and angular momentum stay, energy does not grow, and under gravity the centre of mass follows the discrete parabola.

use crate::common::{local_global, material, newton, newton_cg, run, solid, world};
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
    local_global(|c| c.iterations = 30.into())
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

/// Internal forces exert no torque: a stiff body keeps its angular momentum, and a soft one nearly so. Plain backward
/// Euler loses 0.7 % in the first step here.
#[test]
fn angular_momentum_stays() {
    for law in LAWS {
        for (youngs, tolerance) in [(1e4, 0.05), (1e5, 0.02), (1e9, 1e-3)] {
            for config in [newton(), local_global(|_| {})] {
                let mut model = thrown(law);
                model.bodies[0].materials = vec![material(law, youngs, 0.4)];
                let mut w = world(&model, &config);
                let first = spin(&w);
                let mut worst = 0.0f64;
                for _ in 0..300 {
                    run(&mut w, 1);
                    worst = worst.max(spin(&w).distance(first) / first.length());
                }
                println!("{} {youngs:e} {}: {worst:.1e}", law.name(), w.config().kind());
                assert!(worst < tolerance, "{} {youngs:e} {}: {worst:e}", law.name(), w.config().kind());
            }
        }
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
                assert!(now <= first, "{} step {step}: {now} J, {first} J at the start", law.name());
                // A body that tumbles and vibrates has its discrete energy at the middle and at the end of a step.
                assert!(now <= last + 1e-6 * first, "{} step {step}: {now} J after {last} J", law.name());
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
