//! Minimum degree [Amestoy96] for the small graphs at the leaves of the dissection, exact and on rows of bits.
//!
//! Vertices outside of the leaf that touch it (its halo) belong to separators and are eliminated later: they count in
//! degrees, but are never chosen.

use super::graph::Graph;

/// Reorders `leaf`, a set of vertices of `graph`. `position` is the place of each vertex of `graph` in the whole order,
/// in which the leaf has the places from `first` on.
pub(super) fn minimum_degree(graph: &Graph, position: &[u32], first: usize, leaf: &mut [u32]) {
    let mut rows = Rows::new(graph, position, first, leaf);
    let before = leaf.to_vec();
    let mut left: Vec<u32> = (0..leaf.len() as u32).collect();
    for slot in leaf {
        let at = (0..left.len()).min_by_key(|&k| (rows.degree[left[k] as usize], left[k])).unwrap_or(0);
        let v = left.swap_remove(at);
        *slot = before[v as usize];
        rows.eliminate(v as usize);
    }
}

/// The graph of a leaf and its halo, one row of bits for each vertex of the leaf.
struct Rows {
    words: usize,
    bits: Vec<u64>,
    /// Weight of the neighbours of each vertex.
    degree: Vec<i64>,
    /// Weight of each vertex of the leaf, then of the halo.
    weight: Vec<u32>,
    pivot: Vec<u64>,
}

impl Rows {
    fn new(graph: &Graph, position: &[u32], first: usize, leaf: &[u32]) -> Rows {
        let size = leaf.len();
        let inside = |v: u32| (position[v as usize] as usize).wrapping_sub(first) < size;
        let edges = || leaf.iter().flat_map(|&v| graph.neighbours_of(v));
        let mut halo: Vec<u32> = edges().copied().filter(|&w| !inside(w)).collect();
        halo.sort_unstable();
        halo.dedup();
        let words = (size + halo.len()).div_ceil(64);
        let mut bits = vec![0u64; words * size];
        for (i, &v) in leaf.iter().enumerate() {
            for &w in graph.neighbours_of(v) {
                let j = if inside(w) {
                    position[w as usize] as usize - first
                } else {
                    size + halo.binary_search(&w).expect("the halo has all neighbours outside")
                };
                bits[i * words + j / 64] |= 1 << (j % 64);
            }
        }
        let weight = leaf.iter().chain(&halo).map(|&v| graph.vertex_weights[v as usize]).collect();
        let mut rows = Rows { words, bits, degree: vec![0; size], weight, pivot: vec![0; words] };
        for v in 0..size {
            rows.count(v);
        }
        rows
    }

    fn count(&mut self, v: usize) {
        let row = &self.bits[v * self.words..][..self.words];
        self.degree[v] = ones(row).map(|w| i64::from(self.weight[w])).sum();
    }

    /// Joins all neighbours of `v` with each other and removes it.
    fn eliminate(&mut self, v: usize) {
        let words = self.words;
        let mut pivot = std::mem::take(&mut self.pivot);
        pivot.copy_from_slice(&self.bits[v * words..][..words]);
        let size = self.degree.len();
        for w in ones(&pivot).take_while(|&w| w < size) {
            let row = &mut self.bits[w * words..][..words];
            for (bits, new) in row.iter_mut().zip(&pivot) {
                *bits |= new;
            }
            row[w / 64] &= !(1 << (w % 64));
            row[v / 64] &= !(1 << (v % 64));
            self.count(w);
        }
        self.pivot = pivot;
    }
}

/// The positions of the bits that are set, ascending.
fn ones(row: &[u64]) -> impl Iterator<Item = usize> + '_ {
    row.iter().enumerate().flat_map(|(k, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                64 * k + bit
            })
        })
    })
}
