//! Entries of `A^-1` between chosen rows of one connected part of A.

use super::NONE;
use crate::panels::{NodeId, PanelFactor};
use crate::simd::{self, BATCH, Kernel, Simd};
use crate::team::{SharedSlice, Team};

/// Slots that may be out of use before the matrix is packed anew: this many, or this part of those in use.
const IDLE_SLOTS: usize = 64;
const IDLE_PART: usize = 4;

/// A growing symmetric matrix of the entries of one part. Each row that was asked for has a slot.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    /// Row of A of each slot.
    pub(super) rows: Vec<u32>,
    /// Last call in which the slot was asked for.
    used: Vec<u64>,
    /// How many slots the present call asked for, and how many rows without a slot.
    wanted: usize,
    missing: usize,
    /// Column of `L^-1` of each slot, from the root down, each supernode padded with zeros to whole batches.
    columns: Vec<Vec<f32>>,
    /// Supernode of each slot.
    nodes: Vec<NodeId>,
    /// Entries between slots, `stride` to a row.
    matrix: Vec<f32>,
    stride: usize,
    /// Slots without a column yet, and whether each slot is one.
    pub(super) fresh: Vec<u32>,
    is_fresh: Vec<bool>,
    /// Work memory of the packing.
    kept: Vec<u32>,
    /// Where the search for a slot that is out of use goes on.
    next_idle: usize,
    /// Whether the present call gave a slot to another row.
    pub(super) moved: bool,
}

impl Part {
    /// A new call begins.
    pub(super) fn begin(&mut self) {
        self.wanted = 0;
        self.missing = 0;
        self.next_idle = 0;
        self.moved = false;
        self.fresh.clear();
    }

    /// The present call asks for a slot that is there.
    pub(super) fn want(&mut self, slot: usize, call: u64) {
        if self.used[slot] != call {
            self.used[slot] = call;
            self.wanted += 1;
        }
    }

    /// The present call asks for a row that has no slot; it may be named more than once.
    pub(super) fn miss(&mut self) {
        self.missing += 1;
    }

    /// Removes the slots that the present call did not ask for, if they are many; the others keep their order.
    pub(super) fn tidy(&mut self, call: u64, slot_of: &mut [u32], spare: &mut Vec<Vec<f32>>) {
        let idle = self.rows.len() - self.wanted;
        if idle <= IDLE_SLOTS.max((self.wanted + self.missing) / IDLE_PART) {
            return;
        }
        self.moved = true;
        self.kept.clear();
        self.kept.extend((0..self.rows.len() as u32).filter(|&s| self.used[s as usize] == call));
        for (slot, &row) in self.rows.iter().enumerate() {
            if self.used[slot] != call {
                slot_of[row as usize] = NONE;
                spare.push(std::mem::take(&mut self.columns[slot]));
            }
        }
        let Part { kept, stride, matrix, .. } = self;
        for (to, &from) in kept.iter().enumerate() {
            let from = from as usize;
            self.rows[to] = self.rows[from];
            slot_of[self.rows[to] as usize] = to as u32;
            self.used[to] = self.used[from];
            self.nodes[to] = self.nodes[from];
            self.columns.swap(to, from);
            // Kept slots ascend: nothing is overwritten before it is read.
            for (column, &other) in kept.iter().enumerate() {
                matrix[to * *stride + column] = matrix[from * *stride + other as usize];
            }
            matrix[to * *stride + kept.len()..(to + 1) * *stride].fill(0.0);
        }
        matrix[kept.len() * *stride..].fill(0.0);
        let kept = kept.len();
        self.rows.truncate(kept);
        self.used.truncate(kept);
        self.nodes.truncate(kept);
        self.columns.truncate(kept);
    }

    /// Gives a slot that is out of use, or a new one at the end, to a row that has none.
    pub(super) fn take(
        &mut self,
        row: u32,
        call: u64,
        factor: &PanelFactor,
        slot_of: &mut [u32],
        spare: &mut Vec<Vec<f32>>,
    ) {
        let node = factor.supernode_of(row as usize);
        while self.next_idle < self.rows.len() && self.used[self.next_idle] == call {
            self.next_idle += 1;
        }
        let slot = self.next_idle;
        if slot == self.rows.len() {
            self.rows.push(row);
            self.used.push(call);
            self.nodes.push(node);
            self.columns.push(spare.pop().unwrap_or_default());
        } else {
            self.moved = true;
            slot_of[self.rows[slot] as usize] = NONE;
            self.rows[slot] = row;
            self.used[slot] = call;
            self.nodes[slot] = node;
        }
        slot_of[row as usize] = slot as u32;
        self.columns[slot].clear();
        self.columns[slot].resize(factor.path_length(node), 0.0);
        self.fresh.push(slot as u32);
    }

    /// Hands the memory of the fresh columns out, and takes it back when they are filled.
    pub(super) fn column_mut(&mut self, slot: u32) -> &mut Vec<f32> {
        &mut self.columns[slot as usize]
    }

    /// Entries between a slot and all slots, followed by zeros up to a whole batch.
    #[inline(always)]
    pub(super) fn row(&self, slot: usize) -> &[f32] {
        &self.matrix[slot * self.stride..][..self.rows.len().next_multiple_of(BATCH)]
    }

    /// Floats of the matrix and of the columns.
    pub(super) fn floats(&self) -> usize {
        self.matrix.capacity() + self.columns.iter().map(Vec::capacity).sum::<usize>()
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

    /// Entries of the fresh slots, whose columns are known.
    pub(super) fn compute(&mut self, team: &Team, factor: &PanelFactor) {
        self.fresh.sort_unstable();
        self.is_fresh.clear();
        self.is_fresh.resize(self.rows.len(), false);
        self.fresh.iter().for_each(|&s| self.is_fresh[s as usize] = true);
        self.reserve();
        let Part { matrix, columns, nodes, is_fresh, fresh, stride, .. } = self;
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
