//! Stress, strain and contact forces of known states.

use crate::common::{floor, local_global, material, sheet, solid, world};
use pliant::{Bending, BendingKind, Body, BodyId, Law, Model, Sticking, World, von_mises};
use pliant_mesh::{DVec3, block};

/// A body stretched by `e` along x, and narrowed by Poisson's ratio.
fn stretched(body: Body, e: f64, nu: f64) -> World {
    let mut w = world(&Model { bodies: vec![body], ..Model::default() }, &local_global(|_| {}));
    let mut state = w.state().clone();
    let stretch = DVec3::new(1.0 + e, 1.0 - nu * e, 1.0 - nu * e);
    state.positions.iter_mut().for_each(|p| *p *= stretch);
    w.set_state(state).expect("same size");
    w
}

#[test]
fn a_stretched_bar_has_the_stress_of_hooke() {
    let (youngs, nu, e) = (1e6, 0.3, 1e-5);
    for law in [Law::Corotational, Law::NeoHookean, Law::StableNeoHookean, Law::StVenantKirchhoff] {
        let mesh = block([0.3, 0.1, 0.1], [3, 1, 1]).expect("valid sizes");
        let w = stretched(solid(mesh, material(law, youngs, nu)), e, nu);
        let stress = w.stress(BodyId(0));
        assert_eq!(stress.len(), w.system().tets.len());
        for s in &stress {
            assert!((s.x_axis.x / (youngs * e) - 1.0).abs() < 1e-3, "{law:?}: {s:?}");
            assert!(
                s.y_axis.y.abs() < 1e-3 * youngs * e && s.x_axis.y.abs() < 1e-3 * youngs * e,
                "{law:?}: {s:?}"
            );
            assert!((von_mises(s) / (youngs * e) - 1.0).abs() < 1e-3, "{law:?}");
        }
        let want = 2.0 / 3.0 * (1.0 + nu) * e;
        assert!(w.strain(BodyId(0)).iter().all(|strain| (strain / want - 1.0).abs() < 1e-3), "{law:?}");
    }
}

#[test]
fn a_stretched_sheet_has_the_stress_of_hooke() {
    let (youngs, nu, e) = (1e6, 0.3, 1e-5);
    let mesh = pliant_mesh::cloth_cells([0.3, 0.1], [3, 1]).expect("valid sizes");
    let w = stretched(sheet(mesh, material(Law::StVenantKirchhoff, youngs, nu)), e, nu);
    for s in w.stress(BodyId(0)) {
        assert!((von_mises(&s) / (youngs * e) - 1.0).abs() < 1e-3, "{s:?}");
    }
}

#[test]
fn means_at_vertices_keep_a_constant_and_leave_out_what_is_not_finite() {
    let mesh = block([0.2, 0.1, 0.1], [2, 1, 1]).expect("valid sizes");
    let w = stretched(solid(mesh, material(Law::Arap, 1e6, 0.3)), 0.0, 0.0);
    let mut values = vec![3.0; w.system().tets.len()];
    values[0] = f64::NAN;
    assert!(w.at_vertices(BodyId(0), &values).iter().all(|v| (v - 3.0).abs() < 1e-12));
}

#[test]
fn forces_of_a_block_at_rest_carry_its_weight() {
    let mesh = block([0.2, 0.2, 0.2], [2, 2, 2]).expect("valid sizes");
    let body = solid(mesh, material(Law::Arap, 1e6, 0.3));
    let model = Model { bodies: vec![body], obstacles: vec![floor()], ..Model::default() };
    let mut w = world(&model, &local_global(|c| c.iterations = 10.into()));
    assert!(w.touches().is_empty() && w.contact_forces(BodyId(0)).iter().all(|(f, _)| *f == DVec3::ZERO));
    for _ in 0..60 {
        w.step().expect("step");
    }
    let weight = w.motion(BodyId(0)).mass * 9.81;
    let touches = w.touches();
    let sum: DVec3 = touches.iter().map(|t| t.force).sum();
    assert!((sum.z / weight - 1.0).abs() < 1e-3);
    assert!(touches.iter().all(|t| t.place.z.abs() < 1e-6 && t.sticking == Sticking::Sticks));
    let at_vertices = w.contact_forces(BodyId(0));
    let sum: DVec3 = at_vertices.iter().map(|(f, _)| f).sum();
    assert!((sum.z / weight - 1.0).abs() < 1e-3);
    for ((_, sticking), x) in at_vertices.iter().zip(w.positions(BodyId(0))) {
        assert_eq!(*sticking != Sticking::Open, x.z < 0.01, "{x:?}");
    }
}

#[test]
fn von_mises_and_energy_by_principal_values_are_those_of_the_stress() {
    let mut seed = 7u64;
    let mut random = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as f64 / (1u64 << 31) as f64 - 0.5
    };
    for law in Law::ALL {
        // From tiny strains to elements that are inverted.
        for size in [1e-7, 1e-3, 0.02, 0.1] {
            let mesh = block([0.2, 0.2, 0.2], [2, 2, 2]).expect("valid sizes");
            let mut w = stretched(solid(mesh, material(law, 1e6, 0.3)), 0.0, 0.0);
            let mut state = w.state().clone();
            state.positions.iter_mut().for_each(|p| *p += size * DVec3::new(random(), random(), random()));
            w.set_state(state).expect("same size");
            let (energy, estimate) = (w.elastic_energy(BodyId(0)), w.elastic_energy_estimate(BodyId(0)));
            // An infinite energy is that of an inverted element in both. Rounding alone is 1e-16 of modulus and volume.
            let same = energy == estimate || (energy - estimate).abs() < 1e-7 * energy + 1e-12;
            assert!(same, "{law:?}, {size}: {estimate} instead of {energy}");
            let scale =
                w.stress(BodyId(0)).iter().map(von_mises).filter(|s| s.is_finite()).fold(0.0, f64::max);
            for (fast, stress) in w.von_mises(BodyId(0)).iter().zip(w.stress(BodyId(0))) {
                let slow = von_mises(&stress);
                let same = (fast - slow).abs() < 1e-6 * scale || (fast.is_nan() && slow.is_nan());
                assert!(same, "{law:?}, {size}: {fast} instead of {slow}");
            }
        }
    }
}

#[test]
fn the_estimated_energy_of_a_sheet_has_bending() {
    let mesh = pliant_mesh::cloth_cells([0.3, 0.1], [3, 1]).expect("valid sizes");
    let mut body = sheet(mesh, material(Law::StVenantKirchhoff, 1e6, 0.3));
    body.bending = Some(Bending { kind: BendingKind::Isometric, stiffness: 1e-2 });
    let mut w = stretched(body, 0.01, 0.3);
    let stretching = w.elastic_energy(BodyId(0));
    let mut state = w.state().clone();
    state.positions.iter_mut().for_each(|p| p.z += p.x * p.x);
    w.set_state(state).expect("same size");
    let (energy, estimate) = (w.elastic_energy(BodyId(0)), w.elastic_energy_estimate(BodyId(0)));
    assert!(
        energy > stretching && (energy - estimate).abs() < 1e-7 * energy,
        "{estimate} instead of {energy}"
    );
}
