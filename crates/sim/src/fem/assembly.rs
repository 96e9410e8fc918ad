//! The Hessian of the incremental potential as a sparse matrix of 3x3 blocks: its pattern once, its values wherever they are
//! needed. Rows are the free vertices in elimination order.

use super::System;
use super::hessian::Batch;
use super::numbering::Numbering;
use super::potential::Potential;
use pliant_linalg::block::{BlockPattern, BlockSymmetric, Scatter};
use pliant_linalg::ordering::nested_dissection;
use pliant_linalg::small::Mat3;
use pliant_linalg::{SymmetricCsc, Team};
use pliant_mesh::DVec3;
use std::sync::Arc;

/// The Hessian over the free vertices, and how the pinned ones act on them.
#[derive(Clone, Debug)]
pub(crate) struct Assembly {
    numbering: Arc<Numbering>,
    batches: Arc<[Placed]>,
    /// Blocks of one batch.
    blocks: Vec<Mat3>,
    hessian: BlockSymmetric,
    /// Blocks between free and pinned vertices, over all vertices; none where nobody asks for them.
    coupling: Option<BlockSymmetric>,
    /// `coupling` times a motion of the pins.
    image: Vec<DVec3>,
}

/// A part of the Hessian, and where its blocks go.
#[derive(Debug)]
struct Placed {
    batch: Batch,
    free: Scatter,
    coupling: Option<Scatter>,
}

impl Assembly {
    /// Finds which vertices interact and orders the free ones by nested dissection.
    pub(crate) fn new(system: &System) -> Assembly {
        Assembly::build(system, false)
    }

    /// The same, and how pinned vertices that move act on the free ones.
    pub(crate) fn with_pins(system: &System) -> Assembly {
        Assembly::build(system, true)
    }

    fn build(system: &System, with_pins: bool) -> Assembly {
        let batches = Batch::all(system);
        let numbering = ordered(system, &batches);
        let row = |v: u32| numbering.row(v);
        // A pair with a pinned vertex has no place.
        let free = |(i, j): (u32, u32)| Some((row(i)?, row(j)?));
        let mixed = |(i, j): (u32, u32)| {
            let index = |v: u32| numbering.index_of()[v as usize];
            (row(i).is_some() != row(j).is_some()).then(|| (index(i), index(j)))
        };
        let pairs = |place: &dyn Fn((u32, u32)) -> Option<(u32, u32)>| -> Vec<(u32, u32)> {
            batches.iter().flat_map(|b| b.places(system)).filter_map(place).collect()
        };
        let pattern = BlockPattern::new(numbering.free(), pairs(&free));
        let needs_coupling = with_pins && numbering.free() < numbering.len();
        let coupling = needs_coupling.then(|| BlockPattern::new(numbering.len(), pairs(&mixed)));
        let scatter = |pattern: &BlockPattern, places: Vec<Option<(u32, u32)>>| {
            Scatter::new(pattern, places).expect("the pattern has the pairs of all batches")
        };
        let placed = |batch: Batch| {
            let places = batch.places(system);
            let free = scatter(&pattern, places.iter().map(|p| free(*p)).collect());
            let coupling = coupling.as_ref().map(|c| scatter(c, places.iter().map(|p| mixed(*p)).collect()));
            Placed { batch, free, coupling }
        };
        let placed = batches.iter().cloned().map(placed).collect();
        Assembly {
            image: vec![DVec3::ZERO; if needs_coupling { numbering.len() } else { 0 }],
            numbering: Arc::new(numbering),
            batches: placed,
            blocks: Vec::new(),
            hessian: BlockSymmetric::new(pattern),
            coupling: coupling.map(BlockSymmetric::new),
        }
    }

    /// Fills the matrix with the Hessian at x, projected if `psd`.
    pub(crate) fn assemble(&mut self, team: &Team, potential: &Potential, x: &[DVec3], psd: bool) {
        let Assembly { batches, blocks, hessian, coupling, .. } = self;
        hessian.clear();
        if let Some(coupling) = coupling {
            coupling.clear();
        }
        for Placed { batch, free, coupling: to_coupling } in batches.iter() {
            potential.hessian_into(team, batch, x, psd, blocks);
            hessian.add(team, free, blocks);
            if let (Some(coupling), Some(scatter)) = (&mut *coupling, to_coupling) {
                coupling.add(team, scatter, blocks);
            }
        }
    }

    /// The matrix.
    pub(crate) fn hessian(&self) -> &BlockSymmetric {
        &self.hessian
    }

    /// A scalar matrix of zeros for [`expand_into`](Self::expand_into).
    pub(crate) fn scalar_pattern(&self) -> SymmetricCsc {
        self.hessian.scalar_pattern()
    }

    /// Writes the matrix as one of numbers: row `3 i + axis` for row i.
    pub(crate) fn expand_into(&self, team: &Team, matrix: &mut SymmetricCsc) {
        self.hessian.expand_into(team, matrix);
    }

    /// Subtracts from `right`, by row, what the `motion` of the pinned vertices, in the order of the numbering, does to the
    /// free ones.
    pub(crate) fn subtract_motion_of_pins(&mut self, team: &Team, motion: &[DVec3], right: &mut [DVec3]) {
        let Assembly { coupling, image, numbering, .. } = self;
        let Some(coupling) = coupling else { return };
        if motion[numbering.free()..].iter().all(|d| *d == DVec3::ZERO) {
            return;
        }
        coupling.multiply_into(team, motion, image);
        for (right, image) in right.iter_mut().zip(&*image) {
            *right -= *image;
        }
    }

    /// The order of the vertices.
    pub(crate) fn numbering(&self) -> &Arc<Numbering> {
        &self.numbering
    }
}

/// The free vertices in an order in which elimination fills little in.
fn ordered(system: &System, batches: &[Batch]) -> Numbering {
    let natural = Numbering::new(&system.pinned);
    let place = |(i, j): (u32, u32)| Some((natural.row(i)?, natural.row(j)?));
    let pairs = batches.iter().flat_map(|b| b.places(system)).filter_map(place);
    let order = nested_dissection(&BlockPattern::new(natural.free(), pairs).graph());
    natural.reordered(&order)
}
