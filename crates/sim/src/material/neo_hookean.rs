//! Neo-Hookean, logarithmic form: `psi = mu/2 (I1 - D) - mu ln J + lambda/2 ln^2 J`, infinite for `J <= 0`.

use super::stretch::StretchEnergy;

/// The law with its Lamé constants.
#[derive(Clone, Copy, Debug)]
pub struct NeoHookean {
    /// Shear modulus in Pa.
    pub mu: f64,
    /// First Lamé constant in Pa.
    pub lambda: f64,
}

impl StretchEnergy for NeoHookean {
    fn energy<const D: usize>(&self, s: &[f64; D]) -> f64 {
        if !s.iter().all(|&s| s > 0.0) {
            return f64::INFINITY;
        }
        // (s^2 - 1)/2 - ln s in terms of d = s - 1: no cancellation near rest.
        let shear: f64 = s.iter().map(|s| s - 1.0).map(|d| 0.5 * d * (d + 2.0) - d.ln_1p()).sum();
        let log_j = log_volume(s);
        self.mu * shear + 0.5 * self.lambda * log_j * log_j
    }

    fn gradient<const D: usize>(&self, s: &[f64; D]) -> [f64; D] {
        let pressure = self.lambda * log_volume(s) - self.mu;
        s.map(|s| self.mu * s + pressure / s)
    }

    fn hessian<const D: usize>(&self, s: &[f64; D]) -> [[f64; D]; D] {
        let pressure = self.lambda * log_volume(s) - self.mu;
        std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let diagonal = if i == j { self.mu - pressure / (s[i] * s[i]) } else { 0.0 };
                diagonal + self.lambda / (s[i] * s[j])
            })
        })
    }

    fn flip<const D: usize>(&self, s: &[f64; D], i: usize, j: usize) -> f64 {
        self.mu - (self.lambda * log_volume(s) - self.mu) / (s[i] * s[j])
    }

    fn twist<const D: usize>(&self, s: &[f64; D], i: usize, j: usize) -> f64 {
        self.mu + (self.lambda * log_volume(s) - self.mu) / (s[i] * s[j])
    }

    /// The exact optimum for `lambda = 0`, which is positive for every z: `(mu + w) s - mu / s = w z`.
    fn prox_start<const D: usize>(&self, z: &[f64; D], w: f64) -> [f64; D] {
        z.map(|z| {
            let (a, b) = (self.mu + w, w * z);
            let root = (b * b + 4.0 * a * self.mu).sqrt();
            if b > 0.0 { (b + root) / (2.0 * a) } else { 2.0 * self.mu / (root - b) }
        })
    }
}

/// `ln J`; NaN where the energy is infinite.
fn log_volume<const D: usize>(s: &[f64; D]) -> f64 {
    s.iter().map(|s| s.ln()).sum()
}
