//! Entries of `A^-1` between chosen rows, kept for as long as A does not change.
//!
//! With `A = L L^T` the entry between rows i and j is the dot product of columns i and j of `L^-1`. Column i is non-zero
//! only in the supernodes on the path from its own to the root of the elimination tree [Zeng22, isolated DOFs], so a
//! forward pass along that path computes it. Columns are stored from the root downwards: what two of them have in
//! common is a prefix, and an entry is one dense dot product over it.

use crate::panels::{ColumnScratch, NodeId, PanelFactor};
use crate::simd::{self, BATCH, Kernel, Simd};
use crate::team::{SharedSlice, Team};

/// No slot.
const NONE: u32 = u32::MAX;

/// Slots that may be out of use before the matrix is packed anew: this many, or this part of those in use.
const IDLE_SLOTS: usize = 64;
const IDLE_PART: usize = 4;

/// Parts of the forward passes, so that threads end together. The result does not depend on it.
const PARTS_PER_THREAD: usize = 4;

/// A growing symmetric matrix of entries of `A^-1`. Each row that was asked for has a slot; an entry that is known is
/// never computed again while its rows stay in use.
#[derive(Clone, Debug, Default)]
pub struct Compliance {
    /// Slot of each row of A, or `NONE`.
    slot_of: Vec<u32>,
    /// Row of A of each slot.
    rows: Vec<u32>,
    /// Last call in which the slot was asked for.
    used: Vec<u64>,
    call: u64,
    /// Column of `L^-1` of each slot, from the root down, each supernode padded with zeros to whole batches.
    columns: Vec<Vec<f32>>,
    /// Supernode of each slot.
    nodes: Vec<NodeId>,
    /// Entries between slots, `stride` to a row.
    matrix: Vec<f32>,
    stride: usize,
    /// Slots without a column yet, ascending, and whether each slot is one.
    fresh: Vec<u32>,
    is_fresh: Vec<bool>,
    /// Memory of columns that went out of use.
    spare: Vec<Vec<f32>>,
    /// Work memory of the packing and of the forward passes.
    kept: Vec<u32>,
    scratch: Vec<ColumnScratch>,
}

impl Compliance {
    /// An empty matrix for a factor of `n` rows.
    pub fn new(n: usize) -> Compliance {
        Compliance { slot_of: vec![NONE; n], ..Compliance::default() }
    }

    /// Makes sure that all entries between `rows` are known. Slots stay valid until the next call; returns whether any
    /// slot now stands for another row.
    pub fn require(&mut self, team: &Team, factor: &PanelFactor, rows: &[u32]) -> bool {
        self.call += 1;
        let mut wanted = 0;
        for &row in rows {
            let slot = self.slot_of[row as usize];
            if slot != NONE && self.used[slot as usize] != self.call {
                self.used[slot as usize] = self.call;
                wanted += 1;
            }
        }
        let idle = self.rows.len() - wanted;
        let crowded = idle > IDLE_SLOTS.max(rows.len() / IDLE_PART);
        if crowded {
            self.drop_idle();
        }
        let known = self.rows.len();
        self.fresh.clear();
        let mut idle = 0;
        for &row in rows {
            if self.slot_of[row as usize] == NONE {
                while idle < self.rows.len() && self.used[idle] == self.call {
                    idle += 1;
                }
                self.take(idle, row, factor);
            }
        }
        if !self.fresh.is_empty() {
            self.compute(team, factor);
        }
        crowded || self.fresh.first().is_some_and(|&s| (s as usize) < known)
    }

    /// Number of slots: the length of every [`row`](Self::row) up to its padding.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether no entry is known.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Slot of a row of A that the last [`require`](Self::require) asked for.
    ///
    /// # Panics
    /// If it did not ask for the row: any other slot would stand for the entries of another vertex.
    #[inline]
    pub fn slot(&self, row: u32) -> usize {
        let slot = self.slot_of[row as usize];
        assert!(slot != NONE, "row {row} has no slot");
        slot as usize
    }

    /// Entries between a slot and all slots, followed by zeros up to a whole batch.
    pub fn row(&self, slot: usize) -> &[f32] {
        &self.matrix[slot * self.stride..][..self.rows.len().next_multiple_of(BATCH)]
    }

    /// One entry.
    pub fn entry(&self, a: usize, b: usize) -> f32 {
        self.matrix[a * self.stride + b]
    }

    /// Bytes of the matrix and of the columns.
    pub fn bytes(&self) -> usize {
        let columns: usize = self.columns.iter().map(Vec::capacity).sum();
        (self.matrix.capacity() + columns) * size_of::<f32>()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        let n = self.slot_of.len();
        *self = Compliance::new(n);
    }

    /// Row of A of each slot. Together with the factor this is all there is to know: entries do not depend on when they
    /// were computed, but sums over slots do depend on their order.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// Starts anew with the slots that [`rows`](Self::rows) told. Returns whether they are rows of A, each once; if not,
    /// nothing is changed.
    pub fn restore(&mut self, team: &Team, factor: &PanelFactor, rows: &[u32]) -> bool {
        let mut is_taken = vec![false; self.slot_of.len()];
        for &row in rows {
            match is_taken.get_mut(row as usize) {
                Some(taken) if !*taken => *taken = true,
                _ => return false,
            }
        }
        self.clear();
        self.require(team, factor, rows);
        true
    }

    /// Gives a slot that is out of use, or a new one at the end, to a row.
    fn take(&mut self, slot: usize, row: u32, factor: &PanelFactor) {
        let node = factor.supernode_of(row as usize);
        if slot == self.rows.len() {
            self.rows.push(row);
            self.used.push(self.call);
            self.nodes.push(node);
            self.columns.push(self.spare.pop().unwrap_or_default());
        } else {
            self.slot_of[self.rows[slot] as usize] = NONE;
            self.rows[slot] = row;
            self.used[slot] = self.call;
            self.nodes[slot] = node;
        }
        self.slot_of[row as usize] = slot as u32;
        self.columns[slot].clear();
        self.columns[slot].resize(factor.path_length(node), 0.0);
        self.fresh.push(slot as u32);
    }

    /// Removes the slots that the current call did not ask for; the others keep their order.
    fn drop_idle(&mut self) {
        let mut kept = std::mem::take(&mut self.kept);
        kept.clear();
        kept.extend((0..self.rows.len() as u32).filter(|&s| self.used[s as usize] == self.call));
        for (slot, &row) in self.rows.iter().enumerate() {
            if self.used[slot] != self.call {
                self.slot_of[row as usize] = NONE;
                self.spare.push(std::mem::take(&mut self.columns[slot]));
            }
        }
        for (to, &from) in kept.iter().enumerate() {
            let from = from as usize;
            self.rows[to] = self.rows[from];
            self.slot_of[self.rows[to] as usize] = to as u32;
            self.used[to] = self.used[from];
            self.nodes[to] = self.nodes[from];
            self.columns.swap(to, from);
            // Kept slots ascend: nothing is overwritten before it is read.
            for (column, &other) in kept.iter().enumerate() {
                self.matrix[to * self.stride + column] = self.matrix[from * self.stride + other as usize];
            }
            self.matrix[to * self.stride + kept.len()..(to + 1) * self.stride].fill(0.0);
        }
        self.rows.truncate(kept.len());
        self.used.truncate(kept.len());
        self.nodes.truncate(kept.len());
        self.columns.truncate(kept.len());
        self.matrix[kept.len() * self.stride..].fill(0.0);
        self.kept = kept;
    }

    /// Makes room for all slots: rows move when the stride grows.
    fn reserve(&mut self) {
        let (needed, known) = (self.rows.len(), self.stride);
        if needed <= self.stride {
            return;
        }
        // Growing a little more keeps the copies rare and the memory close to what is used.
        let stride = (needed + needed / 64).next_multiple_of(BATCH);
        let mut matrix = vec![0.0; stride * stride];
        for slot in 0..known {
            matrix[slot * stride..][..known].copy_from_slice(&self.matrix[slot * known..][..known]);
        }
        self.matrix = matrix;
        self.stride = stride;
    }

    /// Columns and entries of the fresh slots.
    fn compute(&mut self, team: &Team, factor: &PanelFactor) {
        // Neighbouring rows share most of their path: three of them go up together.
        self.fresh.sort_unstable_by_key(|&s| self.rows[s as usize]);
        self.scratch.resize_with(PARTS_PER_THREAD * team.threads(), ColumnScratch::default);
        factor.inverse_columns(team, &self.rows, &self.fresh, &mut self.columns, &mut self.scratch);
        self.fresh.sort_unstable();
        self.is_fresh.clear();
        self.is_fresh.resize(self.rows.len(), false);
        self.fresh.iter().for_each(|&s| self.is_fresh[s as usize] = true);
        self.reserve();
        let Compliance { matrix, columns, nodes, is_fresh, fresh, stride, .. } = self;
        let (matrix, fresh) = (SharedSlice::new(matrix), &*fresh);
        team.for_each(fresh.len().div_ceil(TILE), &|tile| {
            let own = &fresh[tile * TILE..fresh.len().min((tile + 1) * TILE)];
            // SAFETY: the slots are unique and each belongs to one tile; the matrix has a row for each.
            let row = |slot: u32| unsafe { matrix.range(slot as usize * *stride, *stride) };
            simd::dispatch(Entries { factor, columns, nodes, is_fresh, own, row });
        });
        self.mirror();
    }

    /// Copies the entries in the rows of fresh slots to their columns, some slots at a time so that what is written stays
    /// in the cache. Among fresh slots only the lower triangle is known.
    fn mirror(&mut self) {
        const TOGETHER: usize = 32;
        for some in self.fresh.chunks(TOGETHER) {
            for other in 0..self.rows.len() {
                for &slot in some {
                    let slot = slot as usize;
                    if !self.is_fresh[other] || other < slot {
                        self.matrix[other * self.stride + slot] = self.matrix[slot * self.stride + other];
                    }
                }
            }
        }
    }
}

/// Rows and columns of the entries that are computed together, so that each column is loaded once for several rows.
const TILE: usize = 4;

/// Entries between a few fresh slots and all others, the fresh ones beyond them left out: dot products over common
/// prefixes.
struct Entries<'a, R> {
    factor: &'a PanelFactor,
    columns: &'a [Vec<f32>],
    nodes: &'a [NodeId],
    is_fresh: &'a [bool],
    /// At most `TILE` slots, ascending.
    own: &'a [u32],
    /// The row of a slot in the matrix.
    row: R,
}

impl<'a, R: Fn(u32) -> &'a mut [f32]> Kernel for Entries<'a, R> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let (count, slots) = (self.own.len(), self.nodes.len());
        // Rows and columns beyond the last are repeated, and their entries left out.
        let own: [usize; TILE] = std::array::from_fn(|r| self.own[r.min(count - 1)] as usize);
        let a = own.map(|r| self.columns[r].as_slice());
        let mut shared = [Shared::default(); TILE];
        for first in (0..slots).step_by(TILE) {
            let last = slots.min(first + TILE);
            // A fresh column beyond all own rows is left to its own tile.
            if first > own[TILE - 1] && !self.is_fresh[first..last].contains(&false) {
                continue;
            }
            let others: [usize; TILE] = std::array::from_fn(|c| (first + c).min(last - 1));
            let b = others.map(|c| self.columns[c].as_slice());
            let mut lengths = [[0; TILE]; TILE];
            let mut common = usize::MAX;
            for r in 0..TILE {
                for c in 0..TILE {
                    let length = shared[r].length(self.factor, self.nodes[own[r]], self.nodes[others[c]]);
                    lengths[r][c] = length;
                    common = common.min(length);
                }
            }
            let mut sums = [[s.splat(0.0); TILE]; TILE];
            let mut at = 0;
            while at < common {
                // Plain loops: closures would not be compiled for the vectors of this machine.
                let mut loaded = [s.splat(0.0); TILE];
                for c in 0..TILE {
                    loaded[c] = s.load(&b[c][at..]);
                }
                for r in 0..TILE {
                    let a = s.load(&a[r][at..]);
                    for c in 0..TILE {
                        sums[r][c] = s.fma(a, loaded[c], sums[r][c]);
                    }
                }
                at += S::LANES;
            }
            for r in 0..count {
                let row = (self.row)(own[r] as u32);
                for c in 0..last - first {
                    let sum = dot_from(s, a[r], b[c], common, lengths[r][c], sums[r][c]);
                    row[first + c] = s.sum(sum);
                }
            }
        }
    }
}

/// Length of the prefix that a column shares with others, the last one remembered: neighbours mostly share a supernode.
#[derive(Clone, Copy)]
struct Shared {
    with: NodeId,
    length: usize,
}

impl Default for Shared {
    fn default() -> Shared {
        Shared { with: NodeId::NONE, length: 0 }
    }
}

impl Shared {
    #[inline(always)]
    fn length(&mut self, factor: &PanelFactor, own: NodeId, other: NodeId) -> usize {
        if self.with != other {
            *self = Shared { with: other, length: factor.shared_length(own, other) };
        }
        self.length
    }
}

/// Adds the products of entries `from..to` to `sum`.
#[inline(always)]
fn dot_from<S: Simd>(s: S, a: &[f32], b: &[f32], from: usize, to: usize, sum: S::F) -> S::F {
    let (mut at, mut sum) = (from, sum);
    while at < to {
        sum = s.fma(s.load(&a[at..]), s.load(&b[at..]), sum);
        at += S::LANES;
    }
    sum
}

#[cfg(test)]
mod tests;
