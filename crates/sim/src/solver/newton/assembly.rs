//! Newton's matrix and its factor, over the degrees of freedom `3 i + axis` of the free vertices.

use crate::fem::System;
use crate::fem::assembly::Assembly;
use crate::fem::potential::Potential;
use pliant_linalg::cholesky::{CholeskyScratch, RELAX_FACTOR};
use pliant_linalg::{Cholesky, NotPositiveDefinite, Permutation, SymbolicCholesky, SymmetricCsc, Team};
use pliant_mesh::DVec3;

/// The Hessian and its factor.
#[derive(Clone, Debug)]
pub(super) struct FactoredHessian {
    assembly: Assembly,
    matrix: SymmetricCsc,
    symbolic: SymbolicCholesky,
    factor: Option<Cholesky>,
    scratch: CholeskyScratch,
    right: Vec<f64>,
}

impl FactoredHessian {
    /// Analyses the pattern of the Hessian.
    pub(super) fn new(system: &System) -> FactoredHessian {
        let assembly = Assembly::new(system);
        let matrix = assembly.scalar_pattern();
        // The rows are in elimination order already.
        let order = Permutation::from_forward((0..matrix.n()).collect());
        FactoredHessian {
            symbolic: SymbolicCholesky::new(&matrix, order, RELAX_FACTOR),
            right: vec![0.0; matrix.n()],
            assembly,
            matrix,
            factor: None,
            scratch: CholeskyScratch::default(),
        }
    }

    /// Fills the matrix with the Hessian at x, projected if `psd`.
    pub(super) fn assemble(&mut self, potential: &Potential, x: &[DVec3], psd: bool) {
        let FactoredHessian { assembly, matrix, .. } = self;
        Team::with(|team| {
            assembly.assemble(team, potential, x, psd);
            assembly.expand_into(team, matrix);
        });
    }

    /// Solves `H step = -gradient` on the free vertices; pinned ones do not move.
    pub(super) fn solve(
        &mut self,
        gradient: &[DVec3],
        step: &mut [DVec3],
    ) -> Result<(), NotPositiveDefinite> {
        let FactoredHessian { assembly, matrix, symbolic, factor, scratch, right } = self;
        let factor = match factor {
            Some(factor) => {
                factor.refactor(matrix, scratch)?;
                factor
            }
            None => factor.insert(symbolic.factor(matrix)?),
        };
        let free = assembly.numbering().free_vertices();
        for (right, &v) in right.as_chunks_mut::<3>().0.iter_mut().zip(free) {
            *right = (-gradient[v as usize]).to_array();
        }
        factor.solve_in_place(right, scratch);
        step.fill(DVec3::ZERO);
        for (right, &v) in right.as_chunks::<3>().0.iter().zip(free) {
            step[v as usize] = DVec3::from(*right);
        }
        Ok(())
    }

    /// Euclidean norm of the part of a gradient that belongs to free vertices.
    pub(super) fn free_norm(&self, gradient: &[DVec3]) -> f64 {
        let free = self.assembly.numbering().free_vertices().iter().map(|&v| gradient[v as usize]);
        free.map(DVec3::length_squared).sum::<f64>().sqrt()
    }

    /// Whether a vertex is held by a hard pin.
    pub(super) fn is_pinned(&self, vertex: usize) -> bool {
        self.assembly.numbering().row(vertex as u32).is_none()
    }

    pub(super) fn factor_bytes(&self) -> usize {
        self.factor.as_ref().map_or(0, Cholesky::bytes)
    }
}
