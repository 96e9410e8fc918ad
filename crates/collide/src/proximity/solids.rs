//! Obstacles as points, edges and triangles: a ball is a thick point, a capsule a thick edge, and what else has a formula gets faces
//! around it.

use crate::{Obstacle, Shape};
use pliant_mesh::{DVec3, TriMesh};
use std::f64::consts::TAU;

/// Sides of a cylinder, and of a ring around its axis and around its tube.
const SIDES: u32 = 128;
const RING: [u32; 2] = [96, 32];

/// The obstacle with faces in place of a formula, where it has no other form of points, edges and planes.
pub(super) fn with_faces(obstacle: &Obstacle) -> Obstacle {
    let shape = match &obstacle.shape {
        Shape::Box { half } => Shape::Mesh(cuboid(*half)),
        Shape::Cylinder { radius, half_length } => Shape::Mesh(prism(*radius, *half_length)),
        Shape::Torus { major, minor } => Shape::Mesh(ring(*major, *minor)),
        other => other.clone(),
    };
    Obstacle { shape, radius: obstacle.radius }
}

/// The points of an obstacle in its own coordinates, and what they add to the distance that is kept.
pub(super) fn points(shape: &Shape) -> (Vec<DVec3>, f64) {
    match shape {
        Shape::Mesh(mesh) => (mesh.vertices.clone(), 0.0),
        Shape::Sphere { radius } => (vec![DVec3::ZERO], *radius),
        Shape::Capsule { radius, half_length } => {
            (vec![-*half_length * DVec3::Z, *half_length * DVec3::Z], *radius)
        }
        // A point of the plane, and one in front of it.
        _ => (vec![DVec3::ZERO, DVec3::Z], 0.0),
    }
}

fn cuboid(half: DVec3) -> TriMesh {
    let corner = |i: u32| half * DVec3::from([0, 1, 2].map(|k| if i >> k & 1 == 1 { 1.0 } else { -1.0 }));
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|q: &[u32; 4]| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
    TriMesh { vertices: (0..8).map(corner).collect(), triangles, ..TriMesh::default() }
}

/// A prism around a cylinder.
fn prism(radius: f64, half_length: f64) -> TriMesh {
    let n = SIDES;
    let outer = radius / (0.5 * TAU / f64::from(n)).cos();
    let rim = |z: f64| {
        (0..n).map(move |k| {
            let (sin, cos) = (f64::from(k) * TAU / f64::from(n)).sin_cos();
            DVec3::new(outer * cos, outer * sin, z)
        })
    };
    let middles = [DVec3::new(0.0, 0.0, -half_length), DVec3::new(0.0, 0.0, half_length)];
    let around = (0..n).flat_map(|a| {
        let b = (a + 1) % n;
        [[a, b, n + b], [a, n + b, n + a], [2 * n, b, a], [2 * n + 1, n + a, n + b]]
    });
    TriMesh {
        vertices: rim(-half_length).chain(rim(half_length)).chain(middles).collect(),
        triangles: around.collect(),
        ..TriMesh::default()
    }
}

/// A polyhedron around a ring.
fn ring(major: f64, minor: f64) -> TriMesh {
    let [n, m] = RING;
    let half = |count: u32| (0.5 * TAU / f64::from(count)).cos();
    let tube = minor / half(m);
    let point = |i: u32, j: u32| {
        let (sin, cos) = (f64::from(i) * TAU / f64::from(n)).sin_cos();
        let (up, out) = (f64::from(j) * TAU / f64::from(m)).sin_cos();
        // Outside, chords around the axis cut into the ring; inside they do not.
        let from_axis = (major + tube * out) * if out > 0.0 { 1.0 / half(n) } else { 1.0 };
        DVec3::new(from_axis * cos, from_axis * sin, tube * up)
    };
    let index = |i: u32, j: u32| (i % n) * m + j % m;
    let cells = (0..n).flat_map(|i| (0..m).map(move |j| (i, j)));
    let triangles = cells.clone().flat_map(|(i, j)| {
        let [a, b, c, d] = [index(i, j), index(i + 1, j), index(i + 1, j + 1), index(i, j + 1)];
        [[a, b, c], [a, c, d]]
    });
    TriMesh {
        triangles: triangles.collect(),
        vertices: cells.map(|(i, j)| point(i, j)).collect(),
        ..TriMesh::default()
    }
}
