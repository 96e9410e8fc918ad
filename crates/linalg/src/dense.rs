//! Dense factorisations of moderate size in f64: faer's, behind memory that is kept between calls.

use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::cholesky::llt;
use faer::linalg::lu::partial_pivoting as lu;
use faer::perm::PermRef;
use faer::{Auto, MatMut, MatRef, Par, Spec};

/// A symmetric positive definite matrix and its factor `L L^T`.
#[derive(Clone, Default)]
pub struct DenseCholesky {
    n: usize,
    /// Column-major; the lower triangle holds L.
    values: Vec<f64>,
    buffer: Buffer,
}

/// A square matrix and its factors with row exchanges.
#[derive(Clone, Default)]
pub struct DenseLu {
    n: usize,
    values: Vec<f64>,
    forward: Vec<usize>,
    backward: Vec<usize>,
    buffer: Buffer,
}

/// Work memory of faer; grows and never shrinks.
struct Buffer {
    memory: MemBuffer,
    holds: StackReq,
}

impl Default for Buffer {
    fn default() -> Buffer {
        Buffer { memory: MemBuffer::new(StackReq::EMPTY), holds: StackReq::EMPTY }
    }
}

// Nothing in it outlives a call: a copy starts empty.
impl Clone for Buffer {
    fn clone(&self) -> Buffer {
        Buffer::default()
    }
}

impl Buffer {
    fn get(&mut self, need: StackReq) -> &mut MemBuffer {
        let both = self.holds.or(need);
        if both != self.holds {
            self.holds = both;
            self.memory = MemBuffer::new(both);
        }
        &mut self.memory
    }
}

impl std::fmt::Debug for DenseCholesky {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DenseCholesky").field("n", &self.n).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for DenseLu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DenseLu").field("n", &self.n).finish_non_exhaustive()
    }
}

impl DenseCholesky {
    /// Factors the matrix whose lower triangle `fill(column, rows from the diagonal down)` writes. False if it is not
    /// positive definite.
    pub fn factor(&mut self, n: usize, fill: impl Fn(usize, &mut [f64])) -> bool {
        self.n = n;
        self.values.resize(n * n, 0.0);
        for (j, column) in self.values.chunks_exact_mut(n.max(1)).enumerate() {
            fill(j, &mut column[j..]);
        }
        let params: Spec<llt::factor::LltParams, f64> = Spec::new(Auto::<f64>::auto());
        let need = llt::factor::cholesky_in_place_scratch::<f64>(n, Par::Seq, params);
        let stack = MemStack::new(self.buffer.get(need));
        let a = MatMut::from_column_major_slice_mut(&mut self.values, n, n);
        let done = llt::factor::cholesky_in_place(a, Default::default(), Par::Seq, stack, params).is_ok();
        // NaN passes faer's pivot test; it spreads to the last entry.
        done && self.values.last().is_none_or(|x| x.is_finite())
    }

    /// Number of rows.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Replaces each column of `rhs` (column-major, n rows) by the solution.
    pub fn solve(&self, rhs: &mut [f64]) {
        self.forward(rhs);
        self.backward(rhs);
    }

    /// Replaces each column of `rhs` by `L^-1` times it.
    pub fn forward(&self, rhs: &mut [f64]) {
        if self.n == 0 {
            return;
        }
        let l = MatRef::from_column_major_slice(&self.values, self.n, self.n);
        let columns = rhs.len() / self.n;
        let x = MatMut::from_column_major_slice_mut(rhs, self.n, columns);
        faer::linalg::triangular_solve::solve_lower_triangular_in_place(l, x, Par::Seq);
    }

    /// Replaces each column of `rhs` by `L^-T` times it.
    pub fn backward(&self, rhs: &mut [f64]) {
        if self.n == 0 {
            return;
        }
        let l = MatRef::from_column_major_slice(&self.values, self.n, self.n);
        let columns = rhs.len() / self.n;
        let x = MatMut::from_column_major_slice_mut(rhs, self.n, columns);
        faer::linalg::triangular_solve::solve_upper_triangular_in_place(l.transpose(), x, Par::Seq);
    }
}

/// `Y^T Y` of a column-major matrix with `rows` rows, column-major; the lower triangle is filled.
pub fn gram_into(y: &[f64], rows: usize, out: &mut [f64]) {
    let columns = y.len().checked_div(rows).unwrap_or(0);
    if columns == 0 {
        out.fill(0.0);
        return;
    }
    let y = MatRef::from_column_major_slice(y, rows, columns);
    let out = MatMut::from_column_major_slice_mut(out, columns, columns);
    use faer::linalg::matmul::triangular::{BlockStructure, matmul};
    let whole = BlockStructure::Rectangular;
    let half = BlockStructure::TriangularLower;
    matmul(out, half, faer::Accum::Replace, y.transpose(), whole, y, whole, 1.0, Par::Seq);
}

impl DenseLu {
    /// Factors the matrix that `fill(column, rows)` writes. False if it is singular.
    pub fn factor(&mut self, n: usize, fill: impl Fn(usize, &mut [f64])) -> bool {
        self.n = n;
        self.values.resize(n * n, 0.0);
        self.forward.resize(n, 0);
        self.backward.resize(n, 0);
        for (j, column) in self.values.chunks_exact_mut(n.max(1)).enumerate() {
            fill(j, column);
        }
        let params: Spec<lu::factor::PartialPivLuParams, f64> = Spec::new(Auto::<f64>::auto());
        let need = lu::factor::lu_in_place_scratch::<usize, f64>(n, n, Par::Seq, params);
        let stack = MemStack::new(self.buffer.get(need));
        let a = MatMut::from_column_major_slice_mut(&mut self.values, n, n);
        lu::factor::lu_in_place(a, &mut self.forward, &mut self.backward, Par::Seq, stack, params);
        (0..n).all(|i| self.values[i * n + i].is_normal())
    }

    /// Replaces each column of `rhs` (column-major, n rows) by the solution.
    pub fn solve(&mut self, rhs: &mut [f64]) {
        if self.n == 0 {
            return;
        }
        let columns = rhs.len() / self.n;
        let need = lu::solve::solve_in_place_scratch::<usize, f64>(self.n, columns, Par::Seq);
        let stack = MemStack::new(self.buffer.get(need));
        let factors = MatRef::from_column_major_slice(&self.values, self.n, self.n);
        let order = PermRef::new_checked(&self.forward, &self.backward, self.n);
        let x = MatMut::from_column_major_slice_mut(rhs, self.n, columns);
        lu::solve::solve_in_place(factors, factors, order, x, Par::Seq, stack);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(i: usize, j: usize) -> f64 {
        let base = ((i * 31 + j * 17) % 23) as f64 / 23.0;
        if i == j { 20.0 + base } else { base - 0.5 }
    }

    #[test]
    fn both_solve_their_systems() {
        for n in [0, 1, 5, 70] {
            let x: Vec<f64> = (0..2 * n).map(|i| (i as f64).sin()).collect();
            let product = |a: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
                (0..2 * n)
                    .map(|k| (0..n).map(|j| a(k % n.max(1), j) * x[k / n.max(1) * n + j]).sum())
                    .collect()
            };
            let check = |solved: Vec<f64>| {
                assert!(solved.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-12), "{n}: {solved:?}");
            };
            let symmetric = |i: usize, j: usize| entry(i.min(j), i.max(j));
            let mut cholesky = DenseCholesky::default();
            let fill = |j: usize, rows: &mut [f64]| {
                rows.iter_mut().enumerate().for_each(|(k, a)| *a = symmetric(j + k, j));
            };
            assert!(cholesky.factor(n, fill));
            let mut rhs = product(&symmetric);
            cholesky.solve(&mut rhs);
            check(rhs);
            let mut lu = DenseLu::default();
            assert!(lu.factor(n, |j, rows| rows.iter_mut().enumerate().for_each(|(i, a)| *a = entry(i, j))));
            let mut rhs = product(&entry);
            lu.solve(&mut rhs);
            check(rhs);
        }
    }

    #[test]
    fn matrices_that_cannot_be_factored_are_told() {
        let mut cholesky = DenseCholesky::default();
        assert!(!cholesky.factor(3, |_, rows| rows.fill(-1.0)));
        assert!(!cholesky.factor(3, |_, rows| rows.fill(f64::NAN)));
        assert!(!DenseLu::default().factor(3, |_, rows| rows.fill(0.0)));
    }
}
