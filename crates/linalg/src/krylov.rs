//! Krylov solvers for symmetric systems given as operators: preconditioned conjugate gradients and conjugate residuals.

use crate::team::Team;
use glam::DVec3;

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// Most iterations.
    pub iterations: usize,
    /// Stop when the residual is below this fraction of the right-hand side.
    pub tolerance: f64,
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Info {
    /// Iterations done.
    pub iterations: usize,
    /// Residual relative to the right-hand side, as the recurrence knows it.
    pub residual: f64,
    /// Whether the tolerance was reached.
    pub converged: bool,
}

/// An entry of a vector: a number, or a 3-vector of a vertex.
pub trait Entry: Copy + Default + Send + Sync + std::fmt::Debug {
    /// The sum of the products of all components.
    fn dot(self, other: Self) -> f64;
    /// `self + factor * other`
    fn plus(self, factor: f64, other: Self) -> Self;
}

impl Entry for f64 {
    #[inline(always)]
    fn dot(self, other: f64) -> f64 {
        self * other
    }

    #[inline(always)]
    fn plus(self, factor: f64, other: f64) -> f64 {
        self + factor * other
    }
}

impl Entry for DVec3 {
    #[inline(always)]
    fn dot(self, other: DVec3) -> f64 {
        self.dot(other)
    }

    #[inline(always)]
    fn plus(self, factor: f64, other: DVec3) -> DVec3 {
        self + factor * other
    }
}

/// A linear map `y = A x`. Closures `|team, x, y|` are operators.
pub trait Operator<E> {
    /// Sets `y = A x`. For the same bits with any number of threads it must sum in a fixed order.
    fn apply(&mut self, team: &Team, x: &[E], y: &mut [E]);
}

impl<E, F: FnMut(&Team, &[E], &mut [E])> Operator<E> for F {
    fn apply(&mut self, team: &Team, x: &[E], y: &mut [E]) {
        self(team, x, y);
    }
}

/// Memory of [`conjugate_gradients`], kept by the caller: warm solves allocate nothing.
#[derive(Clone, Debug, Default)]
pub struct GradientScratch<E> {
    residual: Vec<E>,
    preconditioned: Vec<E>,
    direction: Vec<E>,
    image: Vec<E>,
    /// Sums of the pieces of a product.
    sums: Vec<f64>,
}

impl<E: Entry> GradientScratch<E> {
    fn resize(&mut self, n: usize) {
        let GradientScratch { residual, preconditioned, direction, image, sums } = self;
        for v in [residual, preconditioned, direction, image] {
            v.resize(n, E::default());
        }
        sums.resize(n.div_ceil(PIECE), 0.0);
    }
}

/// Entries that are summed one after the other. The sums of the pieces are added in their order, so that the result does
/// not depend on the threads.
const PIECE: usize = 1024;

/// `a . b`, with the same bits for any number of threads.
fn dot_in_pieces<E: Entry>(team: &Team, a: &[E], b: &[E], sums: &mut [f64]) -> f64 {
    team.for_each_mut(sums, |piece, sum| {
        let range = piece * PIECE..a.len().min((piece + 1) * PIECE);
        *sum = a[range.clone()].iter().zip(&b[range]).map(|(a, b)| a.dot(*b)).sum();
    });
    sums.iter().sum()
}

/// `y += factor x`
fn add_scaled<E: Entry>(team: &Team, factor: f64, x: &[E], y: &mut [E]) {
    team.for_each_piece(y, PIECE, |first, y| {
        for (y, x) in y.iter_mut().zip(&x[first..]) {
            *y = y.plus(factor, *x);
        }
    });
}

/// Preconditioned conjugate gradients for positive definite A [Saad03, alg. 9.1]. `x` is the guess, then the solution.
/// The `preconditioner` sets z near `A^-1 r`; without one, z = r. It ends without convergence where A turns out not to be
/// positive definite. The bits of the result depend neither on the number of threads nor on the past of `scratch`.
///
/// # Panics
/// If `b` and `x` differ in length.
pub fn conjugate_gradients<E: Entry>(
    team: &Team,
    a: &mut dyn Operator<E>,
    mut preconditioner: Option<&mut dyn Operator<E>>,
    (b, x): (&[E], &mut [E]),
    params: Params,
    scratch: &mut GradientScratch<E>,
) -> Info {
    assert_eq!(b.len(), x.len(), "right-hand side and solution");
    scratch.resize(b.len());
    let GradientScratch { residual: r, preconditioned: z, direction: p, image: ap, sums } = scratch;
    let mut precondition = |r: &[E], z: &mut [E]| match &mut preconditioner {
        Some(m) => m.apply(team, r, z),
        None => z.copy_from_slice(r),
    };
    a.apply(team, x, ap);
    r.copy_from_slice(b);
    add_scaled(team, -1.0, ap, r);
    let scale = dot_in_pieces(team, b, b, sums).sqrt();
    precondition(r, z);
    p.copy_from_slice(z);
    let mut rz = dot_in_pieces(team, r, z, sums);
    let mut iterations = 0;
    loop {
        let size = dot_in_pieces(team, r, r, sums).sqrt();
        let converged = size <= params.tolerance * scale;
        let info = Info { iterations, residual: if scale > 0.0 { size / scale } else { size }, converged };
        if converged || iterations == params.iterations {
            return info;
        }
        a.apply(team, p, ap);
        let curvature = dot_in_pieces(team, p, ap, sums);
        if curvature.is_nan() || curvature <= 0.0 {
            return info;
        }
        let step = rz / curvature;
        add_scaled(team, step, p, x);
        add_scaled(team, -step, ap, r);
        precondition(r, z);
        let next = dot_in_pieces(team, r, z, sums);
        // p = z + (next / rz) p
        let beta = next / rz;
        let z = &*z;
        team.for_each_piece(p, PIECE, |first, p| {
            for (p, z) in p.iter_mut().zip(&z[first..]) {
                *p = z.plus(beta, *p);
            }
        });
        rz = next;
        iterations += 1;
    }
}

/// Memory of [`conjugate_residuals`], kept by the caller.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    vectors: [Vec<f64>; 4],
}

impl Scratch {
    fn split(&mut self, n: usize) -> &mut [Vec<f64>; 4] {
        for v in &mut self.vectors {
            v.clear();
            v.resize(n, 0.0);
        }
        &mut self.vectors
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// `y += a x`
fn axpy(a: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

/// `y = x + a y`
fn xpay(x: &[f64], a: f64, y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = x + a * *y;
    }
}

/// Conjugate residuals for symmetric A, definite or not [Saad03, alg. 6.20]: the residual never grows.
pub fn conjugate_residuals(
    apply: &mut dyn FnMut(&[f64], &mut [f64]),
    b: &[f64],
    x: &mut [f64],
    params: Params,
    scratch: &mut Scratch,
) -> Info {
    let [r, ar, p, ap] = scratch.split(b.len());
    apply(x, ap);
    for ((r, b), ax) in r.iter_mut().zip(b).zip(ap.iter()) {
        *r = b - ax;
    }
    let scale = dot(b, b).sqrt();
    p.copy_from_slice(r);
    apply(r, ar);
    ap.copy_from_slice(ar);
    let mut rar = dot(r, ar);
    for iterations in 0..=params.iterations {
        let size = dot(r, r).sqrt();
        let converged = size <= params.tolerance * scale;
        let residual = if scale > 0.0 { size / scale } else { size };
        let curvature = dot(ap, ap);
        if converged || iterations == params.iterations || curvature.is_nan() || curvature <= 0.0 {
            return Info { iterations, residual, converged };
        }
        let step = rar / curvature;
        axpy(step, p, x);
        axpy(-step, ap, r);
        apply(r, ar);
        let next = dot(r, ar);
        let beta = next / rar;
        xpay(r, beta, p);
        xpay(ar, beta, ap);
        rar = next;
    }
    unreachable!("the loop returns at its last iteration")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The 1D Laplacian with a shift; indefinite for a negative one.
    fn apply(shift: f64, x: &[f64], y: &mut [f64]) {
        let n = x.len();
        for i in 0..n {
            let left = if i > 0 { x[i - 1] } else { 0.0 };
            let right = if i + 1 < n { x[i + 1] } else { 0.0 };
            y[i] = (2.0 + shift) * x[i] - left - right;
        }
    }

    const PARAMS: Params = Params { iterations: 200, tolerance: 1e-12 };

    fn residual(shift: f64, x: &[f64], b: &[f64]) -> f64 {
        let mut ax = vec![0.0; x.len()];
        apply(shift, x, &mut ax);
        ax.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }

    fn in_pool<R: Send>(threads: usize, f: impl FnOnce(&Team) -> R + Send) -> R {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| Team::with(f))
    }

    #[test]
    fn conjugate_gradients_solve_and_the_preconditioner_helps() {
        let n = 50;
        let b: Vec<f64> = (0..n).map(|i| ((i * 7) % 11) as f64 - 5.0).collect();
        let mut x = vec![0.0; n];
        let mut scratch = GradientScratch::default();
        let mut a = |_: &Team, x: &[f64], y: &mut [f64]| apply(0.1, x, y);
        in_pool(1, |team| {
            let plain = conjugate_gradients(team, &mut a, None, (&b, &mut x), PARAMS, &mut scratch);
            assert!(plain.converged && residual(0.1, &x, &b) < 1e-10);
            // A few Jacobi sweeps as preconditioner.
            let mut sweeps = |_: &Team, r: &[f64], z: &mut [f64]| {
                z.fill(0.0);
                let mut az = vec![0.0; z.len()];
                for _ in 0..6 {
                    apply(0.1, z, &mut az);
                    for i in 0..z.len() {
                        z[i] += (r[i] - az[i]) / 3.0;
                    }
                }
            };
            x.fill(0.0);
            let better =
                conjugate_gradients(team, &mut a, Some(&mut sweeps), (&b, &mut x), PARAMS, &mut scratch);
            assert!(better.converged && better.iterations < plain.iterations);
            assert!(residual(0.1, &x, &b) < 1e-10);
        });
    }

    /// Three components, each its own system: `A = (L + shift_c)` on component c.
    fn apply3(x: &[DVec3], y: &mut [DVec3]) {
        for i in 0..x.len() {
            let left = if i > 0 { x[i - 1] } else { DVec3::ZERO };
            let right = x.get(i + 1).copied().unwrap_or_default();
            y[i] = DIAGONAL * x[i] - left - right;
        }
    }

    const DIAGONAL: DVec3 = DVec3::new(2.05, 2.35, 2.65);

    #[test]
    fn sums_have_the_same_bits_for_any_number_of_threads() {
        let n = 7001;
        let entry = |i: usize| (i % 97) as f64 / 13.0 - 3.0;
        let b: Vec<DVec3> =
            (0..n).map(|i| 31 * i).map(|i| DVec3::new(entry(i), entry(i + 17), entry(i + 34))).collect();
        let run = |threads: usize| {
            in_pool(threads, |team| {
                let mut x = vec![DVec3::ZERO; n];
                let mut a = |_: &Team, x: &[DVec3], y: &mut [DVec3]| apply3(x, y);
                let mut scale = |_: &Team, r: &[DVec3], z: &mut [DVec3]| {
                    z.iter_mut().zip(r).for_each(|(z, r)| *z = r / DIAGONAL);
                };
                let mut scratch = GradientScratch::default();
                let info =
                    conjugate_gradients(team, &mut a, Some(&mut scale), (&b, &mut x), PARAMS, &mut scratch);
                (x, info)
            })
        };
        let (x, info) = run(1);
        assert!(info.converged, "{info:?}");
        let mut ax = vec![DVec3::ZERO; n];
        apply3(&x, &mut ax);
        let worst = ax.iter().zip(&b).map(|(a, b)| (a - b).abs().max_element()).fold(0.0, f64::max);
        assert!(worst < 1e-9, "{worst}");
        for threads in [2, 4] {
            assert!(run(threads) == (x.clone(), info), "{threads} threads");
        }
    }

    #[test]
    fn an_indefinite_matrix_ends_the_iteration() {
        let b = vec![1.0; 30];
        let mut x = vec![0.0; 30];
        let mut a = |_: &Team, x: &[f64], y: &mut [f64]| apply(-3.0, x, y);
        let info = in_pool(1, |team| {
            conjugate_gradients(team, &mut a, None, (&b, &mut x), PARAMS, &mut GradientScratch::default())
        });
        assert!(!info.converged && info.iterations < PARAMS.iterations);
    }

    #[test]
    fn conjugate_residuals_solve_indefinite_systems_with_falling_residual() {
        let n = 30;
        let b: Vec<f64> = (0..n).map(|i| 1.0 + (i % 4) as f64).collect();
        let mut scratch = Scratch::default();
        let mut last = f64::INFINITY;
        for iterations in [1, 3, 8, 20, 80] {
            let mut x = vec![0.0; n];
            let params = Params { iterations, tolerance: 1e-12 };
            let info = conjugate_residuals(&mut |x, y| apply(-0.7, x, y), &b, &mut x, params, &mut scratch);
            assert!(info.residual <= last * (1.0 + 1e-12), "{} after {iterations}", info.residual);
            last = info.residual;
        }
        assert!(last < 1e-8, "{last}");
    }

    #[test]
    fn a_zero_right_hand_side_needs_no_iteration() {
        let mut x = vec![0.0; 4];
        let mut scratch = Scratch::default();
        let info = conjugate_residuals(&mut |x, y| apply(0.0, x, y), &[0.0; 4], &mut x, PARAMS, &mut scratch);
        assert_eq!((info.iterations, info.converged), (0, true));
    }
}
