//! Solids with a law of the three invariants: `P = c F + T'(t) R + V'(J) cof F`.

use super::laws::InvariantLaw;
use super::single::{
    Elasticity, Volumes, add, balance, contract, inverse, scale, store_matrix, transposed_mul,
};
use crate::solver::local_global::chunk::load_matrix;
use crate::solver::local_global::projection::{Lame, Lanes};
use crate::solver::local_global::target::warm_rotation;
use pliant_linalg::batch::{Mat3, mul, rotation};
use pliant_linalg::simd::{BATCH, Simd};

/// Solids of law L. `T` is one if the law depends on the trace t of the symmetric polar factor, else zero; `V` is one
/// if it depends on J.
#[derive(Clone, Copy, Debug)]
pub(super) struct Solid<L, const T: usize, const V: usize>(std::marker::PhantomData<L>);

/// What a batch remembers: only the parts that the law needs.
#[derive(Clone, Debug)]
pub(super) struct SolidState<const T: usize, const V: usize> {
    turned: [Turned; T],
    volume: [Volume; V],
}

/// The polar decomposition F = R S of a batch.
#[derive(Clone, Debug)]
struct Turned {
    /// R as quaternions, where the next search starts. The matrix is cheaper to compute again than to read again.
    quaternion: [Lanes; 4],
    /// Inverse of K = tr(S) I - S: entries 00, 11, 22, 01, 02, 12.
    inverse: [Lanes; 6],
    /// T'.
    slope: Lanes,
}

/// The volume of a batch.
#[derive(Clone, Debug)]
struct Volume {
    f: [[Lanes; 3]; 3],
    /// V' and V''.
    slope: Lanes,
    curvature: Lanes,
    ratio: Volumes,
}

impl<L: InvariantLaw, const T: usize, const V: usize> Elasticity<3> for Solid<L, T, V> {
    type State = SolidState<T, V>;

    fn start() -> SolidState<T, V> {
        let (zero, one) = ([0.0; BATCH], [1.0; BATCH]);
        let turned = Turned { quaternion: [one, zero, zero, zero], inverse: [zero; 6], slope: zero };
        let volume = Volume { f: [[zero; 3]; 3], slope: zero, curvature: zero, ratio: Volumes::START };
        SolidState {
            turned: std::array::from_fn(|_| turned.clone()),
            volume: std::array::from_fn(|_| volume.clone()),
        }
    }

    #[inline(always)]
    fn stress<S: Simd>(s: S, m: &Lame<S>, f: &Mat3<S>, state: &mut SolidState<T, V>, k: usize) -> Mat3<S> {
        let mut stress = *f;
        scale(s, L::shear(s, m), &mut stress);
        for turned in &mut state.turned {
            let (r, trace) = turned.decompose(s, f, k);
            let slope = L::trace_slope(s, m, trace, 3);
            s.store(slope, &mut turned.slope[k..]);
            add(s, &mut stress, slope, &r);
        }
        for volume in &mut state.volume {
            let cofactor = cofactor(s, f);
            let j = s.fma(
                f[0][2],
                cofactor[0][2],
                s.fma(f[0][1], cofactor[0][1], s.mul(f[0][0], cofactor[0][0])),
            );
            let (slope, curvature) = L::volume(s, m, j);
            store_matrix(s, f, &mut volume.f, k);
            s.store(slope, &mut volume.slope[k..]);
            s.store(curvature, &mut volume.curvature[k..]);
            if L::FORBIDS_INVERSION {
                s.store(j, &mut volume.ratio.last[k..]);
            }
            add(s, &mut stress, slope, &cofactor);
        }
        balance(s, f, &mut stress);
        stress
    }

    /// `dP = c dF + T' dR + T'' (R : dF) R + V' dcof F + V'' (cof F : dF) cof F`, for dt = R : dF and dJ = cof F : dF.
    #[inline(always)]
    fn derivative<S: Simd>(s: S, m: &Lame<S>, df: &Mat3<S>, state: &SolidState<T, V>, k: usize) -> Mat3<S> {
        let mut change = *df;
        scale(s, L::shear(s, m), &mut change);
        for turned in &state.turned {
            let slope = s.load(&turned.slope[k..]);
            add_turn(s, turned, slope, L::trace_curvature(s, m), df, k, &mut change);
        }
        for volume in &state.volume {
            let f = load_matrix(s, &volume.f, k);
            let cofactor = cofactor(s, &f);
            let slope = s.load(&volume.slope[k..]);
            let growth = s.mul(s.load(&volume.curvature[k..]), contract(s, &cofactor, df));
            add_cofactor_change(s, &f, df, slope, &mut change);
            add(s, &mut change, growth, &cofactor);
        }
        change
    }

    fn volumes(state: &SolidState<T, V>) -> Option<&Volumes> {
        state.volume.first().filter(|_| L::FORBIDS_INVERSION).map(|v| &v.ratio)
    }

    fn accept(state: &mut SolidState<T, V>) {
        for volume in state.volume.iter_mut().filter(|_| L::FORBIDS_INVERSION) {
            volume.ratio.accepted = volume.ratio.last;
        }
    }

    // No law has both a rotation and a barrier.
    fn lasting(state: &SolidState<T, V>) -> &[Lanes] {
        match (state.turned.first(), state.volume.first()) {
            (Some(turned), _) => &turned.quaternion,
            (None, Some(v)) if L::FORBIDS_INVERSION => std::slice::from_ref(&v.ratio.accepted),
            _ => &[],
        }
    }

    fn lasting_mut(state: &mut SolidState<T, V>) -> &mut [Lanes] {
        match (state.turned.first_mut(), state.volume.first_mut()) {
            (Some(turned), _) => &mut turned.quaternion,
            (None, Some(v)) if L::FORBIDS_INVERSION => std::slice::from_mut(&mut v.ratio.accepted),
            _ => &mut [],
        }
    }
}

impl Turned {
    /// R and tr S; keeps both R and the inverse of K = tr(S) I - S. The eigenvalues of K are the sums of two stretches;
    /// where one of them vanishes, R is not unique and its derivative has a pole.
    #[inline(always)]
    fn decompose<S: Simd>(&mut self, s: S, f: &Mat3<S>, k: usize) -> (Mat3<S>, S::F) {
        let r = warm_rotation(s, f, &mut self.quaternion, k);
        let a = transposed_mul(s, &r, f);
        let half = s.splat(-0.5);
        let (k00, k11, k22) = (s.add(a[1][1], a[2][2]), s.add(a[0][0], a[2][2]), s.add(a[0][0], a[1][1]));
        let k01 = s.mul(half, s.add(a[0][1], a[1][0]));
        let k02 = s.mul(half, s.add(a[0][2], a[2][0]));
        let k12 = s.mul(half, s.add(a[1][2], a[2][1]));
        let inverse = inverse(s, [k00, k11, k22, k01, k02, k12]);
        let trace = s.add(k00, s.add(k11, k22));
        for e in 0..6 {
            s.store(inverse[e], &mut self.inverse[e][k..]);
        }
        (r, s.mul(s.splat(0.5), trace))
    }
}

/// Adds `slope dR + curvature (R : dF) R`.
///
/// From F = R S and dR = R [w]x follows `R^T dF = [w]x S + dS`. The axial vector of twice the skew part gives
/// `K w = axial(R^T dF - dF^T R)`, K = tr(S) I - S; and the trace of `R^T dF` is R : dF.
#[inline(always)]
fn add_turn<S: Simd>(
    s: S,
    turned: &Turned,
    slope: S::F,
    curvature: S::F,
    df: &Mat3<S>,
    k: usize,
    change: &mut Mat3<S>,
) {
    let [q] = load_matrix(s, std::array::from_ref(&turned.quaternion), k);
    let r = rotation(s, &q);
    let a = transposed_mul(s, &r, df);
    let axial = [s.sub(a[2][1], a[1][2]), s.sub(a[0][2], a[2][0]), s.sub(a[1][0], a[0][1])];
    let [inverse] = load_matrix(s, std::array::from_ref(&turned.inverse), k);
    let [k00, k11, k22, k01, k02, k12] = inverse;
    // K^-1 axial, times the slope.
    let row = |k0: S::F, k1: S::F, k2: S::F| {
        s.mul(slope, s.fma(k2, axial[2], s.fma(k1, axial[1], s.mul(k0, axial[0]))))
    };
    let [x, y, z] = [row(k00, k01, k02), row(k01, k11, k12), row(k02, k12, k22)];
    let d = s.mul(curvature, s.add(a[0][0], s.add(a[1][1], a[2][2])));
    let local = [[d, s.neg(z), y], [z, d, s.neg(x)], [s.neg(y), x, d]];
    let turn = mul(s, &r, &local);
    for i in 0..3 {
        for j in 0..3 {
            change[i][j] = s.add(change[i][j], turn[i][j]);
        }
    }
}

/// cof F = dJ/dF.
#[inline(always)]
fn cofactor<S: Simd>(s: S, f: &Mat3<S>) -> Mat3<S> {
    let mut out = *f;
    for i in 0..3 {
        for j in 0..3 {
            let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
            out[i][j] = s.fnma(f[i1][j2], f[i2][j1], s.mul(f[i1][j1], f[i2][j2]));
        }
    }
    out
}

/// Adds `factor dcof F`; cof F is quadratic in F.
#[inline(always)]
fn add_cofactor_change<S: Simd>(s: S, f: &Mat3<S>, df: &Mat3<S>, factor: S::F, change: &mut Mat3<S>) {
    let mut scaled = *f;
    scale(s, factor, &mut scaled);
    for i in 0..3 {
        for j in 0..3 {
            let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
            let plus = s.fma(scaled[i1][j1], df[i2][j2], s.fma(df[i1][j1], scaled[i2][j2], change[i][j]));
            change[i][j] = s.fnma(scaled[i1][j2], df[i2][j1], s.fnma(df[i1][j2], scaled[i2][j1], plus));
        }
    }
}
