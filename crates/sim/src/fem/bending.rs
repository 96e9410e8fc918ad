//! Bending stencils of a triangle mesh: quadratic energies in the second differences of the surface.

use super::Stencil;
use crate::model::{Bending, BendingKind};
use pliant_mesh::{DVec3, MeshError, TriMesh};

/// The stencils of a bending model, with vertices numbered from `first`.
pub fn bending_stencils(mesh: &TriMesh, bending: Bending, first: u32) -> Result<Vec<Stencil>, MeshError> {
    if bending.stiffness == 0.0 {
        return Ok(Vec::new());
    }
    let mut stencils = match bending.kind {
        BendingKind::Isometric => isometric(mesh, bending.stiffness)?,
        BendingKind::LaplaceBeltrami => laplace_beltrami(mesh, bending.stiffness)?,
    };
    for s in &mut stencils {
        let length = s.value(&mesh.vertices).length();
        // Rounding must not give a flat cloth a rest curvature with a random direction.
        let scale: f64 = s.terms.iter().map(|&(v, c)| c.abs() * mesh.vertices[v as usize].length()).sum();
        s.rest_length = if length < 1e-10 * scale { 0.0 } else { length };
        for term in &mut s.terms {
            term.0 += first;
        }
    }
    Ok(stencils)
}

impl Stencil {
    /// `sum c_i x_i`
    pub fn value(&self, x: &[DVec3]) -> DVec3 {
        self.terms.iter().map(|&(v, c)| c * x[v as usize]).sum()
    }
}

/// Isometric bending \[Bergou06\]: one stencil per inner edge, `E = k/2 * 3/(A_0 + A_1) |K x|^2` with K of cotangents.
fn isometric(mesh: &TriMesh, stiffness: f64) -> Result<Vec<Stencil>, MeshError> {
    let x = |v: u32| mesh.vertices[v as usize];
    let stencil = |h: pliant_mesh::Hinge| {
        let ([i, j], [a, b]) = (h.edge, h.opposite);
        // Angles at both ends of the edge, in the triangle of a and in that of b.
        let (ia, ib) = (cotangent(x(i), x(j), x(a)), cotangent(x(i), x(j), x(b)));
        let (ja, jb) = (cotangent(x(j), x(i), x(a)), cotangent(x(j), x(i), x(b)));
        let area = triangle_area(x(i), x(j), x(a)) + triangle_area(x(i), x(j), x(b));
        Stencil {
            terms: vec![(i, ja + jb), (j, ia + ib), (a, -ia - ja), (b, -ib - jb)],
            stiffness: 3.0 * stiffness / area,
            rest_length: 0.0,
        }
    };
    Ok(mesh.hinges()?.into_iter().map(stencil).collect())
}

/// Squared Laplace-Beltrami operator: one stencil per inner vertex and its ring, `E = k/2 |L x|^2 / A`, with cotangent
/// weights L and the area A of the vertex's Voronoi cell \[Meyer03\].
fn laplace_beltrami(mesh: &TriMesh, stiffness: f64) -> Result<Vec<Stencil>, MeshError> {
    let n = mesh.vertices.len();
    let x = |v: u32| mesh.vertices[v as usize];
    let mut area = vec![0.0; n];
    let mut edges_around = vec![0usize; n];
    for t in &mesh.triangles {
        for k in 0..3 {
            let [a, b, c] = [t[k], t[(k + 1) % 3], t[(k + 2) % 3]];
            area[a as usize] += cell_area(x(a), x(b), x(c));
            edges_around[a as usize] += 1;
        }
    }
    let mut ring: Vec<Vec<(u32, f64)>> = vec![Vec::new(); n];
    for h in mesh.hinges()? {
        let [i, j] = h.edge;
        let weight: f64 = h.opposite.iter().map(|&o| 0.5 * cotangent(x(o), x(i), x(j))).sum();
        ring[i as usize].push((j, weight));
        ring[j as usize].push((i, weight));
    }
    let stencils = ring.into_iter().enumerate().filter_map(|(v, mut terms)| {
        // As many hinges as triangles around it: an inner vertex.
        if terms.is_empty() || terms.len() != edges_around[v] {
            return None;
        }
        let sum: f64 = terms.iter().map(|t| t.1).sum();
        terms.push((v as u32, -sum));
        Some(Stencil { terms, stiffness: stiffness / area[v], rest_length: 0.0 })
    });
    Ok(stencils.collect())
}

fn triangle_area(a: DVec3, b: DVec3, c: DVec3) -> f64 {
    0.5 * (b - a).cross(c - a).length()
}

/// The part of triangle `abc` that belongs to `a`: its Voronoi cell, or in an obtuse triangle half of it at the obtuse
/// corner and a quarter at the others.
fn cell_area(a: DVec3, b: DVec3, c: DVec3) -> f64 {
    let (at_a, at_b, at_c) = (cotangent(a, b, c), cotangent(b, c, a), cotangent(c, a, b));
    if at_a < 0.0 {
        triangle_area(a, b, c) / 2.0
    } else if at_b < 0.0 || at_c < 0.0 {
        triangle_area(a, b, c) / 4.0
    } else {
        (b.distance(a).powi(2) * at_c + c.distance(a).powi(2) * at_b) / 8.0
    }
}

/// Cotangent of the angle at `a` between `b` and `c`.
fn cotangent(a: DVec3, b: DVec3, c: DVec3) -> f64 {
    let (u, v) = (b - a, c - a);
    u.dot(v) / u.cross(v).length()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Energy of a sheet bent to a cylinder of radius 3, over the exact `k/2 / R^2` per area.
    fn cylinder_ratio(kind: BendingKind, cells: usize) -> f64 {
        let (radius, stiffness) = (3.0, 0.7);
        let mesh = pliant_mesh::cloth([1.0, 1.0], cells).expect("cloth");
        let stencils = bending_stencils(&mesh, Bending { kind, stiffness }, 0).expect("manifold");
        assert!(stencils.iter().all(|s| s.rest_length == 0.0), "flat at rest");
        let bend = |p: &DVec3| {
            let angle = p.x / radius;
            DVec3::new(radius * angle.sin(), p.y, radius * (1.0 - angle.cos()))
        };
        let bent: Vec<DVec3> = mesh.vertices.iter().map(bend).collect();
        let energy: f64 = stencils.iter().map(|s| 0.5 * s.stiffness * s.value(&bent).length().powi(2)).sum();
        energy / (0.5 * stiffness / (radius * radius))
    }

    #[test]
    fn laplace_beltrami_gives_the_energy_of_a_cylinder() {
        let ratio = cylinder_ratio(BendingKind::LaplaceBeltrami, 40);
        assert!((ratio - 1.0).abs() < 0.1, "{ratio}");
    }

    /// The curvature that an edge sees depends on the mesh: on the criss-cross grid three kinds of edges see 3, -3 and
    /// 1.5 times the true one, 4.5 in the mean of the squares. What counts is that refinement does not change it.
    #[test]
    fn isometric_bending_is_independent_of_the_resolution() {
        for cells in [40, 80] {
            let ratio = cylinder_ratio(BendingKind::Isometric, cells);
            assert!((ratio - 4.5).abs() < 0.15, "{ratio} with {cells} cells");
        }
    }

    #[test]
    fn rigid_motion_costs_nothing() {
        let mesh = pliant_mesh::cloth([1.0, 2.0], 5).expect("cloth");
        for kind in [BendingKind::Isometric, BendingKind::LaplaceBeltrami] {
            for s in bending_stencils(&mesh, Bending { kind, stiffness: 1.0 }, 0).expect("manifold") {
                let sum: f64 = s.terms.iter().map(|t| t.1).sum();
                assert!(sum.abs() < 1e-12);
                assert!(s.value(&mesh.vertices).length() < 1e-12);
            }
        }
    }
}
