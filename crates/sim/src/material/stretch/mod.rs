//! What a law has to give: its energy density as a function of the principal stretches, with derivatives, and what the
//! laws have in common. The proximal map follows from that, unless a law knows better.

mod prox;

/// An energy density psi (Pa) as a function of D principal stretches s.
pub trait StretchEnergy {
    /// psi(s).
    fn energy<const D: usize>(&self, s: &[f64; D]) -> f64;

    /// `g_i = d psi / d s_i`. NaN where the energy is infinite.
    fn gradient<const D: usize>(&self, s: &[f64; D]) -> [f64; D];

    /// `H_ij = d^2 psi / d s_i d s_j`.
    fn hessian<const D: usize>(&self, s: &[f64; D]) -> [[f64; D]; D];

    /// `(g_i - g_j)/(s_i - s_j)`, continued to equal stretches.
    fn flip<const D: usize>(&self, s: &[f64; D], i: usize, j: usize) -> f64;

    /// `(g_i + g_j)/(s_i + s_j)`, continued to `s_i = -s_j` where psi is smooth there and finite everywhere.
    fn twist<const D: usize>(&self, s: &[f64; D], i: usize, j: usize) -> f64;

    /// An admissible point near the stretches z, where the search of the proximal map starts.
    fn prox_start<const D: usize>(&self, z: &[f64; D], _w: f64) -> [f64; D] {
        *z
    }

    /// `argmin_s psi(s) + w/2 |s - z|^2`; see [`prox_stretches`](super::isotropic::prox_stretches).
    fn prox<const D: usize>(&self, z: &[f64; D], w: f64) -> [f64; D]
    where
        Self: Sized,
    {
        prox::minimise(self, z, w)
    }
}

/// A denominator that keeps its sign and is never zero: energies of the polar rotation have a true pole there,
/// and a finite large number serves better than an infinite one.
pub(super) fn away_from_zero(x: f64) -> f64 {
    if x.abs() < 1e-9 { 1e-9_f64.copysign(x) } else { x }
}

/// `prod_{k != i} s_k`, the derivative of J in `s_i`.
pub(super) fn product_without<const D: usize>(s: &[f64; D], i: usize) -> f64 {
    (0..D).filter(|&k| k != i).map(|k| s[k]).product()
}

/// `prod_{k != i, j} s_k`, the mixed second derivative of J.
pub(super) fn product_without_two<const D: usize>(s: &[f64; D], i: usize, j: usize) -> f64 {
    (0..D).filter(|&k| k != i && k != j).map(|k| s[k]).product()
}

pub(super) fn diagonal<const D: usize>(d: &[f64; D]) -> [[f64; D]; D] {
    std::array::from_fn(|i| std::array::from_fn(|j| if i == j { d[i] } else { 0.0 }))
}

pub(super) fn distance_sq<const D: usize>(a: &[f64; D], b: &[f64; D]) -> f64 {
    (0..D).map(|i| (a[i] - b[i]) * (a[i] - b[i])).sum()
}
