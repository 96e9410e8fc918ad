//! The local step over all elements, and the residual it leaves for the global step.

use super::super::{Precision, StepInput};
use super::chunk::{Chunk, Element, LocalStep, runs};
use super::double::DoubleStep;
use super::projection as law;
use super::target::{Projection, Proximal, Scalar, WarmRotation};
use super::vertex_forces::VertexForces;
use super::{Vec4, Weighted};
use crate::fem::System;
use crate::fem::numbering::Numbering;
use crate::material::Law;
use crate::snapshot::{Reader, SnapshotError, Writer};
use pliant_linalg::Team;
use pliant_mesh::{DMat3, DVec3};
use std::sync::Arc;

/// All elements, in chunks, with what gathers their forces.
#[derive(Clone, Debug)]
pub struct Local {
    chunks: Vec<Box<dyn LocalStep>>,
    /// What never changes: copies share it.
    vertices: Arc<VertexForces>,
}

impl Local {
    /// Packs the elements of `system`, vertices in the order of `numbering`.
    pub fn new(
        precision: Precision,
        system: &System,
        materials: &[Weighted],
        numbering: &Numbering,
        h: f64,
    ) -> Local {
        let index = numbering.index_of();
        let chunks = match precision {
            Precision::Single => single_chunks(system, materials, index, h),
            Precision::Double => {
                vec![Box::new(DoubleStep::new(system, materials, index, h)) as Box<dyn LocalStep>]
            }
        };
        let vertices = VertexForces::new(system, chunks.iter().map(|c| c.vertices()), numbering, h);
        Local { chunks, vertices: Arc::new(vertices) }
    }

    /// Starts duals and rotations at positions `q`.
    pub fn start(&mut self, team: &Team, q: &[Vec4]) {
        team.for_each_mut(&mut self.chunks, |_, c| c.start(q));
    }

    /// Projects all elements, then `r = M (q~ - q) + h^2 (forces)` on the free vertices.
    pub fn residual_into(
        &mut self,
        team: &Team,
        input: &StepInput,
        q: &[Vec4],
        q_t: &[Vec4],
        inertial: &[Vec4],
        residual: &mut [Vec4],
    ) {
        team.for_each_mut(&mut self.chunks, |_, c| c.project(q, q_t));
        let chunks = &self.chunks;
        let state = [q, q_t, inertial];
        self.vertices.residual_into(team, input, state, |k| chunks[k].forces(), residual);
    }

    /// `r = M (q~ - q) + h^2 (forces)` of everything but the elements, whose forces have neither sum nor torque.
    pub fn outer_residual_into(
        &self,
        team: &Team,
        input: &StepInput,
        state: [&[Vec4]; 3],
        residual: &mut [Vec4],
    ) {
        self.vertices.outer_into(team, input, state, residual);
    }

    /// Turns the duals of each element by the rotation that `of_row` gives for its vertices, if there is one.
    pub fn turn(&mut self, team: &Team, of_row: &(dyn Fn(u32) -> Option<DMat3> + Sync)) {
        team.for_each_mut(&mut self.chunks, |_, c| c.turn(of_row));
    }

    /// Corrects the linear momentum of free bodies: see [`VertexForces::keep_momentum`].
    pub fn keep_momentum(&self, inertial: &[Vec4], forces: &[DVec3], q: &mut [Vec4]) {
        self.vertices.keep_momentum(inertial, forces, f64::INFINITY, q);
    }

    /// See [`VertexForces::allow_for_air`].
    pub fn allow_for_air(&self, team: &Team, input: &StepInput, residual: &mut [Vec4]) {
        self.vertices.allow_for_air(team, input, residual);
    }

    /// Writes duals and rotations of all chunks.
    pub fn save(&self, out: &mut Writer) {
        self.chunks.iter().for_each(|c| c.save(out));
    }

    /// Takes over what [`save`](Self::save) wrote.
    pub fn load(&mut self, from: &mut Reader) -> Result<(), SnapshotError> {
        self.chunks.iter_mut().try_for_each(|c| c.load(from))
    }

    /// The duals of all chunks, one after the other.
    pub fn save_duals(&self, out: &mut Vec<f32>) {
        self.chunks.iter().for_each(|c| c.save_duals(out));
    }

    /// Takes all duals back.
    pub fn load_duals(&mut self, mut from: &[f32]) {
        for c in &mut self.chunks {
            from = c.load_duals(from);
        }
    }
}

/// Chunks of tets, of triangles and of bending stencils.
fn single_chunks(system: &System, materials: &[Weighted], index: &[u32], h: f64) -> Vec<Box<dyn LocalStep>> {
    let (tets, triangles) = elements(system, materials, index);
    let mut chunks: Vec<Box<dyn LocalStep>> = Vec::new();
    for law in Law::ALL {
        chunks.extend(solid_chunks(law, &of_law(&tets, law), h));
        chunks.extend(membrane_chunks(law, &of_law(&triangles, law), h));
    }
    if !system.stencils.is_empty() {
        chunks.extend(super::double::stencil_chunks(system, index, h));
    }
    chunks
}

/// The tets and the triangles of `system`, vertices numbered by `index`, sorted along the elimination order.
pub(super) fn elements(
    system: &System,
    materials: &[Weighted],
    index: &[u32],
) -> (Vec<Element<3>>, Vec<Element<2>>) {
    let material = |m: u32| materials[m as usize];
    let tets = system.tets.iter().map(|t| Element {
        vertices: t.vertices.map(|v| index[v as usize]),
        inverse_rest: t.inverse_rest,
        volume: t.volume,
        material: material(t.material),
    });
    let triangles = system.triangles.iter().map(|t| {
        let [a, b, c] = t.vertices.map(|v| index[v as usize]);
        Element {
            vertices: [a, b, c, a],
            inverse_rest: t.inverse_rest,
            volume: t.volume,
            material: material(t.material),
        }
    });
    (sorted(tets.collect()), sorted(triangles.collect()))
}

fn sorted<const D: usize>(mut elements: Vec<Element<D>>) -> Vec<Element<D>> {
    elements.sort_by_key(|e| e.vertices.iter().copied().min());
    elements
}

/// The elements of one law, in their order.
pub(super) fn of_law<const D: usize>(elements: &[Element<D>], law: Law) -> Vec<Element<D>> {
    elements.iter().filter(|e| e.material.elastic.law == law).copied().collect()
}

fn solid_chunks(law: Law, elements: &[Element<3>], h: f64) -> Vec<Box<dyn LocalStep>> {
    match law {
        Law::Arap => pack::<3, WarmRotation>(elements, h),
        Law::Corotational => pack::<3, Proximal<law::Corotational, true>>(elements, h),
        Law::NeoHookean => pack::<3, Proximal<law::NeoHookean, true>>(elements, h),
        Law::StableNeoHookean => pack::<3, Proximal<law::StableNeoHookean, true>>(elements, h),
        Law::FixedCorotated => pack::<3, Proximal<law::FixedCorotated, true>>(elements, h),
        Law::StVenantKirchhoff => pack::<3, Proximal<law::StVenantKirchhoff, true>>(elements, h),
    }
}

fn membrane_chunks(law: Law, elements: &[Element<2>], h: f64) -> Vec<Box<dyn LocalStep>> {
    match law {
        Law::Arap => pack::<2, Proximal<law::Rigid, false>>(elements, h),
        Law::Corotational => pack::<2, Proximal<law::Corotational, true>>(elements, h),
        Law::NeoHookean => pack::<2, Proximal<law::NeoHookean, true>>(elements, h),
        Law::StableNeoHookean => pack::<2, Proximal<law::StableNeoHookean, true>>(elements, h),
        Law::FixedCorotated => pack::<2, Proximal<law::FixedCorotated, true>>(elements, h),
        Law::StVenantKirchhoff => pack::<2, Proximal<law::StVenantKirchhoff, true>>(elements, h),
    }
}

fn pack<const D: usize, P: Projection<D>>(elements: &[Element<D>], h: f64) -> Vec<Box<dyn LocalStep>>
where
    Chunk<D, P>: LocalStep,
    [[f64; D]; 3]: Scalar<D>,
{
    runs(elements).into_iter().map(|e| Box::new(Chunk::<D, P>::new(e, h)) as Box<dyn LocalStep>).collect()
}
