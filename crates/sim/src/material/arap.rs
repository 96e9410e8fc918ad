//! As rigid as possible: `psi = mu sum_i (s_i - 1)^2`, the squared distance to the nearest rotation.

use super::stretch::{StretchEnergy, away_from_zero, diagonal};

/// The law with its shear modulus; it knows no Poisson effect.
#[derive(Clone, Copy, Debug)]
pub struct Arap {
    /// Shear modulus in Pa.
    pub mu: f64,
}

impl StretchEnergy for Arap {
    fn energy<const D: usize>(&self, s: &[f64; D]) -> f64 {
        self.mu * s.iter().map(|s| (s - 1.0) * (s - 1.0)).sum::<f64>()
    }

    fn gradient<const D: usize>(&self, s: &[f64; D]) -> [f64; D] {
        s.map(|s| 2.0 * self.mu * (s - 1.0))
    }

    fn hessian<const D: usize>(&self, _: &[f64; D]) -> [[f64; D]; D] {
        diagonal(&[2.0 * self.mu; D])
    }

    fn flip<const D: usize>(&self, _: &[f64; D], _: usize, _: usize) -> f64 {
        2.0 * self.mu
    }

    fn twist<const D: usize>(&self, s: &[f64; D], i: usize, j: usize) -> f64 {
        2.0 * self.mu - 4.0 * self.mu / away_from_zero(s[i] + s[j])
    }

    /// The optimum of a quadratic: `s = (2 mu + w z) / (2 mu + w)`.
    fn prox<const D: usize>(&self, z: &[f64; D], w: f64) -> [f64; D] {
        z.map(|z| (2.0 * self.mu + w * z) / (2.0 * self.mu + w))
    }
}
