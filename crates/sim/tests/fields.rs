//! Stress, strain and contact forces of known states.

mod common;

use common::{floor, local_global, material, sheet, solid, world};
use pliant::{Body, Law, Model, Sticking, World, von_mises};
use pliant_mesh::{Point, block};

/// A body stretched by `e` along x, and narrowed by Poisson's ratio.
fn stretched(body: Body, e: f64, nu: f64) -> World {
    let mut w = world(&Model { bodies: vec![body], ..Model::default() }, &local_global(|_| {}));
    let mut state = w.state().clone();
    for p in &mut state.positions {
        *p = [p[0] * (1.0 + e), p[1] * (1.0 - nu * e), p[2] * (1.0 - nu * e)];
    }
    w.set_state(state).expect("same size");
    w
}

#[test]
fn a_stretched_bar_has_the_stress_of_hooke() {
    let (youngs, nu, e) = (1e6, 0.3, 1e-5);
    for law in [Law::Corotational, Law::NeoHookean, Law::StableNeoHookean, Law::StVenantKirchhoff] {
        let mesh = block([0.3, 0.1, 0.1], [3, 1, 1]).expect("valid sizes");
        let w = stretched(solid(mesh, material(law, youngs, nu)), e, nu);
        let stress = w.stress(0);
        assert_eq!(stress.len(), w.system().tets.len());
        for s in &stress {
            assert!((s[0][0] / (youngs * e) - 1.0).abs() < 1e-3, "{law:?}: {s:?}");
            assert!(s[1][1].abs() < 1e-3 * youngs * e && s[0][1].abs() < 1e-3 * youngs * e, "{law:?}: {s:?}");
            assert!((von_mises(s) / (youngs * e) - 1.0).abs() < 1e-3, "{law:?}");
        }
        let want = 2.0 / 3.0 * (1.0 + nu) * e;
        assert!(w.strain(0).iter().all(|strain| (strain / want - 1.0).abs() < 1e-3), "{law:?}");
    }
}

#[test]
fn a_stretched_sheet_has_the_stress_of_hooke() {
    let (youngs, nu, e) = (1e6, 0.3, 1e-5);
    let mesh = pliant_mesh::cloth_cells([0.3, 0.1], [3, 1]).expect("valid sizes");
    let w = stretched(sheet(mesh, material(Law::StVenantKirchhoff, youngs, nu)), e, nu);
    for s in w.stress(0) {
        assert!((von_mises(&s) / (youngs * e) - 1.0).abs() < 1e-3, "{s:?}");
    }
}

#[test]
fn means_at_vertices_keep_a_constant_and_leave_out_what_is_not_finite() {
    let mesh = block([0.2, 0.1, 0.1], [2, 1, 1]).expect("valid sizes");
    let w = stretched(solid(mesh, material(Law::Arap, 1e6, 0.3)), 0.0, 0.0);
    let mut values = vec![3.0; w.system().tets.len()];
    values[0] = f64::NAN;
    assert!(w.at_vertices(0, &values).iter().all(|v| (v - 3.0).abs() < 1e-12));
}

#[test]
fn forces_of_a_block_at_rest_carry_its_weight() {
    let mesh = block([0.2, 0.2, 0.2], [2, 2, 2]).expect("valid sizes");
    let body = solid(mesh, material(Law::Arap, 1e6, 0.3));
    let model = Model { bodies: vec![body], obstacles: vec![floor()], ..Model::default() };
    let mut w = world(&model, &local_global(|c| c.iterations = 10));
    assert!(w.touches().is_empty() && w.contact_forces(0).iter().all(|(f, _)| *f == [0.0; 3]));
    for _ in 0..60 {
        w.step().expect("step");
    }
    let weight = w.motion(0).mass * 9.81;
    let sum = |forces: &mut dyn Iterator<Item = Point>| forces.map(|f| f[2]).sum::<f64>();
    let touches = w.touches();
    assert!((sum(&mut touches.iter().map(|t| t.force)) / weight - 1.0).abs() < 1e-3);
    assert!(touches.iter().all(|t| t.place[2].abs() < 1e-6 && t.sticking == Sticking::Sticks));
    let at_vertices = w.contact_forces(0);
    assert!((sum(&mut at_vertices.iter().map(|(f, _)| *f)) / weight - 1.0).abs() < 1e-3);
    for ((_, sticking), x) in at_vertices.iter().zip(w.positions(0)) {
        assert_eq!(*sticking != Sticking::Open, x[2] < 0.01, "{x:?}");
    }
}
