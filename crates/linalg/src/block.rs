//! Symmetric sparse matrices of 3x3 blocks: Hessians of what depends on the places of vertices.
//!
//! Where each block of each element goes is found once ([`Scatter`]); assembly then runs over the blocks of the matrix,
//! each of which sums its contributions in a fixed order: any number of threads gives the same bits, and nothing is
//! searched.

use crate::SymmetricCsc;
use crate::small::Mat3;
use crate::team::{SharedSlice, Team};
use glam::DVec3;
use std::sync::Arc;

/// Blocks, or rows of blocks, that a thread works on at a time.
const PIECE: usize = 512;

/// Which blocks of the lower triangle are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockPattern {
    /// Start of each block column in `row_idx`; one more entry than columns.
    col_ptr: Vec<usize>,
    /// Block row of each block, ascending in a column, from the diagonal on.
    row_idx: Vec<u32>,
    /// Blocks left of the diagonal by block row, as (block, column), columns ascending.
    row_ptr: Vec<usize>,
    by_row: Vec<(u32, u32)>,
}

/// An element couples two rows that the pattern keeps apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("block ({row}, {column}) is not in the pattern")]
pub struct MissingBlock {
    /// Block row.
    pub row: u32,
    /// Block column.
    pub column: u32,
}

impl BlockPattern {
    /// The diagonal blocks of `n` rows, and those of all `pairs` in either order.
    pub fn new(n: usize, pairs: impl IntoIterator<Item = (u32, u32)>) -> BlockPattern {
        // By column, then by row.
        let mut lower: Vec<(u32, u32)> = pairs.into_iter().map(|(i, j)| (i.min(j), i.max(j))).collect();
        lower.extend((0..n as u32).map(|i| (i, i)));
        lower.sort_unstable();
        lower.dedup();
        let (mut col_ptr, mut row_ptr) = (vec![0; n + 1], vec![0; n + 1]);
        for &(column, row) in &lower {
            col_ptr[column as usize + 1] += 1;
            row_ptr[row as usize + 1] += usize::from(row != column);
        }
        for i in 0..n {
            col_ptr[i + 1] += col_ptr[i];
            row_ptr[i + 1] += row_ptr[i];
        }
        let mut next = row_ptr.clone();
        let mut by_row = vec![(0, 0); row_ptr[n]];
        for (block, &(column, row)) in lower.iter().enumerate().filter(|(_, (c, r))| c != r) {
            by_row[next[row as usize]] = (block as u32, column);
            next[row as usize] += 1;
        }
        BlockPattern { col_ptr, row_idx: lower.into_iter().map(|(_, row)| row).collect(), row_ptr, by_row }
    }

    /// Number of block rows.
    pub(crate) fn n(&self) -> usize {
        self.col_ptr.len() - 1
    }

    /// Number of stored blocks.
    pub(crate) fn block_count(&self) -> usize {
        self.row_idx.len()
    }

    /// The graph of the block rows as a scalar matrix of zeros: what an ordering needs.
    pub fn graph(&self) -> SymmetricCsc {
        SymmetricCsc {
            col_ptr: self.col_ptr.clone(),
            row_idx: self.row_idx.iter().map(|&i| i as usize).collect(),
            values: vec![0.0; self.row_idx.len()],
        }
    }

    /// Position of the block at or below the diagonal.
    fn position(&self, row: u32, column: u32) -> Result<u32, MissingBlock> {
        let start = self.col_ptr[column as usize];
        let rows = &self.row_idx[start..self.col_ptr[column as usize + 1]];
        rows.binary_search(&row).map(|k| (start + k) as u32).map_err(|_| MissingBlock { row, column })
    }
}

/// Where the blocks of a batch of elements go: for each block of the matrix that they touch, which of them it sums.
#[derive(Clone, Debug)]
pub struct Scatter {
    /// Blocks of the matrix, each once.
    targets: Vec<u32>,
    /// `sources[first[k]..first[k + 1]]` are summed into `targets[k]`, in this order.
    first: Vec<u32>,
    sources: Vec<u32>,
    /// Length of the batch.
    count: usize,
}

impl Scatter {
    /// `places` has row and column of each block of the batch, in order. Blocks above the diagonal are left out, because
    /// an element has each of its pairs twice; so are those without a place.
    ///
    /// # Errors
    /// If a block is not in the pattern.
    pub fn new(
        pattern: &BlockPattern,
        places: impl IntoIterator<Item = Option<(u32, u32)>>,
    ) -> Result<Scatter, MissingBlock> {
        let mut all: Vec<(u32, u32)> = Vec::new();
        let mut count = 0;
        for place in places {
            if let Some((row, column)) = place.filter(|(row, column)| row >= column) {
                all.push((pattern.position(row, column)?, count as u32));
            }
            count += 1;
        }
        // Contributions to a block keep their order.
        all.sort_unstable();
        let (mut targets, mut first) = (Vec::new(), Vec::new());
        for (k, &(target, _)) in all.iter().enumerate() {
            if targets.last() != Some(&target) {
                targets.push(target);
                first.push(k as u32);
            }
        }
        first.push(all.len() as u32);
        Ok(Scatter { targets, first, sources: all.into_iter().map(|(_, source)| source).collect(), count })
    }
}

/// A symmetric matrix of 3x3 blocks: the lower triangle by columns. Diagonal blocks are stored whole.
#[derive(Clone, Debug)]
pub struct BlockSymmetric {
    /// Copies share it.
    pattern: Arc<BlockPattern>,
    blocks: Vec<Mat3>,
}

impl BlockSymmetric {
    /// The zero matrix.
    pub fn new(pattern: BlockPattern) -> BlockSymmetric {
        BlockSymmetric { blocks: vec![[[0.0; 3]; 3]; pattern.block_count()], pattern: Arc::new(pattern) }
    }

    /// Sets all blocks to zero.
    pub fn clear(&mut self) {
        self.blocks.fill([[0.0; 3]; 3]);
    }

    /// The block on the diagonal of a block row.
    pub fn diagonal(&self, row: usize) -> &Mat3 {
        &self.blocks[self.pattern.col_ptr[row]]
    }

    /// Adds the blocks of a batch.
    ///
    /// # Panics
    /// If `scatter` is of another batch or of a larger pattern.
    pub fn add(&mut self, team: &Team, scatter: &Scatter, batch: &[Mat3]) {
        assert_eq!(batch.len(), scatter.count, "blocks of the batch");
        let last = scatter.targets.last();
        assert!(last.is_none_or(|&t| (t as usize) < self.blocks.len()), "a scatter of another pattern");
        let blocks = SharedSlice::new(&mut self.blocks);
        let count = scatter.targets.len();
        team.for_each(count.div_ceil(PIECE), &|piece| {
            for k in piece * PIECE..count.min((piece + 1) * PIECE) {
                // SAFETY: targets are unique, ascending and within the blocks: each belongs to one piece.
                let target = unsafe { &mut blocks.range(scatter.targets[k] as usize, 1)[0] };
                for &source in &scatter.sources[scatter.first[k] as usize..scatter.first[k + 1] as usize] {
                    for (row, add) in target.iter_mut().zip(&batch[source as usize]) {
                        for (x, a) in row.iter_mut().zip(add) {
                            *x += a;
                        }
                    }
                }
            }
        });
    }

    /// `y = A x`, each row summed in the order of its columns.
    pub fn multiply_into(&self, team: &Team, x: &[DVec3], y: &mut [DVec3]) {
        let BlockPattern { col_ptr, row_idx, row_ptr, by_row } = &*self.pattern;
        team.for_each_piece(y, PIECE, |first, y| {
            for (i, y) in y.iter_mut().enumerate().map(|(k, y)| (first + k, y)) {
                *y = DVec3::ZERO;
                for &(block, column) in &by_row[row_ptr[i]..row_ptr[i + 1]] {
                    *y += product(&self.blocks[block as usize], x[column as usize]);
                }
                *y += product(&self.blocks[col_ptr[i]], x[i]);
                for block in col_ptr[i] + 1..col_ptr[i + 1] {
                    *y += transposed_product(&self.blocks[block], x[row_idx[block] as usize]);
                }
            }
        });
    }

    /// The pattern as a scalar matrix of zeros with three rows for each block row.
    pub fn scalar_pattern(&self) -> SymmetricCsc {
        let BlockPattern { col_ptr, row_idx: rows, .. } = &*self.pattern;
        let (mut scalar_ptr, mut row_idx) = (vec![0], Vec::new());
        for j in 0..self.pattern.n() {
            for c in 0..3 {
                for &i in &rows[col_ptr[j]..col_ptr[j + 1]] {
                    let i = i as usize;
                    row_idx.extend(if i == j { 3 * j + c..3 * j + 3 } else { 3 * i..3 * i + 3 });
                }
                scalar_ptr.push(row_idx.len());
            }
        }
        let values = vec![0.0; row_idx.len()];
        SymmetricCsc { col_ptr: scalar_ptr, row_idx, values }
    }

    /// Writes the values to a matrix that [`scalar_pattern`](Self::scalar_pattern) made.
    ///
    /// # Panics
    /// If `scalar` has another number of entries.
    pub fn expand_into(&self, team: &Team, scalar: &mut SymmetricCsc) {
        let (col_ptr, count) = (&self.pattern.col_ptr, self.pattern.block_count());
        assert_eq!(scalar.values.len(), 9 * count - 3 * self.pattern.n(), "a matrix of another pattern");
        let values = SharedSlice::new(&mut scalar.values);
        let n = self.pattern.n();
        team.for_each(n.div_ceil(PIECE), &|piece| {
            for j in piece * PIECE..n.min((piece + 1) * PIECE) {
                let column = &self.blocks[col_ptr[j]..col_ptr[j + 1]];
                // Three columns of all blocks, without the three entries above the diagonal.
                let start = 9 * col_ptr[j] - 3 * j;
                // SAFETY: the columns of different j do not overlap.
                let mut out = unsafe { values.range(start, 9 * column.len() - 3) }.iter_mut();
                for c in 0..3 {
                    for (k, block) in column.iter().enumerate() {
                        for row in &block[if k == 0 { c } else { 0 }..] {
                            if let Some(out) = out.next() {
                                *out = row[c];
                            }
                        }
                    }
                }
            }
        });
    }
}

/// `a x`
#[inline(always)]
fn product(a: &Mat3, x: DVec3) -> DVec3 {
    DVec3::from(a.map(|row| DVec3::from(row).dot(x)))
}

/// `a^T x`
#[inline(always)]
fn transposed_product(a: &Mat3, x: DVec3) -> DVec3 {
    let [i, j, k] = a.map(DVec3::from);
    i * x.x + j * x.y + k * x.z
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_pool<R: Send>(threads: usize, f: impl FnOnce(&Team) -> R + Send) -> R {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| Team::with(f))
    }

    /// Elements of three vertices on a strip, and a symmetric 9x9 matrix for each, as 3x3 blocks by row.
    fn strip(n: u32) -> (Vec<[u32; 3]>, Vec<Mat3>) {
        let elements: Vec<[u32; 3]> = (0..n - 2).map(|i| [i + 1, i, i + 2]).collect();
        let entry = |e: usize, i: usize, j: usize| {
            let (low, high) = (i.min(j), i.max(j));
            ((e * 31 + low * 7 + high * 13) % 23) as f64 / 7.0 - 1.1
        };
        let blocks = (0..elements.len()).flat_map(|e| {
            (0..9).map(move |k| {
                let (a, b) = (k / 3, k % 3);
                std::array::from_fn(|i| std::array::from_fn(|j| entry(e, 3 * a + i, 3 * b + j)))
            })
        });
        let blocks = blocks.collect();
        (elements, blocks)
    }

    fn places(elements: &[[u32; 3]], pinned: u32) -> Vec<Option<(u32, u32)>> {
        let pair = |i: u32, j: u32| (i != pinned && j != pinned).then_some((i, j));
        elements.iter().flat_map(|e| e.iter().flat_map(|&i| e.iter().map(move |&j| pair(i, j)))).collect()
    }

    fn assembled(team: &Team, n: u32, pinned: u32) -> BlockSymmetric {
        let (elements, batch) = strip(n);
        let all = places(&elements, pinned);
        let pattern = BlockPattern::new(n as usize, all.iter().copied().flatten());
        let scatter = Scatter::new(&pattern, all).expect("in the pattern");
        let mut matrix = BlockSymmetric::new(pattern);
        matrix.add(team, &scatter, &batch);
        matrix.add(team, &scatter, &batch);
        matrix
    }

    #[test]
    fn products_and_expansion_agree_with_a_dense_sum() {
        let (n, pinned) = (40, 17);
        let (elements, batch) = strip(n);
        let size = 3 * n as usize;
        let mut dense = vec![vec![0.0; size]; size];
        for (place, block) in places(&elements, pinned).iter().zip(&batch) {
            let Some((i, j)) = place else { continue };
            for r in 0..3 {
                for c in 0..3 {
                    dense[3 * *i as usize + r][3 * *j as usize + c] += 2.0 * block[r][c];
                }
            }
        }
        in_pool(2, |team| {
            let matrix = assembled(team, n, pinned);
            let x: Vec<DVec3> =
                (0..n).map(|i| DVec3::new(f64::from(i % 5) - 2.0, 0.3 * f64::from(i), 1.0)).collect();
            let mut y = vec![DVec3::ZERO; n as usize];
            matrix.multiply_into(team, &x, &mut y);
            let mut scalar = matrix.scalar_pattern();
            matrix.expand_into(team, &mut scalar);
            for i in 0..size {
                let want: f64 = (0..size).map(|j| dense[i][j] * x[j / 3][j % 3]).sum();
                assert!((y[i / 3][i % 3] - want).abs() < 1e-11 * want.abs().max(1.0));
                for (row, value) in scalar.column(i) {
                    assert!((value - dense[row][i]).abs() < 1e-12, "entry {row} {i}");
                }
            }
            let stored: usize = (0..size).map(|j| (j..size).filter(|&i| dense[i][j] != 0.0).count()).sum();
            assert!(scalar.nnz() >= stored);
        });
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        let run = |threads| {
            in_pool(threads, |team| {
                let matrix = assembled(team, 3000, 5);
                let x: Vec<DVec3> =
                    (0..3000).map(f64::from).map(|i| DVec3::new(i.sin(), i.cos(), 0.1)).collect();
                let mut y = vec![DVec3::ZERO; 3000];
                matrix.multiply_into(team, &x, &mut y);
                (matrix.blocks, y)
            })
        };
        let one = run(1);
        assert!(one == run(2) && one == run(4));
    }

    #[test]
    fn a_pair_outside_of_the_pattern_is_refused() {
        let pattern = BlockPattern::new(3, [(0, 1)]);
        let missing = Scatter::new(&pattern, [Some((2, 0))]).expect_err("not coupled");
        assert_eq!(missing, MissingBlock { row: 2, column: 0 });
    }
}
