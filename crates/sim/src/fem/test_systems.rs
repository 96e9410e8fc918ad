//! Small systems for tests: a block of tets, a sheet of triangles with bending, springs, damping and pressure.

use super::{BodyRange, ElementMaterial, Pressure, Spring, Stencil, System, Tet, Triangle};
use crate::material::{Law, Material};
use pliant_linalg::small::{Mat3, det, inverse, transpose};
use pliant_mesh::Point;

/// Six tets around the diagonal of a unit cube whose corner bits are x, y, z.
const CUBE: [[usize; 4]; 6] = [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]];

/// A block of `cells` cubes of edge 0.1 m, E = 1e5 Pa, water density, nothing pinned.
pub(crate) fn block(law: Law, poisson: f64, cells: [usize; 3]) -> System {
    let (mu, lambda) = Material { law, youngs: 1e5, poisson }.lame_solid();
    let index = |i: usize, j: usize, k: usize| i + (cells[0] + 1) * (j + (cells[1] + 1) * k);
    let mut system = empty(ElementMaterial { law, mu, lambda, damping: 0.0 });
    for k in 0..=cells[2] {
        for j in 0..=cells[1] {
            system.rest.extend((0..=cells[0]).map(|i| [0.1 * i as f64, 0.1 * j as f64, 0.1 * k as f64]));
        }
    }
    for k in 0..cells[2] {
        for j in 0..cells[1] {
            for i in 0..cells[0] {
                let corner = |b: usize| index(i + (b & 1), j + (b >> 1 & 1), k + (b >> 2)) as u32;
                for tet in CUBE {
                    push_tet(&mut system, tet.map(corner));
                }
            }
        }
    }
    finish(&mut system);
    system
}

/// One system with everything: a block, a triangle sheet of the same law with curved and flat bending stencils on
/// its top, a soft pin, damping, and a pressure on the hull of its first tet.
pub(crate) fn everything(law: Law, poisson: f64) -> System {
    let mut system = block(law, poisson, [2, 1, 1]);
    let (mu, lambda) = Material { law, youngs: 2e5, poisson }.lame_membrane();
    system.materials.push(ElementMaterial { law, mu, lambda, damping: 0.02 });
    system.materials[0].damping = 0.01;
    let top = system.rest.len() as u32 - 6;
    for t in [[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]] {
        push_triangle(&mut system, t.map(|v: u32| v + top));
    }
    for (rest_length, offset) in [(0.0, 0), (0.05, 1)] {
        let terms = vec![(top + offset, 0.7), (top + offset + 1, -1.0), (top + offset + 3, -0.5), (top + 4, 0.8)];
        system.stencils.push(Stencil { terms, stiffness: 30.0, rest_length });
    }
    system.springs.push(Spring { vertex: 1, stiffness: 200.0, pin: 0 });
    let [a, b, c, d] = system.tets[0].vertices;
    let triangles = vec![[a, c, b], [a, b, d], [a, d, c], [b, c, d]];
    system.pressures.push(Pressure { triangles, value: 3e3, ramp: 0.0 });
    system.mass_damping.fill(0.4);
    finish(&mut system);
    system
}

fn empty(material: ElementMaterial) -> System {
    System {
        rest: Vec::new(),
        masses: Vec::new(),
        mass_damping: Vec::new(),
        tets: Vec::new(),
        triangles: Vec::new(),
        stencils: Vec::new(),
        materials: vec![material],
        springs: Vec::new(),
        pressures: Vec::new(),
        pinned: Vec::new(),
        bodies: Vec::new(),
    }
}

fn push_tet(system: &mut System, vertices: [u32; 4]) {
    let [a, b, c, d] = vertices.map(|v| system.rest[v as usize]);
    let edge = |p: Point| -> Point { std::array::from_fn(|k| p[k] - a[k]) };
    let edges: Mat3 = transpose(&[edge(b), edge(c), edge(d)]);
    let inverse_rest = inverse(&edges).expect("the cube's tets have volume");
    system.tets.push(Tet { vertices, inverse_rest, volume: det(&edges) / 6.0, material: 0 });
}

/// A triangle in a plane of constant z.
fn push_triangle(system: &mut System, vertices: [u32; 3]) {
    let [a, b, c] = vertices.map(|v| system.rest[v as usize]);
    let (p, q) = ([b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]]);
    let area = p[0] * q[1] - q[0] * p[1];
    let inverse_rest = [[q[1] / area, -q[0] / area], [-p[1] / area, p[0] / area]];
    system.triangles.push(Triangle { vertices, inverse_rest, volume: 0.5 * area * 1e-3, material: 1 });
}

/// Lumped masses and one body.
fn finish(system: &mut System) {
    let n = system.rest.len();
    system.masses = vec![0.0; n];
    for t in &system.tets {
        t.vertices.iter().for_each(|&v| system.masses[v as usize] += 1000.0 * t.volume / 4.0);
    }
    system.mass_damping.resize(n, 0.0);
    system.pinned.resize(n, None);
    system.bodies = vec![BodyRange {
        vertices: 0..n,
        tets: 0..system.tets.len(),
        triangles: 0..system.triangles.len(),
        stencils: 0..system.stencils.len(),
    }];
}
