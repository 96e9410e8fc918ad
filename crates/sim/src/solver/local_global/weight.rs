//! The weight w of the local step: how strongly an element's F is tied to its projection.

use crate::fem::{ElementMaterial, System};
use crate::material::Law;

/// A material with the weight of its elements.
#[derive(Clone, Copy, Debug)]
pub struct Weighted {
    /// The material.
    pub elastic: ElementMaterial,
    /// Weight w in Pa.
    pub weight: f64,
}

impl Weighted {
    /// The materials of `system`, their weights multiplied by `scale` (but for ARAP, where it is fixed).
    pub fn all(system: &System, scale: f64) -> Vec<Weighted> {
        system
            .materials
            .iter()
            .map(|&elastic| Weighted { elastic, weight: weight(&elastic, scale) })
            .collect()
    }
}

/// For ARAP `w = 2 mu` makes the projection exact. For every other law a fixed point does not depend on w, but whether
/// and how fast ADMM reaches it does: not at all where 2 rho > w, with -rho the most negative curvature of the law
/// (`docs/theory/newton-cg.md`). For the Newton iteration w only shapes the preconditioner.
///
/// The best w at moderate strain lies between the moduli of shear, 2 mu, and of compression, 2 mu + lambda. Their
/// geometric mean was within a factor of two of the best error after 10 and after 20 iterations for every law
/// and nu = 0 .. 0.49 (`docs/theory/local-global.md`).
fn weight(m: &ElementMaterial, scale: f64) -> f64 {
    match m.law {
        Law::Arap => 2.0 * m.mu,
        _ => scale * (2.0 * m.mu * (2.0 * m.mu + m.lambda.max(0.0))).sqrt(),
    }
}
