//! Materials of solids: functions of the 3x3 deformation gradient.

use super::{PrincipalHessian, energy_of_stretches, in_frame, prox_stretches, stress_of_stretches};
use crate::material::ElementMaterial;
use pliant_linalg::small::{Mat3, Svd3, svd3};

/// Energy density psi(F) in Pa.
pub fn energy(material: &ElementMaterial, f: &Mat3) -> f64 {
    energy_of_stretches(material, &svd3(f).sigma)
}

/// First Piola-Kirchhoff stress `d psi / d F` in Pa. NaN where the energy is infinite.
pub fn stress(material: &ElementMaterial, f: &Mat3) -> Mat3 {
    let Svd3 { u, sigma, v } = svd3(f);
    in_frame(&u, &stress_of_stretches(material, &sigma), &v)
}

/// Hessian of psi in F; the index of an entry of F is `3 row + column`.
pub fn hessian(material: &ElementMaterial, f: &Mat3) -> [[f64; 9]; 9] {
    let Svd3 { u, sigma, v } = svd3(f);
    PrincipalHessian::new(material, &sigma).in_frame(&u, &v)
}

/// Hessian blocks between the vertices of a tetrahedron with these shape gradients and this rest volume, of the projected Hessian if
/// `psd`.
pub fn blocks(
    material: &ElementMaterial,
    f: &Mat3,
    gradients: &[[f64; 3]; 4],
    volume: f64,
    psd: bool,
) -> [[Mat3; 4]; 4] {
    let Svd3 { u, sigma, v } = svd3(f);
    let hessian = PrincipalHessian::new(material, &sigma);
    let hessian = if psd { hessian.projected() } else { hessian };
    hessian.blocks(&u, &v, gradients, volume)
}

/// The positive semi-definite matrix nearest to [`hessian`].
#[cfg(test)]
pub fn hessian_psd(material: &ElementMaterial, f: &Mat3) -> [[f64; 9]; 9] {
    let Svd3 { u, sigma, v } = svd3(f);
    PrincipalHessian::new(material, &sigma).projected().in_frame(&u, &v)
}

/// `argmin_P psi(P) + w/2 |P - Z|^2` with w in Pa; see [`prox_stretches`].
pub fn prox(material: &ElementMaterial, z: &Mat3, w: f64) -> Mat3 {
    let Svd3 { u, sigma, v } = svd3(z);
    in_frame(&u, &prox_stretches(material, sigma, w), &v)
}
