//! The projections of the local step, p = argmin psi(p) + w/2 |p - z|^2, for a vector of elements at once.
//!
//! Everything is divided by the weight w, so that f32 sees numbers near one. Each function returns the projection and
//! a mask of the lanes where f32 or the fixed number of iterations was not enough; the caller repairs those with the
//! scalar f64 functions of [`material::isotropic`](crate::material::isotropic).

use pliant_linalg::batch::{self, Svd, Svd2, mul_transposed};
use pliant_linalg::simd::{BATCH, Simd};

/// A number for each element of a batch.
pub type Lanes = [f32; BATCH];

/// Lamé constants divided by the weight, for the elements of a batch.
#[derive(Clone, Copy, Debug)]
pub struct Stiffness {
    /// mu / w
    pub mu: Lanes,
    /// lambda / w
    pub lambda: Lanes,
}

/// [`Stiffness`] of one vector.
#[derive(Clone, Copy)]
pub struct Lame<S: Simd> {
    /// mu / w
    pub mu: S::F,
    /// lambda / w
    pub lambda: S::F,
}

/// A law in terms of D principal stretches.
pub trait StretchLaw: Copy + std::fmt::Debug + Send + Sync + 'static {
    /// The stretches of the projection from those of z, and the lanes that did not converge.
    fn project<S: Simd, const D: usize>(s: S, m: &Lame<S>, z: &[S::F; D]) -> ([S::F; D], u32);
}

/// Elements with D edges: 3 for tets, 2 for triangles.
#[inline(always)]
pub fn project<L: StretchLaw, S: Simd, const D: usize>(
    s: S,
    m: &Lame<S>,
    z: &[[S::F; D]; 3],
) -> ([[S::F; D]; 3], u32) {
    let (mut u, sigma, v, degenerate) = decompose(s, z);
    let (p, failed) = L::project(s, m, &sigma);
    for row in &mut u {
        for j in 0..D {
            row[j] = s.mul(row[j], p[j]);
        }
    }
    (mul_transposed(s, &u, &v), degenerate | failed)
}

/// The singular value decomposition for D = 2 and D = 3 under one roof. The copies vanish when D is known.
#[inline(always)]
#[allow(clippy::type_complexity)]
fn decompose<S: Simd, const D: usize>(
    s: S,
    z: &[[S::F; D]; 3],
) -> ([[S::F; D]; 3], [S::F; D], [[S::F; D]; D], u32) {
    if D == 3 {
        let Svd { u, sigma, v, degenerate } = batch::svd(s, &resized(s, z));
        (resized(s, &u), resized::<S, 1, 3, 1, D>(s, &[sigma])[0], resized(s, &v), degenerate)
    } else {
        let Svd2 { u, sigma, v, degenerate } = batch::svd2(s, &resized(s, z));
        (resized(s, &u), resized::<S, 1, 2, 1, D>(s, &[sigma])[0], resized(s, &v), degenerate)
    }
}

/// The upper left part of a matrix, or the matrix with zeros to the right and below.
#[inline(always)]
fn resized<S: Simd, const R: usize, const C: usize, const TO_R: usize, const TO_C: usize>(
    s: S,
    a: &[[S::F; C]; R],
) -> [[S::F; TO_C]; TO_R] {
    let mut out = [[s.splat(0.0); TO_C]; TO_R];
    for i in 0..R.min(TO_R) {
        for j in 0..C.min(TO_C) {
            out[i][j] = a[i][j];
        }
    }
    out
}

/// As rigid as possible: all stretches one.
#[derive(Clone, Copy, Debug)]
pub struct Rigid;

impl StretchLaw for Rigid {
    #[inline(always)]
    fn project<S: Simd, const D: usize>(s: S, _: &Lame<S>, _: &[S::F; D]) -> ([S::F; D], u32) {
        ([s.splat(1.0); D], 0)
    }
}

/// Linear co-rotational: a linear system, (2 mu + w) p_i + lambda sum p = w z_i + 2 mu + D lambda.
#[derive(Clone, Copy, Debug)]
pub struct Corotational;

impl StretchLaw for Corotational {
    #[inline(always)]
    fn project<S: Simd, const D: usize>(s: S, m: &Lame<S>, z: &[S::F; D]) -> ([S::F; D], u32) {
        let d = s.splat(D as f32);
        let two_mu = s.add(m.mu, m.mu);
        let stiff = s.add(s.splat(1.0), two_mu);
        let mut sum = z[0];
        for j in 1..D {
            sum = s.add(sum, z[j]);
        }
        // The trace first: (2 mu + w + D lambda) tr p = w tr z + D (2 mu + D lambda).
        let volumetric = s.fma(d, m.lambda, two_mu);
        let trace = s.div(s.fma(d, volumetric, sum), s.add(s.splat(1.0), volumetric));
        let constant = s.fma(m.lambda, s.sub(d, trace), two_mu);
        let inverse = s.div(s.splat(1.0), stiff);
        let mut p = *z;
        for j in 0..D {
            p[j] = s.mul(s.add(z[j], constant), inverse);
        }
        // The energy of a solid has a kink where the two smaller stretches cancel.
        let kink = if D == 3 { s.bits(s.lt(s.add(p[D - 2], p[D - 1]), s.splat(0.0))) } else { 0 };
        (p, collapsed(s, &p) | kink)
    }
}

/// Membranes have no negative stretch: lanes where the projection would give one need the constrained solution.
#[inline(always)]
fn collapsed<S: Simd, const D: usize>(s: S, p: &[S::F; D]) -> u32 {
    if D == 3 { 0 } else { s.bits(s.lt(p[D - 1], s.splat(0.0))) }
}

/// Neo-Hookean, mu/2 (I1 - D) - mu ln J + lambda/2 ln^2 J.
#[derive(Clone, Copy, Debug)]
pub struct NeoHookean;

/// Newton iterations of the stretches before a lane is given up.
const ITERATIONS: usize = 10;

/// A Newton step of the stretches below this is the last one: its error is the square, or a fraction where the Hessian
/// was changed to be positive definite.
const SMALL_STEP: f32 = 3e-5;

impl StretchLaw for NeoHookean {
    /// The Hessian in the stretches is `diag(w + mu + (mu - lambda ln J)/p_i^2) + lambda (1/p)(1/p)^T`: a Newton step
    /// costs a Sherman-Morrison update. The diagonal is kept positive by leaving out `- lambda ln J` where J > 1.
    #[inline(always)]
    fn project<S: Simd, const D: usize>(s: S, m: &Lame<S>, z: &[S::F; D]) -> ([S::F; D], u32) {
        let (zero, one) = (s.splat(0.0), s.splat(1.0));
        let all = (1u32 << S::LANES) - 1;
        let mut p = *z;
        for j in 0..D {
            p[j] = s.max(p[j], s.splat(0.1));
        }
        let mut done = 0;
        for _ in 0..ITERATIONS {
            let mut jacobian = p[0];
            for j in 1..D {
                jacobian = s.mul(jacobian, p[j]);
            }
            let log = s.mul(m.lambda, s.ln(jacobian));
            let pull = s.sub(log, m.mu);
            let curvature = s.max(s.neg(pull), zero);
            // Gradient g, diagonal d, and the rank-one vector r = 1/p.
            let (mut dg, mut dr, mut r) = ([zero; D], [zero; D], [zero; D]);
            let (mut r_dg, mut r_dr) = (zero, zero);
            for j in 0..D {
                r[j] = s.div(one, p[j]);
                let gradient = s.fma(m.mu, p[j], s.fma(pull, r[j], s.sub(p[j], z[j])));
                let diagonal = s.fma(curvature, s.mul(r[j], r[j]), s.add(one, m.mu));
                let inverse = s.div(one, diagonal);
                dg[j] = s.mul(inverse, gradient);
                dr[j] = s.mul(inverse, r[j]);
                r_dg = s.fma(r[j], dg[j], r_dg);
                r_dr = s.fma(r[j], dr[j], r_dr);
            }
            let factor = s.div(s.mul(m.lambda, r_dg), s.fma(m.lambda, r_dr, one));
            let mut largest = zero;
            for j in 0..D {
                let step = s.fnma(factor, dr[j], dg[j]);
                // Never less than a fifth: J stays positive.
                let next = s.max(s.sub(p[j], step), s.mul(s.splat(0.2), p[j]));
                largest = s.max(largest, s.abs(s.sub(next, p[j])));
                p[j] = next;
            }
            done = s.bits(s.lt(largest, s.splat(SMALL_STEP)));
            if done == all {
                break;
            }
        }
        (p, all & !done)
    }
}

/// A law whose stretches are found by Newton's method with a full Hessian.
trait SmoothLaw: Copy + Send + Sync + 'static {
    /// psi / w of the stretches, up to a constant.
    fn energy<S: Simd, const D: usize>(s: S, m: &Lame<S>, p: &[S::F; D]) -> S::F;

    /// Gradient and Hessian of psi / w in the stretches; the Hessian may be made more convex where it is not.
    #[allow(clippy::type_complexity)]
    fn derivatives<S: Simd, const D: usize>(s: S, m: &Lame<S>, p: &[S::F; D]) -> ([S::F; D], [[S::F; D]; D]);
}

/// Damped Newton's method: the pivots of the Hessian are kept positive, and a step that raises the energy is halved.
#[inline(always)]
fn newton<L: SmoothLaw, S: Simd, const D: usize>(s: S, m: &Lame<S>, z: &[S::F; D]) -> ([S::F; D], u32) {
    let (zero, one, half) = (s.splat(0.0), s.splat(1.0), s.splat(0.5));
    let all = (1u32 << S::LANES) - 1;
    let mut p = *z;
    let mut value = L::energy(s, m, &p);
    let mut damping = one;
    let mut done = 0;
    for _ in 0..DAMPED_ITERATIONS {
        let (mut g, mut h) = L::derivatives(s, m, &p);
        for i in 0..D {
            g[i] = s.add(g[i], s.sub(p[i], z[i]));
            h[i][i] = s.add(h[i][i], one);
        }
        solve::<S, D>(s, &mut h, &mut g);
        let (mut trial, mut largest, mut distance) = (p, zero, zero);
        for j in 0..D {
            let step = s.mul(damping, s.max(s.min(g[j], half), s.neg(half)));
            trial[j] = s.sub(p[j], step);
            largest = s.max(largest, s.abs(step));
            let off = s.sub(trial[j], z[j]);
            distance = s.fma(s.mul(half, off), off, distance);
        }
        let trial_value = s.add(L::energy(s, m, &trial), distance);
        // Small steps are below what f32 energies can judge.
        let small = s.lt(largest, s.splat(SMALL_STEP));
        let better = s.lt(trial_value, s.fma(s.splat(1e-6), s.abs(value), value));
        for j in 0..D {
            p[j] = s.select(better, trial[j], s.select(small, trial[j], p[j]));
        }
        value = s.select(better, trial_value, value);
        damping = s.select(better, one, s.mul(half, damping));
        done = s.bits(small) & s.bits(s.lt(half, damping));
        if done == all {
            break;
        }
    }
    (p, (all & !done) | collapsed(s, &p))
}

/// Iterations of the damped Newton method before a lane is given up.
const DAMPED_ITERATIONS: usize = 14;

/// `g <- H^-1 g` by L D L^T in place, with pivots of at least a tenth.
#[inline(always)]
fn solve<S: Simd, const D: usize>(s: S, h: &mut [[S::F; D]; D], g: &mut [S::F; D]) {
    let one = s.splat(1.0);
    for j in 0..D {
        let pivot = s.div(one, s.max(h[j][j], s.splat(0.1)));
        for i in j + 1..D {
            let l = s.mul(h[i][j], pivot);
            for k in j + 1..=i {
                h[i][k] = s.fnma(l, h[k][j], h[i][k]);
            }
            g[i] = s.fnma(l, g[j], g[i]);
        }
        for i in j + 1..D {
            h[i][j] = s.mul(h[i][j], pivot);
        }
        g[j] = s.mul(g[j], pivot);
    }
    for j in (0..D).rev() {
        for i in j + 1..D {
            g[j] = s.fnma(h[i][j], g[i], g[j]);
        }
    }
}

/// Derivatives of `shear/2 sum p^2 + (terms linear in p) + f(J)` with `f' = pressure`, `f'' = bulk`; the gradient lacks
/// the linear terms. The Hessian is `shear I + bulk c c^T + pressure O`, where c are the cofactors and O_ij is the product
/// of the other stretches. O is indefinite: it is weakened where it could outweigh `shear + 1`, the 1 being that of the
/// proximal term.
#[inline(always)]
#[allow(clippy::type_complexity)]
fn volumetric<S: Simd, const D: usize>(
    s: S,
    shear: S::F,
    pressure: S::F,
    bulk: S::F,
    p: &[S::F; D],
) -> ([S::F; D], [[S::F; D]; D]) {
    let (zero, one) = (s.splat(0.0), s.splat(1.0));
    // Row sums of |O| bound its eigenvalues: p_1 + p_2 for D = 3, and 1 for D = 2.
    let radius = if D == 3 { s.add(s.abs(p[0]), s.abs(p[1])) } else { one };
    let least = s.mul(s.splat(0.9), s.add(shear, one));
    let outweighs = s.max(s.mul(s.abs(pressure), radius), s.splat(1e-20));
    let weakened = s.mul(pressure, s.min(one, s.div(least, outweighs)));
    let (mut g, mut h) = ([zero; D], [[zero; D]; D]);
    for i in 0..D {
        let ci = cofactor(s, p, &[i]);
        g[i] = s.fma(pressure, ci, s.mul(shear, p[i]));
        for j in 0..D {
            let volume = s.mul(bulk, s.mul(ci, cofactor(s, p, &[j])));
            h[i][j] =
                if i == j { s.add(shear, volume) } else { s.fma(weakened, cofactor(s, p, &[i, j]), volume) };
        }
    }
    (g, h)
}

/// Product of all stretches but those listed.
#[inline(always)]
fn cofactor<S: Simd, const D: usize>(s: S, p: &[S::F; D], without: &[usize]) -> S::F {
    let mut product = s.splat(1.0);
    for j in 0..D {
        if !without.contains(&j) {
            product = s.mul(product, p[j]);
        }
    }
    product
}

/// Fixed co-rotated, mu sum (p - 1)^2 + lambda/2 (J - 1)^2.
#[derive(Clone, Copy, Debug)]
pub struct FixedCorotated;

impl StretchLaw for FixedCorotated {
    #[inline(always)]
    fn project<S: Simd, const D: usize>(s: S, m: &Lame<S>, z: &[S::F; D]) -> ([S::F; D], u32) {
        newton::<Self, S, D>(s, m, z)
    }
}

impl SmoothLaw for FixedCorotated {
    #[inline(always)]
    fn energy<S: Simd, const D: usize>(s: S, m: &Lame<S>, p: &[S::F; D]) -> S::F {
        let one = s.splat(1.0);
        let growth = s.sub(cofactor(s, p, &[]), one);
        let mut sum = s.mul(s.mul(s.splat(0.5), m.lambda), s.mul(growth, growth));
        for j in 0..D {
            let strain = s.sub(p[j], one);
            sum = s.fma(s.mul(m.mu, strain), strain, sum);
        }
        sum
    }

    #[inline(always)]
    fn derivatives<S: Simd, const D: usize>(s: S, m: &Lame<S>, p: &[S::F; D]) -> ([S::F; D], [[S::F; D]; D]) {
        let two_mu = s.add(m.mu, m.mu);
        let pressure = s.mul(m.lambda, s.sub(cofactor(s, p, &[]), s.splat(1.0)));
        let (mut g, h) = volumetric(s, two_mu, pressure, m.lambda, p);
        for i in 0..D {
            g[i] = s.sub(g[i], two_mu);
        }
        (g, h)
    }
}

/// St. Venant-Kirchhoff, mu |E|^2 + lambda/2 (tr E)^2 with E_i = (p_i^2 - 1)/2.
#[derive(Clone, Copy, Debug)]
pub struct StVenantKirchhoff;

impl StretchLaw for StVenantKirchhoff {
    #[inline(always)]
    fn project<S: Simd, const D: usize>(s: S, m: &Lame<S>, z: &[S::F; D]) -> ([S::F; D], u32) {
        newton::<Self, S, D>(s, m, z)
    }
}

impl SmoothLaw for StVenantKirchhoff {
    #[inline(always)]
    fn energy<S: Simd, const D: usize>(s: S, m: &Lame<S>, p: &[S::F; D]) -> S::F {
        let half = s.splat(0.5);
        let (mut sum, mut trace) = (s.splat(0.0), s.splat(0.0));
        for j in 0..D {
            let strain = s.fma(s.mul(half, p[j]), p[j], s.neg(half));
            trace = s.add(trace, strain);
            sum = s.fma(s.mul(m.mu, strain), strain, sum);
        }
        s.fma(s.mul(half, m.lambda), s.mul(trace, trace), sum)
    }

    #[inline(always)]
    fn derivatives<S: Simd, const D: usize>(s: S, m: &Lame<S>, p: &[S::F; D]) -> ([S::F; D], [[S::F; D]; D]) {
        let (zero, half) = (s.splat(0.0), s.splat(0.5));
        let two_mu = s.add(m.mu, m.mu);
        let (mut strain, mut trace) = ([zero; D], zero);
        for i in 0..D {
            strain[i] = s.fma(s.mul(half, p[i]), p[i], s.neg(half));
            trace = s.add(trace, strain[i]);
        }
        let (mut g, mut h) = ([zero; D], [[zero; D]; D]);
        for i in 0..D {
            // Second Piola-Kirchhoff stress.
            let stress = s.fma(m.lambda, trace, s.mul(two_mu, strain[i]));
            g[i] = s.mul(p[i], stress);
            for j in 0..D {
                let coupling = s.mul(m.lambda, s.mul(p[i], p[j]));
                h[i][j] =
                    if i == j { s.fma(s.mul(two_mu, p[i]), p[i], s.add(stress, coupling)) } else { coupling };
            }
        }
        (g, h)
    }
}

/// Stable Neo-Hookean, mu/2 (I1 - D) - mu (J - 1) + (lambda + mu)/2 (J - 1)^2.
#[derive(Clone, Copy, Debug)]
pub struct StableNeoHookean;

impl StretchLaw for StableNeoHookean {
    #[inline(always)]
    fn project<S: Simd, const D: usize>(s: S, m: &Lame<S>, z: &[S::F; D]) -> ([S::F; D], u32) {
        newton::<Self, S, D>(s, m, z)
    }
}

impl SmoothLaw for StableNeoHookean {
    #[inline(always)]
    fn energy<S: Simd, const D: usize>(s: S, m: &Lame<S>, p: &[S::F; D]) -> S::F {
        let half = s.splat(0.5);
        let growth = s.sub(cofactor(s, p, &[]), s.splat(1.0));
        let bulk = s.mul(half, s.add(m.lambda, m.mu));
        let mut sum = s.mul(growth, s.fma(bulk, growth, s.neg(m.mu)));
        for j in 0..D {
            sum = s.fma(s.mul(s.mul(half, m.mu), p[j]), p[j], sum);
        }
        sum
    }

    #[inline(always)]
    fn derivatives<S: Simd, const D: usize>(s: S, m: &Lame<S>, p: &[S::F; D]) -> ([S::F; D], [[S::F; D]; D]) {
        let bulk = s.add(m.lambda, m.mu);
        let pressure = s.fma(bulk, s.sub(cofactor(s, p, &[]), s.splat(1.0)), s.neg(m.mu));
        volumetric(s, m.mu, pressure, bulk, p)
    }
}

#[cfg(test)]
mod tests;
