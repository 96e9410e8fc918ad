//! One point whose response to its own force is a 3x3 block, as in [Zeng22]: normal and tangent mix, and shortening the
//! friction that would stop the sliding does not satisfy the laws. The derivation is in docs/theory/contact.md.
//!
//! With `u = d + W f`, the gap `u_n` and the sliding `u_t`, a contact that slides with `u_t = -s f_t` has the force
//! `f(s) = -(W + s P)^-1 d`, P the projector to the tangents. Without the normal row that is
//!
//! ```text
//! (S + s) f_t = b,   S = W_tt - W_tn W_nt / W_nn,   b = W_tn d_n / W_nn - d_t,   f_n = -(d_n + W_nt . f_t) / W_nn
//! ```
//!
//! and s is a root of `psi(s) = |f_t| - mu f_n`, where |f_t| is the size by which the law of friction measures it. For an open gap `d_n >= 0` there is no force. Otherwise `psi < 0` as
//! `s -> inf`, where friction vanishes, and `psi(0) > 0` exactly if the sticking force is outside of the cone: a root
//! exists, and each root is a solution of the laws. Since `f_n = |f_t| / mu` there, nothing pulls. It is the equation of a
//! trust region \[More83\]; the quartic of \[Bonnefon11\] is the same equation, squared.

use super::super::frame::frame;
use super::{OneContact, PointSolve};
use crate::contact::operator::Compliance;
use pliant_mesh::{DMat3, DVec3};

/// Smallest pivot or eigenvalue, as a part of the largest: rounding must not make a block indefinite.
const SMALLEST: f64 = 1e-13;

/// Bisection alone would find the root to all digits in these many steps; Newton's method takes about five.
const MOST_STEPS: usize = 100;

impl PointSolve for DMat3 {
    fn contact_force(contact: &OneContact<DMat3>) -> DVec3 {
        let gap = contact.normal.dot(contact.free) - contact.offset;
        if gap >= 0.0 {
            return DVec3::ZERO;
        }
        let local = Local::of(contact);
        let slip = local.tangential(contact.free - contact.start);
        let mu = contact.friction.coefficient();
        let slippery = local.tangential(contact.friction.slippery());
        let sliding = Sliding::new(&local, gap, slip, (mu, slippery));
        let force = if mu > 0.0 { sliding.solve() } else { DVec3::new(-gap / local.nn, 0.0, 0.0) };
        local.frame * force
    }

    fn held_force(contact: &OneContact<DMat3>, soft: f64) -> DVec3 {
        solve_positive(&contact.compliance, DVec3::splat(soft), contact.start - contact.free)
    }

    fn guided_force(contact: &OneContact<DMat3>, soft: f64, grip: f64) -> DVec3 {
        let local = Local::of(contact);
        let back = local.frame.transpose() * (contact.start - contact.free);
        let stuck = solve_positive(&local.matrix(), DVec3::new(0.0, soft, soft), back);
        if stuck.x.abs() <= grip {
            return local.frame * stuck;
        }
        // The force along the line is a monotonous function of the place along it, also with what happens across.
        let along = stuck.x.clamp(-grip, grip);
        let (a, b) = (back.y - local.nt[0] * along, back.z - local.nt[1] * along);
        let [[p, q], [_, r]] = local.tt;
        let (p, r) = (p + soft, r + soft);
        let determinant = (p * r - q * q).max(SMALLEST * p * r);
        local.frame * DVec3::new(along, (r * a - q * b) / determinant, (p * b - q * a) / determinant)
    }
}

/// The compliance of a point along its normal and its tangents.
struct Local {
    /// Columns: the normal and both tangents.
    frame: DMat3,
    nn: f64,
    nt: [f64; 2],
    tt: [[f64; 2]; 2],
}

impl Local {
    fn of(contact: &OneContact<DMat3>) -> Local {
        let frame = frame(contact.normal);
        let DMat3 { x_axis: n, y_axis: t, z_axis: b } = frame;
        let w = |a: DVec3, b: DVec3| contact.compliance.between(a, b);
        let tb = w(t, b);
        Local { frame, nn: w(n, n), nt: [w(n, t), w(n, b)], tt: [[w(t, t), tb], [tb, w(b, b)]] }
    }

    fn matrix(&self) -> DMat3 {
        let ([x, y], [[xx, xy], [_, yy]]) = (self.nt, self.tt);
        DMat3::from_cols_array_2d(&[[self.nn, x, y], [x, xx, xy], [y, xy, yy]])
    }

    fn tangential(&self, v: DVec3) -> [f64; 2] {
        [self.frame.y_axis.dot(v), self.frame.z_axis.dot(v)]
    }
}

/// The equation of a contact that sticks or slides, in the principal axes of S.
struct Sliding {
    mu: f64,
    /// See [`FrictionLaw`](crate::contact::FrictionLaw).
    slippery: [f64; 2],
    gap: f64,
    nn: f64,
    /// Unit vector of the first axis.
    axis: [f64; 2],
    /// Eigenvalues of S: their mean, and their differences from it.
    mean: f64,
    off_mean: [f64; 2],
    b: [f64; 2],
    nt: [f64; 2],
}

impl Sliding {
    fn new(local: &Local, gap: f64, slip: [f64; 2], (mu, slippery): (f64, [f64; 2])) -> Sliding {
        let (nn, nt) = (local.nn, local.nt);
        let s = |i: usize, j: usize| local.tt[i][j] - nt[i] * nt[j] / nn;
        let (xx, xy, yy) = (s(0, 0), s(0, 1), s(1, 1));
        let half = 0.5 * (xx - yy);
        let radius = half.hypot(xy);
        let large = 0.5 * (xx + yy) + radius;
        // Their product is known better than their difference.
        let small = ((xx * yy - xy * xy) / large).max(SMALLEST * large);
        let mean = 0.5 * (large + small);
        // The eigenvector of the larger eigenvalue has twice its angle at (half, xy).
        let (sin, cos) = (0.5 * xy.atan2(half)).sin_cos();
        let axis = [cos, sin];
        let b = std::array::from_fn(|k| nt[k] * gap / nn - slip[k]);
        Sliding {
            mu,
            slippery: turned(axis, slippery),
            gap,
            nn,
            axis,
            mean,
            off_mean: [large - mean, small - mean],
            b: turned(axis, b),
            nt: turned(axis, nt),
        }
    }

    /// Normal force and friction for `tau = 1 / (s + mean)`: where all directions are alike they are linear in it.
    fn force(&self, tau: f64) -> (f64, [f64; 2]) {
        let t = std::array::from_fn(|k| self.b[k] * tau / (1.0 + self.off_mean[k] * tau));
        (-(self.gap + product(self.nt, t)) / self.nn, t)
    }

    /// `psi` and its derivative by tau.
    fn excess(&self, tau: f64) -> (f64, f64) {
        let (normal, t) = self.force(tau);
        let by_tau = std::array::from_fn(|k| self.b[k] / (1.0 + self.off_mean[k] * tau).powi(2));
        let size = self.size(t);
        let by_size = product(t, by_tau) + product(self.slippery, t) * product(self.slippery, by_tau);
        (size - self.mu * normal, by_size / size + self.mu * product(self.nt, by_tau) / self.nn)
    }

    fn size(&self, t: [f64; 2]) -> f64 {
        t[0].hypot(t[1]).hypot(product(self.slippery, t))
    }

    /// Normal force and friction along both tangents.
    fn solve(&self) -> DVec3 {
        let sticks = 1.0 / self.mean;
        let (normal, t) = self.force(sticks);
        if self.size(t) <= self.mu * normal {
            return self.along_tangents(normal, t);
        }
        let (normal, t) = self.force(self.root(sticks));
        // On the cone exactly, not up to rounding.
        let scale = self.mu * normal / self.size(t);
        self.along_tangents(normal, t.map(|t| scale * t))
    }

    /// A root of `psi` between no friction and sticking: Newton's method inside of a bracket, from the sticking end. The law
    /// may have several solutions if normal and tangent are coupled strongly; which one this is depends on nothing
    /// but the problem.
    fn root(&self, sticks: f64) -> f64 {
        let (mut low, mut high) = (0.0, sticks);
        let mut tau = sticks;
        let mut last_step = sticks;
        for _ in 0..MOST_STEPS {
            let (psi, slope) = self.excess(tau);
            if psi > 0.0 {
                high = tau
            } else {
                low = tau
            }
            let newton = tau - psi / slope;
            let is_inside = newton > low && newton < high && (newton - tau).abs() < 0.5 * last_step;
            let next = if is_inside { newton } else { 0.5 * (low + high) };
            last_step = (next - tau).abs();
            if psi == 0.0 || last_step <= f64::EPSILON * tau {
                return tau;
            }
            tau = next;
        }
        tau
    }

    fn along_tangents(&self, normal: f64, t: [f64; 2]) -> DVec3 {
        let [cos, sin] = self.axis;
        DVec3::new(normal, cos * t[0] - sin * t[1], sin * t[0] + cos * t[1])
    }
}

/// Components of `v` along an axis and across it.
fn turned([cos, sin]: [f64; 2], v: [f64; 2]) -> [f64; 2] {
    [cos * v[0] + sin * v[1], cos * v[1] - sin * v[0]]
}

fn product(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// Solves `(W + diag) f = b` with a positive definite W, by `L D L^T`.
fn solve_positive(w: &DMat3, diagonal: DVec3, b: DVec3) -> DVec3 {
    let [p, q, r] = (w.diagonal() + diagonal).to_array();
    let (w10, w20, w21) = (w.x_axis.y, w.x_axis.z, w.y_axis.z);
    let least = SMALLEST * (p + q + r);
    let d0 = p.max(least);
    let (l10, l20) = (w10 / d0, w20 / d0);
    let d1 = (q - l10 * w10).max(least);
    let l21 = (w21 - l20 * w10) / d1;
    let d2 = (r - l20 * w20 - l21 * l21 * d1).max(least);
    let y1 = b.y - l10 * b.x;
    let y2 = b.z - l20 * b.x - l21 * y1;
    let z = y2 / d2;
    let y = y1 / d1 - l21 * z;
    DVec3::new(b.x / d0 - l10 * y - l20 * z, y, z)
}
