//! A beam that bends under its weight, clamped at one end: the deflection at rest, its convergence with the mesh size
//! and with the time step, and the agreement of the two solvers while it swings.

use crate::common::{hard, largest_distance, local_global, material, newton, run, solid, world};
use pliant::solver::Precision;
use pliant::{BodyId, Damping, Law, Model, Motion, SolverConfig, World};
use pliant_mesh::DVec3;

/// 1 x 0.2 x 0.2 m, Neo-Hookean, E = 1e6 Pa, nu = 0.4, of the density of water.
fn beam(cells: [usize; 3], dt: f64, mass_damping: f64) -> Model {
    let mesh = pliant_mesh::beam(1.0, 0.2, 0.2, cells).expect("valid sizes");
    let wall = mesh.groups["x_min"].vertices.clone();
    let mut body = solid(mesh, material(Law::NeoHookean, 1e6, 0.4));
    body.damping = Damping { mass: mass_damping, ..Damping::default() };
    Model { dt, bodies: vec![body], pins: vec![hard("wall", &wall, Motion::Fixed)], ..Model::default() }
}

/// Mean deflection of the free end, m.
fn tip(world: &World) -> f64 {
    let system = world.system();
    let end: Vec<usize> = (0..system.rest.len()).filter(|&v| system.rest[v].x == 1.0).collect();
    let sum: f64 = end.iter().map(|&v| system.rest[v].z - world.state().positions[v].z).sum();
    sum / end.len() as f64
}

/// Deflection after it has come to rest, nearly critically damped.
fn tip_at_rest(cells: [usize; 3]) -> f64 {
    let mut w = world(&beam(cells, 0.02, 12.0), &local_global(|c| c.iterations = 8.into()));
    run(&mut w, 150);
    assert!(w.motion(BodyId(0)).kinetic_energy < 1e-6, "{} J", w.motion(BodyId(0)).kinetic_energy);
    tip(&w)
}

/// Deflection by Newton's method in a few steps so long that inertia has no say.
fn static_tip(cells: [usize; 3]) -> f64 {
    let mut w = world(&beam(cells, 10.0, 0.0), &newton());
    run(&mut w, 3);
    tip(&w)
}

/// 0.2573 m is what linear tets give on this mesh, as an independent code has it.
#[test]
fn deflection_at_rest() {
    let mut w = world(&beam([20, 4, 4], 0.01, 4.0), &SolverConfig::default());
    run(&mut w, 500);
    println!("tip {:.5} m", tip(&w));
    assert!((tip(&w) / 0.2573 - 1.0).abs() < 0.005, "{} m", tip(&w));
    assert!(w.motion(BodyId(0)).kinetic_energy < 1e-6, "{} J", w.motion(BodyId(0)).kinetic_energy);
}

#[test]
fn both_solvers_come_to_the_same_rest() {
    let cells = [10, 2, 2];
    let (rest, exact) = (tip_at_rest(cells), static_tip(cells));
    println!("tip {rest:.6} m by local_global, {exact:.6} m by newton");
    assert!((rest / exact - 1.0).abs() < 1e-4, "{rest} m by local_global, {exact} m by newton");
}

/// 0.3423 m is the limit of fine meshes. Linear elements converge with the square of the mesh size; meshes of 2, 4 and 8
/// cells over the height are still too stiff in bending to show all of it.
#[test]
fn deflection_converges_with_the_mesh_size() {
    let errors = [1, 2, 4].map(|n| (0.3423 - tip_at_rest([10 * n, 2 * n, 2 * n])).abs());
    let orders = [0, 1].map(|k| (errors[k] / errors[k + 1]).log2());
    println!("errors {errors:?} m, orders {orders:?}");
    assert!(orders[1] > orders[0], "{orders:?}");
    assert!((1.3..2.4).contains(&orders[1]), "{orders:?}");
}

/// Positions of an undamped swinging beam after 0.2 s.
fn swung(dt: f64, config: &SolverConfig) -> Vec<DVec3> {
    let mut w = world(&beam([6, 2, 2], dt, 0.0), config);
    run(&mut w, (0.2 / dt).round() as usize);
    assert!((w.state().time - 0.2).abs() < 1e-12);
    w.state().positions.clone()
}

#[test]
fn motion_converges_with_the_time_step() {
    let config = local_global(|c| {
        c.iterations = 200.into();
        c.tolerance = 1e-9;
        c.precision = Precision::Double;
    });
    // Two fine solutions without their common error of first order.
    let (coarse, fine) = (swung(0.01 / 16.0, &config), swung(0.01 / 32.0, &config));
    let reference: Vec<DVec3> = fine.iter().zip(&coarse).map(|(&f, &c)| 2.0 * f - c).collect();
    let errors = [2.0, 4.0, 8.0].map(|n| largest_distance(&swung(0.01 / n, &config), &reference));
    let orders = [0, 1].map(|k| (errors[k] / errors[k + 1]).log2());
    println!("errors {errors:?} m, orders {orders:?}");
    for order in orders {
        assert!((0.8..1.2).contains(&order), "{orders:?}");
    }
}

#[test]
fn both_solvers_swing_alike() {
    let exact = swung(0.01, &newton());
    for (iterations, tolerance) in [(5, 2e-2), (100, 2e-6)] {
        let config = local_global(|c| (c.iterations, c.tolerance) = (iterations.into(), 1e-9));
        let distance = largest_distance(&swung(0.01, &config), &exact);
        println!("{iterations} iterations: {distance:.1e} m from newton");
        assert!(distance < tolerance, "{iterations} iterations: {distance} m");
    }
}
