//! Linear co-rotational: `psi = mu sum_i (s_i - 1)^2 + lambda/2 (sum_i (s_i - 1))^2`, linear elasticity of the
//! symmetric polar factor.

use super::stretch::{StretchEnergy, away_from_zero, distance_sq};

/// The law with its Lamé constants.
#[derive(Clone, Copy, Debug)]
pub struct Corotational {
    /// Shear modulus in Pa.
    pub mu: f64,
    /// First Lamé constant in Pa.
    pub lambda: f64,
}

impl StretchEnergy for Corotational {
    fn energy<const D: usize>(&self, s: &[f64; D]) -> f64 {
        let t = trace(s);
        self.mu * s.iter().map(|s| (s - 1.0) * (s - 1.0)).sum::<f64>() + 0.5 * self.lambda * t * t
    }

    fn gradient<const D: usize>(&self, s: &[f64; D]) -> [f64; D] {
        let t = trace(s);
        s.map(|s| 2.0 * self.mu * (s - 1.0) + self.lambda * t)
    }

    fn hessian<const D: usize>(&self, _: &[f64; D]) -> [[f64; D]; D] {
        std::array::from_fn(|i| {
            std::array::from_fn(|j| self.lambda + if i == j { 2.0 * self.mu } else { 0.0 })
        })
    }

    fn flip<const D: usize>(&self, _: &[f64; D], _: usize, _: usize) -> f64 {
        2.0 * self.mu
    }

    fn twist<const D: usize>(&self, s: &[f64; D], i: usize, j: usize) -> f64 {
        let excess = 2.0 * self.lambda * trace(s) - 4.0 * self.mu;
        2.0 * self.mu + excess / away_from_zero(s[i] + s[j])
    }

    /// A convex quadratic over the cone of ordered stretches.
    ///
    /// A strong Poisson effect pulls the optimum out of that cone (`s1 + s2 < 0` for solids, `s1 < 0` for
    /// membranes), where the quadratic is no longer the energy of a deformation gradient: the energy has a kink
    /// on the boundary and the optimum lies in it. The faces of the cone are few, so all are tried.
    fn prox<const D: usize>(&self, z: &[f64; D], w: f64) -> [f64; D] {
        let value = |s: &[f64; D]| self.energy(s) + 0.5 * w * distance_sq(s, z);
        let mut best = self.prox_on_line(z, w, &[]);
        if in_cone(&best) {
            return best;
        }
        let mut best_value = f64::INFINITY;
        for face in faces::<D>() {
            let s = self.prox_on_line(z, w, face);
            if in_cone(&s) && value(&s) < best_value {
                (best, best_value) = (s, value(&s));
            }
        }
        best
    }
}

impl Corotational {
    /// Minimises over the subspace `sum_i face_k[i] s_i = 0` for every row of `face`, an orthogonal basis of
    /// its complement.
    ///
    /// With c = 2 mu + w, b = 2 mu + D lambda + w z and the projection Pi onto the subspace, the condition is
    /// `c s + lambda (1.s) Pi 1 = Pi b`; its scalar product with 1 gives `1.s`.
    fn prox_on_line<const D: usize>(&self, z: &[f64; D], w: f64, face: &[[f64; 3]]) -> [f64; D] {
        let c = 2.0 * self.mu + w;
        let project = |mut x: [f64; D]| {
            for row in face {
                let (mut along, mut size) = (0.0, 0.0);
                for i in 0..D {
                    along += row[i] * x[i];
                    size += row[i] * row[i];
                }
                for i in 0..D {
                    x[i] -= row[i] * along / size;
                }
            }
            x
        };
        let b = project(z.map(|z| 2.0 * self.mu + D as f64 * self.lambda + w * z));
        let ones = project([1.0; D]);
        let sum = b.iter().sum::<f64>() / (c + self.lambda * ones.iter().sum::<f64>());
        std::array::from_fn(|i| (b[i] - self.lambda * sum * ones[i]) / c)
    }
}

fn trace<const D: usize>(s: &[f64; D]) -> f64 {
    s.iter().map(|s| s - 1.0).sum()
}

/// The faces of the cone, as orthogonal rows that span the complement of each.
fn faces<const D: usize>() -> &'static [&'static [[f64; 3]]] {
    if D == 2 {
        &[&[[0.0, 1.0, 0.0]], &[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]
    } else {
        // s1 = -s2;  s0 = s1 = -s2;  s = 0.
        &[
            &[[0.0, 1.0, 1.0]],
            &[[1.0, -1.0, 0.0], [1.0, 1.0, 2.0]],
            &[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        ]
    }
}

/// Whether all pairs of stretches (solids) or all stretches (membranes) have a sum that is not negative, up to
/// rounding.
fn in_cone<const D: usize>(s: &[f64; D]) -> bool {
    let slack = 1e-13 * s.iter().fold(0.0, |m, s| f64::max(m, s.abs()));
    if D == 2 {
        return s.iter().all(|&s| s >= -slack);
    }
    (0..D).all(|i| (0..i).all(|j| s[i] + s[j] >= -slack))
}
