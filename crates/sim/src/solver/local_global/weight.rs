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
        system.materials.iter().map(|&elastic| Weighted { elastic, weight: weight(&elastic, scale) }).collect()
    }
}

/// For ARAP `w = 2 mu` makes the projection exact. For every other law the converged step does not depend on w, but
/// the speed of convergence does: near 1 to 2 mu, growing with the share of volumetric stiffness.
fn weight(m: &ElementMaterial, scale: f64) -> f64 {
    match m.law {
        Law::Arap => 2.0 * m.mu,
        _ => scale * 2.0 * m.mu,
    }
}
