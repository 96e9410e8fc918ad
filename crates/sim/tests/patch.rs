//! The patch test: a mesh with an irregular inside, whose boundary is held in an affine deformation, comes to rest in
//! that deformation for every law, as a solid and as a membrane.

mod common;

use common::{hard, largest_distance, local_global, material, newton, run, sheet, solid, world};
use pliant::{Body, Law, Model, Motion, SolverConfig};
use pliant_mesh::Point;

/// Stretch, shear and a turn.
fn affine(p: &Point) -> Point {
    [
        1.2 * p[0] + 0.1 * p[1] - 0.3 * p[2],
        0.2 * p[0] + 1.1 * p[1] + 0.1 * p[2],
        0.4 * p[0] + 1.05 * p[2] + 0.5,
    ]
}

/// A number in -1..1 that looks random but is not.
fn jitter(vertex: usize, axis: usize) -> f64 {
    let mut x = (3 * vertex + axis) as u64 + 1;
    x = x.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (x >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// Moves the inner vertices of the rest shape, then starts with the boundary deformed and the inside elsewhere.
fn patch(body: Body, held: &[u32], vertices: Vec<Point>, dt: f64) -> Model {
    let displaced = |(v, p): (usize, &Point)| -> Point {
        let off = if held.contains(&(v as u32)) { 0.0 } else { 0.02 };
        let target = affine(p);
        std::array::from_fn(|k| target[k] + off * jitter(v + 1000, k))
    };
    let start = vertices.iter().enumerate().map(displaced).collect();
    let bodies = vec![Body { start: Some(start), ..body }];
    Model {
        dt,
        gravity: [0.0; 3],
        bodies,
        pins: vec![hard("boundary", held, Motion::Fixed)],
        ..Model::default()
    }
}

fn solid_patch(law: Law, dt: f64) -> Model {
    let mut mesh = pliant_mesh::block([1.0; 3], [4; 3]).expect("valid sizes");
    let held = mesh.boundary_vertices();
    irregular(&mut mesh.vertices, &held, 3);
    mesh.validate().expect("no inverted element");
    let vertices = mesh.vertices.clone();
    patch(solid(mesh, material(law, 1e5, 0.3)), &held, vertices, dt)
}

fn membrane_patch(law: Law, dt: f64) -> Model {
    let mut mesh = pliant_mesh::cloth([1.0; 2], 4).expect("valid sizes");
    let mut held: Vec<u32> = mesh.groups.values().flat_map(|g| g.vertices.clone()).collect();
    held.sort_unstable();
    held.dedup();
    irregular(&mut mesh.vertices, &held, 2);
    let vertices = mesh.vertices.clone();
    patch(sheet(mesh, material(law, 1e5, 0.3)), &held, vertices, dt)
}

fn irregular(vertices: &mut [Point], held: &[u32], axes: usize) {
    for (v, p) in vertices.iter_mut().enumerate() {
        if !held.contains(&(v as u32)) {
            (0..axes).for_each(|k| p[k] += 0.05 * jitter(v, k));
        }
    }
}

/// Distance to the affine deformation, relative to the size of the body, after `steps` steps.
fn error(model: &Model, config: &SolverConfig, steps: usize) -> f64 {
    let mut w = world(model, config);
    run(&mut w, steps);
    let target: Vec<Point> = w.system().rest.iter().map(affine).collect();
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
    let config = local_global(|c| c.iterations = 40);
    for law in Law::ALL {
        for (kind, model) in [("solid", solid_patch(law, 1.0)), ("membrane", membrane_patch(law, 1.0))] {
            let error = error(&model, &config, 12);
            println!("{} {kind}: {error:.1e}", law.name());
            assert!(error < 1e-6, "{} {kind}: {error:e}", law.name());
        }
    }
}
