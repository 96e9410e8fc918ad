//! St. Venant-Kirchhoff, `mu |E|^2 + lambda/2 (tr E)^2` with the Green strain E = (F^T F - I)/2: a polynomial in F.

use super::single::{Elasticity, scale, store_matrix, transposed_mul};
use crate::solver::local_global::chunk::load_matrix;
use crate::solver::local_global::projection::{Lame, Lanes};
use pliant_linalg::batch::mul;
use pliant_linalg::simd::{BATCH, Simd};

/// Solids and membranes.
#[derive(Clone, Copy, Debug)]
pub(super) struct StVenantKirchhoff;

/// What a batch remembers.
#[derive(Clone, Debug)]
pub(super) struct GreenState<const D: usize> {
    f: [[Lanes; D]; 3],
    /// Second Piola-Kirchhoff stress.
    second: [[Lanes; D]; D],
}

impl<const D: usize> Elasticity<D> for StVenantKirchhoff {
    type State = GreenState<D>;

    fn start() -> GreenState<D> {
        GreenState { f: [[[0.0; BATCH]; D]; 3], second: [[[0.0; BATCH]; D]; D] }
    }

    #[inline(always)]
    fn stress<S: Simd>(
        s: S,
        m: &Lame<S>,
        f: &[[S::F; D]; 3],
        state: &mut GreenState<D>,
        k: usize,
    ) -> [[S::F; D]; 3] {
        let mut strain = transposed_mul(s, f, f);
        for i in 0..D {
            strain[i][i] = s.sub(strain[i][i], s.splat(1.0));
        }
        scale(s, s.splat(0.5), &mut strain);
        let second = linear_stress(s, m, &strain);
        store_matrix(s, f, &mut state.f, k);
        store_matrix(s, &second, &mut state.second, k);
        mul(s, f, &second)
    }

    /// `dP = dF S + F dS` with `dE = sym(F^T dF)`.
    #[inline(always)]
    fn derivative<S: Simd>(
        s: S,
        m: &Lame<S>,
        df: &[[S::F; D]; 3],
        state: &GreenState<D>,
        k: usize,
    ) -> [[S::F; D]; 3] {
        let f = load_matrix(s, &state.f, k);
        let a = transposed_mul(s, &f, df);
        let mut strain = a;
        for i in 0..D {
            for j in 0..D {
                strain[i][j] = s.mul(s.splat(0.5), s.add(a[i][j], a[j][i]));
            }
        }
        let along = mul(s, &f, &linear_stress(s, m, &strain));
        let mut change = mul(s, df, &load_matrix(s, &state.second, k));
        for i in 0..3 {
            for j in 0..D {
                change[i][j] = s.add(change[i][j], along[i][j]);
            }
        }
        change
    }
}

/// `2 mu E + lambda tr(E) I`
#[inline(always)]
fn linear_stress<S: Simd, const D: usize>(s: S, m: &Lame<S>, strain: &[[S::F; D]; D]) -> [[S::F; D]; D] {
    let mut trace = strain[0][0];
    for i in 1..D {
        trace = s.add(trace, strain[i][i]);
    }
    let mut stress = *strain;
    scale(s, s.add(m.mu, m.mu), &mut stress);
    for i in 0..D {
        stress[i][i] = s.fma(m.lambda, trace, stress[i][i]);
    }
    stress
}
