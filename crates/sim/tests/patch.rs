//! The patch test: a mesh with an irregular inside, whose boundary is held in an affine deformation, comes to rest in
//! that deformation for every law, as a solid and as a membrane.

use crate::common::{hard, largest_distance, local_global, material, newton, run, sheet, solid, world};
use pliant::{Body, Law, Model, Motion, SolverConfig};
use pliant_mesh::{DMat3, DVec3};

/// Stretch, shear and a turn.
fn affine(p: DVec3) -> DVec3 {
    let gradient = DMat3::from_cols_array_2d(&[[1.2, 0.2, 0.4], [0.1, 1.1, 0.0], [-0.3, 0.1, 1.05]]);
    gradient * p + 0.5 * DVec3::Z
}

/// Numbers in -1..1 that look random but are not.
fn jitter(vertex: usize) -> DVec3 {
    let number = |axis: usize| {
        let mut x = (3 * vertex + axis) as u64 + 1;
        x = x.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        x = (x ^ (x >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (x >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    DVec3::new(number(0), number(1), number(2))
}

/// Moves the inner vertices of the rest shape, then starts with the boundary deformed and the inside elsewhere.
fn patch(body: Body, held: &[u32], vertices: Vec<DVec3>, dt: f64) -> Model {
    let displaced = |(v, &p): (usize, &DVec3)| {
        let off = if held.contains(&(v as u32)) { 0.0 } else { 0.02 };
        affine(p) + off * jitter(v + 1000)
    };
    let start = vertices.iter().enumerate().map(displaced).collect();
    let bodies = vec![Body { start: Some(start), ..body }];
    Model {
        dt,
        gravity: DVec3::ZERO,
        bodies,
        pins: vec![hard("boundary", held, Motion::Fixed)],
        ..Model::default()
    }
}

fn solid_patch(law: Law, dt: f64) -> Model {
    let mut mesh = pliant_mesh::block([1.0; 3], [4; 3]).expect("valid sizes");
    let held = mesh.boundary_vertices();
    irregular(&mut mesh.vertices, &held, DVec3::ONE);
    mesh.validate().expect("no inverted element");
    let vertices = mesh.vertices.clone();
    patch(solid(mesh, material(law, 1e5, 0.3)), &held, vertices, dt)
}

fn membrane_patch(law: Law, dt: f64) -> Model {
    let mut mesh = pliant_mesh::cloth([1.0; 2], 4).expect("valid sizes");
    let mut held: Vec<u32> = mesh.groups.values().flat_map(|g| g.vertices.clone()).collect();
    held.sort_unstable();
    held.dedup();
    irregular(&mut mesh.vertices, &held, DVec3::new(1.0, 1.0, 0.0));
    let vertices = mesh.vertices.clone();
    patch(sheet(mesh, material(law, 1e5, 0.3)), &held, vertices, dt)
}

fn irregular(vertices: &mut [DVec3], held: &[u32], axes: DVec3) {
    for (v, p) in vertices.iter_mut().enumerate() {
        if !held.contains(&(v as u32)) {
            *p += 0.05 * axes * jitter(v);
        }
    }
}

/// Distance to the affine deformation, relative to the size of the body, after `steps` steps.
fn error(model: &Model, config: &SolverConfig, steps: usize) -> f64 {
    let mut w = world(model, config);
    run(&mut w, steps);
    let target: Vec<DVec3> = w.system().rest.iter().copied().map(affine).collect();
    largest_distance(&w.state().positions, &target) / w.system().size()
}

#[test]
fn newton_passes() {
    for law in Law::ALL {
        for (kind, model) in [("solid", solid_patch(law, 100.0)), ("membrane", membrane_patch(law, 100.0))] {
            let error = error(&model, &newton(), 3);
            println!("{} {kind}: {error:.1e}", law.name());
            assert!(error < 1e-9, "{} {kind}: {error:e}", law.name());
        }
    }
}

#[test]
fn local_global_passes() {
    let config = local_global(|c| c.iterations = 40.into());
    for law in Law::ALL {
        for (kind, model) in [("solid", solid_patch(law, 1.0)), ("membrane", membrane_patch(law, 1.0))] {
            let error = error(&model, &config, 12);
            println!("{} {kind}: {error:.1e}", law.name());
            assert!(error < 1e-6, "{} {kind}: {error:e}", law.name());
        }
    }
}
