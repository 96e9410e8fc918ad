//! The Delassus operator `W = C A^-1 C^T`: how far each point of the contact problem moves under a force on another one,
//! over h^2.
//!
//! [`Delassus`] is what every form of it can do: the response of a point to its own force, and products.
//! [`ScalarEntries`] is for a matrix that acts on x, y and z alike, [`BlockEntries`] for one that does not; both have
//! [`Entries`]. [`UpdatedEntries`] are numbers and a change of low rank, which has blocks. [`MatrixFree`] and [`BlockFree`] have no
//! entries: each of their products is a solve. So the types say which methods can run on what.

mod block;
mod block_free;
mod compliance;
mod low_rank;
mod matrix_free;
mod response;
mod scalar;
mod spikes;
mod updated;

pub(crate) use block::BlockEntries;
use block::turned;
pub(crate) use block_free::BlockFree;
pub(crate) use compliance::Compliance;
pub(crate) use low_rank::LowRank;
pub(crate) use matrix_free::{MatrixFree, SolvedProducts};
use pliant_linalg::Team;
use pliant_linalg::panels::PanelFactor;
use pliant_mesh::DVec3;
pub(crate) use scalar::ScalarEntries;
pub(crate) use updated::UpdatedEntries;

/// Most rows that a point depends on: four on each side of an attachment.
const TERMS: usize = 8;

/// Changes of force whose effect is added at once, by all threads.
const WAITING: usize = 8;

/// A point as a weighted sum of at most eight rows of A; rows of pinned vertices are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PointRows {
    rows: [u32; TERMS],
    weights: [f64; TERMS],
    count: usize,
}

impl PointRows {
    /// Adds a row: at most eight.
    pub(crate) fn push(&mut self, row: u32, weight: f64) {
        self.rows[self.count] = row;
        self.weights[self.count] = weight;
        self.count += 1;
    }

    /// Its rows of A.
    pub(crate) fn rows(&self) -> &[u32] {
        &self.rows[..self.count]
    }

    /// Its rows and their weights.
    pub(crate) fn terms(&self) -> impl Iterator<Item = (u32, f64)> {
        self.rows.iter().copied().zip(self.weights.iter().copied()).take(self.count)
    }

    /// Whether no row takes part: the point cannot move.
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// The operator between the points of a problem.
pub(crate) trait Delassus {
    /// How one point answers a force on another: a number or a 3x3 block.
    type Block: Compliance;

    /// Response of a point to its own force.
    fn own(&self, point: usize) -> Self::Block;

    /// What changes of the forces on some points do to the first `moved.len()` points.
    fn products_into(&mut self, changes: impl Iterator<Item = (usize, DVec3)>, moved: &mut [DVec3]);
}

/// An operator whose entries are known.
pub(crate) trait Entries: Delassus + Send + Sync {
    /// How far all points have moved by the changes of force so far, kept up to date change by change.
    type Response: Clone + Default + std::fmt::Debug + Send + Sync;

    /// Displacement of point `a` by a force on point `b`.
    fn entry(&self, a: usize, b: usize) -> Self::Block;

    /// A number that changes whenever the operator between the points does.
    fn version(&self) -> u64;

    /// The operator as numbers and a change of them by fields, if it is one.
    fn split(&self) -> Option<(&ScalarEntries, &LowRank)> {
        None
    }

    /// Nothing has moved.
    fn clear_response(&self, response: &mut Self::Response);

    /// Adds the effect of changes of the forces on some points.
    fn push(&self, team: &Team, response: &mut Self::Response, changes: impl Iterator<Item = (usize, DVec3)>);

    /// Displacement of a point so far.
    fn displacement(&self, response: &Self::Response, point: usize) -> DVec3;

    /// How many changes of force wait until their effect is added: looking them up costs less than adding each, or not.
    fn waiting(&self) -> usize {
        WAITING
    }

    /// Whether points give way along some directions much more easily than along others.
    fn mixes_directions(&self) -> bool {
        false
    }

    /// Takes note of a change of force whose effect is added later, with that of others, by
    /// [`push_noted`](Self::push_noted): what is cheap to add at once is added.
    fn note(&self, _response: &mut Self::Response, _point: usize, _by: DVec3) {}

    /// Displacement of a point so far and by the changes that were noted since.
    #[inline(always)]
    fn displacement_with(&self, response: &Self::Response, noted: &[(u32, DVec3)], point: usize) -> DVec3 {
        let mut moved = self.displacement(response, point);
        for &(other, by) in noted {
            moved += self.entry(point, other as usize).apply(by);
        }
        moved
    }

    /// Adds the effect of all changes that were noted.
    fn push_noted(&self, team: &Team, response: &mut Self::Response, noted: &[(u32, DVec3)]) {
        self.push(team, response, noted.iter().map(|&(point, by)| (point as usize, by)));
    }
}

/// Entries that come from the factor of a matrix that acts on x, y and z alike: what a solver builds, keeps and restores.
pub(crate) trait FactorEntries: Entries + Clone + std::fmt::Debug {
    /// For a factor of `n` rows.
    fn new(n: usize) -> Self;

    /// Prepares the operator between `points`.
    fn build(&mut self, team: &Team, factor: &PanelFactor, points: &[PointRows]);

    /// Instead of [`build`](Self::build) where products are solves: what belongs to other points is dropped.
    fn skip_build(&mut self);

    /// The same operator, with products of numbers by solves.
    fn by_solves<'a>(&'a mut self, solved: SolvedProducts<'a>) -> impl Delassus<Block = Self::Block>;

    /// The vertices whose entries are kept, in the order in which products add them.
    fn kept_rows(&self) -> Vec<u32>;

    /// Takes over what [`kept_rows`](Self::kept_rows) gave; returns whether these are rows of the factor, each once.
    fn restore_rows(&mut self, team: &Team, factor: &PanelFactor, rows: &[u32]) -> bool;

    /// Bytes of the operator and of what is kept for it.
    fn bytes(&self) -> usize;
}

/// The scalar product of two long vectors.
pub(super) fn long_dot(a: &[f64], b: &[f64]) -> f64 {
    // Four sums, so that the compiler can use vectors.
    let mut sums = [0.0; 4];
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a4.remainder().iter().zip(b4.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a4.zip(b4) {
        for k in 0..4 {
            sums[k] += a[k] * b[k];
        }
    }
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests;
