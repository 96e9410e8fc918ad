//! Exact elastic forces and Hessian products of elements, for the Newton iteration.

mod bending;
mod double;
mod green;
mod laws;
mod membrane;
mod single;
mod solid;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod timing;

use super::chunk::{Element, runs};
use super::local::{elements, of_law};
use super::{Vec4, Weighted};
use crate::fem::System;
use crate::material::Law;
use crate::snapshot::{Reader, SnapshotError, Writer};
pub(super) use bending::bending_chunks;
pub(super) use double::double_chunks;
use green::StVenantKirchhoff;
use laws::{Arap, Corotational, FixedCorotated, NeoHookean, StableNeoHookean};
use membrane::Membrane;
use single::{Elasticity, SingleChunk};
use solid::Solid;

/// The chunks of all laws, element kinds and precisions, seen alike.
pub(super) trait ElasticChunk: std::fmt::Debug + Send + Sync {
    /// A copy that continues as this one would.
    fn duplicate(&self) -> Box<dyn ElasticChunk>;
    /// Vertices this chunk acts on, in solver order.
    fn vertices(&self) -> &[u32];
    /// The sums on [`vertices`](Self::vertices) of the last `evaluate` or `product`.
    fn forces(&self) -> &[Vec4];
    /// Sums h^2 times the elastic forces at `q`, less h K_d (q - q_t) of stiffness-proportional damping, and keeps
    /// what `product` needs. Returns the smallest `J / min(J_accepted, 1)` of Neo-Hookean elements whose accepted J is
    /// positive (infinity if there is none).
    fn evaluate(&mut self, q: &[Vec4], q_t: &[Vec4]) -> f64;
    /// The positions of the last `evaluate` are accepted: their J is what the next ones are compared with.
    fn accept(&mut self);
    /// Sums (h^2 d2E/dx2 + h K_d) p at the positions of the last `evaluate`: note the sign, plus the Hessian.
    fn product(&mut self, p: &[Vec4]);
    /// Writes what the next step depends on (warm-started rotations, accepted J); nothing by default.
    fn save(&self, _out: &mut Writer) {}
    /// Takes over what [`save`](Self::save) wrote.
    fn load(&mut self, _from: &mut Reader) -> Result<(), SnapshotError> {
        Ok(())
    }
}

impl Clone for Box<dyn ElasticChunk> {
    fn clone(&self) -> Self {
        self.duplicate()
    }
}

/// f32 chunks of the tets and triangles of `system`, vertices numbered by `index`, for time step `h`.
pub(super) fn single_chunks(
    system: &System,
    materials: &[Weighted],
    index: &[u32],
    h: f64,
) -> Vec<Box<dyn ElasticChunk>> {
    let (tets, triangles) = elements(system, materials, index);
    let mut chunks = Vec::new();
    for law in Law::ALL {
        chunks.extend(solid_chunks(law, &of_law(&tets, law), h));
        chunks.extend(membrane_chunks(law, &of_law(&triangles, law), h));
    }
    chunks
}

fn solid_chunks(law: Law, elements: &[Element<3>], h: f64) -> Vec<Box<dyn ElasticChunk>> {
    match law {
        Law::Arap => pack::<3, Solid<Arap, 1, 0>>(elements, h),
        Law::Corotational => pack::<3, Solid<Corotational, 1, 0>>(elements, h),
        Law::NeoHookean => pack::<3, Solid<NeoHookean, 0, 1>>(elements, h),
        Law::StableNeoHookean => pack::<3, Solid<StableNeoHookean, 0, 1>>(elements, h),
        Law::FixedCorotated => pack::<3, Solid<FixedCorotated, 1, 1>>(elements, h),
        Law::StVenantKirchhoff => pack::<3, StVenantKirchhoff>(elements, h),
    }
}

fn membrane_chunks(law: Law, elements: &[Element<2>], h: f64) -> Vec<Box<dyn ElasticChunk>> {
    match law {
        Law::Arap => pack::<2, Membrane<Arap>>(elements, h),
        Law::Corotational => pack::<2, Membrane<Corotational>>(elements, h),
        Law::NeoHookean => pack::<2, Membrane<NeoHookean>>(elements, h),
        Law::StableNeoHookean => pack::<2, Membrane<StableNeoHookean>>(elements, h),
        Law::FixedCorotated => pack::<2, Membrane<FixedCorotated>>(elements, h),
        Law::StVenantKirchhoff => pack::<2, StVenantKirchhoff>(elements, h),
    }
}

fn pack<const D: usize, P: Elasticity<D>>(elements: &[Element<D>], h: f64) -> Vec<Box<dyn ElasticChunk>> {
    let chunk = |e: &[Element<D>]| Box::new(SingleChunk::<D, P>::new(e, h)) as Box<dyn ElasticChunk>;
    runs(elements).into_iter().map(chunk).collect()
}
