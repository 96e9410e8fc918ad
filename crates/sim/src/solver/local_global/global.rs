//! The global step: `A dq = r`, completely by a factor or incompletely by one Jacobi iteration.

use super::super::{GlobalSolve, LocalGlobalConfig, Memory, Precision};
use super::{PIECE, Vec4};
use pliant_linalg::cholesky::{
    Cholesky, CholeskyScratch, NotPositiveDefinite, RELAX_FACTOR, SymbolicCholesky,
};
use pliant_linalg::inverse::{InverseScratch, SparseInverse};
use pliant_linalg::panels::{PanelFactor, PanelScratch, Xyz};
use pliant_linalg::{Permutation, SymmetricCsc, Team};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// What the global step needs of A. It never changes, so all worlds of a model share it.
#[derive(Clone, Debug)]
pub enum GlobalFactor {
    /// Complete, f32 panels of the factor.
    Panels(Arc<PanelFactor>),
    /// Complete, f32 sparse inverse factor.
    SparseInverse(Arc<SparseInverse>),
    /// Complete, f64 factor: the oracle.
    Double(Arc<Cholesky>),
    /// Incomplete: `dq = D^-1 r`, with Chebyshev's acceleration if a spectral radius is given \[Wang15\].
    Jacobi {
        /// 1 / A_ii
        inverse_diagonal: Arc<[f64]>,
        /// Estimate of the spectral radius of the iteration.
        radius: Option<f64>,
    },
}

/// The global step of one world: the factor with the memory that solving takes.
#[derive(Clone, Debug)]
pub enum Global {
    /// With [`GlobalFactor::Panels`].
    Panels(Arc<PanelFactor>, PanelScratch),
    /// With [`GlobalFactor::SparseInverse`].
    SparseInverse(Arc<SparseInverse>, InverseScratch),
    /// With [`GlobalFactor::Double`].
    Double {
        /// The factor.
        factor: Arc<Cholesky>,
        /// Right-hand side, one component after the other.
        columns: Vec<f64>,
        /// Memory of the solve.
        scratch: CholeskyScratch,
    },
    /// With [`GlobalFactor::Jacobi`].
    Jacobi {
        /// 1 / A_ii
        inverse_diagonal: Arc<[f64]>,
        /// Estimate of the spectral radius of the iteration.
        radius: Option<f64>,
        /// Iterates of the last two iterations, and the weight of the last one.
        history: Box<Chebyshev>,
    },
}

/// Memory of the Chebyshev acceleration.
#[derive(Clone, Debug, Default)]
pub struct Chebyshev {
    previous: Vec<Vec4>,
    before: Vec<Vec4>,
    omega: f64,
}

impl GlobalFactor {
    /// Factors `a`, which is in elimination order, as `config` asks for.
    pub fn new(config: &LocalGlobalConfig, a: &SymmetricCsc) -> Result<GlobalFactor, NotPositiveDefinite> {
        let jacobi = |radius| GlobalFactor::Jacobi {
            inverse_diagonal: (0..a.n()).map(|j| 1.0 / a.values[a.col_ptr[j]]).collect(),
            radius,
        };
        Ok(match (config.global, config.precision) {
            (GlobalSolve::Jacobi, _) => jacobi(None),
            (GlobalSolve::Chebyshev(radius), _) => jacobi(Some(radius)),
            (_, Precision::Double) => GlobalFactor::Double(Arc::new(factor(a)?)),
            (GlobalSolve::Panels, _) => GlobalFactor::Panels(Arc::new(PanelFactor::new(a)?)),
            (GlobalSolve::SparseInverse, _) => {
                GlobalFactor::SparseInverse(Arc::new(SparseInverse::new(a, &factor(a)?)))
            }
        })
    }

    /// The packed factor, if this is one.
    pub fn panels(&self) -> Option<&Arc<PanelFactor>> {
        match self {
            GlobalFactor::Panels(factor) => Some(factor),
            _ => None,
        }
    }

    /// Whether the linear system is solved completely.
    pub fn is_complete(&self) -> bool {
        !matches!(self, GlobalFactor::Jacobi { .. })
    }

    /// Bytes of the factor or the sparse inverse.
    pub fn memory(&self) -> Memory {
        match self {
            GlobalFactor::Panels(f) => Memory { factor_bytes: f.bytes(), ..Memory::default() },
            GlobalFactor::SparseInverse(s) => Memory { inverse_factor_bytes: s.bytes(), ..Memory::default() },
            GlobalFactor::Double(f) => Memory { factor_bytes: f.bytes(), ..Memory::default() },
            GlobalFactor::Jacobi { .. } => Memory::default(),
        }
    }
}

impl Global {
    /// Memory for one world that solves with `factor`.
    pub fn new(factor: &GlobalFactor) -> Global {
        match factor.clone() {
            GlobalFactor::Panels(factor) => {
                let scratch = factor.scratch(1);
                Global::Panels(factor, scratch)
            }
            GlobalFactor::SparseInverse(inverse) => {
                let scratch = inverse.scratch();
                Global::SparseInverse(inverse, scratch)
            }
            GlobalFactor::Double(factor) => Global::Double {
                columns: vec![0.0; 3 * factor.n()],
                factor,
                scratch: CholeskyScratch::default(),
            },
            GlobalFactor::Jacobi { inverse_diagonal, radius } => {
                Global::Jacobi { inverse_diagonal, radius, history: Box::default() }
            }
        }
    }

    /// `x = A^-1 r`, completely, with the right-hand side of each row.
    ///
    /// # Panics
    /// If the factor is [incomplete](GlobalFactor::is_complete).
    pub fn solve(&mut self, team: &Team, r: impl Fn(usize) -> Vec4 + Sync, x: &mut [Vec4]) {
        match self {
            Global::Panels(factor, scratch) => {
                fill_from(team, scratch.vector_mut(0), r);
                factor.solve(team, scratch);
                take(team, x, scratch.vector(0));
            }
            Global::SparseInverse(inverse, scratch) => {
                fill_from(team, scratch.vector_mut(), r);
                inverse.solve(team, scratch);
                take(team, x, scratch.vector());
            }
            Global::Double { factor, columns, scratch } => {
                x.iter_mut().enumerate().for_each(|(row, x)| *x = r(row));
                solve_exactly(factor, columns, scratch, x);
            }
            Global::Jacobi { .. } => unreachable!("an incomplete solve has no such iteration"),
        }
    }

    /// Adds the correction of iteration `k` to `q` and returns the length of its longest vector in m.
    pub fn correct(&mut self, team: &Team, k: usize, residual: &mut [Vec4], q: &mut [Vec4]) -> f64 {
        match self {
            Global::Panels(factor, scratch) => {
                fill(team, scratch.vector_mut(0), residual);
                factor.solve(team, scratch);
                add(team, q, scratch.vector(0))
            }
            Global::SparseInverse(inverse, scratch) => {
                fill(team, scratch.vector_mut(), residual);
                inverse.solve(team, scratch);
                add(team, q, scratch.vector())
            }
            Global::Double { factor, columns, scratch } => {
                solve_exactly(factor, columns, scratch, residual);
                add_exact(q, residual)
            }
            Global::Jacobi { inverse_diagonal, radius, history } => {
                for (r, d) in residual.iter_mut().zip(inverse_diagonal.iter()) {
                    r.0 = r.0.map(|x| x * *d);
                }
                let step = add_exact(q, residual);
                if let Some(radius) = radius {
                    history.accelerate(k, *radius, q);
                }
                step
            }
        }
    }
}

impl Chebyshev {
    /// `q_{k+1} = omega (q^_{k+1} - q_{k-1}) + q_{k-1}` with omega from the recurrence of Chebyshev polynomials; the
    /// first iterations are left alone \[Wang15\].
    fn accelerate(&mut self, k: usize, radius: f64, q: &mut [Vec4]) {
        const DELAY: usize = 10;
        self.previous.resize(q.len(), Vec4::default());
        self.before.resize(q.len(), Vec4::default());
        self.omega = match k {
            _ if k < DELAY => 1.0,
            _ if k == DELAY => 2.0 / (2.0 - radius * radius),
            _ => 4.0 / (4.0 - radius * radius * self.omega),
        };
        if k >= DELAY {
            for (q, b) in q.iter_mut().zip(&self.before) {
                for c in 0..3 {
                    q.0[c] = self.omega * (q.0[c] - b.0[c]) + b.0[c];
                }
            }
        }
        std::mem::swap(&mut self.before, &mut self.previous);
        self.previous.copy_from_slice(q);
    }
}

fn factor(a: &SymmetricCsc) -> Result<Cholesky, NotPositiveDefinite> {
    let identity = Permutation::from_forward((0..a.n()).collect());
    SymbolicCholesky::new(a, identity, RELAX_FACTOR).factor(a)
}

fn solve_exactly(factor: &Cholesky, columns: &mut [f64], scratch: &mut CholeskyScratch, r: &mut [Vec4]) {
    let n = r.len();
    for (i, r) in r.iter().enumerate() {
        for c in 0..3 {
            columns[c * n + i] = r.0[c];
        }
    }
    factor.solve_in_place(columns, scratch);
    for (i, r) in r.iter_mut().enumerate() {
        *r = Vec4([columns[i], columns[n + i], columns[2 * n + i], 0.0]);
    }
}

fn take(team: &Team, to: &mut [Vec4], from: &[Xyz]) {
    team.for_each_piece(to, PIECE, |first, to| {
        for (to, from) in to.iter_mut().zip(&from[first..]) {
            to.0 = from.map(f64::from);
        }
    });
}

fn fill(team: &Team, to: &mut [Xyz], from: &[Vec4]) {
    fill_from(team, to, |row| from[row]);
}

fn fill_from(team: &Team, to: &mut [Xyz], from: impl Fn(usize) -> Vec4 + Sync) {
    team.for_each_piece(to, PIECE, |first, to| {
        for (k, to) in to.iter_mut().enumerate() {
            *to = from(first + k).0.map(|x| x as f32);
        }
    });
}

/// Adds f32 corrections and returns the length of the longest.
fn add(team: &Team, q: &mut [Vec4], corrections: &[Xyz]) -> f64 {
    // The maximum does not depend on the order in which pieces report theirs; the bits of positive floats are ordered
    // like the floats, and a NaN is above all.
    let largest = AtomicU32::new(0);
    team.for_each_piece(q, PIECE, |first, q| {
        let mut square = 0.0f32;
        for (q, d) in q.iter_mut().zip(&corrections[first..]) {
            for c in 0..4 {
                q.0[c] += f64::from(d[c]);
            }
            square = nan_max(square, d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        }
        largest.fetch_max(square.abs().to_bits(), Ordering::Relaxed);
    });
    f64::from(f32::from_bits(largest.into_inner())).sqrt()
}

/// The larger number; a NaN wins, so that it reaches the report.
fn nan_max<T: PartialOrd>(a: T, b: T) -> T {
    let not_a_number = a.partial_cmp(&a).is_none();
    if not_a_number || a > b { a } else { b }
}

fn add_exact(q: &mut [Vec4], corrections: &[Vec4]) -> f64 {
    let mut largest = 0.0;
    for (q, d) in q.iter_mut().zip(corrections) {
        for c in 0..3 {
            q.0[c] += d.0[c];
        }
        largest = nan_max(largest, d.norm_sq());
    }
    largest.sqrt()
}
