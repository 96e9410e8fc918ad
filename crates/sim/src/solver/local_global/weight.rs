//! The weight w of the local step: how strongly an element's F is tied to its projection.

use crate::fem::ElementMaterial;
use crate::material::Law;

/// Weight of an element in Pa.
///
/// For ARAP `w = 2 mu` makes the projection exact. For every other law the converged step does not depend on w, but
/// the speed of convergence does: near 1 to 2 mu, growing with the share of volumetric stiffness.
pub fn weight_of(m: &ElementMaterial) -> f64 {
    match m.law {
        Law::Arap => 2.0 * m.mu,
        _ => 2.0 * m.mu,
    }
}
