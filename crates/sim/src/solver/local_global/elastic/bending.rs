//! Forces and Hessian products of bending stencils. They are quadratic but for the rest curvature, so f64 costs little.

use super::super::Vec4;
use super::super::double::{StencilPatch, stencil_patches};
use super::ElasticChunk;
use crate::fem::{Stencil, System};
use pliant_mesh::DVec3;
use std::sync::Arc;

/// Neighbouring bending stencils.
#[derive(Clone, Debug)]
struct BendingChunk {
    h: f64,
    /// With vertices numbered within the chunk.
    stencils: Arc<[Stencil]>,
    /// `b = sum c_i x_i` of each at the last evaluation.
    values: Vec<DVec3>,
    vertices: Arc<[u32]>,
    forces: Vec<Vec4>,
}

/// The bending stencils of `system` in chunks.
pub(in super::super) fn bending_chunks(system: &System, index: &[u32], h: f64) -> Vec<Box<dyn ElasticChunk>> {
    let pack = |(stencils, vertices): StencilPatch| {
        Box::new(BendingChunk {
            h,
            values: vec![DVec3::ZERO; stencils.len()],
            forces: vec![Vec4::default(); vertices.len()],
            stencils,
            vertices,
        }) as Box<dyn ElasticChunk>
    };
    stencil_patches(system, index).into_iter().map(pack).collect()
}

impl ElasticChunk for BendingChunk {
    fn duplicate(&self) -> Box<dyn ElasticChunk> {
        Box::new(self.clone())
    }

    fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    fn forces(&self) -> &[Vec4] {
        &self.forces
    }

    fn evaluate(&mut self, q: &[Vec4], _: &[Vec4]) -> f64 {
        self.forces.fill(Vec4::default());
        for (s, b) in self.stencils.iter().zip(&mut self.values) {
            *b = sum(s, &self.vertices, q);
            let pull = -self.h * self.h * s.stiffness * (1.0 - s.rest_ratio(*b)) * *b;
            scatter(s, pull, &mut self.forces);
        }
        f64::INFINITY
    }

    fn accept(&mut self) {}

    /// The Hessian in b is `k ((1 - L/|b|) (1 - n n^T) + n n^T)` with `n = b/|b|`.
    fn product(&mut self, p: &[Vec4]) {
        self.forces.fill(Vec4::default());
        for (s, b) in self.stencils.iter().zip(&self.values) {
            let d = sum(s, &self.vertices, p);
            let ratio = s.rest_ratio(*b);
            let along = if ratio > 0.0 {
                ratio * b.dot(d) / b.length_squared().max(f64::MIN_POSITIVE) * *b
            } else {
                DVec3::ZERO
            };
            scatter(s, self.h * self.h * s.stiffness * ((1.0 - ratio) * d + along), &mut self.forces);
        }
    }
}

fn sum(s: &Stencil, vertices: &[u32], x: &[Vec4]) -> DVec3 {
    s.terms.iter().map(|&(v, c)| c * x[vertices[v as usize] as usize].point()).sum()
}

fn scatter(s: &Stencil, pull: DVec3, forces: &mut [Vec4]) {
    for &(v, c) in &s.terms {
        forces[v as usize] += c * pull;
    }
}
