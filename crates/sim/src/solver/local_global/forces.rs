//! All forces of the step but those of contact, and the product of their derivative with a vector.
//!
//! The step minimises `phi(q) = 1/2 |q - q~|_M^2 + h^2 E(q) + ...`; [`Forces::residual_into`] is `- grad phi`, and
//! [`Forces::product_into`] is `H p` with its Hessian.

use super::elastic::{ElasticChunk, bending_chunks, double_chunks, single_chunks};
use super::vertex_forces::VertexForces;
use super::{LocalGlobalConfig, Precision, Vec4, Weighted};
use crate::fem::System;
use crate::fem::numbering::Numbering;
use crate::snapshot::{Reader, SnapshotError, Writer};
use crate::solver::StepInput;
use pliant_linalg::Team;
use pliant_mesh::DVec3;
use std::sync::Arc;

/// All elements in chunks, and what else acts on the vertices.
#[derive(Clone, Debug)]
pub(super) struct Forces {
    patches: Vec<Patch>,
    vertices: Arc<VertexForces>,
}

/// A chunk, and its smallest J in parts of the accepted one.
#[derive(Clone, Debug)]
struct Patch {
    chunk: Box<dyn ElasticChunk>,
    shrinking: f64,
}

impl Forces {
    /// Packs the elements of `system`, vertices in the order of `numbering`.
    pub(super) fn new(
        config: &LocalGlobalConfig,
        system: &System,
        materials: &[Weighted],
        numbering: &Numbering,
        h: f64,
    ) -> Forces {
        let index = numbering.index_of();
        let mut chunks = match config.precision {
            Precision::Single => single_chunks(system, materials, index, h),
            Precision::Double => double_chunks(system, index, h),
        };
        chunks.extend(bending_chunks(system, index, h));
        let vertices = VertexForces::new(system, chunks.iter().map(|c| c.vertices()), numbering, h);
        let patches = chunks.into_iter().map(|chunk| Patch { chunk, shrinking: f64::INFINITY }).collect();
        Forces { patches, vertices: Arc::new(vertices) }
    }

    /// `r = M (q~ - q) + h^2 (forces)` on the free vertices. Returns the smallest J of a Neo-Hookean element in parts of
    /// the accepted one.
    pub(super) fn residual_into(
        &mut self,
        input: &StepInput,
        [q, q_t, inertial]: [&[Vec4]; 3],
        residual: &mut [Vec4],
    ) -> f64 {
        let Forces { patches, vertices } = self;
        input.team.for_each_mut(patches, |_, p| p.shrinking = p.chunk.evaluate(q, q_t));
        vertices.residual_into(
            input.team,
            input,
            [q, q_t, inertial],
            |k| patches[k].chunk.forces(),
            residual,
        );
        self.patches.iter().map(|p| p.shrinking).fold(f64::INFINITY, f64::min)
    }

    /// The positions of the last residual are the iterate: later ones must not flatten its elements too far.
    pub(super) fn accept(&mut self, team: &Team) {
        team.for_each_mut(&mut self.patches, |_, p| p.chunk.accept());
    }

    /// `H p` at the positions `q` of the last residual; `p` is zero at pinned vertices.
    pub(super) fn product_into(&mut self, input: &StepInput, q: &[Vec4], p: &[Vec4], out: &mut [Vec4]) {
        let Forces { patches, vertices } = self;
        input.team.for_each_mut(patches, |_, patch| patch.chunk.product(p));
        vertices.product_into(input.team, input, [q, p], |k| patches[k].chunk.forces(), out);
    }

    /// Corrects the linear momentum of free bodies: see [`VertexForces::keep_momentum`].
    pub(super) fn keep_momentum(&self, inertial: &[Vec4], forces: &[DVec3], most: f64, q: &mut [Vec4]) {
        self.vertices.keep_momentum(inertial, forces, most, q);
    }

    /// Writes what the next step depends on.
    pub(super) fn save(&self, out: &mut Writer) {
        self.patches.iter().for_each(|p| p.chunk.save(out));
    }

    /// Takes over what [`save`](Self::save) wrote.
    pub(super) fn load(&mut self, from: &mut Reader) -> Result<(), SnapshotError> {
        self.patches.iter_mut().try_for_each(|p| p.chunk.load(from))
    }
}
