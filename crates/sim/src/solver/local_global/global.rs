//! The global step: `A dq = r`, completely by a factor or incompletely by one Jacobi iteration.

use super::super::{GlobalSolve, LocalGlobalConfig, Memory, Precision};
use super::Vec4;
use pliant_linalg::cholesky::{Cholesky, NotPositiveDefinite, RELAX_FACTOR, SymbolicCholesky};
use pliant_linalg::inverse::SparseInverse;
use pliant_linalg::panels::{PanelSolver, RELAX_PANELS, Xyz};
use pliant_linalg::{Permutation, SymmetricCsc};
use rayon::prelude::*;

/// Vertices per parallel piece of a vector loop.
const PIECE: usize = 2048;

/// The linear solver of the global step.
#[derive(Debug)]
pub enum Global {
    /// Complete, f32 panels of the factor.
    Panels(Box<PanelSolver>),
    /// Complete, f32 sparse inverse factor.
    SparseInverse(Box<SparseInverse>),
    /// Complete, f64 factor: the oracle.
    Double {
        /// The factor.
        factor: Box<Cholesky>,
        /// Right-hand side, one component after the other.
        columns: Vec<f64>,
    },
    /// Incomplete: `dq = D^-1 r`, with Chebyshev's acceleration if a spectral radius is given [Wang15].
    Jacobi {
        /// 1 / A_ii
        inverse_diagonal: Vec<f64>,
        /// Estimate of the spectral radius of the iteration.
        radius: Option<f64>,
        /// Iterates of the last two iterations, and the weight of the last one.
        history: Box<Chebyshev>,
    },
}

/// Memory of the Chebyshev acceleration.
#[derive(Debug, Default)]
pub struct Chebyshev {
    previous: Vec<Vec4>,
    before: Vec<Vec4>,
    omega: f64,
}

impl Global {
    /// Prepares the solver that `config` asks for.
    pub fn new(config: &LocalGlobalConfig, a: &SymmetricCsc) -> Result<Global, NotPositiveDefinite> {
        let identity = || Permutation::from_forward((0..a.n()).collect());
        let factor = |relax| SymbolicCholesky::new(a, identity(), relax).factor(a);
        Ok(match (config.global, config.precision) {
            (GlobalSolve::Jacobi, _) => Global::jacobi(a, None),
            (GlobalSolve::Chebyshev(radius), _) => Global::jacobi(a, Some(radius)),
            (_, Precision::Double) => {
                Global::Double { factor: Box::new(factor(RELAX_FACTOR)?), columns: vec![0.0; 3 * a.n()] }
            }
            (GlobalSolve::Panels, _) => Global::Panels(Box::new(PanelSolver::new(&factor(RELAX_PANELS)?))),
            (GlobalSolve::SparseInverse, _) => {
                Global::SparseInverse(Box::new(SparseInverse::new(a, &factor(RELAX_FACTOR)?)))
            }
        })
    }

    fn jacobi(a: &SymmetricCsc, radius: Option<f64>) -> Global {
        let inverse_diagonal = (0..a.n()).map(|j| 1.0 / a.values[a.col_ptr[j]]).collect();
        Global::Jacobi { inverse_diagonal, radius, history: Box::default() }
    }

    /// Adds the correction of iteration `k` to `q` and returns the length of its longest vector in m.
    pub fn correct(&mut self, k: usize, residual: &mut [Vec4], q: &mut [Vec4]) -> f64 {
        match self {
            Global::Panels(solver) => {
                fill(solver.vector_mut(), residual);
                solver.solve();
                add(q, solver.vector())
            }
            Global::SparseInverse(solver) => {
                fill(solver.vector_mut(), residual);
                solver.solve();
                add(q, solver.vector())
            }
            Global::Double { factor, columns } => {
                let n = q.len();
                for (i, r) in residual.iter().enumerate() {
                    for c in 0..3 {
                        columns[c * n + i] = r.0[c];
                    }
                }
                factor.solve_in_place(columns);
                for (i, r) in residual.iter_mut().enumerate() {
                    *r = Vec4([columns[i], columns[n + i], columns[2 * n + i], 0.0]);
                }
                add_exact(q, residual)
            }
            Global::Jacobi { inverse_diagonal, radius, history } => {
                for (r, d) in residual.iter_mut().zip(inverse_diagonal) {
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

    /// Bytes of the factor or the sparse inverse.
    pub fn memory(&self) -> Memory {
        match self {
            Global::Panels(s) => Memory { factor_bytes: s.bytes(), ..Memory::default() },
            Global::SparseInverse(s) => Memory { inverse_factor_bytes: s.bytes(), ..Memory::default() },
            Global::Double { factor, .. } => Memory { factor_bytes: factor.bytes(), ..Memory::default() },
            Global::Jacobi { .. } => Memory::default(),
        }
    }
}

impl Chebyshev {
    /// `q_{k+1} = omega (q^_{k+1} - q_{k-1}) + q_{k-1}` with omega from the recurrence of Chebyshev polynomials; the
    /// first iterations are left alone [Wang15].
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

fn fill(to: &mut [Xyz], from: &[Vec4]) {
    to.par_chunks_mut(PIECE).zip(from.par_chunks(PIECE)).for_each(|(to, from)| {
        for (to, from) in to.iter_mut().zip(from) {
            *to = from.0.map(|x| x as f32);
        }
    });
}

/// Adds f32 corrections and returns the length of the longest.
fn add(q: &mut [Vec4], corrections: &[Xyz]) -> f64 {
    let largest = |(q, d): (&mut [Vec4], &[Xyz])| {
        let mut largest = 0.0f32;
        for (q, d) in q.iter_mut().zip(d) {
            for c in 0..4 {
                q.0[c] += f64::from(d[c]);
            }
            // A comparison that a NaN wins, so that it reaches the report.
            let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            if !(square <= largest) {
                largest = square;
            }
        }
        largest
    };
    // The maximum does not depend on the order.
    let square =
        q.par_chunks_mut(PIECE).zip(corrections.par_chunks(PIECE)).map(largest).reduce(|| 0.0, nan_max);
    f64::from(square).sqrt()
}

fn nan_max(a: f32, b: f32) -> f32 {
    if a.is_nan() || a > b { a } else { b }
}

fn add_exact(q: &mut [Vec4], corrections: &[Vec4]) -> f64 {
    let mut largest = 0.0;
    for (q, d) in q.iter_mut().zip(corrections) {
        for c in 0..3 {
            q.0[c] += d.0[c];
        }
        let square = d.norm_sq();
        if !(square <= largest) {
            largest = square;
        }
    }
    largest.sqrt()
}
