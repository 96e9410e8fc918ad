//! The proximal map in singular values: a safeguarded Newton method for `phi(s) = psi(s) + w/2 |s - z|^2`.
//!
//! Strong Poisson effects make phi non-convex: it may have saddles where two stretches are equal and several
//! minima. Indefinite Hessians are replaced by their absolute value, saddles are left along the direction of
//! negative curvature, and further starts are tried where strains are large or an indefinite
//! Hessian was met.

use super::{StretchEnergy, distance_sq};
use pliant_linalg::small::{dot, symmetric_eigen};

const MAX_ITERATIONS: usize = 200;
const MAX_HALVINGS: usize = 60;

/// `argmin_s psi(s) + w/2 |s - z|^2` for any law.
pub(super) fn minimise<L: StretchEnergy, const D: usize>(law: &L, z: &[f64; D], w: f64) -> [f64; D] {
    let mut order: [usize; D] = std::array::from_fn(|i| i);
    order.sort_by(|&i, &j| z[j].total_cmp(&z[i]));
    let problem = Problem { law, z: order.map(|i| z[i]), w };
    let sorted = problem.solve();
    let mut s = [0.0; D];
    for (k, &i) in order.iter().enumerate() {
        s[i] = sorted[k];
    }
    s
}

/// Where a descent ended.
struct Descent<const D: usize> {
    s: [f64; D],
    value: f64,
    /// Whether an indefinite Hessian was met on the way.
    indefinite: bool,
}

/// phi with z in descending order.
struct Problem<'a, L, const D: usize> {
    law: &'a L,
    z: [f64; D],
    w: f64,
}

impl<L: StretchEnergy, const D: usize> Problem<'_, L, D> {
    fn solve(&self) -> [f64; D] {
        let start = self.law.prox_start(&self.z, self.w);
        let mut best = self.descend(&start);
        // Along a path of definite Hessians to a moderate strain there is one valley only.
        if !best.indefinite && best.s.iter().all(|s| (0.5..2.0).contains(s)) {
            return best.s;
        }
        for start in self.further_starts() {
            let other = self.descend(&start);
            if other.value < best.value || best.value.is_nan() {
                best = other;
            }
        }
        best.s
    }

    /// The rest shape, and volume-preserving points where the smallest stretches make room for the others.
    fn further_starts(&self) -> Vec<[f64; D]> {
        let z = self.z.map(|z| z.max(0.1));
        let mut starts = vec![[1.0; D]];
        for kept in 1..D {
            let room = z[..kept].iter().product::<f64>().powf(-1.0 / (D - kept) as f64);
            starts.push(std::array::from_fn(|i| if i < kept { z[i] } else { room }));
        }
        starts
    }

    fn value(&self, s: &[f64; D]) -> f64 {
        self.law.energy(s) + 0.5 * self.w * distance_sq(s, &self.z)
    }

    fn gradient(&self, s: &[f64; D]) -> [f64; D] {
        let g = self.law.gradient(s);
        std::array::from_fn(|i| g[i] + self.w * (s[i] - self.z[i]))
    }

    fn hessian(&self, s: &[f64; D]) -> [[f64; D]; D] {
        let mut h = self.law.hessian(s);
        for i in 0..D {
            h[i][i] += self.w;
        }
        h
    }

    /// Newton with line search until no further decrease is possible.
    fn descend(&self, start: &[f64; D]) -> Descent<D> {
        let mut s = *start;
        let mut indefinite = false;
        for _ in 0..MAX_ITERATIONS {
            let (g, h) = (self.gradient(&s), self.hessian(&s));
            let step = solve_definite(&h, &g).unwrap_or_else(|| {
                indefinite = true;
                solve_absolute(&h, &g)
            });
            let Some(next) = self.line_search(&s, &g, &step) else {
                match self.leave(&s, &h) {
                    Some(next) => s = next,
                    None => break,
                }
                continue;
            };
            s = next;
        }
        Descent { s, value: self.value(&s), indefinite }
    }

    /// `phi(next) - phi(s)` and a bound of its rounding error.
    ///
    /// Short steps change phi by less than its rounding error when one stretch is huge; the integral of the
    /// slope along the step (Gauss-Legendre, three points) has no such cancellation.
    fn change(&self, s: &[f64; D], next: &[f64; D]) -> (f64, f64) {
        let step: [f64; D] = std::array::from_fn(|i| next[i] - s[i]);
        if (0..D).any(|i| step[i].abs() > 0.1 * s[i].abs()) {
            let (old, new) = (self.law.energy(s), self.law.energy(next));
            let pull: f64 = (0..D).map(|i| step[i] * (next[i] + s[i] - 2.0 * self.z[i])).sum();
            // Terms of the energy cancel near rest: its error there is that of terms as large as the moduli.
            let size = old.abs() + self.w * (1.0 + pull.abs());
            return (new - old + 0.5 * self.w * pull, 1e-14 * size);
        }
        const RULE: [(f64, f64); 3] =
            [(0.112_701_665_379_258_3, 5.0 / 18.0), (0.5, 4.0 / 9.0), (0.887_298_334_620_741_7, 5.0 / 18.0)];
        let slope = |t: f64| dot(&self.gradient(&std::array::from_fn(|i| s[i] + t * step[i])), &step);
        let change = RULE.iter().map(|&(t, weight)| weight * slope(t)).sum();
        let size: f64 = (0..D).map(|i| step[i].abs() * (s[i].abs() + self.z[i].abs() + 1.0)).sum();
        (change, 1e-15 * self.w * size)
    }

    /// The first of `s - step, s - step/2, ...` with sufficient decrease.
    ///
    /// Where the predicted decrease is below the rounding of phi, the norm of the gradient decides instead:
    /// this takes the solution from half of the digits to all of them.
    fn line_search(&self, s: &[f64; D], g: &[f64; D], step: &[f64; D]) -> Option<[f64; D]> {
        let slope = dot(g, step);
        if !slope.is_finite() || slope <= 0.0 {
            return None;
        }
        let mut t = 1.0;
        for _ in 0..MAX_HALVINGS {
            let next: [f64; D] = std::array::from_fn(|i| s[i] - t * step[i]);
            if next == *s {
                return None;
            }
            let (change, rounding) = self.change(s, &next);
            if t * slope < 10.0 * rounding {
                let new = self.gradient(&next);
                return (dot(&new, &new) < 0.5 * dot(g, g)).then_some(next);
            }
            if change < -1e-4 * t * slope {
                return Some(next);
            }
            t *= 0.5;
        }
        None
    }

    /// A lower point along the direction of negative curvature, if `s` is a saddle.
    fn leave(&self, s: &[f64; D], h: &[[f64; D]; D]) -> Option<[f64; D]> {
        let (values, q) = symmetric_eigen(h);
        if values[D - 1].is_nan() || values[D - 1] >= -1e-8 * values[0].abs() {
            return None;
        }
        let direction = q.map(|row| row[D - 1]);
        // Of two equally good sides take the one where the smallest stretch grows: out of a collapse, upright.
        let sign = if direction[D - 1] < 0.0 { -1.0 } else { 1.0 };
        let mut t = sign * (1.0 + dot(s, s).sqrt());
        for _ in 0..MAX_HALVINGS {
            let sides: [[f64; D]; 2] = [t, -t].map(|t| std::array::from_fn(|i| s[i] + t * direction[i]));
            let [(near, rounding), (far, _)] = [self.change(s, &sides[0]), self.change(s, &sides[1])];
            let best = usize::from(far < near - rounding);
            if near.min(far) < -rounding {
                return Some(sides[best]);
            }
            t *= 0.5;
        }
        None
    }
}

/// `H^-1 g` by Cholesky; `None` if H is not safely positive definite.
fn solve_definite<const D: usize>(h: &[[f64; D]; D], g: &[f64; D]) -> Option<[f64; D]> {
    let mut l = [[0.0; D]; D];
    let mut x = *g;
    for i in 0..D {
        for j in 0..=i {
            let sum = h[i][j] - (0..j).map(|k| l[i][k] * l[j][k]).sum::<f64>();
            if i == j {
                if sum.is_nan() || sum <= 1e-12 * h[i][i].abs() {
                    return None;
                }
                l[i][i] = sum.sqrt();
            } else {
                l[i][j] = sum / l[j][j];
            }
        }
        x[i] = (x[i] - (0..i).map(|k| l[i][k] * x[k]).sum::<f64>()) / l[i][i];
    }
    for i in (0..D).rev() {
        x[i] = (x[i] - (i + 1..D).map(|k| l[k][i] * x[k]).sum::<f64>()) / l[i][i];
    }
    Some(x)
}

/// `|H|^-1 g` with |H| the matrix of absolute eigenvalues, bounded from below.
fn solve_absolute<const D: usize>(h: &[[f64; D]; D], g: &[f64; D]) -> [f64; D] {
    let (values, q) = symmetric_eigen(h);
    let floor = 1e-6 * values.iter().fold(0.0, |m, v| f64::max(m, v.abs()));
    let mut x = [0.0; D];
    for k in 0..D {
        let along: f64 = (0..D).map(|i| q[i][k] * g[i]).sum();
        for i in 0..D {
            x[i] += q[i][k] * along / values[k].abs().max(floor);
        }
    }
    x
}
