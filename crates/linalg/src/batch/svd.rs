//! Singular value decomposition by Jacobi rotations of `F^T F`, then Gram-Schmidt on `F V`.

use super::{Mat3, Mat32};
use crate::simd::Simd;

/// `F = U diag(sigma) V^T` with rotations U and V; the last stretch carries the sign of det F.
#[derive(Clone, Copy)]
pub struct Svd<S: Simd> {
    /// Left rotation.
    pub u: Mat3<S>,
    /// Stretches, `sigma[0] >= sigma[1] >= |sigma[2]|` up to rounding.
    pub sigma: [S::F; 3],
    /// Right rotation.
    pub v: Mat3<S>,
    /// Bit i: lane i is so degenerate (two stretches near zero) that U is not reliable.
    pub degenerate: u32,
}

/// `F = U diag(sigma) V^T` of a 3x2 matrix; U has two orthonormal columns.
#[derive(Clone, Copy)]
pub struct Svd2<S: Simd> {
    /// Left columns.
    pub u: Mat32<S>,
    /// Stretches, `sigma[0] >= sigma[1] >= 0`.
    pub sigma: [S::F; 2],
    /// Right rotation.
    pub v: [[S::F; 2]; 2],
    /// Bit i: lane i is so degenerate that the second column of U is not reliable.
    pub degenerate: u32,
}

/// Sweeps of three rotations; four bring the off-diagonal below the rounding of f32.
const SWEEPS: usize = 4;

/// Below this ratio to the largest stretch the second one is too small to give a direction in f32.
const DEGENERATE: f32 = 1e-3;

/// Decomposes 3x3 matrices.
#[inline(always)]
pub fn svd<S: Simd>(s: S, f: &Mat3<S>) -> Svd<S> {
    let (zero, one) = (s.splat(0.0), s.splat(1.0));
    let mut v = [[one, zero, zero], [zero, one, zero], [zero, zero, one]];
    // Upper triangle of C = F^T F.
    let gram = |i: usize, j: usize| s.fma(f[2][i], f[2][j], s.fma(f[1][i], f[1][j], s.mul(f[0][i], f[0][j])));
    let mut c = [[zero; 3]; 3];
    for i in 0..3 {
        for j in i..3 {
            c[i][j] = gram(i, j);
        }
    }
    for _ in 0..SWEEPS {
        rotate::<S, 0, 1, 2>(s, &mut c, &mut v);
        rotate::<S, 0, 2, 1>(s, &mut c, &mut v);
        rotate::<S, 1, 2, 0>(s, &mut c, &mut v);
    }
    let mut b = super::mul(s, f, &v);
    let mut size = [zero; 3];
    for j in 0..3 {
        size[j] = s.fma(b[2][j], b[2][j], s.fma(b[1][j], b[1][j], s.mul(b[0][j], b[0][j])));
    }
    order::<S, 3, 0, 1>(s, &mut b, &mut v, &mut size);
    order::<S, 3, 0, 2>(s, &mut b, &mut v, &mut size);
    order::<S, 3, 1, 2>(s, &mut b, &mut v, &mut size);
    let column = |j: usize| [b[0][j], b[1][j], b[2][j]];
    let (u0, sigma0) = normalise(s, &column(0));
    let (u1, sigma1) = normalise(s, &reject(s, &column(1), &u0));
    let u2 = [
        s.fnma(u0[2], u1[1], s.mul(u0[1], u1[2])),
        s.fnma(u0[0], u1[2], s.mul(u0[2], u1[0])),
        s.fnma(u0[1], u1[0], s.mul(u0[0], u1[1])),
    ];
    let sigma2 = dot(s, &u2, &column(2));
    let mut u = [[zero; 3]; 3];
    for i in 0..3 {
        u[i] = [u0[i], u1[i], u2[i]];
    }
    let degenerate = degenerate(s, sigma0, sigma1);
    Svd { u, sigma: [sigma0, sigma1, sigma2], v, degenerate }
}

/// Decomposes 3x2 matrices: one rotation diagonalises `F^T F`.
#[inline(always)]
pub fn svd2<S: Simd>(s: S, f: &Mat32<S>) -> Svd2<S> {
    let (zero, one) = (s.splat(0.0), s.splat(1.0));
    let gram = |i: usize, j: usize| s.fma(f[2][i], f[2][j], s.fma(f[1][i], f[1][j], s.mul(f[0][i], f[0][j])));
    let (cos, sin) = jacobi(s, gram(0, 0), gram(0, 1), gram(1, 1));
    let mut v = [[cos, sin], [s.neg(sin), cos]];
    let mut b = super::mul(s, f, &v);
    let mut size = [zero; 2];
    for j in 0..2 {
        size[j] = s.fma(b[2][j], b[2][j], s.fma(b[1][j], b[1][j], s.mul(b[0][j], b[0][j])));
    }
    order::<S, 2, 0, 1>(s, &mut b, &mut v, &mut size);
    let (u0, sigma0) = normalise(s, &[b[0][0], b[1][0], b[2][0]]);
    let (u1, sigma1) = normalise(s, &reject(s, &[b[0][1], b[1][1], b[2][1]], &u0));
    let mut u = [[one; 2]; 3];
    for i in 0..3 {
        u[i] = [u0[i], u1[i]];
    }
    let degenerate = degenerate(s, sigma0, sigma1);
    Svd2 { u, sigma: [sigma0, sigma1], v, degenerate }
}

#[inline(always)]
fn degenerate<S: Simd>(s: S, sigma0: S::F, sigma1: S::F) -> u32 {
    s.bits(s.lt(sigma1, s.mul(s.splat(DEGENERATE), sigma0))) | s.bits(s.lt(sigma0, s.splat(1e-12)))
}

/// Cosine and sine of the rotation that makes `[[a, b], [b, d]]` diagonal.
///
/// With `r = 1/|(a - d, 2 b)|`: cos 2t = |a - d| r, so cos^2 t = (1 + cos 2t)/2 and sin t = b r / cos t, without a division.
#[inline(always)]
fn jacobi<S: Simd>(s: S, a: S::F, b: S::F, d: S::F) -> (S::F, S::F) {
    let difference = s.sub(d, a);
    let double = s.add(b, b);
    // The tiny constant keeps 0/0 and denormals away: equal and uncoupled entries are not turned.
    let size = s.add(s.abs(difference), s.splat(1e-15));
    let r = s.rsqrt(s.fma(size, size, s.mul(double, double)));
    let half = s.splat(0.5);
    let cos_sq = s.fma(half, s.mul(size, r), half);
    let inverse_cos = s.rsqrt(cos_sq);
    let signed = s.select(s.lt(difference, s.splat(0.0)), s.neg(b), b);
    (s.mul(cos_sq, inverse_cos), s.mul(s.mul(signed, r), inverse_cos))
}

/// One Jacobi rotation in the plane of axes P < Q; K is the third axis.
#[inline(always)]
fn rotate<S: Simd, const P: usize, const Q: usize, const K: usize>(s: S, c: &mut Mat3<S>, v: &mut Mat3<S>) {
    let (cos, sin) = jacobi(s, c[P][P], c[P][Q], c[Q][Q]);
    // New columns: p' = cos p - sin q, q' = sin p + cos q.
    let (app, apq, aqq) = (c[P][P], c[P][Q], c[Q][Q]);
    let left = [s.fnma(sin, apq, s.mul(cos, app)), s.fnma(sin, aqq, s.mul(cos, apq))];
    let right = [s.fma(sin, app, s.mul(cos, apq)), s.fma(sin, apq, s.mul(cos, aqq))];
    c[P][P] = s.fnma(sin, left[1], s.mul(cos, left[0]));
    c[P][Q] = s.fnma(sin, right[1], s.mul(cos, right[0]));
    c[Q][Q] = s.fma(sin, right[0], s.mul(cos, right[1]));
    let (pk, qk) = ((P.min(K), P.max(K)), (Q.min(K), Q.max(K)));
    let (akp, akq) = (c[pk.0][pk.1], c[qk.0][qk.1]);
    c[pk.0][pk.1] = s.fnma(sin, akq, s.mul(cos, akp));
    c[qk.0][qk.1] = s.fma(sin, akp, s.mul(cos, akq));
    for row in v {
        let (p, q) = (row[P], row[Q]);
        row[P] = s.fnma(sin, q, s.mul(cos, p));
        row[Q] = s.fma(sin, p, s.mul(cos, q));
    }
}

/// Swaps columns I < J of B and V where J is larger; one is negated, so that V stays a rotation.
#[inline(always)]
fn order<S: Simd, const D: usize, const I: usize, const J: usize>(
    s: S,
    b: &mut [[S::F; D]; 3],
    v: &mut [[S::F; D]; D],
    size: &mut [S::F; D],
) {
    let swap = s.lt(size[I], size[J]);
    let exchange = |row: &mut [S::F; D]| {
        let (p, q) = (row[I], row[J]);
        row[I] = s.select(swap, q, p);
        row[J] = s.select(swap, s.neg(p), q);
    };
    b.iter_mut().for_each(exchange);
    v.iter_mut().for_each(exchange);
    let (p, q) = (size[I], size[J]);
    size[I] = s.max(p, q);
    size[J] = s.min(p, q);
}

#[inline(always)]
fn dot<S: Simd>(s: S, a: &[S::F; 3], b: &[S::F; 3]) -> S::F {
    s.fma(a[2], b[2], s.fma(a[1], b[1], s.mul(a[0], b[0])))
}

/// The unit vector and the length.
#[inline(always)]
fn normalise<S: Simd>(s: S, a: &[S::F; 3]) -> ([S::F; 3], S::F) {
    let square = s.add(dot(s, a, a), s.splat(1e-30));
    let inverse = s.rsqrt(square);
    ([s.mul(a[0], inverse), s.mul(a[1], inverse), s.mul(a[2], inverse)], s.mul(square, inverse))
}

/// `a` without its part along the unit vector `u`.
#[inline(always)]
fn reject<S: Simd>(s: S, a: &[S::F; 3], u: &[S::F; 3]) -> [S::F; 3] {
    let along = dot(s, a, u);
    [s.fnma(along, u[0], a[0]), s.fnma(along, u[1], a[1]), s.fnma(along, u[2], a[2])]
}
