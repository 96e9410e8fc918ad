//! Polar decomposition by Newton's method on SO(3), started from the rotation of the last time.

use super::Mat3;
use crate::simd::Simd;

/// A vector of unit quaternions `[w, x, y, z]`.
pub type Quaternion<S> = [<S as Simd>::F; 4];

/// Most Newton iterations before a lane is given up.
const ITERATIONS: usize = 6;

/// A Newton step below this leaves an error of its cube.
const SMALL_STEP_SQ: f32 = 4e-3 * 4e-3;

/// The rotation R of `F = R S` that maximises `tr(R^T F)`, found from the guess `q`; also the new quaternions.
///
/// Bit i of the mask that is returned says that lane i did not converge (far guess, inverted or degenerate F).
///
/// With `A = R^T F`, a turn by the vector w changes the trace by `a.w - w.(tr(S) I - S) w / 2`, where a is the axial
/// vector of A - A^T and S its symmetric part: each step solves the 3x3 system of this quadratic model.
#[inline(always)]
pub fn polar<S: Simd>(s: S, f: &Mat3<S>, mut q: Quaternion<S>) -> (Mat3<S>, Quaternion<S>, u32) {
    let all = if S::LANES == 32 { u32::MAX } else { (1 << S::LANES) - 1 };
    let mut r = rotation(s, &q);
    let mut done = 0;
    for _ in 0..ITERATIONS {
        let (w, regular) = newton_step(s, f, &r);
        let size = s.fma(w[2], w[2], s.fma(w[1], w[1], s.mul(w[0], w[0])));
        q = turn(s, &q, &w);
        r = rotation(s, &q);
        done = s.bits(s.lt(size, s.splat(SMALL_STEP_SQ))) & regular;
        if done == all {
            break;
        }
    }
    (r, q, all & !done)
}

/// Solves `(tr(S) I - S) w = a`; the mask says where that matrix is positive definite.
#[inline(always)]
fn newton_step<S: Simd>(s: S, f: &Mat3<S>, r: &Mat3<S>) -> ([S::F; 3], u32) {
    // A = R^T F
    let mut a = [[s.splat(0.0); 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            a[i][j] = s.fma(r[2][i], f[2][j], s.fma(r[1][i], f[1][j], s.mul(r[0][i], f[0][j])));
        }
    }
    let axial = [s.sub(a[2][1], a[1][2]), s.sub(a[0][2], a[2][0]), s.sub(a[1][0], a[0][1])];
    let half = s.splat(-0.5);
    // K = tr(S) I - S
    let k00 = s.add(a[1][1], a[2][2]);
    let k11 = s.add(a[0][0], a[2][2]);
    let k22 = s.add(a[0][0], a[1][1]);
    let k01 = s.mul(half, s.add(a[0][1], a[1][0]));
    let k02 = s.mul(half, s.add(a[0][2], a[2][0]));
    let k12 = s.mul(half, s.add(a[1][2], a[2][1]));
    let c00 = s.fnma(k12, k12, s.mul(k11, k22));
    let c01 = s.fnma(k01, k22, s.mul(k02, k12));
    let c02 = s.fnma(k02, k11, s.mul(k01, k12));
    let c11 = s.fnma(k02, k02, s.mul(k00, k22));
    let c12 = s.fnma(k00, k12, s.mul(k01, k02));
    let c22 = s.fnma(k01, k01, s.mul(k00, k11));
    let det = s.fma(k00, c00, s.fma(k01, c01, s.mul(k02, c02)));
    // Not positive definite, or so close to it that f32 cannot tell: sigma_2 + sigma_3 below 1e-3 of the trace.
    let trace = s.add(k00, s.add(k11, k22));
    let least = s.mul(s.splat(1e-4), s.mul(trace, s.mul(trace, trace)));
    let zero = s.splat(0.0);
    let regular = s.bits(s.lt(least, det))
        & s.bits(s.lt(zero, trace))
        & s.bits(s.lt(zero, c22))
        & s.bits(s.lt(zero, k00));
    let inverse = s.div(s.splat(1.0), s.max(det, s.splat(1e-30)));
    let row = |c0: S::F, c1: S::F, c2: S::F| {
        s.mul(inverse, s.fma(c2, axial[2], s.fma(c1, axial[1], s.mul(c0, axial[0]))))
    };
    ([row(c00, c01, c02), row(c01, c11, c12), row(c02, c12, c22)], regular)
}

/// `q (1, w/2)`, normalised: the turn by w up to the third order.
#[inline(always)]
fn turn<S: Simd>(s: S, q: &Quaternion<S>, w: &[S::F; 3]) -> Quaternion<S> {
    let half = s.splat(0.5);
    let [x, y, z] = [s.mul(half, w[0]), s.mul(half, w[1]), s.mul(half, w[2])];
    let product = [
        s.fnma(q[3], z, s.fnma(q[2], y, s.fnma(q[1], x, q[0]))),
        s.fnma(q[3], y, s.fma(q[2], z, s.fma(q[0], x, q[1]))),
        s.fnma(q[1], z, s.fma(q[3], x, s.fma(q[0], y, q[2]))),
        s.fnma(q[2], x, s.fma(q[1], y, s.fma(q[0], z, q[3]))),
    ];
    let mut length_sq = s.mul(product[0], product[0]);
    for c in 1..4 {
        length_sq = s.fma(product[c], product[c], length_sq);
    }
    let scale = s.rsqrt(length_sq);
    [s.mul(product[0], scale), s.mul(product[1], scale), s.mul(product[2], scale), s.mul(product[3], scale)]
}

/// The matrix of a unit quaternion.
#[inline(always)]
pub fn rotation<S: Simd>(s: S, q: &Quaternion<S>) -> Mat3<S> {
    let one = s.splat(1.0);
    let [w, x, y, z] = *q;
    let (x2, y2, z2) = (s.add(x, x), s.add(y, y), s.add(z, z));
    let (xx, yy, zz) = (s.mul(x, x2), s.mul(y, y2), s.mul(z, z2));
    let (wx, wy, wz) = (s.mul(w, x2), s.mul(w, y2), s.mul(w, z2));
    [
        [s.sub(s.sub(one, yy), zz), s.fma(x, y2, s.neg(wz)), s.fma(x, z2, wy)],
        [s.fma(x, y2, wz), s.sub(s.sub(one, xx), zz), s.fma(y, z2, s.neg(wx))],
        [s.fma(x, z2, s.neg(wy)), s.fma(y, z2, wx), s.sub(s.sub(one, xx), yy)],
    ]
}
