//! The constant matrix A of the global step, in elimination order.

use super::Weighted;
use crate::fem::System;
use crate::fem::numbering::Numbering;
use pliant_linalg::SymmetricCsc;
use pliant_linalg::ordering::nested_dissection;
use pliant_linalg::small::dot;
use pliant_mesh::Point;

/// `A = M (1 + h alpha) + sum (h^2 w + h beta 2 mu) V G^T G + h^2 bending + h^2 springs` on the free vertices, ordered
/// for elimination, and the numbering of its rows.
pub fn ordered_matrix(system: &System, materials: &[Weighted], h: f64) -> (SymmetricCsc, Numbering) {
    let natural = Numbering::new(&system.pinned);
    let matrix = SymmetricCsc::from_triplets(natural.free(), &triplets(system, materials, &natural, h));
    // Incomplete solvers need no elimination order, but profit from its locality.
    let points: Vec<Point> = natural.free_vertices().iter().map(|&v| system.rest[v as usize]).collect();
    let order = nested_dissection(&matrix, Some(&points));
    (matrix.permuted(&order), natural.reordered(&order))
}

fn triplets(system: &System, materials: &[Weighted], numbering: &Numbering, h: f64) -> Vec<(u32, u32, f64)> {
    let mut triplets = Vec::new();
    for (v, (m, alpha)) in system.masses.iter().zip(&system.mass_damping).enumerate() {
        if let Some(i) = numbering.row(v as u32) {
            triplets.push((i, i, m * (1.0 + h * alpha)));
        }
    }
    let mut couple = |vertices: &[u32], entry: &dyn Fn(usize, usize) -> f64| {
        for (a, &va) in vertices.iter().enumerate() {
            for (b, &vb) in vertices.iter().enumerate().take(a + 1) {
                if let (Some(i), Some(j)) = (numbering.row(va), numbering.row(vb)) {
                    triplets.push((i, j, entry(a, b)));
                }
            }
        }
    };
    let weight = |m: u32| {
        let m = &materials[m as usize];
        h * h * m.weight + h * m.elastic.damping * 2.0 * m.elastic.mu
    };
    for t in &system.tets {
        let w = weight(t.material) * t.volume;
        let g = t.gradients();
        couple(&t.vertices, &|a, b| w * dot(&g[a], &g[b]));
    }
    for t in &system.triangles {
        let w = weight(t.material) * t.volume;
        let g = t.gradients();
        couple(&t.vertices, &|a, b| w * dot(&g[a], &g[b]));
    }
    for s in &system.stencils {
        let vertices: Vec<u32> = s.terms.iter().map(|t| t.0).collect();
        couple(&vertices, &|a, b| h * h * s.stiffness * s.terms[a].1 * s.terms[b].1);
    }
    for s in &system.springs {
        couple(&[s.vertex], &|_, _| h * h * s.stiffness);
    }
    triplets
}
