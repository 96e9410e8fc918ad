//! A start of finite energy: the first iterate may have inverted Neo-Hookean elements, where phi is infinite.

use super::Newton;
use crate::fem::potential::Potential;
use crate::fem::{ElementMaterial, System};
use crate::material::Law;
use crate::solver::{Monitor, SolveError};
use pliant_linalg::small::det;
use pliant_mesh::DVec3;

impl Newton {
    /// Moves free vertices until phi is finite: first back towards the last positions, then to the solution of the step
    /// for the stable Neo-Hookean law, which unfolds inverted elements: with the same Lamé constants at first, then with
    /// a growing lambda, which insists on J = 1.
    ///
    /// # Errors
    /// If elements stay inverted.
    pub(super) fn make_feasible(
        &mut self,
        potential: &Potential,
        x: &mut [DVec3],
        monitor: &mut Monitor,
    ) -> Result<(), SolveError> {
        let first = x.to_vec();
        for factor in [1.0, 0.5, 0.25, 0.0] {
            for v in 0..x.len() {
                if !self.assembly.is_pinned(v) {
                    let from = potential.x_t0[v];
                    x[v] = from + factor * (first[v] - from);
                }
            }
            if potential.value(x).is_finite() {
                return Ok(());
            }
        }
        if x.iter().chain(potential.inertial).any(|p| !p.is_finite()) {
            return Err(SolveError::NotFinite);
        }
        for excess in [0.0, 10.0, 100.0, 1000.0] {
            let materials: Vec<ElementMaterial> =
                potential.materials.iter().map(|m| unfolding(m, excess)).collect();
            self.minimise(&Potential { materials: &materials, ..*potential }, x, &mut monitor.unobserved())?;
            if potential.value(x).is_finite() {
                return Ok(());
            }
        }
        Err(SolveError::InfeasibleStart { tet: first_inverted(potential.system, x) })
    }
}

/// The stable law in place of Neo-Hookean, with `excess mu` added to lambda.
fn unfolding(material: &ElementMaterial, excess: f64) -> ElementMaterial {
    if material.law != Law::NeoHookean {
        return *material;
    }
    ElementMaterial {
        law: Law::StableNeoHookean,
        lambda: material.lambda + excess * material.mu,
        ..*material
    }
}

/// The first Neo-Hookean tetrahedron that is inverted.
fn first_inverted(system: &System, x: &[DVec3]) -> Option<usize> {
    let is_neo_hookean = |m: u32| system.materials[m as usize].law == Law::NeoHookean;
    system.tets.iter().position(|t| is_neo_hookean(t.material) && det(&t.deformation_gradient(x)) <= 0.0)
}
