//! Sparse factorisation `P A P^T = L D L^T` in f64 for matrices that may be indefinite, with the same structure as the
//! Cholesky factor.
//!
//! There is no pivoting beyond the given order. For quasi-definite matrices (`[[K, C^T], [C, -R]]` with K and R positive
//! definite, in any order) the factor always exists \[Vanderbei95\]; elsewhere a pivot may be zero or so small that the
//! solution is worthless, which [`Pivots`] reports.

use crate::SymmetricCsc;
use crate::cholesky::{CholeskyScratch, SymbolicCholesky, Values};
use faer::linalg::cholesky::ldlt::factor::{LdltError, LdltParams, LdltRegularization};
use faer::sparse::linalg::cholesky as backend;
use faer::{Conj, MatMut, Par, Side, Spec};

/// There is no factor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotFactored {
    /// A pivot is zero: the matrix is singular, or needs another order.
    #[error("pivot {pivot} of {n} is zero")]
    ZeroPivot {
        /// Position in elimination order.
        pivot: usize,
        /// Number of rows.
        n: usize,
    },
    /// An entry of the matrix or of the factor is not finite.
    #[error("the factor of {n} rows is not finite")]
    NotFinite {
        /// Number of rows.
        n: usize,
    },
}

/// The pivots of a factor, the diagonal of D. By Sylvester's law there are as many positive and negative eigenvalues.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pivots {
    /// How many are positive.
    pub positive: usize,
    /// How many are negative.
    pub negative: usize,
    /// The smallest and the largest absolute value: a small ratio means that the solution has few correct digits.
    pub range: [f64; 2],
}

impl Pivots {
    /// Whether the matrix is positive definite.
    pub fn is_positive_definite(&self) -> bool {
        self.negative == 0
    }
}

/// A factor `L D L^T`.
#[derive(Clone, Debug)]
pub struct Ldlt {
    factor: Values,
    pivots: Pivots,
}

impl SymbolicCholesky {
    /// Factors `a`, which must have the analysed pattern and may be indefinite.
    ///
    /// # Errors
    /// If a pivot is zero or something is not finite.
    pub fn factor_indefinite(
        &self,
        a: &SymmetricCsc,
        scratch: &mut CholeskyScratch,
    ) -> Result<Ldlt, NotFactored> {
        let mut ldlt = Ldlt { factor: Values::new(self), pivots: NO_PIVOTS };
        ldlt.refactor(a, scratch)?;
        Ok(ldlt)
    }
}

const NO_PIVOTS: Pivots = Pivots { positive: 0, negative: 0, range: [f64::INFINITY, 0.0] };

impl Ldlt {
    /// Replaces the factor by that of `a`, which must have the analysed pattern. On an error the factor is unusable.
    ///
    /// # Errors
    /// If a pivot is zero or something is not finite.
    pub fn refactor(&mut self, a: &SymmetricCsc, scratch: &mut CholeskyScratch) -> Result<(), NotFactored> {
        let n = a.n();
        if n == 0 {
            return Ok(());
        }
        let params = Spec::<LdltParams, f64>::default();
        let Values { symbolic, values } = &mut self.factor;
        let backend = symbolic.backend();
        let needed = backend.factorize_numeric_ldlt_scratch::<f64>(Par::Seq, params);
        values.fill(0.0);
        let done = backend.factorize_numeric_ldlt(
            values,
            a.as_faer(),
            Side::Lower,
            LdltRegularization::default(),
            Par::Seq,
            scratch.stack(needed),
            params,
        );
        let failed = done.err().map(|LdltError::ZeroPivot { index }| index);
        if let Some(pivot) = failed {
            return Err(NotFactored::ZeroPivot { pivot, n });
        }
        if values.iter().any(|v| !v.is_finite()) {
            return Err(NotFactored::NotFinite { n });
        }
        self.pivots = pivots(&self.factor);
        Ok(())
    }

    /// Signs and sizes of the pivots.
    pub fn pivots(&self) -> Pivots {
        self.pivots
    }

    /// Number of rows.
    pub fn n(&self) -> usize {
        self.factor.n()
    }

    /// Solves `A X = B` in place; `x` holds the columns one after the other.
    pub fn solve_in_place(&self, x: &mut [f64], scratch: &mut CholeskyScratch) {
        let n = self.n();
        if n == 0 {
            return;
        }
        let columns = x.len() / n;
        let symbolic = self.factor.symbolic.backend();
        backend::LdltRef::new(symbolic, &self.factor.values).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(&mut x[..n * columns], n, columns),
            Par::Seq,
            scratch.stack(symbolic.solve_in_place_scratch::<f64>(columns, Par::Seq)),
        );
    }
}

/// D is on the diagonal of the diagonal blocks.
fn pivots(factor: &Values) -> Pivots {
    let mut pivots = NO_PIVOTS;
    for s in 0..factor.supernode_count() {
        let node = factor.supernode(s);
        let height = node.width + node.below.len();
        for d in (0..node.width).map(|j| node.values[j + j * height]) {
            *if d > 0.0 { &mut pivots.positive } else { &mut pivots.negative } += 1;
            pivots.range = [pivots.range[0].min(d.abs()), pivots.range[1].max(d.abs())];
        }
    }
    pivots
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cholesky::RELAX_FACTOR;
    use crate::ordering::nested_dissection;

    /// Numbers from a linear congruential sequence, in -1..1.
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        }

        fn below(&mut self, n: usize) -> usize {
            ((self.next() + 1.0) / 2.0 * n as f64) as usize % n
        }
    }

    /// `[[K, C^T], [C, -R]]` with diagonally dominant K and R, its rows shuffled; also the number of negative ones.
    fn quasi_definite(n: usize, random: &mut Random) -> (SymmetricCsc, usize) {
        let is_negative: Vec<bool> = (0..n).map(|_| random.next() < -0.2).collect();
        let mut triplets = Vec::new();
        for _ in 0..3 * n {
            let (i, j, x) = (random.below(n), random.below(n), random.next());
            if i == j {
                continue;
            }
            triplets.push((i as u32, j as u32, x));
            if is_negative[i] == is_negative[j] {
                let sign = if is_negative[i] { -1.0 } else { 1.0 };
                triplets.extend([(i as u32, i as u32, sign * x.abs()), (j as u32, j as u32, sign * x.abs())]);
            }
        }
        for (i, &negative) in is_negative.iter().enumerate() {
            triplets.push((i as u32, i as u32, if negative { -0.1 } else { 0.1 }));
        }
        let negative = is_negative.iter().filter(|x| **x).count();
        (SymmetricCsc::from_triplets(n, &triplets), negative)
    }

    /// Signs and solution of a dense `L D L^T` without any reordering.
    fn dense(a: &SymmetricCsc, b: &[f64]) -> (usize, Vec<f64>) {
        let n = a.n();
        let mut m = vec![vec![0.0; n]; n];
        for j in 0..n {
            for (i, x) in a.column(j) {
                (m[i][j], m[j][i]) = (x, x);
            }
        }
        let mut x = b.to_vec();
        let mut negative = 0;
        for k in 0..n {
            negative += usize::from(m[k][k] < 0.0);
            for i in k + 1..n {
                let factor = m[i][k] / m[k][k];
                for j in k + 1..n {
                    m[i][j] -= factor * m[k][j];
                }
                x[i] -= factor * x[k];
            }
        }
        for k in (0..n).rev() {
            let sum: f64 = (k + 1..n).map(|j| m[k][j] * x[j]).sum();
            x[k] = (x[k] - sum) / m[k][k];
        }
        (negative, x)
    }

    #[test]
    fn quasi_definite_matrices_agree_with_a_dense_factor() {
        let mut random = Random(7);
        let mut scratch = CholeskyScratch::default();
        for n in [1, 2, 7, 30, 90, 150] {
            let (a, negative) = quasi_definite(n, &mut random);
            let symbolic = SymbolicCholesky::new(&a, nested_dissection(&a, None), RELAX_FACTOR);
            let ldlt = symbolic.factor_indefinite(&a, &mut scratch).expect("quasi-definite");
            let b: Vec<f64> = (0..n).map(|_| random.next()).collect();
            let (dense_negative, want) = dense(&a, &b);
            let pivots = ldlt.pivots();
            assert_eq!((pivots.positive, pivots.negative), (n - negative, negative), "{n} rows");
            assert_eq!(dense_negative, negative, "the test's own matrix");
            let mut x = b;
            ldlt.solve_in_place(&mut x, &mut scratch);
            let scale = want.iter().fold(1.0f64, |m, v| m.max(v.abs()));
            for (got, want) in x.iter().zip(&want) {
                assert!((got - want).abs() < 1e-9 * scale, "{got} instead of {want}");
            }
        }
    }

    #[test]
    fn definite_matrices_have_no_negative_pivot_and_singular_ones_are_refused() {
        let a = SymmetricCsc::from_triplets(3, &[(0, 0, 4.0), (1, 0, 2.0), (1, 1, 3.0), (2, 2, 2.0)]);
        let symbolic = SymbolicCholesky::new(&a, nested_dissection(&a, None), RELAX_FACTOR);
        let mut scratch = CholeskyScratch::default();
        let mut ldlt = symbolic.factor_indefinite(&a, &mut scratch).expect("regular");
        assert!(ldlt.pivots().is_positive_definite());
        assert_eq!(ldlt.pivots().range, [2.0, 4.0]);
        let singular = SymmetricCsc { values: vec![4.0, 2.0, 1.0, 2.0], ..a.clone() };
        assert!(matches!(ldlt.refactor(&singular, &mut scratch), Err(NotFactored::ZeroPivot { n: 3, .. })));
        let broken = SymmetricCsc { values: vec![f64::NAN; 4], ..a.clone() };
        assert!(ldlt.refactor(&broken, &mut scratch).is_err());
        ldlt.refactor(&a, &mut scratch).expect("as at first");
        assert_eq!(ldlt.pivots().positive, 3);
    }
}
