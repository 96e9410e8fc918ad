//! Symmetric sparse matrices, stored as the lower triangle in compressed columns.

use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use std::ops::Range;

/// A symmetric matrix: the lower triangle, diagonal included, by columns with ascending rows.
#[derive(Clone, Debug, PartialEq)]
pub struct SymmetricCsc {
    /// Start of each column in `row_idx` and `values`; one more entry than columns.
    pub col_ptr: Vec<usize>,
    /// Row of each entry, not above its column.
    pub row_idx: Vec<usize>,
    /// Value of each entry.
    pub values: Vec<f64>,
}

impl SymmetricCsc {
    /// Sums triplets `(row, column, value)` of either triangle; `(i, j)` and `(j, i)` name the same entry, so give
    /// each pair once. All diagonal entries are stored. Duplicates are added in the order given.
    pub fn from_triplets(n: usize, triplets: &[(u32, u32, f64)]) -> SymmetricCsc {
        let lower = |&(i, j, _): &(u32, u32, f64)| {
            if i >= j { (i as usize, j as usize) } else { (j as usize, i as usize) }
        };
        // Counting sort by row, then by column: stable, linear, and leaves every column sorted by row.
        let by_row = counting_sort(n, triplets.len(), |t| lower(&triplets[t]).0, None);
        let by_column = counting_sort(n, triplets.len(), |t| lower(&triplets[t]).1, Some(&by_row));
        let mut col_ptr = Vec::with_capacity(n + 1);
        let (mut row_idx, mut values) = (Vec::new(), Vec::new());
        let mut next = by_column.iter().peekable();
        for j in 0..n {
            col_ptr.push(row_idx.len());
            row_idx.push(j);
            values.push(0.0);
            while let Some(&&t) = next.peek() {
                let (row, column) = lower(&triplets[t]);
                if column != j {
                    break;
                }
                next.next();
                if *row_idx.last().unwrap_or(&j) != row {
                    row_idx.push(row);
                    values.push(0.0);
                }
                if let Some(v) = values.last_mut() {
                    *v += triplets[t].2;
                }
            }
        }
        col_ptr.push(row_idx.len());
        SymmetricCsc { col_ptr, row_idx, values }
    }

    /// Number of rows.
    pub fn n(&self) -> usize {
        self.col_ptr.len() - 1
    }

    /// The sum with another matrix of as many rows.
    ///
    /// # Panics
    /// If the other has fewer rows.
    pub fn plus(&self, other: &SymmetricCsc) -> SymmetricCsc {
        let most = self.values.len() + other.values.len();
        let mut sum = SymmetricCsc {
            col_ptr: vec![0],
            row_idx: Vec::with_capacity(most),
            values: Vec::with_capacity(most),
        };
        for j in 0..self.n() {
            let (mut a, mut b) = (self.column(j).peekable(), other.column(j).peekable());
            loop {
                let (row, value) = match (a.peek().copied(), b.peek().copied()) {
                    (Some((i, x)), Some((k, y))) if i == k => {
                        a.next();
                        b.next();
                        (i, x + y)
                    }
                    (Some((i, x)), other) if other.is_none_or(|(k, _)| i < k) => {
                        a.next();
                        (i, x)
                    }
                    (_, Some((k, y))) => {
                        b.next();
                        (k, y)
                    }
                    _ => break,
                };
                sum.row_idx.push(row);
                sum.values.push(value);
            }
            sum.col_ptr.push(sum.row_idx.len());
        }
        sum
    }

    /// Whether another matrix has its entries in the same places.
    pub(crate) fn has_pattern_of(&self, other: &SymmetricCsc) -> bool {
        self.col_ptr == other.col_ptr && self.row_idx == other.row_idx
    }

    /// The same matrix as faer sees it.
    pub(crate) fn as_faer(&self) -> SparseColMatRef<'_, usize, f64> {
        let n = self.n();
        let pattern = SymbolicSparseColMatRef::new_checked(n, n, &self.col_ptr, None, &self.row_idx);
        SparseColMatRef::new(pattern, &self.values)
    }

    /// The rows and columns `range` alone.
    pub(crate) fn diagonal_block(&self, range: Range<usize>) -> SymmetricCsc {
        let (from, to) = (self.col_ptr[range.start], self.col_ptr[range.end]);
        // Rows ascend from the diagonal: what leaves the block is at the end of a column.
        let mut block = SymmetricCsc {
            col_ptr: Vec::with_capacity(range.len() + 1),
            row_idx: Vec::with_capacity(to - from),
            values: Vec::with_capacity(to - from),
        };
        block.col_ptr.push(0);
        for j in range.clone() {
            for (i, value) in self.column(j).take_while(|(i, _)| range.contains(i)) {
                block.row_idx.push(i - range.start);
                block.values.push(value);
            }
            block.col_ptr.push(block.row_idx.len());
        }
        block
    }

    /// Number of stored entries (lower triangle).
    pub fn nnz(&self) -> usize {
        self.row_idx.len()
    }

    /// The entries `(row, value)` of column `j`, from the diagonal down.
    pub fn column(&self, j: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.col_ptr[j]..self.col_ptr[j + 1];
        self.row_idx[range.clone()].iter().copied().zip(self.values[range].iter().copied())
    }

    /// Adjacency of the matrix graph without the diagonal: for each vertex its neighbours, ascending.
    pub(crate) fn adjacency(&self) -> (Vec<usize>, Vec<usize>) {
        let n = self.n();
        let mut start = vec![0; n + 1];
        for j in 0..n {
            for (i, _) in self.column(j).skip(1) {
                start[i + 1] += 1;
                start[j + 1] += 1;
            }
        }
        for j in 0..n {
            start[j + 1] += start[j];
        }
        let mut fill = start.clone();
        let mut neighbours = vec![0; start[n]];
        // Two passes in ascending order: first the smaller neighbours, then the larger ones.
        for j in 0..n {
            for (i, _) in self.column(j).skip(1) {
                neighbours[fill[i]] = j;
                fill[i] += 1;
            }
        }
        for j in 0..n {
            for (i, _) in self.column(j).skip(1) {
                neighbours[fill[j]] = i;
                fill[j] += 1;
            }
        }
        (start, neighbours)
    }

    /// The same matrix with rows and columns reordered: row `perm.forward[i]` of `self` becomes row `i`.
    pub fn permuted(&self, perm: &crate::Permutation) -> SymmetricCsc {
        let mut triplets = Vec::with_capacity(self.nnz());
        for j in 0..self.n() {
            for (i, a) in self.column(j) {
                triplets.push((perm.inverse[i] as u32, perm.inverse[j] as u32, a));
            }
        }
        SymmetricCsc::from_triplets(self.n(), &triplets)
    }
}

/// Indices `0..count` (or `order`) stably sorted by `key < keys`.
fn counting_sort(
    keys: usize,
    count: usize,
    key: impl Fn(usize) -> usize,
    order: Option<&[usize]>,
) -> Vec<usize> {
    let mut start = vec![0usize; keys + 1];
    for t in 0..count {
        start[key(t) + 1] += 1;
    }
    for k in 0..keys {
        start[k + 1] += start[k];
    }
    let mut sorted = vec![0; count];
    for k in 0..count {
        let t = order.map_or(k, |o| o[k]);
        sorted[start[key(t)]] = t;
        start[key(t)] += 1;
    }
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triplets_are_summed() {
        let a = SymmetricCsc::from_triplets(
            3,
            &[(0, 0, 2.0), (0, 1, -1.0), (2, 1, 4.0), (1, 2, 1.0), (1, 1, 3.0)],
        );
        assert_eq!(a.col_ptr, [0, 2, 4, 5]);
        assert_eq!(a.values, [2.0, -1.0, 3.0, 5.0, 0.0]);
        assert_eq!(a.adjacency(), (vec![0, 1, 3, 4], vec![1, 0, 2, 1]));
    }

    #[test]
    fn a_sum_has_the_entries_of_both() {
        let a = SymmetricCsc::from_triplets(3, &[(0, 0, 1.0), (2, 0, 3.0), (2, 2, 5.0)]);
        let b = SymmetricCsc::from_triplets(3, &[(1, 0, 2.0), (2, 0, 1.0), (1, 1, 7.0)]);
        let all = [(0, 0, 1.0), (1, 0, 2.0), (2, 0, 4.0), (1, 1, 7.0), (2, 2, 5.0)];
        assert_eq!(a.plus(&b), SymmetricCsc::from_triplets(3, &all));
    }
}
