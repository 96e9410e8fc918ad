//! Krylov solvers for symmetric systems given as operators: preconditioned conjugate gradients and conjugate residuals.

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

/// Caller-owned memory, reused between solves.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    vectors: [Vec<f64>; 5],
}

impl Scratch {
    fn split(&mut self, n: usize) -> &mut [Vec<f64>; 5] {
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

/// Preconditioned conjugate gradients for positive definite A [Saad03, alg. 9.1]. `apply(x, y)` sets y = A x,
/// `precondition(r, z)` sets z near A^-1 r. `x` is the guess, then the solution.
pub fn conjugate_gradients(
    apply: &mut dyn FnMut(&[f64], &mut [f64]),
    precondition: &mut dyn FnMut(&[f64], &mut [f64]),
    b: &[f64],
    x: &mut [f64],
    params: Params,
    scratch: &mut Scratch,
) -> Info {
    let [r, z, p, ap, _] = scratch.split(b.len());
    apply(x, ap);
    for ((r, b), ax) in r.iter_mut().zip(b).zip(ap.iter()) {
        *r = b - ax;
    }
    let scale = dot(b, b).sqrt();
    precondition(r, z);
    p.copy_from_slice(z);
    let mut rz = dot(r, z);
    for iterations in 0..=params.iterations {
        let size = dot(r, r).sqrt();
        let converged = size <= params.tolerance * scale;
        let residual = if scale > 0.0 { size / scale } else { size };
        if converged || iterations == params.iterations {
            return Info { iterations, residual, converged };
        }
        apply(p, ap);
        let curvature = dot(p, ap);
        if curvature.is_nan() || curvature <= 0.0 {
            return Info { iterations, residual, converged };
        }
        let step = rz / curvature;
        axpy(step, p, x);
        axpy(-step, ap, r);
        precondition(r, z);
        let next = dot(r, z);
        xpay(z, next / rz, p);
        rz = next;
    }
    unreachable!("the loop returns at its last iteration")
}

/// Conjugate residuals for symmetric A, definite or not [Saad03, alg. 6.20]: the residual never grows.
pub fn conjugate_residuals(
    apply: &mut dyn FnMut(&[f64], &mut [f64]),
    b: &[f64],
    x: &mut [f64],
    params: Params,
    scratch: &mut Scratch,
) -> Info {
    let [r, ar, p, ap, _] = scratch.split(b.len());
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

    #[test]
    fn conjugate_gradients_solve_and_the_preconditioner_helps() {
        let n = 50;
        let b: Vec<f64> = (0..n).map(|i| ((i * 7) % 11) as f64 - 5.0).collect();
        let mut x = vec![0.0; n];
        let mut scratch = Scratch::default();
        let mut identity = |r: &[f64], z: &mut [f64]| z.copy_from_slice(r);
        let plain = conjugate_gradients(
            &mut |x, y| apply(0.1, x, y),
            &mut identity,
            &b,
            &mut x,
            PARAMS,
            &mut scratch,
        );
        assert!(plain.converged && residual(0.1, &x, &b) < 1e-10);
        // A few Jacobi sweeps as preconditioner.
        let mut sweeps = |r: &[f64], z: &mut [f64]| {
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
            conjugate_gradients(&mut |x, y| apply(0.1, x, y), &mut sweeps, &b, &mut x, PARAMS, &mut scratch);
        assert!(better.converged && better.iterations < plain.iterations);
        assert!(residual(0.1, &x, &b) < 1e-10);
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
