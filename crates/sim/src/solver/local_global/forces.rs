//! All forces of the step but those of contact, and the product of their derivative with a vector.
//!
//! The step minimises `phi(q) = 1/2 |q - q~|_M^2 + h^2 E(q) + ...`; [`Forces::residual_into`] is `- grad phi`, and
//! [`Forces::product_into`] is `H p` with its Hessian.

use super::elastic::{ElasticChunk, bending_chunks, double_chunks, single_chunks};
use super::sources::Sources;
use super::{LocalGlobalConfig, PIECE, Precision, Vec4, Weighted};
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
    layout: Arc<Layout>,
}

/// A chunk, and its smallest J in parts of the accepted one.
#[derive(Clone, Debug)]
struct Patch {
    chunk: Box<dyn ElasticChunk>,
    shrinking: f64,
}

/// What never changes: copies share it.
#[derive(Debug)]
struct Layout {
    h: f64,
    /// Masses and mass damping rates in solver order.
    masses: Vec<f64>,
    mass_damping: Vec<f64>,
    sources: Sources,
    /// Solver index of the vertices of springs and of pressure triangles.
    springs: Vec<(u32, f64)>,
    pressures: Vec<Vec<[u32; 3]>>,
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
        let reorder = |values: &[f64]| numbering.vertex_of().iter().map(|&v| values[v as usize]).collect();
        let solver_index = |v: u32| index[v as usize];
        let layout = Layout {
            h,
            masses: reorder(&system.masses),
            mass_damping: reorder(&system.mass_damping),
            sources: Sources::new(chunks.iter().map(|c| c.vertices()), numbering.free()),
            springs: system.springs.iter().map(|s| (solver_index(s.vertex), s.stiffness)).collect(),
            pressures: system
                .pressures
                .iter()
                .map(|p| p.triangles.iter().map(|t| t.map(solver_index)).collect())
                .collect(),
        };
        let patches = chunks.into_iter().map(|chunk| Patch { chunk, shrinking: f64::INFINITY }).collect();
        Forces { patches, layout: Arc::new(layout) }
    }

    /// `r = M (q~ - q) + h^2 (forces)` on the free vertices. Returns the smallest J of a Neo-Hookean element in parts of
    /// the accepted one.
    pub(super) fn residual_into(
        &mut self,
        team: &Team,
        input: &StepInput,
        [q, q_t, inertial]: [&[Vec4]; 3],
        residual: &mut [Vec4],
    ) -> f64 {
        let Forces { patches, layout } = self;
        team.for_each_mut(patches, |_, p| p.shrinking = p.chunk.evaluate(q, q_t));
        team.for_each_piece(residual, PIECE, |first, out| {
            for (k, r) in out.iter_mut().enumerate() {
                let i = first + k;
                let (m, drag) = (layout.masses[i], layout.h * layout.mass_damping[i]);
                let inertia = std::array::from_fn(|c| {
                    m * (inertial[i].0[c] - q[i].0[c] - drag * (q[i].0[c] - q_t[i].0[c]))
                });
                r.0 = layout.sources.gather(i, inertia, |k| patches[k].chunk.forces());
            }
        });
        self.add_springs_and_pressures(input, q, residual);
        self.patches.iter().map(|p| p.shrinking).fold(f64::INFINITY, f64::min)
    }

    /// The positions of the last residual are the iterate: later ones must not flatten its elements too far.
    pub(super) fn accept(&mut self, team: &Team) {
        team.for_each_mut(&mut self.patches, |_, p| p.chunk.accept());
    }

    /// `H p` at the positions `q` of the last residual; `p` is zero at pinned vertices.
    pub(super) fn product_into(
        &mut self,
        team: &Team,
        input: &StepInput,
        q: &[Vec4],
        p: &[Vec4],
        out: &mut [Vec4],
    ) {
        let Forces { patches, layout } = self;
        team.for_each_mut(patches, |_, patch| patch.chunk.product(p));
        team.for_each_piece(out, PIECE, |first, out| {
            for (k, out) in out.iter_mut().enumerate() {
                let i = first + k;
                let n = layout.masses[i] * (1.0 + layout.h * layout.mass_damping[i]);
                out.0 = layout.sources.gather(i, p[i].0.map(|x| n * x), |k| patches[k].chunk.forces());
            }
        });
        self.add_products_of_springs_and_pressures(input, q, p, out);
    }

    fn add_springs_and_pressures(&self, input: &StepInput, q: &[Vec4], residual: &mut [Vec4]) {
        let h2 = self.layout.h * self.layout.h;
        for (&(i, stiffness), anchor) in self.layout.springs.iter().zip(input.anchors) {
            if let Some(r) = residual.get_mut(i as usize) {
                *r += h2 * stiffness * (anchor - q[i as usize].point());
            }
        }
        for (triangles, pressure) in self.layout.pressures.iter().zip(input.pressures) {
            for t in triangles {
                let [a, b, c] = t.map(|v| q[v as usize].point());
                add_to_corners(t, h2 * pressure / 6.0 * (b - a).cross(c - a), residual);
            }
        }
    }

    fn add_products_of_springs_and_pressures(
        &self,
        input: &StepInput,
        q: &[Vec4],
        p: &[Vec4],
        out: &mut [Vec4],
    ) {
        let h2 = self.layout.h * self.layout.h;
        for &(i, stiffness) in &self.layout.springs {
            if let Some(out) = out.get_mut(i as usize) {
                *out += h2 * stiffness * p[i as usize].point();
            }
        }
        for (triangles, pressure) in self.layout.pressures.iter().zip(input.pressures) {
            for t in triangles {
                let [a, b, c] = t.map(|v| q[v as usize].point());
                let [da, db, dc] = t.map(|v| p[v as usize].point());
                let turned = (db - da).cross(c - a) + (b - a).cross(dc - da);
                add_to_corners(t, -h2 * pressure / 6.0 * turned, out);
            }
        }
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

fn add_to_corners(triangle: &[u32; 3], force: DVec3, to: &mut [Vec4]) {
    for &i in triangle {
        if let Some(to) = to.get_mut(i as usize) {
            *to += force;
        }
    }
}
