//! The local step in scalar f64: the oracle of the batched one, and the bending stencils of both.

use super::chunk::LocalStep;
use super::target::Scalar;
use super::{Vec4, Weighted};
use crate::fem::{Stencil, System, Tet, Triangle, with_columns};
use crate::snapshot::{Reader, SnapshotError, Writer};
use pliant_linalg::small::{dot, mul};
use pliant_mesh::DVec3;
use std::sync::Arc;

/// All elements and stencils of a system, one after the other.
#[derive(Clone, Debug)]
pub struct DoubleStep {
    h: f64,
    tets: Vec<ScalarElement<3>>,
    triangles: Vec<ScalarElement<2>>,
    stencils: Vec<Stencil>,
    vertices: Vec<u32>,
    forces: Vec<Vec4>,
}

/// The shape of a tet (D = 3) or a triangle (D = 2) in f64.
#[derive(Clone, Debug)]
pub(super) struct Shape<const D: usize> {
    /// Solver indices; a triangle has its first vertex twice.
    vertices: [u32; 4],
    inverse_rest: [[f64; D]; D],
    pub(super) volume: f64,
}

impl Shape<3> {
    /// The shape of a tet, vertices numbered by `index`.
    pub(super) fn of_tet(t: &Tet, index: &[u32]) -> Shape<3> {
        let vertices = t.vertices.map(|v| index[v as usize]);
        Shape { vertices, inverse_rest: t.inverse_rest, volume: t.volume }
    }
}

impl Shape<2> {
    /// The shape of a triangle, vertices numbered by `index`.
    pub(super) fn of_triangle(t: &Triangle, index: &[u32]) -> Shape<2> {
        let [a, b, c] = t.vertices.map(|v| index[v as usize]);
        Shape { vertices: [a, b, c, a], inverse_rest: t.inverse_rest, volume: t.volume }
    }
}

impl<const D: usize> Shape<D> {
    /// F of the field `x` on the vertices.
    pub(super) fn gradient(&self, x: impl Fn(u32) -> DVec3) -> [[f64; D]; 3] {
        let origin = x(self.vertices[0]);
        let edges = std::array::from_fn(|c| x(self.vertices[c + 1]) - origin);
        mul(&with_columns(edges), &self.inverse_rest)
    }

    /// Adds what a stress, times the volume, pulls at the vertices.
    pub(super) fn scatter(&self, stress: &[[f64; D]; 3], forces: &mut [Vec4]) {
        for c in 0..D {
            let pull = DVec3::from(stress.map(|row| dot(&row, &self.inverse_rest[c])));
            forces[self.vertices[c + 1] as usize] += pull;
            forces[self.vertices[0] as usize] += -pull;
        }
    }
}

#[derive(Clone, Debug)]
struct ScalarElement<const D: usize> {
    shape: Shape<D>,
    material: Weighted,
    dual: [[f64; D]; 3],
}

impl<const D: usize> ScalarElement<D>
where
    [[f64; D]; 3]: Scalar<D>,
{
    fn start(&mut self, q: &[Vec4]) {
        let stress = self.shape.gradient(|v| q[v as usize].point()).stress(&self.material);
        let dual = stress.map(|row| row.map(|s| s / self.material.weight));
        let usable = !self.is_exact() && dual.iter().flatten().all(|u| u.is_finite());
        self.dual = if usable { dual } else { [[0.0; D]; 3] };
    }

    /// ARAP is the distance to its projection: no dual.
    fn is_exact(&self) -> bool {
        self.material.elastic.law == crate::Law::Arap
    }

    fn project(&mut self, h: f64, q: &[Vec4], q_t: &[Vec4], forces: &mut [Vec4]) {
        let f = self.shape.gradient(|v| q[v as usize].point());
        let z: [[f64; D]; 3] = std::array::from_fn(|i| std::array::from_fn(|j| f[i][j] + self.dual[i][j]));
        let p = z.prox(&self.material);
        if !self.is_exact() {
            self.dual = std::array::from_fn(|i| std::array::from_fn(|j| z[i][j] - p[i][j]));
        }
        let m = &self.material;
        let rate = self.shape.gradient(|v| (q[v as usize] - q_t[v as usize]).point());
        let (weight, drag) = (
            h * h * m.weight * self.shape.volume,
            h * m.elastic.damping * 2.0 * m.elastic.mu * self.shape.volume,
        );
        let stress: [[f64; D]; 3] = std::array::from_fn(|i| {
            std::array::from_fn(|j| weight * (p[i][j] - self.dual[i][j] - f[i][j]) - drag * rate[i][j])
        });
        self.shape.scatter(&stress, forces);
    }
}

impl DoubleStep {
    /// Everything in `system`, with vertices numbered by `index`.
    pub fn new(system: &System, materials: &[Weighted], index: &[u32], h: f64) -> DoubleStep {
        let material = |m: u32| materials[m as usize];
        let tet = |t: &Tet| ScalarElement {
            shape: Shape::of_tet(t, index),
            material: material(t.material),
            dual: [[0.0; 3]; 3],
        };
        let triangle = |t: &Triangle| ScalarElement {
            shape: Shape::of_triangle(t, index),
            material: material(t.material),
            dual: [[0.0; 2]; 3],
        };
        let n = index.len();
        DoubleStep {
            h,
            tets: system.tets.iter().map(tet).collect(),
            triangles: system.triangles.iter().map(triangle).collect(),
            stencils: system.stencils.iter().map(|s| renumbered(s, index)).collect(),
            vertices: (0..n as u32).collect(),
            forces: vec![Vec4::default(); n],
        }
    }
}

impl LocalStep for DoubleStep {
    fn duplicate(&self) -> Box<dyn LocalStep> {
        Box::new(self.clone())
    }

    fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    fn forces(&self) -> &[Vec4] {
        &self.forces
    }

    fn start(&mut self, q: &[Vec4]) {
        self.tets.iter_mut().for_each(|t| t.start(q));
        self.triangles.iter_mut().for_each(|t| t.start(q));
    }

    fn project(&mut self, q: &[Vec4], q_t: &[Vec4]) {
        self.forces.fill(Vec4::default());
        for t in &mut self.tets {
            t.project(self.h, q, q_t, &mut self.forces);
        }
        for t in &mut self.triangles {
            t.project(self.h, q, q_t, &mut self.forces);
        }
        for s in &self.stencils {
            bend(s, self.h, |v| q[v as usize], &mut self.forces);
        }
    }

    fn save(&self, out: &mut Writer) {
        let solid = self.tets.iter().flat_map(|t| t.dual.as_flattened());
        let sheet = self.triangles.iter().flat_map(|t| t.dual.as_flattened());
        solid.chain(sheet).for_each(|u| out.f64(*u));
    }

    fn load(&mut self, from: &mut Reader) -> Result<(), SnapshotError> {
        let solid = self.tets.iter_mut().flat_map(|t| t.dual.as_flattened_mut());
        let sheet = self.triangles.iter_mut().flat_map(|t| t.dual.as_flattened_mut());
        solid.chain(sheet).try_for_each(|u| from.f64().map(|x| *u = x))
    }

    // The acceleration is offered for the batched step only.
    fn save_duals(&self, _: &mut Vec<f32>) {}
    fn load_duals<'a>(&mut self, from: &'a [f32]) -> &'a [f32] {
        from
    }
}

/// Neighbouring bending stencils. They are quadratic but for the rest curvature, so f64 costs little.
#[derive(Clone, Debug)]
struct StencilChunk {
    h: f64,
    /// With vertices numbered within the chunk.
    stencils: Arc<[Stencil]>,
    vertices: Arc<[u32]>,
    positions: Vec<Vec4>,
    forces: Vec<Vec4>,
}

/// Stencils in a chunk.
const CHUNK: usize = 512;

/// Stencils, and the vertices that they number.
pub(super) type StencilPatch = (Arc<[Stencil]>, Arc<[u32]>);

/// The bending stencils of `system` in patches of neighbours, each with its vertices: the stencils count within them.
pub(super) fn stencil_patches(system: &System, index: &[u32]) -> Vec<StencilPatch> {
    let mut stencils: Vec<Stencil> = system.stencils.iter().map(|s| renumbered(s, index)).collect();
    stencils.sort_by_key(|s| s.terms.iter().map(|t| t.0).min());
    let pack = |part: &[Stencil]| {
        let mut vertices: Vec<u32> = part.iter().flat_map(|s| s.terms.iter().map(|t| t.0)).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let mut local = vec![0u32; index.len()];
        for (k, &v) in vertices.iter().enumerate() {
            local[v as usize] = k as u32;
        }
        (part.iter().map(|s| renumbered(s, &local)).collect(), vertices.into())
    };
    stencils.chunks(CHUNK).map(pack).collect()
}

/// The bending stencils of `system` in chunks.
pub fn stencil_chunks(system: &System, index: &[u32], h: f64) -> Vec<Box<dyn LocalStep>> {
    let pack = |(stencils, vertices): StencilPatch| {
        let n = vertices.len();
        Box::new(StencilChunk {
            h,
            stencils,
            vertices,
            positions: vec![Vec4::default(); n],
            forces: vec![Vec4::default(); n],
        }) as Box<dyn LocalStep>
    };
    stencil_patches(system, index).into_iter().map(pack).collect()
}

impl LocalStep for StencilChunk {
    fn duplicate(&self) -> Box<dyn LocalStep> {
        Box::new(self.clone())
    }

    fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    fn forces(&self) -> &[Vec4] {
        &self.forces
    }

    fn start(&mut self, _: &[Vec4]) {}

    fn project(&mut self, q: &[Vec4], _: &[Vec4]) {
        for (x, &v) in self.positions.iter_mut().zip(self.vertices.iter()) {
            *x = q[v as usize];
        }
        self.forces.fill(Vec4::default());
        for s in self.stencils.iter() {
            bend(s, self.h, |v| self.positions[v as usize], &mut self.forces);
        }
    }

    // Stencils remember nothing.
    fn save(&self, _: &mut Writer) {}
    fn load(&mut self, _: &mut Reader) -> Result<(), SnapshotError> {
        Ok(())
    }
    fn save_duals(&self, _: &mut Vec<f32>) {}
    fn load_duals<'a>(&mut self, from: &'a [f32]) -> &'a [f32] {
        from
    }
}

fn renumbered(s: &Stencil, index: &[u32]) -> Stencil {
    Stencil { terms: s.terms.iter().map(|&(v, c)| (index[v as usize], c)).collect(), ..*s }
}

/// Adds h^2 times the force of a stencil: its value is pulled to the nearest vector of the rest length.
fn bend(s: &Stencil, h: f64, x: impl Fn(u32) -> Vec4, forces: &mut [Vec4]) {
    let mut value = Vec4::default();
    for &(v, c) in &s.terms {
        let x = x(v).0;
        for k in 0..4 {
            value.0[k] += c * x[k];
        }
    }
    let scale = -h * h * s.stiffness * (1.0 - s.rest_ratio(value.point()));
    for &(v, c) in &s.terms {
        for k in 0..4 {
            forces[v as usize].0[k] += scale * c * value.0[k];
        }
    }
}
