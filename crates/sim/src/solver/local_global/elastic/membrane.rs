//! Membranes with a law of the three invariants, in closed form.
//!
//! With the columns a, b of F and the unit normal n, J = n.(a x b) and its derivative is `cof F = [b x n, n x a]`. The
//! sum of the stretches is `t = sqrt(tr(F^T F) + 2 J)`, the polar factor `R = (F + cof F) / t`, and dt = R : dF. So
//! `P = c F + T' R + V' cof F` is a combination of F and cof F.

use super::laws::InvariantLaw;
use super::single::{Elasticity, Volumes, add, balance, contract, store_matrix};
use crate::solver::local_global::chunk::load_matrix;
use crate::solver::local_global::projection::{Lame, Lanes};
use pliant_linalg::batch::Mat32;
use pliant_linalg::simd::{BATCH, Simd};

/// Membranes of law L.
#[derive(Clone, Copy, Debug)]
pub(super) struct Membrane<L>(std::marker::PhantomData<L>);

/// What a batch remembers.
#[derive(Clone, Debug)]
pub(super) struct MembraneState {
    f: [[Lanes; 2]; 3],
    normal: [Lanes; 3],
    /// 1 / J.
    inverse_volume: Lanes,
    /// The factors of F and of cof F in the stress: c + T'/t and V' + T'/t.
    along: Lanes,
    across: Lanes,
    /// (T'' - T'/t) / t^2 and V''.
    trace_curvature: Lanes,
    volume_curvature: Lanes,
    ratio: Volumes,
}

/// Below this ratio of J to tr(F^T F) the normal is too uncertain in f32: it shrinks with J.
const FLAT: f32 = 1e-5;

/// Least sum of the stretches.
const LEAST_TRACE: f32 = 1e-3;

impl<L: InvariantLaw> Elasticity<2> for Membrane<L> {
    type State = MembraneState;

    fn start() -> MembraneState {
        let zero = [0.0; BATCH];
        MembraneState {
            f: [[zero; 2]; 3],
            normal: [zero; 3],
            inverse_volume: zero,
            along: zero,
            across: zero,
            trace_curvature: zero,
            volume_curvature: zero,
            ratio: Volumes::START,
        }
    }

    #[inline(always)]
    fn stress<S: Simd>(s: S, m: &Lame<S>, f: &Mat32<S>, state: &mut MembraneState, k: usize) -> Mat32<S> {
        let area = cross(s, &column::<S, 0>(f), &column::<S, 1>(f));
        let j = s.sqrt(dot(s, &area, &area));
        let squares = contract(s, f, f);
        let inverse = s.div(s.splat(1.0), s.max(j, s.fma(s.splat(FLAT), squares, s.splat(1e-12))));
        let normal = [s.mul(area[0], inverse), s.mul(area[1], inverse), s.mul(area[2], inverse)];
        let trace = s.max(s.sqrt(s.fma(s.splat(2.0), j, squares)), s.splat(LEAST_TRACE));
        let inverse_trace = s.div(s.splat(1.0), trace);
        let turn = s.mul(L::trace_slope(s, m, trace, 2), inverse_trace);
        let (slope, curvature) = L::volume(s, m, j);
        let (along, across) = (s.add(L::shear(s, m), turn), s.add(slope, turn));
        let bent = s.mul(s.sub(L::trace_curvature(s, m), turn), s.mul(inverse_trace, inverse_trace));
        store_matrix(s, f, &mut state.f, k);
        for i in 0..3 {
            s.store(normal[i], &mut state.normal[i][k..]);
        }
        s.store(inverse, &mut state.inverse_volume[k..]);
        s.store(along, &mut state.along[k..]);
        s.store(across, &mut state.across[k..]);
        s.store(bent, &mut state.trace_curvature[k..]);
        s.store(curvature, &mut state.volume_curvature[k..]);
        if L::FORBIDS_INVERSION {
            s.store(j, &mut state.ratio.last[k..]);
        }
        let cofactor = cofactor(s, f, &normal);
        let mut stress = [[s.splat(0.0); 2]; 3];
        for i in 0..3 {
            for c in 0..2 {
                stress[i][c] = s.fma(across, cofactor[i][c], s.mul(along, f[i][c]));
            }
        }
        balance(s, f, &mut stress);
        stress
    }

    /// `dP = (c + T'/t) dF + (V' + T'/t) dcof F + (T'' - T'/t)/t^2 (Q : dF) Q + V'' dJ cof F` with Q = F + cof F = t R,
    /// dJ = n.m and dn = (m - n (n.m)) / J for m = da x b + a x db.
    #[inline(always)]
    fn derivative<S: Simd>(s: S, _: &Lame<S>, df: &Mat32<S>, state: &MembraneState, k: usize) -> Mat32<S> {
        let f = load_matrix(s, &state.f, k);
        let [normal] = load_matrix(s, std::array::from_ref(&state.normal), k);
        let (a, b) = (column::<S, 0>(&f), column::<S, 1>(&f));
        let (da, db) = (column::<S, 0>(df), column::<S, 1>(df));
        let (left, right) = (cross(s, &da, &b), cross(s, &a, &db));
        let area = [s.add(left[0], right[0]), s.add(left[1], right[1]), s.add(left[2], right[2])];
        let growth = dot(s, &normal, &area);
        let inverse = s.load(&state.inverse_volume[k..]);
        let mut dn = area;
        for i in 0..3 {
            dn[i] = s.mul(inverse, s.fnma(growth, normal[i], area[i]));
        }
        let stretched = cofactor(s, &f, &normal);
        let (moved, tilted) = (cofactor(s, df, &normal), cofactor(s, &f, &dn));
        let (along, across) = (s.load(&state.along[k..]), s.load(&state.across[k..]));
        let sum = s.mul(s.load(&state.trace_curvature[k..]), s.add(contract(s, &f, df), growth));
        let on_cofactor = s.fma(s.load(&state.volume_curvature[k..]), growth, sum);
        let mut change = [[s.splat(0.0); 2]; 3];
        for i in 0..3 {
            for c in 0..2 {
                let turned = s.mul(across, s.add(moved[i][c], tilted[i][c]));
                change[i][c] = s.fma(along, df[i][c], s.fma(on_cofactor, stretched[i][c], turned));
            }
        }
        add(s, &mut change, sum, &f);
        change
    }

    fn volumes(state: &MembraneState) -> Option<&Volumes> {
        L::FORBIDS_INVERSION.then_some(&state.ratio)
    }

    fn accept(state: &mut MembraneState) {
        state.ratio.accepted = state.ratio.last;
    }

    fn lasting(state: &MembraneState) -> &[Lanes] {
        if L::FORBIDS_INVERSION { std::slice::from_ref(&state.ratio.accepted) } else { &[] }
    }

    fn lasting_mut(state: &mut MembraneState) -> &mut [Lanes] {
        if L::FORBIDS_INVERSION { std::slice::from_mut(&mut state.ratio.accepted) } else { &mut [] }
    }
}

#[inline(always)]
fn column<S: Simd, const C: usize>(f: &Mat32<S>) -> [S::F; 3] {
    [f[0][C], f[1][C], f[2][C]]
}

#[inline(always)]
fn dot<S: Simd>(s: S, a: &[S::F; 3], b: &[S::F; 3]) -> S::F {
    s.fma(a[2], b[2], s.fma(a[1], b[1], s.mul(a[0], b[0])))
}

#[inline(always)]
fn cross<S: Simd>(s: S, a: &[S::F; 3], b: &[S::F; 3]) -> [S::F; 3] {
    [
        s.fnma(a[2], b[1], s.mul(a[1], b[2])),
        s.fnma(a[0], b[2], s.mul(a[2], b[0])),
        s.fnma(a[1], b[0], s.mul(a[0], b[1])),
    ]
}

/// `[b x n, n x a]`: bilinear in F = [a, b] and n.
#[inline(always)]
fn cofactor<S: Simd>(s: S, f: &Mat32<S>, n: &[S::F; 3]) -> Mat32<S> {
    let first = cross(s, &column::<S, 1>(f), n);
    let second = cross(s, n, &column::<S, 0>(f));
    [[first[0], second[0]], [first[1], second[1]], [first[2], second[2]]]
}
