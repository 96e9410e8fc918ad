//! Putting vertices back must not turn elements inside out.

use super::*;
use crate::model::{Body, Model};
use crate::{Law, Material};
use pliant_mesh::{Mesh, block};

fn cube() -> System {
    let mesh = block([1.0; 3], [3; 3]).expect("valid sizes");
    let material = Material { law: Law::NeoHookean, youngs: 1e5, poisson: 0.3 };
    let bodies = vec![Body::new("cube", Mesh::Tet(mesh), material)];
    System::build(&Model { bodies, ..Model::default() }).expect("a good model")
}

fn least_volume(system: &System, x: &[DVec3]) -> f64 {
    let rest = |t: &Tet| volume(t.vertices.map(|v| system.rest[v as usize]));
    let now = |t: &Tet| volume(t.vertices.map(|v| x[v as usize]));
    system.tets.iter().map(|t| now(t) / rest(t)).fold(f64::INFINITY, f64::min)
}

#[test]
fn vertices_that_are_put_back_flatten_no_element() {
    let system = cube();
    let solved = system.rest.clone();
    // One face far inwards, as if it were all that an obstacle has met; one vertex elsewhere by a little.
    let mut x = solved.clone();
    x.iter_mut().filter(|p| p.z == 0.0).for_each(|p| p.z += 0.6);
    let top = (0..x.len()).find(|&v| x[v].z == 1.0).expect("a vertex on top");
    x[top].z += 0.01;
    assert!(least_volume(&system, &x) < 0.0);
    keep_volumes(&system.tets, &solved, &mut x);
    assert!(least_volume(&system, &x) >= KEPT_VOLUME);
    assert!(x.iter().zip(&solved).any(|(p, q)| p.z > q.z + 0.1), "what can stay back stays");
    assert_eq!(x[top].z, 1.01);
}

#[test]
fn what_was_inverted_before_may_become_better() {
    let system = cube();
    let mut solved = system.rest.clone();
    let corner = (0..solved.len()).find(|&v| solved[v] == DVec3::ZERO).expect("a corner");
    solved[corner] = DVec3::splat(0.9);
    let mut x = solved.clone();
    x[corner] = DVec3::splat(0.8);
    keep_volumes(&system.tets, &solved, &mut x);
    assert_eq!(x[corner], DVec3::splat(0.8));
    x[corner] = DVec3::splat(1.2);
    keep_volumes(&system.tets, &solved, &mut x);
    assert!(x[corner].x < 1.0, "and not worse");
}
