//! The edges of triangles with the triangles around each: what topology is read from.

use rayon::prelude::*;

/// One side of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EdgeUse {
    /// The smaller vertex index.
    pub low: u32,
    /// The larger vertex index.
    pub high: u32,
    /// The triangle it belongs to.
    pub triangle: u32,
    /// The edge runs from corner `side` to the next.
    pub side: u8,
    /// Whether the triangle passes it from `low` to `high`.
    pub forward: bool,
}

impl EdgeUse {
    /// The edge, whichever triangle passes it.
    pub fn key(&self) -> (u32, u32) {
        (self.low, self.high)
    }

    /// The triangle's corners (three per triangle) at the lower and at the higher vertex.
    pub fn corners(&self) -> [u32; 2] {
        let first = 3 * self.triangle + u32::from(self.side);
        let second = 3 * self.triangle + u32::from((self.side + 1) % 3);
        if self.forward { [first, second] } else { [second, first] }
    }

    /// The vertices in the order in which the triangle passes them.
    pub fn directed(&self) -> [u32; 2] {
        if self.forward { [self.low, self.high] } else { [self.high, self.low] }
    }
}

/// All sides of all triangles, ascending, so that the uses of one edge stand together.
pub fn edge_uses(triangles: &[[u32; 3]]) -> Vec<EdgeUse> {
    let mut uses: Vec<EdgeUse> = (0..3 * triangles.len())
        .into_par_iter()
        .map(|i| {
            let (t, k) = (i / 3, i % 3);
            let (a, b) = (triangles[t][k], triangles[t][(k + 1) % 3]);
            EdgeUse { low: a.min(b), high: a.max(b), triangle: t as u32, side: k as u8, forward: a < b }
        })
        .collect();
    uses.par_sort_unstable();
    uses
}

/// The runs of uses of one edge each.
pub fn by_edge(uses: &[EdgeUse]) -> impl Iterator<Item = &[EdgeUse]> + Clone {
    uses.chunk_by(|a, b| a.key() == b.key())
}
