//! Isotropic materials on deformation gradients: from functions of the principal stretches to stress, Hessian and
//! proximal map, for solids (F is 3x3, D = 3) and membranes (F is 3x2, D = 2).
//!
//! With `F = U diag(s) V^T` and g, H the gradient and Hessian of psi in s, the stress is `U diag(g) V^T` and the
//! Hessian of psi in F is known in the basis `u_i v_j^T` \[Smith19\]: H couples the `u_i v_i^T`, each pair (i, j) has a
//! twist mode `(u_i v_j^T - u_j v_i^T)/sqrt 2` with eigenvalue `(g_i + g_j)/(s_i + s_j)` and a flip mode
//! `(u_i v_j^T + u_j v_i^T)/sqrt 2` with eigenvalue `(g_i - g_j)/(s_i - s_j)`, and a membrane with normal n has the
//! modes `n v_i^T` with eigenvalue `g_i / s_i`. Each law gives the quotients in closed form, so equal stretches
//! are no special case.

pub mod membrane;
pub mod solid;

use super::Law;
use super::arap::Arap;
use super::corotational::Corotational;
use super::fixed_corotated::FixedCorotated;
use super::neo_hookean::NeoHookean;
use super::st_venant_kirchhoff::StVenantKirchhoff;
use super::stable_neo_hookean::StableNeoHookean;
use super::stretch::{StretchEnergy, away_from_zero};
use crate::material::ElementMaterial;
use pliant_linalg::small::{Mat3, dot, mul, symmetric_eigen, transpose};

/// Evaluates an expression with `$law` bound to the [`StretchEnergy`] of an [`ElementMaterial`].
macro_rules! with_law {
    ($material:expr, $law:ident => $result:expr) => {{
        let ElementMaterial { law, mu, lambda, .. } = *$material;
        match law {
            Law::Arap => {
                let $law = Arap { mu };
                $result
            }
            Law::Corotational => {
                let $law = Corotational { mu, lambda };
                $result
            }
            Law::NeoHookean => {
                let $law = NeoHookean { mu, lambda };
                $result
            }
            Law::StableNeoHookean => {
                let $law = StableNeoHookean { mu, lambda };
                $result
            }
            Law::FixedCorotated => {
                let $law = FixedCorotated { mu, lambda };
                $result
            }
            Law::StVenantKirchhoff => {
                let $law = StVenantKirchhoff { mu, lambda };
                $result
            }
        }
    }};
}

/// Energy density in Pa at the principal stretches s.
pub fn energy_of_stretches<const D: usize>(material: &ElementMaterial, s: &[f64; D]) -> f64 {
    with_law!(material, law => law.energy(s))
}

/// Principal stresses `d psi / d s_i` in Pa (first Piola-Kirchhoff).
pub fn stress_of_stretches<const D: usize>(material: &ElementMaterial, s: &[f64; D]) -> [f64; D] {
    with_law!(material, law => law.gradient(s))
}

/// Second derivatives of the energy density in the stretches, in Pa.
#[cfg(test)]
pub fn hessian_of_stretches<const D: usize>(material: &ElementMaterial, s: &[f64; D]) -> [[f64; D]; D] {
    with_law!(material, law => law.hessian(s))
}

/// `argmin_s psi(s) + w/2 |s - z|^2` with w > 0 in Pa: the proximal map in singular values.
///
/// z follows the convention of `svd3` (D = 3: descending, the sign on the smallest) or `svd32` (D = 2: descending
/// and not negative); a permutation of that is accepted and kept. The search decreases the value monotonically
/// and never leaves `J > 0` for the Neo-Hookean law. For materials that [`validate`](super::Material::validate)
/// rejects because of a negative lambda the minimum may not exist; the result is finite all the same.
pub fn prox_stretches<const D: usize>(material: &ElementMaterial, z: [f64; D], w: f64) -> [f64; D] {
    with_law!(material, law => law.prox(&z, w))
}

/// The Hessian of psi in F in the basis `u_i v_j^T`.
#[derive(Clone, Copy, Debug)]
struct PrincipalHessian<const D: usize> {
    /// Couples the modes `u_i v_i^T`.
    stretch: [[f64; D]; D],
    /// Eigenvalues of the twist modes, symmetric in i, j.
    twist: [[f64; D]; D],
    /// Eigenvalues of the flip modes, symmetric in i, j.
    flip: [[f64; D]; D],
    /// Eigenvalues of the modes `n v_i^T`; zero and unused for solids.
    normal: [f64; D],
}

impl<const D: usize> PrincipalHessian<D> {
    fn new(material: &ElementMaterial, s: &[f64; D]) -> Self {
        with_law!(material, law => {
            let pairs = |f: &dyn Fn(usize, usize) -> f64| {
                std::array::from_fn(|i| std::array::from_fn(|j| if i == j { 0.0 } else { f(i, j) }))
            };
            let g = law.gradient(s);
            PrincipalHessian {
                stretch: law.hessian(s),
                twist: pairs(&|i, j| law.twist(s, i, j)),
                flip: pairs(&|i, j| law.flip(s, i, j)),
                normal: std::array::from_fn(|i| g[i] / away_from_zero(s[i])),
            }
        })
    }

    /// The nearest positive semi-definite one: negative eigenvalues become zero.
    fn projected(&self) -> Self {
        let (values, q) = symmetric_eigen(&self.stretch);
        let stretch = std::array::from_fn(|i| {
            std::array::from_fn(|j| (0..D).map(|k| q[i][k] * values[k].max(0.0) * q[j][k]).sum())
        });
        let clamp = |m: &[[f64; D]; D]| m.map(|row| row.map(|x| x.max(0.0)));
        let normal = self.normal.map(|x| x.max(0.0));
        PrincipalHessian { stretch, twist: clamp(&self.twist), flip: clamp(&self.flip), normal }
    }

    /// The Hessian in row-major F, N = 3 D. The columns of `u` are the left directions (for membranes the third is
    /// the normal), those of `v` the right ones.
    fn in_frame<const N: usize>(&self, u: &Mat3, v: &[[f64; D]; D]) -> [[f64; N]; N] {
        let mode = |i: usize, j: usize| -> [f64; N] { std::array::from_fn(|k| u[k / D][i] * v[k % D][j]) };
        let mut hessian = [[0.0; N]; N];
        for i in 0..D {
            for j in 0..D {
                add_outer(&mut hessian, self.stretch[i][j], &mode(i, i), &mode(j, j));
                if i != j {
                    let (twist, flip) = (self.twist[i][j], self.flip[i][j]);
                    add_outer(&mut hessian, 0.5 * (flip + twist), &mode(i, j), &mode(i, j));
                    add_outer(&mut hessian, 0.5 * (flip - twist), &mode(i, j), &mode(j, i));
                }
            }
        }
        if D == 2 {
            for i in 0..D {
                add_outer(&mut hessian, self.normal[i], &mode(2, i), &mode(2, i));
            }
        }
        hessian
    }

    /// The Hessian of `volume psi(sum_a x_a g_a^T)` in the vertices x_a, block by block: [`in_frame`](Self::in_frame) between
    /// `x_a g_a^T` and `x_b g_b^T`. Along the principal directions, `U^T x_a` and `V^T g_a`, few entries of it are not zero.
    fn blocks<const N: usize>(
        &self,
        u: &Mat3,
        v: &[[f64; D]; D],
        gradients: &[[f64; D]; N],
        volume: f64,
    ) -> [[Mat3; N]; N] {
        let g =
            gradients.map(|g| -> [f64; D] { std::array::from_fn(|j| (0..D).map(|k| v[k][j] * g[k]).sum()) });
        let mut blocks = [[[[0.0; 3]; 3]; N]; N];
        for a in 0..N {
            for b in a..N {
                let block = turned(u, &self.between(&g[a], &g[b]), volume);
                blocks[b][a] = transpose(&block);
                blocks[a][b] = block;
            }
        }
        blocks
    }

    /// The block between two vertices along the principal directions, with their shape gradients along these.
    fn between(&self, a: &[f64; D], b: &[f64; D]) -> Mat3 {
        let mut block = [[0.0; 3]; 3];
        for i in 0..D {
            for j in 0..D {
                block[i][j] += self.stretch[i][j] * a[i] * b[j];
                if i != j {
                    let (twist, flip) = (self.twist[i][j], self.flip[i][j]);
                    block[i][i] += 0.5 * (flip + twist) * a[j] * b[j];
                    block[i][j] += 0.5 * (flip - twist) * a[j] * b[i];
                }
            }
        }
        if D == 2 {
            block[2][2] = (0..D).map(|i| self.normal[i] * a[i] * b[i]).sum();
        }
        block
    }
}

/// `factor U block U^T`
fn turned(u: &Mat3, block: &Mat3, factor: f64) -> Mat3 {
    let left = mul(u, block);
    std::array::from_fn(|i| std::array::from_fn(|j| factor * dot(&left[i], &u[j])))
}

fn add_outer<const N: usize>(h: &mut [[f64; N]; N], factor: f64, a: &[f64; N], b: &[f64; N]) {
    for i in 0..N {
        for j in 0..N {
            h[i][j] += factor * a[i] * b[j];
        }
    }
}

/// `U diag(d) V^T` with the first D columns of `u`.
fn in_frame<const D: usize>(u: &Mat3, d: &[f64; D], v: &[[f64; D]; D]) -> [[f64; D]; 3] {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..D).map(|k| u[i][k] * d[k] * v[j][k]).sum()))
}
