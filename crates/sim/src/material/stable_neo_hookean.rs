//! Stable Neo-Hookean \[Smith18\] without the logarithm of the origin barrier:
//! `psi = mu/2 (I1 - D) - mu (J - 1) + (lambda + mu)/2 (J - 1)^2`.
//!
//! This is `mu/2 (I1 - D) + l/2 (J - a)^2` up to a constant, with `l = lambda + mu` and `a = 1 + mu/l`, which makes
//! the rest shape free of stress. Its Hessian in the stretches there is `2 mu` on the diagonal plus `lambda`
//! everywhere, for D = 2 and for D = 3: mu and lambda are the Lamé constants of small strain exactly.

use super::stretch::{StretchEnergy, product_without, product_without_two};

/// The law with its Lamé constants.
#[derive(Clone, Copy, Debug)]
pub struct StableNeoHookean {
    /// Shear modulus in Pa.
    pub mu: f64,
    /// First Lamé constant in Pa.
    pub lambda: f64,
}

impl StretchEnergy for StableNeoHookean {
    fn energy<const D: usize>(&self, s: &[f64; D]) -> f64 {
        let stretch: f64 = s.iter().map(|s| (s - 1.0) * (s + 1.0)).sum();
        let growth = s.iter().product::<f64>() - 1.0;
        0.5 * self.mu * stretch - self.mu * growth + 0.5 * (self.lambda + self.mu) * growth * growth
    }

    fn gradient<const D: usize>(&self, s: &[f64; D]) -> [f64; D] {
        let pressure = self.pressure(s);
        std::array::from_fn(|i| self.mu * s[i] + pressure * product_without(s, i))
    }

    fn hessian<const D: usize>(&self, s: &[f64; D]) -> [[f64; D]; D] {
        let pressure = self.pressure(s);
        std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let volume = (self.lambda + self.mu) * product_without(s, i) * product_without(s, j);
                volume + if i == j { self.mu } else { pressure * product_without_two(s, i, j) }
            })
        })
    }

    fn flip<const D: usize>(&self, s: &[f64; D], i: usize, j: usize) -> f64 {
        self.mu - self.pressure(s) * product_without_two(s, i, j)
    }

    fn twist<const D: usize>(&self, s: &[f64; D], i: usize, j: usize) -> f64 {
        self.mu + self.pressure(s) * product_without_two(s, i, j)
    }
}

impl StableNeoHookean {
    /// `d psi / d J`.
    fn pressure<const D: usize>(&self, s: &[f64; D]) -> f64 {
        (self.lambda + self.mu) * (s.iter().product::<f64>() - 1.0) - self.mu
    }
}
