//! Fixed co-rotated \[Stomakhin12\]: `psi = mu sum_i (s_i - 1)^2 + lambda/2 (J - 1)^2`.

use super::stretch::{StretchEnergy, away_from_zero, product_without, product_without_two};

/// The law with its Lamé constants.
#[derive(Clone, Copy, Debug)]
pub struct FixedCorotated {
    /// Shear modulus in Pa.
    pub mu: f64,
    /// First Lamé constant in Pa.
    pub lambda: f64,
}

impl StretchEnergy for FixedCorotated {
    fn energy<const D: usize>(&self, s: &[f64; D]) -> f64 {
        let growth = s.iter().product::<f64>() - 1.0;
        self.mu * s.iter().map(|s| (s - 1.0) * (s - 1.0)).sum::<f64>() + 0.5 * self.lambda * growth * growth
    }

    fn gradient<const D: usize>(&self, s: &[f64; D]) -> [f64; D] {
        let pressure = self.pressure(s);
        std::array::from_fn(|i| 2.0 * self.mu * (s[i] - 1.0) + pressure * product_without(s, i))
    }

    fn hessian<const D: usize>(&self, s: &[f64; D]) -> [[f64; D]; D] {
        let pressure = self.pressure(s);
        std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let volume = self.lambda * product_without(s, i) * product_without(s, j);
                volume + if i == j { 2.0 * self.mu } else { pressure * product_without_two(s, i, j) }
            })
        })
    }

    fn flip<const D: usize>(&self, s: &[f64; D], i: usize, j: usize) -> f64 {
        2.0 * self.mu - self.pressure(s) * product_without_two(s, i, j)
    }

    fn twist<const D: usize>(&self, s: &[f64; D], i: usize, j: usize) -> f64 {
        let rotation = 4.0 * self.mu / away_from_zero(s[i] + s[j]);
        2.0 * self.mu - rotation + self.pressure(s) * product_without_two(s, i, j)
    }
}

impl FixedCorotated {
    /// `d psi / d J`.
    fn pressure<const D: usize>(&self, s: &[f64; D]) -> f64 {
        self.lambda * (s.iter().product::<f64>() - 1.0)
    }
}
