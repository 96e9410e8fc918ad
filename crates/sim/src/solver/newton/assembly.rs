//! The Hessian of the free vertices as a sparse matrix: its pattern once, its values and factor each iteration.

use crate::fem::System;
use crate::fem::hessian::Batch;
use crate::fem::numbering::Numbering;
use crate::fem::potential::Potential;
use pliant_linalg::block::{BlockPattern, BlockSymmetric, Scatter};
use pliant_linalg::cholesky::{CholeskyScratch, RELAX_FACTOR};
use pliant_linalg::ordering::nested_dissection;
use pliant_linalg::small::Mat3;
use pliant_linalg::{Cholesky, NotPositiveDefinite, Permutation, SymbolicCholesky, SymmetricCsc, Team};
use pliant_mesh::DVec3;
use std::sync::Arc;

/// Matrix and factor over the degrees of freedom `3 i + axis` of the free vertices.
#[derive(Clone, Debug)]
pub(super) struct Assembly {
    numbering: Arc<Numbering>,
    /// The parts of the Hessian, and where their blocks go.
    batches: Arc<[(Batch, Scatter)]>,
    /// Blocks of one batch.
    blocks: Vec<Mat3>,
    hessian: BlockSymmetric,
    matrix: SymmetricCsc,
    symbolic: SymbolicCholesky,
    factor: Option<Cholesky>,
    scratch: CholeskyScratch,
    right: Vec<f64>,
}

impl Assembly {
    /// Finds which vertices interact and orders them by nested dissection.
    pub(super) fn new(system: &System) -> Assembly {
        let numbering = Numbering::new(&system.pinned);
        // A pair with a pinned vertex has no place.
        let place = |(i, j): (u32, u32)| Some((numbering.row(i)?, numbering.row(j)?));
        let batches = Batch::all(system);
        let pairs = batches.iter().flat_map(|b| b.places(system)).filter_map(place);
        let pattern = BlockPattern::new(numbering.free(), pairs);
        let with_scatter = |batch: Batch| {
            let places = batch.places(system).into_iter().map(place);
            (batch, Scatter::new(&pattern, places).expect("the pattern has the pairs of all batches"))
        };
        let batches = batches.into_iter().map(with_scatter).collect();
        let order = nested_dissection(&pattern.graph());
        // Three unknowns per vertex stay together: the order of the vertices is post-ordered for them as well.
        let forward = order.forward.iter().flat_map(|&v| [3 * v, 3 * v + 1, 3 * v + 2]).collect();
        let hessian = BlockSymmetric::new(pattern);
        let matrix = hessian.scalar_pattern();
        Assembly {
            symbolic: SymbolicCholesky::new(&matrix, Permutation::from_forward(forward), RELAX_FACTOR),
            right: vec![0.0; matrix.n()],
            numbering: Arc::new(numbering),
            batches,
            blocks: Vec::new(),
            hessian,
            matrix,
            factor: None,
            scratch: CholeskyScratch::default(),
        }
    }

    /// Fills the matrix with the Hessian at x, projected if `psd`.
    pub(super) fn assemble(&mut self, potential: &Potential, x: &[DVec3], psd: bool) {
        let Assembly { batches, blocks, hessian, matrix, .. } = self;
        Team::with(|team| {
            hessian.clear();
            for (batch, scatter) in batches.iter() {
                potential.hessian_into(team, batch, x, psd, blocks);
                hessian.add(team, scatter, blocks);
            }
            hessian.expand_into(team, matrix);
        });
    }

    /// Solves `H step = -gradient` on the free vertices; pinned ones do not move.
    pub(super) fn solve(
        &mut self,
        gradient: &[DVec3],
        step: &mut [DVec3],
    ) -> Result<(), NotPositiveDefinite> {
        let Assembly { numbering, matrix, symbolic, factor, scratch, right, .. } = self;
        let factor = match factor {
            Some(factor) => {
                factor.refactor(matrix, scratch)?;
                factor
            }
            None => factor.insert(symbolic.factor(matrix)?),
        };
        for (right, &v) in right.as_chunks_mut::<3>().0.iter_mut().zip(numbering.free_vertices()) {
            *right = (-gradient[v as usize]).to_array();
        }
        factor.solve_in_place(right, scratch);
        step.fill(DVec3::ZERO);
        for (right, &v) in right.as_chunks::<3>().0.iter().zip(numbering.free_vertices()) {
            step[v as usize] = DVec3::from(*right);
        }
        Ok(())
    }

    /// Euclidean norm of the part of a gradient that belongs to free vertices.
    pub(super) fn free_norm(&self, gradient: &[DVec3]) -> f64 {
        let free = self.numbering.free_vertices().iter().map(|&v| gradient[v as usize]);
        free.map(DVec3::length_squared).sum::<f64>().sqrt()
    }

    /// Whether a vertex is held by a hard pin.
    pub(super) fn is_pinned(&self, vertex: usize) -> bool {
        self.numbering.row(vertex as u32).is_none()
    }

    pub(super) fn factor_bytes(&self) -> usize {
        self.factor.as_ref().map_or(0, Cholesky::bytes)
    }
}
