//! Stiff blocks on a slope that is too steep for them tip over their lower edge as rigid ones do, at the default settings.

use crate::common::{floor, local_global, material, run, solid, world};
use pliant::{BodyId, Law, Model};
use pliant_mesh::{DVec3, block};

const G: f64 = 9.81;

/// Angle and angular velocity of a rigid block of this width and height after `steps` of implicit Euler.
fn rigid([width, height]: [f64; 2], slope: f64, dt: f64, steps: usize) -> (f64, f64) {
    let (inertia, arm) = ((width * width + height * height) / 3.0, 0.5 * width.hypot(height));
    let lean = slope - (width / height).atan();
    let (mut angle, mut speed) = (0.0, 0.0);
    for _ in 0..steps {
        let start = speed;
        for _ in 0..60 {
            speed = start + dt * G * arm / inertia * (lean + angle + dt * speed).sin();
        }
        angle += dt * speed;
    }
    (angle, speed)
}

/// Angle of a soft block between the normal of the slope and the line through the middles of its ends.
fn soft([width, height]: [f64; 2], slope: f64, dt: f64, steps: usize, youngs: f64) -> f64 {
    let mesh = block([width, 0.1, height], [4, 4, (40.0 * height) as usize]).expect("valid sizes");
    let ends = ["z_min", "z_max"].map(|name| mesh.groups[name].vertices.clone());
    let mut body = solid(mesh, material(Law::NeoHookean, youngs, 0.3));
    body.friction = 2.0;
    let gravity = G * DVec3::new(slope.sin(), 0.0, -slope.cos());
    let model = Model { bodies: vec![body], obstacles: vec![floor()], gravity, dt, ..Model::default() };
    let mut w = world(&model, &local_global(|_| {}));
    run(&mut w, steps);
    let x = w.positions(BodyId(0));
    let [bottom, top] = ends.map(|v| v.iter().map(|&v| x[v as usize]).sum::<DVec3>() / v.len() as f64);
    (top.x - bottom.x).atan2(top.z - bottom.z)
}

#[test]
fn blocks_tip_in_the_time_of_rigid_ones() {
    let half_way = 45f64.to_radians();
    for (size, degrees) in [([0.1, 0.3], 25f64), ([0.1, 0.2], 35.0), ([0.1, 0.36], 18.0)] {
        let slope = degrees.to_radians();
        for (youngs, dt) in [(1e8, 0.01), (1e9, 0.01), (1e9, 1.0 / 60.0)] {
            let steps = (1..).find(|&n| rigid(size, slope, dt, n).0 > half_way).expect("it falls");
            let (angle, speed) = rigid(size, slope, dt, steps);
            let late = (angle - soft(size, slope, dt, steps, youngs)) / speed / (steps as f64 * dt);
            assert!(
                late.abs() < 0.02,
                "{size:?} at {degrees} degrees, E {youngs}, dt {dt}: {late} of the time late"
            );
        }
    }
}
