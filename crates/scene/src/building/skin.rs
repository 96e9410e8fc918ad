//! What pictures and exports show of a body: its own surface, or a finer one that follows it.

use super::mesh::mesh_of;
use super::mesh_file::MeshFiles;
use crate::error::Fault;

use crate::file::spec::{MeshSpec, TransformSpec};
use pliant::{BodyId, MaterialPoint};
use pliant_mesh::{Binding, DVec3, Embedding, Mesh};
use std::ops::{Add, Mul};

/// The surface of a body for pictures and exports.
#[derive(Clone, Debug)]
pub struct Skin {
    triangles: Vec<[u32; 3]>,
    hanging: Hanging,
}

/// How the vertices of a skin hang on those of the body.
#[derive(Clone, Debug)]
enum Hanging {
    /// They are these vertices.
    Own(Vec<u32>),
    /// They are bound to the tets.
    Bound(Embedding),
}

impl Skin {
    /// The boundary of a solid, or the triangles of a cloth, with the vertices that they use.
    pub(crate) fn of(mesh: &Mesh) -> Skin {
        let mut triangles = mesh.surface_triangles();
        let mut shown = vec![u32::MAX; mesh.vertices().len()];
        triangles.iter().flatten().for_each(|&v| shown[v as usize] = 0);
        let mut vertices = Vec::new();
        for (v, number) in shown.iter_mut().enumerate().filter(|(_, number)| **number == 0) {
            *number = vertices.len() as u32;
            vertices.push(v as u32);
        }
        triangles.iter_mut().flatten().for_each(|v| *v = shown[*v as usize]);
        Skin { triangles, hanging: Hanging::Own(vertices) }
    }

    /// The surface of another mesh, put in place like the mesh of the body and bound to its tets.
    pub(super) fn read(
        surface: &MeshSpec,
        transform: &TransformSpec,
        mesh: &Mesh,
        files: MeshFiles,
    ) -> Result<Skin, Fault> {
        let Mesh::Tet(cage) = mesh else {
            return Err(Fault::new(
                "only a solid can carry a surface",
                "remove `surface`, or use a mesh of tets",
            ));
        };
        let surface = mesh_of(surface, transform, files)?;
        let outside = Skin::of(&surface);
        let vertices = outside.positions(surface.vertices());
        let embedding = Embedding::new(cage, &vertices)?;
        Ok(Skin { triangles: outside.triangles, hanging: Hanging::Bound(embedding) })
    }

    /// Its triangles.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Which vertices of the body its vertices are; nothing if it is a surface of its own that hangs on the tets.
    pub fn own_vertices(&self) -> Option<&[u32]> {
        match &self.hanging {
            Hanging::Own(vertices) => Some(vertices),
            Hanging::Bound(_) => None,
        }
    }

    /// Largest distance in m between a surface of its own and the tets that carry it; zero if it is inside.
    pub fn farthest(&self) -> f64 {
        match &self.hanging {
            Hanging::Own(_) => 0.0,
            Hanging::Bound(embedding) => embedding.farthest(),
        }
    }

    /// Number of its vertices.
    pub fn vertex_count(&self) -> usize {
        match &self.hanging {
            Hanging::Own(vertices) => vertices.len(),
            Hanging::Bound(embedding) => embedding.bindings().len(),
        }
    }

    /// Where its vertices are when those of the body are at `body`.
    pub fn positions(&self, body: &[DVec3]) -> Vec<DVec3> {
        self.each(|vertices, weights| combine(vertices, weights, |v| body[v as usize]))
    }

    /// Values at its vertices, given those at the vertices of the body.
    pub fn values(&self, body: &[f64]) -> Vec<f64> {
        self.each(|vertices, weights| combine(vertices, weights, |v| body[v as usize]))
    }

    /// Point of `body`, which it hangs on, at one of its vertices; nothing if it has no such vertex.
    pub fn point(&self, body: BodyId, vertex: u32) -> Option<MaterialPoint> {
        match &self.hanging {
            Hanging::Own(vertices) => Some(MaterialPoint::vertex(body, *vertices.get(vertex as usize)?)),
            Hanging::Bound(embedding) => {
                let Binding { vertices, weights, .. } = *embedding.bindings().get(vertex as usize)?;
                Some(MaterialPoint { body, vertices, weights })
            }
        }
    }

    /// Whether one of its vertices hangs on wanted vertices of the body only.
    pub(crate) fn hangs_on(&self, vertex: u32, wanted: impl Fn(u32) -> bool) -> bool {
        match &self.hanging {
            Hanging::Own(vertices) => vertices.get(vertex as usize).is_some_and(|v| wanted(*v)),
            Hanging::Bound(embedding) => embedding.bindings().get(vertex as usize).is_some_and(|b| {
                b.vertices.iter().zip(&b.weights).filter(|(_, w)| **w != 0.0).all(|(v, _)| wanted(*v))
            }),
        }
    }

    fn each<T>(&self, value: impl Fn(&[u32], &[f64]) -> T) -> Vec<T> {
        match &self.hanging {
            Hanging::Own(vertices) => vertices.iter().map(|v| value(&[*v], &[1.0])).collect(),
            Hanging::Bound(embedding) => {
                embedding.bindings().iter().map(|b| value(&b.vertices, &b.weights)).collect()
            }
        }
    }
}

/// A weighted sum of values at vertices.
fn combine<T>(vertices: &[u32], weights: &[f64], at: impl Fn(u32) -> T) -> T
where
    T: Default + Add<Output = T>,
    f64: Mul<T, Output = T>,
{
    // The weights of one vertex are 1, and its value must come out to the bit.
    if let [vertex] = vertices {
        return at(*vertex);
    }
    vertices.iter().zip(weights).fold(T::default(), |sum, (&v, &w)| sum + w * at(v))
}
