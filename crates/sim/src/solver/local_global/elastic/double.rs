//! Elastic forces and Hessian products in scalar f64: the oracle of the batched ones.

use super::super::Vec4;
use super::super::double::Shape;
use super::ElasticChunk;
use crate::fem::System;
use crate::material::isotropic::{membrane, solid};
use crate::material::{ElementMaterial, Law};
use pliant_linalg::small::det;
use pliant_mesh::DVec3;

/// All elements of a system, one after the other.
#[derive(Clone, Debug)]
struct DoubleChunk {
    h: f64,
    tets: Vec<ScalarElement<3, 9>>,
    triangles: Vec<ScalarElement<2, 6>>,
    vertices: Vec<u32>,
    forces: Vec<Vec4>,
}

#[derive(Clone, Debug)]
struct ScalarElement<const D: usize, const M: usize> {
    shape: Shape<D>,
    material: ElementMaterial,
    /// F of the last evaluation, its J and the accepted one.
    gradient: [[f64; D]; 3],
    jacobian: f64,
    accepted: f64,
}

/// What differs between solids and membranes.
trait Continuum<const D: usize, const M: usize> {
    fn stress(&self, m: &ElementMaterial) -> [[f64; D]; 3];
    /// d2psi/dF2, row by row of F.
    fn hessian(&self, m: &ElementMaterial) -> [[f64; M]; M];
    fn jacobian(&self) -> f64;
}

impl Continuum<3, 9> for [[f64; 3]; 3] {
    fn stress(&self, m: &ElementMaterial) -> [[f64; 3]; 3] {
        solid::stress(m, self)
    }
    fn hessian(&self, m: &ElementMaterial) -> [[f64; 9]; 9] {
        solid::hessian(m, self)
    }
    fn jacobian(&self) -> f64 {
        det(self)
    }
}

impl Continuum<2, 6> for [[f64; 2]; 3] {
    fn stress(&self, m: &ElementMaterial) -> [[f64; 2]; 3] {
        membrane::stress(m, self)
    }
    fn hessian(&self, m: &ElementMaterial) -> [[f64; 6]; 6] {
        membrane::hessian(m, self)
    }
    fn jacobian(&self) -> f64 {
        let column = |j: usize| DVec3::new(self[0][j], self[1][j], self[2][j]);
        column(0).cross(column(1)).length()
    }
}

impl<const D: usize, const M: usize> ScalarElement<D, M>
where
    [[f64; D]; 3]: Continuum<D, M>,
{
    /// h beta 2 mu V of the stiffness-proportional damping.
    fn drag(&self, h: f64) -> f64 {
        h * self.material.damping * 2.0 * self.material.mu * self.shape.volume
    }

    fn evaluate(&mut self, h: f64, q: &[Vec4], q_t: &[Vec4], forces: &mut [Vec4]) -> f64 {
        self.gradient = self.shape.gradient(|v| q[v as usize].point());
        self.jacobian = self.gradient.jacobian();
        let p = self.gradient.stress(&self.material);
        let rate = self.shape.gradient(|v| (q[v as usize] - q_t[v as usize]).point());
        let (scale, drag) = (h * h * self.shape.volume, self.drag(h));
        self.shape.scatter(
            &std::array::from_fn(|i| std::array::from_fn(|j| -scale * p[i][j] - drag * rate[i][j])),
            forces,
        );
        let has_barrier = self.material.law == Law::NeoHookean && self.accepted > 0.0;
        if has_barrier { self.jacobian / self.accepted.min(1.0) } else { f64::INFINITY }
    }

    fn product(&self, h: f64, p: &[Vec4], out: &mut [Vec4]) {
        let d = self.shape.gradient(|v| p[v as usize].point());
        let hessian = self.gradient.hessian(&self.material);
        let (scale, drag) = (h * h * self.shape.volume, self.drag(h));
        let stress = std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let row = &hessian[D * i + j];
                let product: f64 = (0..M).map(|k| row[k] * d[k / D][k % D]).sum();
                scale * product + drag * d[i][j]
            })
        });
        self.shape.scatter(&stress, out);
    }
}

/// The elements of `system` in f64, vertices numbered by `index`, for time step `h`.
pub(in super::super) fn double_chunks(system: &System, index: &[u32], h: f64) -> Vec<Box<dyn ElasticChunk>> {
    let material = |m: u32| system.materials[m as usize];
    let tets = system.tets.iter().map(|t| ScalarElement {
        shape: Shape::of_tet(t, index),
        material: material(t.material),
        gradient: [[0.0; 3]; 3],
        jacobian: 0.0,
        accepted: 0.0,
    });
    let triangles = system.triangles.iter().map(|t| ScalarElement {
        shape: Shape::of_triangle(t, index),
        material: material(t.material),
        gradient: [[0.0; 2]; 3],
        jacobian: 0.0,
        accepted: 0.0,
    });
    let n = index.len();
    vec![Box::new(DoubleChunk {
        h,
        tets: tets.collect(),
        triangles: triangles.collect(),
        vertices: (0..n as u32).collect(),
        forces: vec![Vec4::default(); n],
    })]
}

impl ElasticChunk for DoubleChunk {
    fn duplicate(&self) -> Box<dyn ElasticChunk> {
        Box::new(self.clone())
    }

    fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    fn forces(&self) -> &[Vec4] {
        &self.forces
    }

    fn evaluate(&mut self, q: &[Vec4], q_t: &[Vec4]) -> f64 {
        let DoubleChunk { h, tets, triangles, forces, .. } = self;
        forces.fill(Vec4::default());
        let mut least = f64::INFINITY;
        for t in tets {
            least = least.min(t.evaluate(*h, q, q_t, forces));
        }
        for t in triangles {
            least = least.min(t.evaluate(*h, q, q_t, forces));
        }
        least
    }

    fn accept(&mut self) {
        self.tets.iter_mut().for_each(|t| t.accepted = t.jacobian);
        self.triangles.iter_mut().for_each(|t| t.accepted = t.jacobian);
    }

    fn product(&mut self, p: &[Vec4]) {
        let DoubleChunk { h, tets, triangles, forces, .. } = self;
        forces.fill(Vec4::default());
        tets.iter().for_each(|t| t.product(*h, p, forces));
        triangles.iter().for_each(|t| t.product(*h, p, forces));
    }
}
