//! St. Venant-Kirchhoff: `psi = mu |E|^2 + lambda/2 tr(E)^2` with the Green strain `E = (F^T F - I)/2`, whose
//! principal values are `e_i = (s_i^2 - 1)/2`.

use super::stretch::StretchEnergy;

/// The law with its Lamé constants.
#[derive(Clone, Copy, Debug)]
pub struct StVenantKirchhoff {
    /// Shear modulus in Pa.
    pub mu: f64,
    /// First Lamé constant in Pa.
    pub lambda: f64,
}

impl StretchEnergy for StVenantKirchhoff {
    fn energy<const D: usize>(&self, s: &[f64; D]) -> f64 {
        let squares: f64 = s.iter().map(|&s| strain(s) * strain(s)).sum();
        let t = trace(s);
        self.mu * squares + 0.5 * self.lambda * t * t
    }

    fn gradient<const D: usize>(&self, s: &[f64; D]) -> [f64; D] {
        let t = trace(s);
        s.map(|s| s * (2.0 * self.mu * strain(s) + self.lambda * t))
    }

    fn hessian<const D: usize>(&self, s: &[f64; D]) -> [[f64; D]; D] {
        let t = trace(s);
        std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let diagonal = self.mu * (3.0 * s[i] * s[i] - 1.0) + self.lambda * t;
                self.lambda * s[i] * s[j] + if i == j { diagonal } else { 0.0 }
            })
        })
    }

    fn flip<const D: usize>(&self, s: &[f64; D], i: usize, j: usize) -> f64 {
        self.mu * (s[i] * s[i] + s[i] * s[j] + s[j] * s[j]) + self.lambda * trace(s) - self.mu
    }

    fn twist<const D: usize>(&self, s: &[f64; D], i: usize, j: usize) -> f64 {
        self.mu * (s[i] * s[i] - s[i] * s[j] + s[j] * s[j]) + self.lambda * trace(s) - self.mu
    }
}

fn strain(s: f64) -> f64 {
    0.5 * (s - 1.0) * (s + 1.0)
}

fn trace<const D: usize>(s: &[f64; D]) -> f64 {
    s.iter().map(|&s| strain(s)).sum()
}
