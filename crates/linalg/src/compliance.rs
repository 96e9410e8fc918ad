//! Entries of `A^-1` between chosen rows, kept for as long as A does not change.
//!
//! With `A = L L^T` the entry between rows i and j is the dot product of columns i and j of `L^-1`. Column i is non-zero
//! only in the supernodes on the path from its own to the root of the elimination tree [Zeng22, isolated DOFs], so a
//! forward pass along that path computes it. Columns are stored from the root downwards: what two of them have in
//! common is a prefix, and an entry is one dense dot product over it.

use crate::panels::{ColumnScratch, PanelSolver};
use crate::simd::{self, BATCH, Kernel, Simd};
use crate::team::Team;

/// No slot.
const NONE: u32 = u32::MAX;

/// Slots that may be out of use before the matrix is packed anew: this many, or this part of those in use.
const IDLE_SLOTS: usize = 64;
const IDLE_PART: usize = 4;

/// Parts of the forward passes, so that threads end together. The result does not depend on it.
const PARTS_PER_THREAD: usize = 4;

/// A growing symmetric matrix of entries of `A^-1`. Each row that was asked for has a slot; an entry that is known is
/// never computed again while its rows stay in use.
#[derive(Debug, Default)]
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
    nodes: Vec<u32>,
    /// Entries between slots, `stride` to a row.
    matrix: Vec<f32>,
    stride: usize,
    /// Slots without a column yet.
    fresh: Vec<u32>,
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
    /// slot has moved to another row.
    pub fn require(&mut self, team: &Team, solver: &PanelSolver, rows: &[u32]) -> bool {
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
        let first_fresh = self.rows.len();
        for &row in rows {
            if self.slot_of[row as usize] == NONE {
                self.add(row, solver);
            }
        }
        if self.rows.len() > first_fresh {
            self.compute(team, solver, first_fresh);
        }
        crowded
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
    pub fn slot(&self, row: u32) -> Option<usize> {
        let slot = self.slot_of[row as usize];
        (slot != NONE).then_some(slot as usize)
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

    fn add(&mut self, row: u32, solver: &PanelSolver) {
        self.slot_of[row as usize] = self.rows.len() as u32;
        self.rows.push(row);
        self.used.push(self.call);
        let node = solver.supernode_of(row as usize);
        self.nodes.push(node as u32);
        let mut column = self.spare.pop().unwrap_or_default();
        column.clear();
        column.resize(solver.path_length(node), 0.0);
        self.columns.push(column);
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
    fn reserve(&mut self, known: usize) {
        let needed = self.rows.len();
        if needed <= self.stride {
            return;
        }
        // Growing by an eighth keeps the copies rare and the memory close to what is used.
        let stride = (needed + needed / 8).next_multiple_of(BATCH);
        let mut matrix = vec![0.0; stride * stride];
        for slot in 0..known {
            matrix[slot * stride..][..known].copy_from_slice(&self.matrix[slot * self.stride..][..known]);
        }
        self.matrix = matrix;
        self.stride = stride;
    }

    /// Columns and entries of the slots from `first` on.
    fn compute(&mut self, team: &Team, solver: &PanelSolver, first: usize) {
        self.reserve(first);
        // Neighbouring rows share most of their path: three of them go up together.
        self.fresh.clear();
        self.fresh.extend(first as u32..self.rows.len() as u32);
        self.fresh.sort_unstable_by_key(|&s| self.rows[s as usize]);
        self.scratch.resize_with(PARTS_PER_THREAD * team.threads(), ColumnScratch::default);
        solver.inverse_columns(team, &self.rows, &self.fresh, &mut self.columns, &mut self.scratch);
        let count = self.rows.len();
        let (columns, nodes) = (&self.columns, &self.nodes);
        let fresh = &mut self.matrix[first * self.stride..count * self.stride];
        team.for_each_piece(fresh, self.stride, |offset, row| {
            let slot = first + offset / row.len();
            // The part among the fresh ones is symmetric: the lower triangle is enough.
            simd::dispatch(Entries { solver, columns, nodes, slot, out: &mut row[..=slot] });
        });
        for slot in first..count {
            for other in 0..slot {
                self.matrix[other * self.stride + slot] = self.matrix[slot * self.stride + other];
            }
        }
    }
}

/// Entries between one slot and the first ones: dot products over common prefixes.
struct Entries<'a> {
    solver: &'a PanelSolver,
    columns: &'a [Vec<f32>],
    nodes: &'a [u32],
    slot: usize,
    out: &'a mut [f32],
}

impl Kernel for Entries<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let (own, node) = (&self.columns[self.slot], self.nodes[self.slot] as usize);
        let shared = |other: usize| self.solver.shared_length(node, self.nodes[other] as usize);
        let mut first = 0;
        while first + 4 <= self.out.len() {
            let lengths: [usize; 4] = std::array::from_fn(|k| shared(first + k));
            let common = lengths.iter().copied().min().unwrap_or(0);
            let others: [&[f32]; 4] = std::array::from_fn(|k| self.columns[first + k].as_slice());
            let mut sums = [s.splat(0.0); 4];
            let mut at = 0;
            while at < common {
                let a = s.load(&own[at..]);
                for k in 0..4 {
                    sums[k] = s.fma(a, s.load(&others[k][at..]), sums[k]);
                }
                at += S::LANES;
            }
            for k in 0..4 {
                let sum = dot_from(s, own, others[k], common, lengths[k], sums[k]);
                self.out[first + k] = s.sum(sum);
            }
            first += 4;
        }
        for other in first..self.out.len() {
            let sum = dot_from(s, own, &self.columns[other], 0, shared(other), s.splat(0.0));
            self.out[other] = s.sum(sum);
        }
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
mod tests {
    use super::*;
    use crate::cholesky::{Cholesky, SymbolicCholesky};
    use crate::ordering::nested_dissection;
    use crate::panels::RELAX_PANELS;
    use crate::panels::tests::grid as test_grid;

    /// Solver and f64 factor of a grid; everything is in elimination order.
    fn grid(side: u32) -> (PanelSolver, Cholesky) {
        let a = test_grid([side, side, side]);
        let order = nested_dissection(&a, None);
        let factor = SymbolicCholesky::new(&a, order, RELAX_PANELS).factor(&a).expect("definite");
        (PanelSolver::new(&factor), factor)
    }

    fn check(c: &Compliance, rows: &[u32], factor: &Cholesky) {
        let order = factor.symbolic().permutation();
        for &i in rows {
            let mut solved = vec![0.0; 3 * factor.n()];
            solved[order.forward[i as usize]] = 1.0;
            factor.solve_in_place(&mut solved);
            let x: Vec<f64> = (0..factor.n()).map(|k| solved[order.forward[k]]).collect();
            let a = c.slot(i).expect("asked for");
            for &j in rows {
                let b = c.slot(j).expect("asked for");
                let error = (f64::from(c.entry(a, b)) - x[j as usize]).abs();
                assert!(
                    error < 2e-6 * x[i as usize],
                    "entry {i} {j}: {} against {}",
                    c.entry(a, b),
                    x[j as usize]
                );
                assert_eq!(c.entry(a, b), c.entry(b, a));
            }
            assert!(c.row(a)[c.len()..].iter().all(|&x| x == 0.0));
        }
    }

    #[test]
    fn entries_are_those_of_the_inverse_as_rows_come_and_go() {
        let (solver, factor) = grid(10);
        let n = factor.n() as u32;
        Team::with(|team| {
            let mut c = Compliance::new(n as usize);
            for k in 0..12u32 {
                let rows: Vec<u32> = (0..150).map(|i| (i * (k + 3) * 7 + k * k) % n).collect();
                c.require(team, &solver, &rows);
                check(&c, &rows, &factor);
                assert!(c.len() <= 150 + 64 + 150, "{} slots", c.len());
            }
        });
    }

    #[test]
    fn the_number_of_threads_does_not_change_a_bit() {
        let (solver, factor) = grid(9);
        let rows: Vec<u32> = (0..factor.n() as u32).step_by(5).collect();
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| {
                Team::with(|team| {
                    let mut c = Compliance::new(factor.n());
                    c.require(team, &solver, &rows);
                    c.matrix
                })
            })
        };
        assert_eq!(run(1), run(3));
    }
}
