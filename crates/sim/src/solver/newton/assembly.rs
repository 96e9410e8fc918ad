//! The Hessian of the free vertices as a sparse matrix: its pattern once, its values and factor each iteration.

use crate::fem::System;
use crate::fem::potential::Potential;
use pliant_linalg::cholesky::{CholeskyScratch, RELAX_FACTOR};
use pliant_linalg::ordering::nested_dissection;
use pliant_linalg::small::dot;
use pliant_linalg::{Cholesky, NotPositiveDefinite, Permutation, SymbolicCholesky, SymmetricCsc};
use pliant_mesh::Point;

/// Marks a pinned vertex.
const PINNED: u32 = u32::MAX;

/// Matrix and factor over the degrees of freedom `3 i + axis` of the free vertices.
#[derive(Clone, Debug)]
pub(super) struct Assembly {
    /// Index among the free vertices, or [`PINNED`].
    free_of: Vec<u32>,
    matrix: SymmetricCsc,
    symbolic: SymbolicCholesky,
    factor: Option<Cholesky>,
    scratch: CholeskyScratch,
    right: Vec<f64>,
}

impl Assembly {
    /// Finds which vertices interact and orders them by nested dissection.
    pub(super) fn new(system: &System) -> Assembly {
        let mut count = 0;
        let free_of: Vec<u32> = system
            .pinned
            .iter()
            .map(|pin| {
                if pin.is_some() {
                    return PINNED;
                }
                count += 1;
                count - 1
            })
            .collect();
        let graph = vertex_graph(system, &free_of, count as usize);
        let order = nested_dissection(&graph);
        // Three unknowns per vertex stay together: the order of the vertices is post-ordered for them as well.
        let forward = order.forward.iter().flat_map(|&v| [3 * v, 3 * v + 1, 3 * v + 2]).collect();
        let matrix = expanded(&graph);
        let symbolic = SymbolicCholesky::new(&matrix, Permutation::from_forward(forward), RELAX_FACTOR);
        let right = vec![0.0; matrix.n()];
        Assembly { free_of, matrix, symbolic, factor: None, scratch: CholeskyScratch::default(), right }
    }

    /// Fills the matrix with the Hessian at x, projected if `psd`.
    pub(super) fn assemble(&mut self, potential: &Potential, x: &[Point], psd: bool) {
        let Assembly { free_of, matrix, .. } = self;
        matrix.values.fill(0.0);
        potential.hessian_blocks(x, psd, &mut |i, j, block| {
            let (row, column) = (free_of[i as usize], free_of[j as usize]);
            if row == PINNED || column == PINNED || row < column {
                return;
            }
            let (row, column) = (3 * row as usize, 3 * column as usize);
            for c in 0..3 {
                // The three rows of a block are neighbours in a column; the diagonal block starts at its diagonal.
                let first = if row == column { c } else { 0 };
                let Some(at) = matrix.position(row + first, column + c) else { continue };
                for r in first..3 {
                    matrix.values[at + r - first] += block[r][c];
                }
            }
        });
    }

    /// Solves `H step = -gradient` on the free vertices; pinned ones do not move.
    pub(super) fn solve(
        &mut self,
        gradient: &[Point],
        step: &mut [Point],
    ) -> Result<(), NotPositiveDefinite> {
        match &mut self.factor {
            Some(factor) => factor.refactor(&self.matrix, &mut self.scratch)?,
            None => self.factor = Some(self.symbolic.factor(&self.matrix)?),
        }
        for (g, &free) in gradient.iter().zip(&self.free_of) {
            if free != PINNED {
                for k in 0..3 {
                    self.right[3 * free as usize + k] = -g[k];
                }
            }
        }
        if let Some(factor) = &self.factor {
            factor.solve_in_place(&mut self.right, &mut self.scratch);
        }
        for (s, &free) in step.iter_mut().zip(&self.free_of) {
            *s = match free {
                PINNED => [0.0; 3],
                free => std::array::from_fn(|k| self.right[3 * free as usize + k]),
            };
        }
        Ok(())
    }

    /// Euclidean norm of the part of a gradient that belongs to free vertices.
    pub(super) fn free_norm(&self, gradient: &[Point]) -> f64 {
        let free = gradient.iter().zip(&self.free_of).filter(|(_, free)| **free != PINNED);
        free.map(|(g, _)| dot(g, g)).sum::<f64>().sqrt()
    }

    /// Whether a vertex is held by a hard pin.
    pub(super) fn is_pinned(&self, vertex: usize) -> bool {
        self.free_of[vertex] == PINNED
    }

    pub(super) fn factor_bytes(&self) -> usize {
        self.factor.as_ref().map_or(0, Cholesky::bytes)
    }
}

/// Which free vertices interact, as a scalar matrix of zeros.
fn vertex_graph(system: &System, free_of: &[u32], n: usize) -> SymmetricCsc {
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let mut clique = |vertices: &mut dyn Iterator<Item = u32>| {
        let free: Vec<u32> = vertices.map(|v| free_of[v as usize]).filter(|&f| f != PINNED).collect();
        for (k, &i) in free.iter().enumerate() {
            pairs.extend(free[..k].iter().map(|&j| (i.max(j), i.min(j))));
        }
    };
    system.tets.iter().for_each(|t| clique(&mut t.vertices.into_iter()));
    system.triangles.iter().for_each(|t| clique(&mut t.vertices.into_iter()));
    system.stencils.iter().for_each(|s| clique(&mut s.terms.iter().map(|&(v, _)| v)));
    system.pressures.iter().flat_map(|p| &p.triangles).for_each(|t| clique(&mut t.iter().copied()));
    pairs.sort_unstable();
    pairs.dedup();
    let triplets: Vec<(u32, u32, f64)> = pairs.into_iter().map(|(i, j)| (i, j, 0.0)).collect();
    SymmetricCsc::from_triplets(n, &triplets)
}

/// The pattern with every entry replaced by a 3x3 block.
fn expanded(graph: &SymmetricCsc) -> SymmetricCsc {
    let (mut col_ptr, mut row_idx) = (vec![0], Vec::new());
    for j in 0..graph.n() {
        for c in 0..3 {
            for (i, _) in graph.column(j) {
                row_idx.extend(if i == j { 3 * j + c..3 * j + 3 } else { 3 * i..3 * i + 3 });
            }
            col_ptr.push(row_idx.len());
        }
    }
    let values = vec![0.0; row_idx.len()];
    SymmetricCsc { col_ptr, row_idx, values }
}
