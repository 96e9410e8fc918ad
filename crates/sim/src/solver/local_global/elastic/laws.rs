//! Laws of the form `psi = c/2 tr(F^T F) + T(t) + V(J)`, with t = tr S the sum of the stretches and J their product.
//!
//! Solids and membranes differ only in the derivatives of t and J, which need no singular values.

use crate::solver::local_global::projection::Lame;
use pliant_linalg::simd::Simd;

/// The functions of a law, divided by the weight w.
pub(super) trait InvariantLaw: Copy + std::fmt::Debug + Send + Sync + 'static {
    /// Whether the energy is infinite for J <= 0.
    const FORBIDS_INVERSION: bool = false;

    /// c, the factor of F in the stress.
    fn shear<S: Simd>(s: S, m: &Lame<S>) -> S::F;

    /// T'(t), where t is D at rest.
    fn trace_slope<S: Simd>(s: S, _: &Lame<S>, _t: S::F, _d: usize) -> S::F {
        s.splat(0.0)
    }

    /// T''.
    fn trace_curvature<S: Simd>(s: S, _: &Lame<S>) -> S::F {
        s.splat(0.0)
    }

    /// V'(J) and V''(J).
    fn volume<S: Simd>(s: S, _: &Lame<S>, _j: S::F) -> (S::F, S::F) {
        (s.splat(0.0), s.splat(0.0))
    }
}

/// As rigid as possible, `mu sum (s_i - 1)^2 = mu tr(F^T F) - 2 mu t + const`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arap;

impl InvariantLaw for Arap {
    #[inline(always)]
    fn shear<S: Simd>(s: S, m: &Lame<S>) -> S::F {
        s.add(m.mu, m.mu)
    }

    #[inline(always)]
    fn trace_slope<S: Simd>(s: S, m: &Lame<S>, _: S::F, _: usize) -> S::F {
        s.mul(s.splat(-2.0), m.mu)
    }
}

/// Linear co-rotational: ARAP and `lambda/2 (t - D)^2`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corotational;

impl InvariantLaw for Corotational {
    #[inline(always)]
    fn shear<S: Simd>(s: S, m: &Lame<S>) -> S::F {
        s.add(m.mu, m.mu)
    }

    #[inline(always)]
    fn trace_slope<S: Simd>(s: S, m: &Lame<S>, t: S::F, d: usize) -> S::F {
        s.fma(m.lambda, s.sub(t, s.splat(d as f32)), s.mul(s.splat(-2.0), m.mu))
    }

    #[inline(always)]
    fn trace_curvature<S: Simd>(_: S, m: &Lame<S>) -> S::F {
        m.lambda
    }
}

/// Fixed co-rotated: ARAP and `lambda/2 (J - 1)^2`.
#[derive(Clone, Copy, Debug)]
pub(super) struct FixedCorotated;

impl InvariantLaw for FixedCorotated {
    #[inline(always)]
    fn shear<S: Simd>(s: S, m: &Lame<S>) -> S::F {
        s.add(m.mu, m.mu)
    }

    #[inline(always)]
    fn trace_slope<S: Simd>(s: S, m: &Lame<S>, _: S::F, _: usize) -> S::F {
        s.mul(s.splat(-2.0), m.mu)
    }

    #[inline(always)]
    fn volume<S: Simd>(s: S, m: &Lame<S>, j: S::F) -> (S::F, S::F) {
        (s.mul(m.lambda, s.sub(j, s.splat(1.0))), m.lambda)
    }
}

/// Stable Neo-Hookean, `mu/2 tr(F^T F) - mu (J - 1) + (lambda + mu)/2 (J - 1)^2`.
#[derive(Clone, Copy, Debug)]
pub(super) struct StableNeoHookean;

impl InvariantLaw for StableNeoHookean {
    #[inline(always)]
    fn shear<S: Simd>(_: S, m: &Lame<S>) -> S::F {
        m.mu
    }

    #[inline(always)]
    fn volume<S: Simd>(s: S, m: &Lame<S>, j: S::F) -> (S::F, S::F) {
        let bulk = s.add(m.lambda, m.mu);
        (s.fma(bulk, s.sub(j, s.splat(1.0)), s.neg(m.mu)), bulk)
    }
}

/// Neo-Hookean, `mu/2 tr(F^T F) - mu L + lambda/2 L^2` with L = ln J, continued below [`LEAST_VOLUME`].
#[derive(Clone, Copy, Debug)]
pub(super) struct NeoHookean;

/// Below this J the logarithm goes on as its second-order Taylor polynomial, so that forces stay finite and still push
/// an inverted element back.
pub(super) const LEAST_VOLUME: f32 = 0.05;

impl InvariantLaw for NeoHookean {
    const FORBIDS_INVERSION: bool = true;

    #[inline(always)]
    fn shear<S: Simd>(_: S, m: &Lame<S>) -> S::F {
        m.mu
    }

    /// With J+ = max(J, J0) and x = min(J - J0, 0) / J0: `L = ln J+ + x - x^2/2`, `L' = (1 - x) / J+`, `L'' = -1 / J+^2`.
    #[inline(always)]
    fn volume<S: Simd>(s: S, m: &Lame<S>, j: S::F) -> (S::F, S::F) {
        let (one, least) = (s.splat(1.0), s.splat(LEAST_VOLUME));
        let kept = s.max(j, least);
        let inverse = s.div(one, kept);
        let x = s.mul(s.min(s.sub(j, least), s.splat(0.0)), s.splat(1.0 / LEAST_VOLUME));
        // The fourth power of x in L^2 would overflow; this is far below J = -1.
        let x = s.max(x, s.splat(-1e3));
        let log = s.add(s.ln(kept), s.fnma(s.mul(s.splat(0.5), x), x, x));
        let slope = s.mul(s.sub(one, x), inverse);
        // V' = (lambda L - mu) L',  V'' = (lambda L - mu) L'' + lambda L'^2.
        let pull = s.fma(m.lambda, log, s.neg(m.mu));
        let curvature = s.fnma(s.mul(pull, inverse), inverse, s.mul(m.lambda, s.mul(slope, slope)));
        (s.mul(pull, slope), curvature)
    }
}
