//! 3x3 and 3x2 kernels on a vector of matrices at once: polar decomposition and singular values.
//!
//! All functions are generic over [`Simd`] and meant to be called inside a [`Kernel`](crate::simd::Kernel).

mod polar;
mod svd;

pub use polar::{Quaternion, polar, rotation};
pub use svd::{Svd, Svd2, svd, svd2};

use crate::simd::Simd;

/// A vector of 3x3 matrices, row-major.
pub type Mat3<S> = [[<S as Simd>::F; 3]; 3];

/// A vector of 3x2 matrices, row-major.
pub type Mat32<S> = [[<S as Simd>::F; 2]; 3];

/// `a b` for matrices of any shape.
#[inline(always)]
pub fn mul<S: Simd, const R: usize, const K: usize, const C: usize>(
    s: S,
    a: &[[S::F; K]; R],
    b: &[[S::F; C]; K],
) -> [[S::F; C]; R] {
    let mut out = [[s.splat(0.0); C]; R];
    for i in 0..R {
        for j in 0..C {
            let mut sum = s.mul(a[i][0], b[0][j]);
            for k in 1..K {
                sum = s.fma(a[i][k], b[k][j], sum);
            }
            out[i][j] = sum;
        }
    }
    out
}

/// `a b^T` for matrices of any shape.
#[inline(always)]
pub fn mul_transposed<S: Simd, const R: usize, const K: usize, const C: usize>(
    s: S,
    a: &[[S::F; K]; R],
    b: &[[S::F; K]; C],
) -> [[S::F; C]; R] {
    let mut out = [[s.splat(0.0); C]; R];
    for i in 0..R {
        for j in 0..C {
            let mut sum = s.mul(a[i][0], b[j][0]);
            for k in 1..K {
                sum = s.fma(a[i][k], b[j][k], sum);
            }
            out[i][j] = sum;
        }
    }
    out
}

#[cfg(test)]
mod tests;
