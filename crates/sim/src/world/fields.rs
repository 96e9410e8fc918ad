//! What the present state looks like inside and at the surface: stress and strain of elements, forces at contacts.

use super::World;
use crate::contact::Sticking;
use crate::fem::energy::bending_energy;
use crate::fem::measure::area_ratio;
use crate::fem::{Tet, Triangle};
use crate::material::isotropic::{energy_of_stretches, membrane, solid, stress_of_stretches};
use pliant_collide::{BodyId, Contact, Side};
use pliant_linalg::small::{Mat3, det, dot, svd32};
use pliant_mesh::{DMat3, DVec3};
use rayon::prelude::*;
use std::f64::consts::TAU;

/// Elements that one task of a parallel loop takes at least.
const GRAIN: usize = 256;

/// A pair of points that touch.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/cube.rs"));
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut world = cube_on_floor();
/// (0..10).try_for_each(|_| world.step().map(|_| ()))?;
/// let weight: f64 = world.touches().iter().map(|touch| touch.force.z).sum();
/// assert!((weight - 9.81).abs() < 1.0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// What touches; the first is always a body.
    pub sides: [Side; 2],
    /// Where, on the first side, m.
    pub place: DVec3,
    /// Unit vector from the second side to the first.
    pub normal: DVec3,
    /// Force on the first side, N.
    pub force: DVec3,
    /// Distance that is left, m; negative if they overlap.
    pub gap: f64,
    /// Whether it slides.
    pub sticking: Sticking,
}

impl World {
    /// Cauchy stress `P F^T / J` of each element of a body in the order of its mesh, Pa. In a cloth J is the ratio of
    /// areas. NaN where an inverted element has no stress.
    pub fn stress(&self, body: BodyId) -> Vec<DMat3> {
        let (system, x) = (self.system(), &self.state().positions);
        let material = |index: u32| &system.materials[index as usize];
        let of_tet = |t: &Tet| {
            let f = t.deformation_gradient(x);
            cauchy(&solid::stress(material(t.material), &f), &f, det(&f))
        };
        let of_triangle = |t: &Triangle| {
            let f = t.deformation_gradient(x);
            cauchy(&membrane::stress(material(t.material), &f), &f, area_ratio(&f))
        };
        self.each_element(body, of_tet, of_triangle)
    }

    /// Von Mises stress of each element of a body in the order of its mesh, Pa: that of [`stress`](Self::stress), but
    /// many times faster, since the principal values suffice: `s_i dpsi/ds_i / J`.
    pub fn von_mises(&self, body: BodyId) -> Vec<f64> {
        let (system, x) = (self.system(), &self.state().positions);
        let material = |index: u32| &system.materials[index as usize];
        let of_tet = |t: &Tet| {
            let f = t.deformation_gradient(x);
            let (s, j) = (principal_stretches(&f), det(&f));
            let g = stress_of_stretches(material(t.material), &s);
            principal_von_mises(std::array::from_fn(|i| g[i] * s[i] / j))
        };
        let of_triangle = |t: &Triangle| {
            let f = t.deformation_gradient(x);
            let (s, j) = (svd32(&f).sigma, area_ratio(&f));
            let g = stress_of_stretches(material(t.material), &s);
            principal_von_mises([g[0] * s[0] / j, g[1] * s[1] / j, 0.0])
        };
        self.each_element(body, of_tet, of_triangle)
    }

    /// Elastic energy of a body in J, bending included: that of [`elastic_energy`](Self::elastic_energy) to about eight
    /// digits, fewer where strains are below 1e-6, but many times faster, since the principal values suffice.
    pub fn elastic_energy_estimate(&self, body: BodyId) -> f64 {
        let (system, x) = (self.system(), &self.state().positions);
        let material = |index: u32| &system.materials[index as usize];
        let of_tet = |t: &Tet| {
            let s = principal_stretches(&t.deformation_gradient(x));
            t.volume * energy_of_stretches(material(t.material), &s)
        };
        let of_triangle = |t: &Triangle| {
            t.volume * energy_of_stretches(material(t.material), &svd32(&t.deformation_gradient(x)).sigma)
        };
        // Summed in the order of the elements, so that the result does not depend on the threads.
        let elements: f64 = self.each_element(body, of_tet, of_triangle).iter().sum();
        elements + bending_energy(&system.stencils[system.bodies[body.index()].stencils.clone()], x)
    }

    /// Equivalent strain `sqrt(2/3 dev E : dev E)` of each element of a body in the order of its mesh, with the
    /// Green-Lagrange strain `E = (F^T F - I) / 2`. A cloth is taken to keep its thickness.
    pub fn strain(&self, body: BodyId) -> Vec<f64> {
        let x = &self.state().positions;
        let of_tet = |t: &Tet| equivalent_strain(&t.deformation_gradient(x));
        let of_triangle = |t: &Triangle| equivalent_strain(&t.deformation_gradient(x));
        self.each_element(body, of_tet, of_triangle)
    }

    fn each_element<T: Send>(
        &self,
        body: BodyId,
        of_tet: impl Fn(&Tet) -> T + Sync + Send,
        of_triangle: impl Fn(&Triangle) -> T + Sync + Send,
    ) -> Vec<T> {
        let (system, range) = (self.system(), &self.system().bodies[body.index()]);
        let tets = system.tets[range.tets.clone()].par_iter().with_min_len(GRAIN).map(of_tet);
        let triangles =
            system.triangles[range.triangles.clone()].par_iter().with_min_len(GRAIN).map(of_triangle);
        tets.chain(triangles).collect()
    }

    /// Values of the elements of a body as means at its vertices, weighted by volume. Values that are not finite are
    /// left out; a vertex without any gets zero.
    pub fn at_vertices(&self, body: BodyId, of_elements: &[f64]) -> Vec<f64> {
        let (system, range) = (self.system(), &self.system().bodies[body.index()]);
        let first = range.vertices.start;
        let mut sums = vec![(0.0, 0.0); range.vertices.len()];
        let mut add = |vertices: &[u32], volume: f64, value: f64| {
            for &v in vertices.iter().filter(|_| value.is_finite()) {
                let (sum, weight) = &mut sums[v as usize - first];
                *sum += volume * value;
                *weight += volume;
            }
        };
        let tets = &system.tets[range.tets.clone()];
        tets.iter().zip(of_elements).for_each(|(t, v)| add(&t.vertices, t.volume, *v));
        let triangles = &system.triangles[range.triangles.clone()];
        let rest = of_elements.get(tets.len()..).unwrap_or_default();
        triangles.iter().zip(rest).for_each(|(t, v)| add(&t.vertices, t.volume, *v));
        sums.into_iter().map(|(sum, weight)| if weight > 0.0 { sum / weight } else { 0.0 }).collect()
    }

    /// The contacts of the last step that carry a force.
    pub fn touches(&self) -> Vec<Touch> {
        let (contacts, x) = (self.contacts(), &self.state().positions);
        let carrying = contacts.contacts().iter().zip(contacts.forces()).enumerate();
        carrying
            .filter(|(_, (_, force))| **force != DVec3::ZERO)
            .map(|(k, (contact, force))| Touch {
                sides: contact.sides,
                place: place(contact, x),
                normal: contact.normal,
                force: *force,
                gap: contact.gap(x),
                sticking: contacts.sticking(k),
            })
            .collect()
    }

    /// Contact force on each vertex of a body in the last step, N, and whether it slides; a vertex sticks if it does so
    /// in any of its contacts.
    pub fn contact_forces(&self, body: BodyId) -> Vec<(DVec3, Sticking)> {
        let (contacts, range) = (self.contacts(), &self.system().bodies[body.index()].vertices);
        let mut at_vertices = vec![(DVec3::ZERO, Sticking::Open); range.len()];
        for (k, (contact, force)) in contacts.contacts().iter().zip(contacts.forces()).enumerate() {
            let sticking = contacts.sticking(k);
            for (&v, &w) in contact.vertices.iter().zip(&contact.weights).take(contact.count as usize) {
                if w == 0.0 || !range.contains(&(v as usize)) {
                    continue;
                }
                let (sum, state) = &mut at_vertices[v as usize - range.start];
                *sum += w * force;
                *state = match (*state, sticking) {
                    (Sticking::Sticks, _) | (_, Sticking::Sticks) => Sticking::Sticks,
                    (Sticking::Slides, _) | (_, Sticking::Slides) => Sticking::Slides,
                    _ => Sticking::Open,
                };
            }
        }
        at_vertices
    }
}

/// The scalar `sqrt(3/2 dev s : dev s)` that says how near a stress is to yield, Pa.
pub fn von_mises(stress: &DMat3) -> f64 {
    (1.5 * deviator_norm_sq(stress)).sqrt()
}

fn principal_von_mises([a, b, c]: [f64; 3]) -> f64 {
    (0.5 * ((a - b).powi(2) + (b - c).powi(2) + (c - a).powi(2))).sqrt()
}

/// Singular values of F, the smallest with the sign of its determinant: roots of the eigenvalues of `F^T F` in closed
/// form \[Smith61\].
fn principal_stretches(f: &Mat3) -> [f64; 3] {
    let c = |i: usize, j: usize| f[0][i] * f[0][j] + f[1][i] * f[1][j] + f[2][i] * f[2][j];
    let (xx, yy, zz, xy, yz, zx) = (c(0, 0), c(1, 1), c(2, 2), c(0, 1), c(1, 2), c(2, 0));
    let mean = (xx + yy + zz) / 3.0;
    let (dx, dy, dz) = (xx - mean, yy - mean, zz - mean);
    let spread = ((dx * dx + dy * dy + dz * dz + 2.0 * (xy * xy + yz * yz + zx * zx)) / 6.0).sqrt();
    if spread <= 1e-16 * mean {
        let s = mean.sqrt();
        return [s, s, s.copysign(det(f))];
    }
    let deviator = [[dx, xy, zx], [xy, dy, yz], [zx, yz, dz]];
    let angle = (0.5 * det(&deviator) / spread.powi(3)).clamp(-1.0, 1.0).acos() / 3.0;
    let (largest, smallest) =
        (mean + 2.0 * spread * angle.cos(), mean + 2.0 * spread * (angle + TAU / 3.0).cos());
    let root = |x: f64| x.max(0.0).sqrt();
    [root(largest), root(3.0 * mean - largest - smallest), root(smallest).copysign(det(f))]
}

/// `dev t : dev t`.
fn deviator_norm_sq(t: &DMat3) -> f64 {
    let mean = (t.x_axis.x + t.y_axis.y + t.z_axis.z) / 3.0;
    let deviator = *t - DMat3::from_diagonal(DVec3::splat(mean));
    // Summed row by row.
    deviator.transpose().to_cols_array().into_iter().map(|x| x.powi(2)).sum()
}

fn cauchy<const D: usize>(p: &[[f64; D]; 3], f: &[[f64; D]; 3], j: f64) -> DMat3 {
    DMat3::from_cols_array_2d(&[0, 1, 2].map(|c| [0, 1, 2].map(|r| dot(&p[r], &f[c]) / j)))
}

fn equivalent_strain<const D: usize>(f: &[[f64; D]; 3]) -> f64 {
    let mut e = DMat3::ZERO;
    for (i, j) in (0..D).flat_map(|i| (0..D).map(move |j| (i, j))) {
        let product: f64 = f.iter().map(|row| row[i] * row[j]).sum();
        e.col_mut(j)[i] = 0.5 * (product - f64::from(u8::from(i == j)));
    }
    (deviator_norm_sq(&e) / 1.5).sqrt()
}

/// The point of the first side: its weights are the positive ones.
fn place(contact: &Contact, x: &[DVec3]) -> DVec3 {
    let (mut sum, mut total) = (DVec3::ZERO, 0.0);
    for (&v, &w) in contact.vertices.iter().zip(&contact.weights).take(contact.count as usize) {
        if w > 0.0 {
            total += w;
            sum += w * x[v as usize];
        }
    }
    if total > 0.0 { sum / total } else { sum }
}
