//! The constant matrix A of the global step, in elimination order.

use super::Weighted;
use crate::fem::System;
use pliant_linalg::SymmetricCsc;
use pliant_linalg::ordering::nested_dissection;
use pliant_linalg::small::dot;
use pliant_mesh::Point;

/// `A = M (1 + h alpha) + sum (h^2 w + h beta 2 mu) V G^T G + h^2 bending + h^2 springs` on the free vertices, ordered
/// for elimination; the vertex of each solver index (free ones first); the number of free vertices.
pub fn ordered_matrix(system: &System, materials: &[Weighted], h: f64) -> (SymmetricCsc, Vec<u32>, usize) {
    let n = system.rest.len();
    let free: Vec<u32> = (0..n as u32).filter(|&v| system.pinned[v as usize].is_none()).collect();
    let mut free_index = vec![u32::MAX; n];
    for (i, &v) in free.iter().enumerate() {
        free_index[v as usize] = i as u32;
    }
    let matrix = SymmetricCsc::from_triplets(free.len(), &triplets(system, materials, &free_index, h));
    // Incomplete solvers need no elimination order, but profit from its locality.
    let order = nested_dissection(&matrix);
    let mut vertex_of: Vec<u32> = order.forward.iter().map(|&i| free[i]).collect();
    vertex_of.extend((0..n as u32).filter(|&v| system.pinned[v as usize].is_some()));
    (matrix.permuted(&order), vertex_of, free.len())
}

fn triplets(system: &System, materials: &[Weighted], free_index: &[u32], h: f64) -> Vec<(u32, u32, f64)> {
    let mut triplets = Vec::new();
    for (v, (m, alpha)) in system.masses.iter().zip(&system.mass_damping).enumerate() {
        if free_index[v] != u32::MAX {
            triplets.push((free_index[v], free_index[v], m * (1.0 + h * alpha)));
        }
    }
    let mut couple = |vertices: &[u32], entry: &dyn Fn(usize, usize) -> f64| {
        for (a, &va) in vertices.iter().enumerate() {
            for (b, &vb) in vertices.iter().enumerate().take(a + 1) {
                let (i, j) = (free_index[va as usize], free_index[vb as usize]);
                if i != u32::MAX && j != u32::MAX {
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
