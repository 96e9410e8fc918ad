//! Sparse Cholesky factorisation `P A P^T = L L^T` in f64: faer's supernodal one behind our own types.

use crate::supernodes::merged_pattern;
use crate::{Cost, Permutation, SymmetricCsc};
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::cholesky::llt::factor::{LltError, LltParams, LltRegularization};
use faer::perm::PermRef;
use faer::sparse::linalg::cholesky as backend;
use faer::sparse::linalg::{SupernodalThreshold, SymbolicSupernodalParams};
use faer::{Conj, MatMut, Par, Side, Spec};
use std::sync::Arc;

/// The matrix is not positive definite (or not finite).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the matrix is not positive definite: pivot {pivot} of {n} failed")]
pub struct NotPositiveDefinite {
    /// Position in elimination order.
    pub pivot: usize,
    /// Number of rows.
    pub n: usize,
}

/// The structure of a factor: valid for every matrix with the same pattern.
#[derive(Clone, Debug)]
pub struct SymbolicCholesky {
    symbolic: Arc<backend::SymbolicCholesky<usize>>,
    permutation: Arc<Permutation>,
}

/// A Cholesky factor.
#[derive(Clone, Debug)]
pub struct Cholesky(Values);

/// The numbers of a factor, with its structure.
#[derive(Clone, Debug)]
pub(crate) struct Values {
    pub(crate) symbolic: SymbolicCholesky,
    pub(crate) values: Vec<f64>,
}

impl Values {
    /// A factor of zeros.
    pub(crate) fn new(symbolic: &SymbolicCholesky) -> Values {
        Values { symbolic: symbolic.clone(), values: vec![0.0; symbolic.symbolic.len_val()] }
    }

    pub(crate) fn n(&self) -> usize {
        self.symbolic.symbolic.nrows()
    }

    pub(crate) fn supernode_count(&self) -> usize {
        if self.n() == 0 { 0 } else { self.symbolic.supernodal().n_supernodes() }
    }

    pub(crate) fn supernode(&self, s: usize) -> Supernode<'_> {
        let symbolic = self.symbolic.supernodal();
        let (start, end) = (symbolic.supernode_begin()[s], symbolic.supernode_end()[s]);
        let values = &self.values[symbolic.col_ptr_for_val()[s]..symbolic.col_ptr_for_val()[s + 1]];
        Supernode { start, width: end - start, below: symbolic.supernode(s).pattern(), values }
    }
}

/// Memory of factorisations and solves, kept by the caller: once it is large enough nothing is allocated.
#[derive(Default)]
pub struct CholeskyScratch {
    memory: Option<MemBuffer>,
}

// Nothing in it outlives a call: a copy starts empty.
impl Clone for CholeskyScratch {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl std::fmt::Debug for CholeskyScratch {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("CholeskyScratch").finish_non_exhaustive()
    }
}

impl CholeskyScratch {
    /// A stack of at least this size.
    pub(crate) fn stack(&mut self, needed: StackReq) -> &mut MemStack {
        let memory = self.memory.get_or_insert_with(|| MemBuffer::new(needed));
        if !MemStack::new(memory).can_hold(needed) {
            *memory = MemBuffer::new(needed);
        }
        MemStack::new(memory)
    }
}

/// One supernode of a factor: columns `start..start + width` share the row pattern below their diagonal block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Supernode<'a> {
    /// First column, in elimination order.
    pub start: usize,
    /// Number of columns.
    pub width: usize,
    /// Rows below the diagonal block, ascending, in elimination order.
    pub below: &'a [usize],
    /// Column-major `(width + below.len()) x width` values; the upper part of the diagonal block is not used.
    pub values: &'a [f64],
}

impl SymbolicCholesky {
    /// Analyses the pattern of `a` under a post-ordered `permutation`. Supernodes are merged while that costs less.
    pub fn new(a: &SymmetricCsc, permutation: Permutation, cost: Cost) -> SymbolicCholesky {
        let n = a.n();
        // Only for the analysis: factoring adds the entries of `a` to blocks of zeros.
        let merged = merged_pattern(a, &permutation, cost);
        let pattern = merged.as_faer().symbolic();
        let perm = PermRef::new_checked(&permutation.forward, &permutation.inverse, n);
        let params = backend::CholeskySymbolicParams {
            supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
            // Merges only what adds no zeros.
            supernodal_params: SymbolicSupernodalParams { relax: Some(&[]) },
            ..Default::default()
        };
        let ordering = backend::SymmetricOrdering::Custom(perm);
        let symbolic = backend::factorize_symbolic_cholesky(pattern, Side::Lower, ordering, params)
            .expect("only fails when memory runs out or the factor has more than 2^63 entries");
        SymbolicCholesky { symbolic: Arc::new(symbolic), permutation: Arc::new(permutation) }
    }

    /// Factors `a`, which must have the analysed pattern.
    pub fn factor(&self, a: &SymmetricCsc) -> Result<Cholesky, NotPositiveDefinite> {
        let mut cholesky = Cholesky(Values::new(self));
        cholesky.refactor(a, &mut CholeskyScratch::default())?;
        Ok(cholesky)
    }

    /// The elimination order.
    pub fn permutation(&self) -> &Permutation {
        &self.permutation
    }

    pub(crate) fn backend(&self) -> &backend::SymbolicCholesky<usize> {
        &self.symbolic
    }

    /// Columns of each supernode, and rows below them.
    pub(crate) fn supernode_sizes(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let count = if self.symbolic.nrows() == 0 { 0 } else { self.supernodal().n_supernodes() };
        (0..count).map(|s| {
            let symbolic = self.supernodal();
            let width = symbolic.supernode_end()[s] - symbolic.supernode_begin()[s];
            (width, symbolic.supernode(s).pattern().len())
        })
    }

    fn supernodal(&self) -> &backend::supernodal::SymbolicSupernodalCholesky<usize> {
        match self.symbolic.raw() {
            backend::SymbolicCholeskyRaw::Supernodal(s) => s,
            backend::SymbolicCholeskyRaw::Simplicial(_) => unreachable!("the analysis forces supernodes"),
        }
    }
}

impl Cholesky {
    /// Replaces the factor by that of `a`, which must have the analysed pattern. On an error the factor is unusable.
    pub fn refactor(
        &mut self,
        a: &SymmetricCsc,
        scratch: &mut CholeskyScratch,
    ) -> Result<(), NotPositiveDefinite> {
        let n = a.n();
        if n == 0 {
            return Ok(());
        }
        let params = Spec::<LltParams, f64>::default();
        let Values { symbolic, values } = &mut self.0;
        let symbolic = symbolic.backend();
        let needed = symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, params);
        values.fill(0.0);
        let failed = symbolic.factorize_numeric_llt(
            values,
            a.as_faer(),
            Side::Lower,
            LltRegularization::default(),
            Par::Seq,
            scratch.stack(needed),
            params,
        );
        let failed = failed.err().map(|LltError::NonPositivePivot { index }| index);
        match failed {
            Some(pivot) => Err(NotPositiveDefinite { pivot, n }),
            // NaN passes faer's pivot test; it spreads to the last entry.
            None if values.iter().all(|v| v.is_finite()) => Ok(()),
            None => Err(NotPositiveDefinite { pivot: 0, n }),
        }
    }

    /// The structure.
    pub fn symbolic(&self) -> &SymbolicCholesky {
        &self.0.symbolic
    }

    /// Number of rows.
    pub fn n(&self) -> usize {
        self.0.n()
    }

    /// Solves `A X = B` in place; `x` holds the columns one after the other.
    pub fn solve_in_place(&self, x: &mut [f64], scratch: &mut CholeskyScratch) {
        self.solve_with(x, Par::Seq, scratch);
    }

    /// As [`solve_in_place`](Self::solve_in_place) with `threads` threads of rayon's current pool.
    #[cfg(not(target_family = "wasm"))]
    pub fn solve_in_place_threaded(&self, x: &mut [f64], threads: usize, scratch: &mut CholeskyScratch) {
        self.solve_with(x, if threads > 1 { Par::rayon(threads) } else { Par::Seq }, scratch);
    }

    fn solve_with(&self, x: &mut [f64], par: Par, scratch: &mut CholeskyScratch) {
        let n = self.n();
        if n == 0 {
            return;
        }
        let columns = x.len() / n;
        let symbolic = self.0.symbolic.backend();
        backend::LltRef::new(symbolic, &self.0.values).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(&mut x[..n * columns], n, columns),
            par,
            scratch.stack(symbolic.solve_in_place_scratch::<f64>(columns, par)),
        );
    }

    /// Number of supernodes.
    pub(crate) fn supernode_count(&self) -> usize {
        self.0.supernode_count()
    }

    /// Supernode `s`, in elimination order.
    pub(crate) fn supernode(&self, s: usize) -> Supernode<'_> {
        self.0.supernode(s)
    }

    /// Bytes of the factor's values.
    pub fn bytes(&self) -> usize {
        std::mem::size_of_val(self.0.values.as_slice())
    }
}

/// The cost of a supernode in multiplications: those of its elimination, and as many as the time for each of its entries
/// (128) and of its rows (2000) is worth.
pub const RELAX_FACTOR: Cost = |width, below| {
    let (width, height) = (width as u64, (width + below) as u64);
    height * (width * (height + 128) + 2000)
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ordering::nested_dissection;

    #[test]
    fn solves_and_reports_indefinite_matrices() {
        let a = SymmetricCsc::from_triplets(
            3,
            &[(0, 0, 4.0), (1, 0, 1.0), (1, 1, 3.0), (2, 1, -1.0), (2, 2, 2.0)],
        );
        let symbolic = SymbolicCholesky::new(&a, nested_dissection(&a), RELAX_FACTOR);
        let l = symbolic.factor(&a).expect("positive definite");
        let mut x = vec![5.0, 3.0, 1.0, 4.0, 1.0, 0.0];
        l.solve_in_place(&mut x, &mut CholeskyScratch::default());
        for (got, want) in x.iter().zip([1.0, 1.0, 1.0]) {
            assert!((got - want).abs() < 1e-15);
        }
        let indefinite = SymmetricCsc { values: vec![4.0, 1.0, -3.0, -1.0, 2.0], ..a };
        assert!(symbolic.factor(&indefinite).is_err());
    }
}
