//! Materials of membranes: functions of the 3x2 deformation gradient.

use super::{PrincipalHessian, energy_of_stretches, in_frame, prox_stretches, stress_of_stretches};
use crate::material::ElementMaterial;
use pliant_linalg::small::{Mat3, svd32};

/// A 3x2 deformation gradient, row-major.
pub type Mat32 = [[f64; 2]; 3];

/// Energy density psi(F) in Pa.
pub fn energy(material: &ElementMaterial, f: &Mat32) -> f64 {
    energy_of_stretches(material, &svd32(f).sigma)
}

/// First Piola-Kirchhoff stress `d psi / d F` in Pa. NaN where the energy is infinite.
pub fn stress(material: &ElementMaterial, f: &Mat32) -> Mat32 {
    let (u, sigma, v) = decompose(f);
    in_frame(&u, &stress_of_stretches(material, &sigma), &v)
}

/// Hessian of psi in F; the index of an entry of F is `2 row + column`.
pub fn hessian(material: &ElementMaterial, f: &Mat32) -> [[f64; 6]; 6] {
    let (u, sigma, v) = decompose(f);
    PrincipalHessian::new(material, &sigma).in_frame(&u, &v)
}

/// Hessian blocks between the vertices of a triangle with these shape gradients and this rest volume, of the projected Hessian if
/// `psd`.
pub fn blocks(
    material: &ElementMaterial,
    f: &Mat32,
    gradients: &[[f64; 2]; 3],
    volume: f64,
    psd: bool,
) -> [[Mat3; 3]; 3] {
    let (u, sigma, v) = decompose(f);
    let hessian = PrincipalHessian::new(material, &sigma);
    let hessian = if psd { hessian.projected() } else { hessian };
    hessian.blocks(&u, &v, gradients, volume)
}

/// The positive semi-definite matrix nearest to [`hessian`]. A compressed membrane buckles: its modes along the
/// normal have negative eigenvalues, which are cut here.
#[cfg(test)]
pub fn hessian_psd(material: &ElementMaterial, f: &Mat32) -> [[f64; 6]; 6] {
    let (u, sigma, v) = decompose(f);
    PrincipalHessian::new(material, &sigma).projected().in_frame(&u, &v)
}

/// `argmin_P psi(P) + w/2 |P - Z|^2` with w in Pa; see [`prox_stretches`].
pub fn prox(material: &ElementMaterial, z: &Mat32, w: f64) -> Mat32 {
    let (u, sigma, v) = decompose(z);
    in_frame(&u, &prox_stretches(material, sigma, w), &v)
}

/// `F = U diag(sigma) V^T` with the normal as third column of U.
fn decompose(f: &Mat32) -> (Mat3, [f64; 2], [[f64; 2]; 2]) {
    let svd = svd32(f);
    let u = std::array::from_fn(|i| [svd.u[i][0], svd.u[i][1], svd.normal[i]]);
    (u, svd.sigma, svd.v)
}
