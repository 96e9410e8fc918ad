//! The Delassus operator `W = C A^-1 C^T`: how far each contact point moves under a force on another one.
//!
//! A acts on x, y and z alike, so W is scalar: one number for a pair of points, whatever their directions. Entries of
//! `A^-1` between touched vertices are kept for as long as the vertices are touched. Where every point is a vertex they
//! are the operator; points inside triangles and edges combine them.

use pliant_linalg::panels::PanelSolver;
use pliant_linalg::simd::{self, BATCH, Kernel, Simd};
use pliant_linalg::{Compliance, Team};
use pliant_mesh::Point;
use std::ops::Range;

/// Most rows that a point depends on: four on each side of an attachment.
const TERMS: usize = 8;

/// A point as a weighted sum of at most eight rows of A; rows of pinned vertices are left out.
#[derive(Clone, Copy, Debug, Default)]
pub struct PointRows {
    /// Rows of A; the first `count` are used.
    pub rows: [u32; TERMS],
    /// Their weights.
    pub weights: [f64; TERMS],
    /// How many.
    pub count: usize,
}

/// The operator of one step. A unit force on a point moves another one by [`row`](Self::row)`(a)[index(b)]` over h^2.
#[derive(Debug)]
pub struct Delassus {
    compliance: Compliance,
    touched: Vec<u32>,
    /// Where each point stands in the rows below.
    index: Vec<u32>,
    /// Entries between points, if some point is not a vertex: `stride` to a row.
    points: Vec<f32>,
    stride: usize,
    combined: bool,
    /// Slots and weights of the points.
    terms: Vec<([u32; TERMS], [f32; TERMS], usize)>,
    /// Counts the operators that differ.
    version: u64,
    last_index: Vec<u32>,
}

impl Delassus {
    /// For a factor of `n` rows.
    pub fn new(n: usize) -> Delassus {
        Delassus {
            compliance: Compliance::new(n),
            touched: Vec::new(),
            index: Vec::new(),
            points: Vec::new(),
            stride: 0,
            combined: false,
            terms: Vec::new(),
            version: 0,
            last_index: Vec::new(),
        }
    }

    /// Prepares the operator between `points`.
    pub fn build(&mut self, team: &Team, solver: &PanelSolver, points: &[PointRows]) {
        self.touched.clear();
        self.touched.extend(points.iter().flat_map(|p| &p.rows[..p.count]));
        self.touched.sort_unstable();
        self.touched.dedup();
        let moved = self.compliance.require(team, solver, &self.touched);
        std::mem::swap(&mut self.last_index, &mut self.index);
        self.combined = points.iter().any(|p| p.count != 1 || p.weights[0] != 1.0);
        self.index.clear();
        let slot = |row: u32| self.compliance.slot(row).unwrap_or(0) as u32;
        if self.combined {
            self.index.extend(0..points.len() as u32);
            self.terms.clear();
            self.terms.extend(points.iter().map(|p| {
                // Unused terms have weight zero and any slot.
                let used = |k: usize| k < p.count;
                let slots = std::array::from_fn(|k| if used(k) { slot(p.rows[k]) } else { 0 });
                (slots, std::array::from_fn(|k| if used(k) { p.weights[k] as f32 } else { 0.0 }), p.count)
            }));
            self.combine(team);
        } else {
            self.index.extend(points.iter().map(|p| slot(p.rows[0])));
        }
        if moved || self.combined || self.index != self.last_index {
            self.version += 1;
        }
    }

    /// A number that changes whenever the operator between the points does.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Entries between points from those between vertices.
    fn combine(&mut self, team: &Team) {
        let count = self.terms.len();
        self.stride = count.next_multiple_of(BATCH);
        self.points.clear();
        self.points.resize(count * self.stride, 0.0);
        let (terms, compliance) = (&self.terms, &self.compliance);
        team.for_each_piece(&mut self.points, self.stride, |first, out| {
            let (slots, weights, count) = &terms[first / out.len()];
            let rows = slots.map(|s| compliance.row(s as usize));
            for (out, (others, by, other_count)) in out.iter_mut().zip(terms) {
                let mut sum = 0.0;
                for b in 0..*other_count {
                    let other = others[b] as usize;
                    let moved: f32 = (0..*count).map(|a| weights[a] * rows[a][other]).sum();
                    sum += by[b] * moved;
                }
                *out = sum;
            }
        });
    }

    /// Length of the vectors the operator acts on, a whole number of batches.
    pub fn len(&self) -> usize {
        if self.combined { self.stride } else { self.compliance.len().next_multiple_of(BATCH) }
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// Place of a point in the vectors the operator acts on. Points at the same vertex share a place.
    #[inline]
    pub fn index(&self, point: usize) -> usize {
        self.index[point] as usize
    }

    /// Row of a place.
    #[inline]
    pub fn row(&self, index: usize) -> &[f32] {
        if self.combined {
            &self.points[index * self.stride..][..self.stride]
        } else {
            self.compliance.row(index)
        }
    }

    /// What a change of forces does to each point.
    pub(super) fn products_into(&self, change: &Change, moved: &mut [[f32; 3]]) {
        simd::dispatch(Products { w: self, change, moved });
    }

    /// Bytes of the operator and of what is kept for it.
    pub fn bytes(&self) -> usize {
        self.compliance.bytes() + self.points.capacity() * size_of::<f32>()
    }
}

/// Changes of force by component, in the places of an operator.
#[derive(Debug, Default)]
pub(super) struct Change([Vec<f32>; 3]);

impl Change {
    /// No change.
    pub(super) fn clear(&mut self, w: &Delassus) {
        for c in &mut self.0 {
            c.clear();
            c.resize(w.len(), 0.0);
        }
    }

    /// Adds a change of the force on a point.
    #[inline(always)]
    pub(super) fn add(&mut self, w: &Delassus, point: usize, by: &Point) {
        let place = w.index(point);
        for (c, x) in self.0.iter_mut().zip(by) {
            c[place] += *x as f32;
        }
    }

    /// Adds what happened to the forces on `points`.
    pub(super) fn add_between(&mut self, w: &Delassus, points: Range<usize>, then: &[Point], now: &[Point]) {
        for i in points {
            self.add(w, i, &std::array::from_fn(|c| now[i][c] - then[i][c]));
        }
    }
}

struct Products<'a> {
    w: &'a Delassus,
    change: &'a Change,
    moved: &'a mut [[f32; 3]],
}

impl Kernel for Products<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        for (i, moved) in self.moved.iter_mut().enumerate() {
            *moved = row_product(s, self.w.row(self.w.index(i)), self.change);
        }
    }
}

/// Products of a row of the operator with the three components.
#[inline(always)]
pub(super) fn row_product<S: Simd>(s: S, row: &[f32], change: &Change) -> [f32; 3] {
    let [x, y, z] = change.0.each_ref().map(|c| &c[..row.len()]);
    // Two sums for each component hide the latency of the FMA.
    let mut sums = [[s.splat(0.0); 3]; 2];
    let mut at = 0;
    while at + 2 * S::LANES <= row.len() {
        for half in 0..2 {
            let from = at + half * S::LANES;
            let a = s.load(&row[from..]);
            for (sum, part) in sums[half].iter_mut().zip([x, y, z]) {
                *sum = s.fma(a, s.load(&part[from..]), *sum);
            }
        }
        at += 2 * S::LANES;
    }
    if at < row.len() {
        let a = s.load(&row[at..]);
        for (sum, part) in sums[0].iter_mut().zip([x, y, z]) {
            *sum = s.fma(a, s.load(&part[at..]), *sum);
        }
    }
    std::array::from_fn(|c| s.sum(s.add(sums[0][c], sums[1][c])))
}
