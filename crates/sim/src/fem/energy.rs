//! Elastic and bending energy of a [`System`] in f64: values, forces, and the element Hessians of Newton's method.
//!
//! On a linear element `F = sum_a x_a g_a^T` with constant shape gradients `g_a`, hence the energy `V psi(F)` has the
//! gradient `V P g_a` and the Hessian blocks `V (g_a . d2psi/dF2 . g_b)`. Elements are evaluated in parallel and
//! summed in their order, so results do not depend on the number of threads.

use super::{BodyRange, ElementMaterial, Stencil, System, Tet, Triangle};
use crate::material::isotropic::{membrane, solid};
use pliant_linalg::Team;
use pliant_linalg::small::{Mat3, dot};
use pliant_mesh::DVec3;
use rayon::prelude::*;

/// Elements that one task of a parallel loop takes at least.
const GRAIN: usize = 128;

/// Elastic energy of all elements with bending in J; infinite if a Neo-Hookean element is inverted.
#[cfg(test)]
pub fn elastic_energy(system: &System, x: &[DVec3]) -> f64 {
    element_energy(&system.tets, &system.triangles, &system.materials, x)
        + bending_energy(&system.stencils, x)
}

/// Elastic energy with bending of one body in J.
pub fn body_elastic_energy(system: &System, body: &BodyRange, x: &[DVec3]) -> f64 {
    let (tets, triangles) = (&system.tets[body.tets.clone()], &system.triangles[body.triangles.clone()]);
    element_energy(tets, triangles, &system.materials, x)
        + bending_energy(&system.stencils[body.stencils.clone()], x)
}

/// Elastic forces with bending in N, `-d energy / d x`, into `forces` (one per vertex, overwritten).
#[cfg(test)]
pub fn elastic_forces_into(system: &System, x: &[DVec3], forces: &mut [DVec3]) {
    forces.fill(DVec3::ZERO);
    add_element_gradient(system, &system.materials, x, forces);
    add_bending_gradient(&system.stencils, x, forces);
    for f in forces {
        *f = -*f;
    }
}

/// Energy of elements in J, with the materials they index.
pub fn element_energy(
    tets: &[Tet],
    triangles: &[Triangle],
    materials: &[ElementMaterial],
    x: &[DVec3],
) -> f64 {
    let of_tet =
        |t: &Tet| t.volume * solid::energy(&materials[t.material as usize], &t.deformation_gradient(x));
    let of_triangle = |t: &Triangle| {
        t.volume * membrane::energy(&materials[t.material as usize], &t.deformation_gradient(x))
    };
    ordered_sum(tets, of_tet) + ordered_sum(triangles, of_triangle)
}

/// Bending energy `sum k/2 (|sum c_i x_i| - L)^2` in J.
pub fn bending_energy(stencils: &[Stencil], x: &[DVec3]) -> f64 {
    ordered_sum(stencils, |s| 0.5 * s.stiffness * (s.length(x) - s.rest_length).powi(2))
}

/// Adds `d energy / d x` of the elements.
pub(crate) fn add_element_gradient(
    system: &System,
    materials: &[ElementMaterial],
    x: &[DVec3],
    gradient: &mut [DVec3],
) {
    let parts: Vec<[DVec3; 4]> =
        system.tets.par_iter().with_min_len(GRAIN).map(|t| tet_gradient(t, materials, x)).collect();
    for (t, part) in system.tets.iter().zip(&parts) {
        add_at(gradient, &t.vertices, part);
    }
    let of_triangle = |t: &Triangle| triangle_gradient(t, materials, x);
    let parts: Vec<[DVec3; 3]> = system.triangles.par_iter().with_min_len(GRAIN).map(of_triangle).collect();
    for (t, part) in system.triangles.iter().zip(&parts) {
        add_at(gradient, &t.vertices, part);
    }
}

fn tet_gradient(t: &Tet, materials: &[ElementMaterial], x: &[DVec3]) -> [DVec3; 4] {
    let p = solid::stress(&materials[t.material as usize], &t.deformation_gradient(x));
    t.gradients().map(|g| DVec3::from(p.map(|row| t.volume * dot(&row, &g))))
}

fn triangle_gradient(t: &Triangle, materials: &[ElementMaterial], x: &[DVec3]) -> [DVec3; 3] {
    let p = membrane::stress(&materials[t.material as usize], &t.deformation_gradient(x));
    t.gradients().map(|g| DVec3::from(p.map(|row| t.volume * dot(&row, &g))))
}

/// The gradients of the elements before they are summed: memory for the threads of a team. What is known at the same positions,
/// as at the end of a step and at the start of the next one, is not computed again.
#[derive(Clone, Debug, Default)]
pub(crate) struct ElementGradients {
    /// What they are of.
    at: Vec<DVec3>,
    materials: Vec<ElementMaterial>,
    tets: Vec<[DVec3; 4]>,
    triangles: Vec<[DVec3; 3]>,
}

impl ElementGradients {
    /// As [`add_element_gradient`], to the bit.
    pub(crate) fn add(
        &mut self,
        team: &Team,
        system: &System,
        materials: &[ElementMaterial],
        x: &[DVec3],
        gradient: &mut [DVec3],
    ) {
        if self.at != x || self.materials != materials {
            self.compute(team, system, materials, x);
        }
        for (t, part) in system.tets.iter().zip(&self.tets) {
            add_at(gradient, &t.vertices, part);
        }
        for (t, part) in system.triangles.iter().zip(&self.triangles) {
            add_at(gradient, &t.vertices, part);
        }
    }

    fn compute(&mut self, team: &Team, system: &System, materials: &[ElementMaterial], x: &[DVec3]) {
        let ElementGradients { at, materials: of, tets, triangles } = self;
        at.clear();
        at.extend_from_slice(x);
        of.clear();
        of.extend_from_slice(materials);
        tets.resize(system.tets.len(), [DVec3::ZERO; 4]);
        team.for_each_piece(tets, GRAIN, |first, parts| {
            for (part, t) in parts.iter_mut().zip(&system.tets[first..]) {
                *part = tet_gradient(t, materials, x);
            }
        });
        triangles.resize(system.triangles.len(), [DVec3::ZERO; 3]);
        team.for_each_piece(triangles, GRAIN, |first, parts| {
            for (part, t) in parts.iter_mut().zip(&system.triangles[first..]) {
                *part = triangle_gradient(t, materials, x);
            }
        });
    }
}

/// Adds `d energy / d x` of the bending stencils: `c_i k (|b| - L) b/|b|` with `b = sum c_i x_i`.
pub(crate) fn add_bending_gradient(stencils: &[Stencil], x: &[DVec3], gradient: &mut [DVec3]) {
    for s in stencils {
        let b = s.value(x);
        let factor = s.stiffness * (1.0 - s.rest_ratio(b));
        for &(v, c) in &s.terms {
            gradient[v as usize] += c * factor * b;
        }
    }
}

/// `C = sqrt(2 U)` of a tetrahedron with energy U, and its gradient; all zero at rest.
pub(crate) fn tet_constraint(t: &Tet, materials: &[ElementMaterial], x: &[DVec3]) -> (f64, [DVec3; 4]) {
    let energy = solid::energy(&materials[t.material as usize], &t.deformation_gradient(x));
    constraint(t.volume * energy, tet_gradient(t, materials, x))
}

/// The same of a triangle.
pub(crate) fn triangle_constraint(
    t: &Triangle,
    materials: &[ElementMaterial],
    x: &[DVec3],
) -> (f64, [DVec3; 3]) {
    let energy = membrane::energy(&materials[t.material as usize], &t.deformation_gradient(x));
    constraint(t.volume * energy, triangle_gradient(t, materials, x))
}

fn constraint<const N: usize>(energy: f64, gradient: [DVec3; N]) -> (f64, [DVec3; N]) {
    let value = (2.0 * energy).sqrt();
    if value > 0.0 { (value, gradient.map(|g| g / value)) } else { (0.0, [DVec3::ZERO; N]) }
}

/// `C = sqrt(k) (|b| - L)` of a stencil with `b = sum c_i x_i`, and its gradient over c_i.
pub(crate) fn stencil_constraint(stencil: &Stencil, x: &[DVec3]) -> (f64, DVec3) {
    let b = stencil.value(x);
    let root = stencil.stiffness.sqrt();
    (root * (b.length() - stencil.rest_length), root * b.normalize_or_zero())
}

/// Hessian blocks of a tetrahedron between its vertices, of the projected Hessian if `psd`.
pub(crate) fn tet_hessian(tet: &Tet, material: &ElementMaterial, x: &[DVec3], psd: bool) -> [[Mat3; 4]; 4] {
    let f = tet.deformation_gradient(x);
    let h = if psd { solid::hessian_psd(material, &f) } else { solid::hessian(material, &f) };
    blocks(&h, &tet.gradients(), tet.volume)
}

/// Hessian blocks of a triangle between its vertices, of the projected Hessian if `psd`.
pub(crate) fn triangle_hessian(
    triangle: &Triangle,
    material: &ElementMaterial,
    x: &[DVec3],
    psd: bool,
) -> [[Mat3; 3]; 3] {
    let f = triangle.deformation_gradient(x);
    let h = if psd { membrane::hessian_psd(material, &f) } else { membrane::hessian(material, &f) };
    blocks(&h, &triangle.gradients(), triangle.volume)
}

/// Hessian of a stencil in `b = sum c_i x_i`; the block of vertices i, j is `c_i c_j` times that:
/// `k ((1 - L/|b|) (I - n n^T) + n n^T)` with `n = b/|b|`. A stencil bent less than at rest has a negative
/// transverse stiffness, which `psd` sets to zero.
pub(crate) fn stencil_hessian(stencil: &Stencil, x: &[DVec3], psd: bool) -> Mat3 {
    let b = stencil.value(x);
    let ratio = stencil.rest_ratio(b);
    let transverse = if psd { (1.0 - ratio).max(0.0) } else { 1.0 - ratio };
    let length_sq = b.length_squared();
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let along = if length_sq > 0.0 { (1.0 - transverse) * b[i] * b[j] / length_sq } else { 0.0 };
            stencil.stiffness * (along + if i == j { transverse } else { 0.0 })
        })
    })
}

impl Tet {
    /// Shape gradients `g_a` with `F = sum_a x_a g_a^T`.
    pub fn gradients(&self) -> [[f64; 3]; 4] {
        let [b, c, d] = self.inverse_rest;
        [std::array::from_fn(|j| -b[j] - c[j] - d[j]), b, c, d]
    }
}

impl Triangle {
    /// Shape gradients `g_a` with `F = sum_a x_a g_a^T`.
    pub fn gradients(&self) -> [[f64; 2]; 3] {
        let [b, c] = self.inverse_rest;
        [std::array::from_fn(|j| -b[j] - c[j]), b, c]
    }
}

impl Stencil {
    fn length(&self, x: &[DVec3]) -> f64 {
        self.value(x).length()
    }

    /// `L / |b|`, zero for a flat rest shape. A curved stencil pressed exactly flat has no direction to open
    /// to: the ratio is bounded there, so that no force is infinite.
    pub(crate) fn rest_ratio(&self, b: DVec3) -> f64 {
        if self.rest_length == 0.0 {
            return 0.0;
        }
        self.rest_length / b.length().max(1e-9 * self.rest_length)
    }
}

/// `volume * sum_jl g_a[j] h[(i, j)][(k, l)] g_b[l]` for all vertices a, b.
fn blocks<const N: usize, const D: usize, const M: usize>(
    h: &[[f64; M]; M],
    g: &[[f64; D]; N],
    volume: f64,
) -> [[Mat3; N]; N] {
    // h g_b first: M x 3 per vertex.
    let half: [[[f64; 3]; M]; N] = std::array::from_fn(|b| {
        std::array::from_fn(|p| {
            std::array::from_fn(|k| volume * (0..D).map(|l| h[p][D * k + l] * g[b][l]).sum::<f64>())
        })
    });
    std::array::from_fn(|a| {
        std::array::from_fn(|b| {
            std::array::from_fn(|i| {
                std::array::from_fn(|k| (0..D).map(|j| g[a][j] * half[b][D * i + j][k]).sum())
            })
        })
    })
}

fn add_at<const N: usize>(gradient: &mut [DVec3], vertices: &[u32; N], part: &[DVec3; N]) {
    for (&v, p) in vertices.iter().zip(part) {
        gradient[v as usize] += p;
    }
}

/// The sum over items, evaluated in parallel and added in order.
fn ordered_sum<T: Sync>(items: &[T], value: impl Fn(&T) -> f64 + Sync + Send) -> f64 {
    let values: Vec<f64> = items.par_iter().with_min_len(GRAIN).map(value).collect();
    values.iter().sum()
}
