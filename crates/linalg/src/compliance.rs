//! Entries of `A^-1` between chosen rows, kept for as long as A does not change.
//!
//! With `A = L L^T` the entry between rows i and j is the dot product of columns i and j of `L^-1`. Column i is non-zero
//! only in the supernodes on the path from its own to the root of the elimination tree [Zeng22, isolated DOFs], so a
//! forward pass along that path computes it. Columns are stored from the root downwards: what two of them have in
//! common is a prefix, and an entry is one dense dot product over it.
//!
//! Nothing couples the connected parts of A, such as the bodies. Each has a matrix of its own, so that memory and work
//! are the sum of their squares. Rows have places: those of a part follow each other, padded to whole batches.

mod part;

use crate::panels::{Column, ColumnScratch, PanelFactor};
use crate::simd::BATCH;
use crate::team::Team;
use part::Part;
use std::ops::Range;

/// No slot.
const NONE: u32 = u32::MAX;

/// Pieces of the forward passes, so that threads end together. The result does not depend on it.
const PIECES_PER_THREAD: usize = 4;

/// Growing symmetric matrices of entries of `A^-1`, one for each part of A. An entry that is known is never computed again
/// while its rows stay in use.
#[derive(Clone, Debug, Default)]
pub struct Compliance {
    /// Slot of each row of A within its part, or `NONE`.
    slot_of: Vec<u32>,
    call: u64,
    /// One for each part of A, once there are any rows.
    parts: Vec<Part>,
    /// First place of each part, and one more.
    first_place: Vec<u32>,
    /// Part of each batch of places.
    part_at: Vec<u32>,
    /// Row of A at each place; `NONE` in the padding.
    row_at: Vec<u32>,
    /// Columns that are being computed.
    columns: Vec<Column>,
    /// Memory of columns that went out of use.
    spare: Vec<Vec<f32>>,
    /// Work memory of the forward passes.
    scratch: Vec<ColumnScratch>,
}

impl Compliance {
    /// No entries yet, for a factor of `n` rows.
    pub fn new(n: usize) -> Compliance {
        Compliance { slot_of: vec![NONE; n], ..Compliance::default() }
    }

    /// Makes sure that all entries between `rows` are known. Places stay valid until the next call; returns whether a
    /// place within a part now stands for another row.
    pub fn require(&mut self, team: &Team, factor: &PanelFactor, rows: &[u32]) -> bool {
        self.call += 1;
        self.parts.resize_with(factor.parts(), Part::default);
        let Compliance { slot_of, call, parts, spare, .. } = self;
        parts.iter_mut().for_each(Part::begin);
        for &row in rows {
            let part = &mut parts[factor.part_of(row)];
            match slot_of[row as usize] {
                NONE => part.miss(),
                slot => part.want(slot as usize, *call),
            }
        }
        for part in &mut *parts {
            part.tidy(*call, slot_of, spare);
        }
        for &row in rows {
            if slot_of[row as usize] == NONE {
                parts[factor.part_of(row)].take(row, *call, factor, slot_of, spare);
            }
        }
        self.compute(team, factor);
        self.list_places();
        self.parts.iter().any(|p| p.moved)
    }

    /// Number of places, a multiple of the length of a batch.
    pub fn len(&self) -> usize {
        self.row_at.len()
    }

    /// Whether no entry is known.
    pub fn is_empty(&self) -> bool {
        self.row_at.is_empty()
    }

    /// Place of a row of A that the last [`require`](Self::require) asked for.
    ///
    /// # Panics
    /// If it did not ask for the row: any other place would stand for the entries of another vertex.
    #[inline]
    pub fn place(&self, factor: &PanelFactor, row: u32) -> usize {
        let slot = self.slot_of[row as usize];
        assert!(slot != NONE, "row {row} has no place");
        (self.first_place[factor.part_of(row)] + slot) as usize
    }

    /// Whether entries of a row of A are known.
    pub fn knows(&self, row: u32) -> bool {
        self.slot_of[row as usize] != NONE
    }

    /// Places of the part that has a place, padding included.
    #[inline(always)]
    pub fn places_beside(&self, place: usize) -> Range<usize> {
        let part = self.part_at[place / BATCH] as usize;
        self.first_place[part] as usize..self.first_place[part + 1] as usize
    }

    /// Entries between a place and those of [`places_beside`](Self::places_beside) it: all others are zero.
    #[inline(always)]
    pub fn row(&self, place: usize) -> &[f32] {
        let part = self.part_at[place / BATCH] as usize;
        self.parts[part].row(place - self.first_place[part] as usize)
    }

    /// One entry.
    #[inline]
    pub fn entry(&self, a: usize, b: usize) -> f32 {
        match self.part_at[a / BATCH] == self.part_at[b / BATCH] {
            true => self.row(a)[b - self.places_beside(a).start],
            false => 0.0,
        }
    }

    /// Bytes of the matrices and of the columns.
    pub fn bytes(&self) -> usize {
        self.parts.iter().map(Part::floats).sum::<usize>() * size_of::<f32>()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        let n = self.slot_of.len();
        *self = Compliance::new(n);
    }

    /// Row of A at each place, without the padding. Together with the factor this is all there is to know: entries do not
    /// depend on when they were computed, but sums over places do depend on their order.
    pub fn rows(&self) -> impl Iterator<Item = u32> {
        self.row_at.iter().copied().filter(|row| *row != NONE)
    }

    /// Starts anew with the places that [`rows`](Self::rows) told. Returns whether they are rows of A, each once; if not,
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

    /// Columns and entries of the fresh slots.
    fn compute(&mut self, team: &Team, factor: &PanelFactor) {
        let Compliance { parts, columns, scratch, .. } = self;
        for part in &mut *parts {
            for k in 0..part.fresh.len() {
                let slot = part.fresh[k];
                let row = part.rows[slot as usize];
                columns.push(Column { row, values: std::mem::take(part.column_mut(slot)) });
            }
        }
        if columns.is_empty() {
            return;
        }
        // Neighbouring rows share most of their path: three of them go up together.
        columns.sort_unstable_by_key(|c| c.row);
        scratch.resize_with(PIECES_PER_THREAD * team.threads(), ColumnScratch::default);
        factor.inverse_columns(team, columns, scratch);
        for Column { row, values } in columns.drain(..) {
            *parts[factor.part_of(row)].column_mut(self.slot_of[row as usize]) = values;
        }
        let growing = parts.iter().filter(|p| !p.fresh.is_empty()).count();
        if growing > team.threads() {
            team.for_each_mut(parts, |_, part| {
                if !part.fresh.is_empty() {
                    part.compute(Team::alone(), factor);
                }
            });
        } else {
            let growing = parts.iter_mut().filter(|p| !p.fresh.is_empty());
            growing.for_each(|part| part.compute(team, factor));
        }
    }

    /// Lays the places of all parts out one after the other.
    fn list_places(&mut self) {
        self.first_place.clear();
        self.part_at.clear();
        self.row_at.clear();
        for (k, part) in self.parts.iter().enumerate() {
            self.first_place.push(self.row_at.len() as u32);
            self.row_at.extend_from_slice(&part.rows);
            self.row_at.resize(self.row_at.len().next_multiple_of(BATCH), NONE);
            self.part_at.resize(self.row_at.len() / BATCH, k as u32);
        }
        self.first_place.push(self.row_at.len() as u32);
    }
}

#[cfg(test)]
mod tests;
