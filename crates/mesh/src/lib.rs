//! Tetrahedral and triangle meshes: types with named groups, generators, vertex selection, readers.
//!
//! Lengths are metres, angles radians unless a name says degrees. Nothing here panics on bad input files:
//! readers check indices, and [`TetMesh::validate`] and [`TriMesh::validate`] check the rest.
#![forbid(unsafe_code)]

mod boundary;
mod check;
mod embed;
mod error;
mod format;
mod generate;
mod hinge;
pub mod inspect;
mod measure;
mod mesher;
mod orient;
mod quality;
pub mod repair;
mod select;
mod shape;
mod simplify;
mod spatial;
mod tidy;
mod topology;
mod transform;
mod vector;

pub use embed::{Binding, Embedding};
pub use error::{ElementKind, MeshError};
pub use format::{
    Cells, Contents, Format, ReadError, Source, VtuData, VtuGrid, WriteError, formats, read_contents,
    read_mesh, write_mesh, write_obj, write_ply, write_vtu,
};
pub use generate::{MAX_ELEMENTS, ball, beam, block, cloth, cloth_cells, cylinder, sphere_surface, torus};
pub use hinge::Hinge;
pub use mesher::{
    MeshSize, Meshed, MesherError, MesherOptions, Solid, SurfacePoint, tetrahedralize, tetrahedralize_surface,
};
pub use quality::{TetQuality, TriQuality};
pub use select::{SelectError, Selector};
pub use shape::{Shape, ShapeError, ShapeSolid, bodies};
pub use simplify::{SimplifyOptions, SimplifyReport, simplify};
pub use spatial::{
    Aabb, Closest, Crossing, Deviation, Feature, Hausdorff, SurfaceSolid, TriangleTree, WindingTree,
    closest_on_triangle, deviation, hausdorff, triangles_intersect,
};
pub use transform::{Rotation, Transform};

use std::collections::BTreeMap;

/// A point or vector in metres, `[x, y, z]`.
pub type Point = [f64; 3];

/// Named subsets of a mesh, for example the physical groups of a Gmsh file.
pub type Groups = BTreeMap<String, Group>;

/// The vertices and elements that carry one name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// Vertex indices, ascending and unique.
    pub vertices: Vec<u32>,
    /// Element indices (tets of a [`TetMesh`], triangles of a [`TriMesh`]), ascending and unique.
    pub elements: Vec<u32>,
}

/// A tetrahedral mesh. A tet `[a, b, c, d]` is positively oriented: `det(b-a, c-a, d-a) > 0`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TetMesh {
    /// Vertex positions.
    pub vertices: Vec<Point>,
    /// Vertex indices of each tetrahedron.
    pub tets: Vec<[u32; 4]>,
    /// Named subsets.
    pub groups: Groups,
}

/// A triangle mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriMesh {
    /// Vertex positions.
    pub vertices: Vec<Point>,
    /// Vertex indices of each triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Named subsets.
    pub groups: Groups,
}

/// A mesh of either kind: a volume or a surface.
#[derive(Clone, Debug, PartialEq)]
pub enum Mesh {
    /// A solid.
    Tet(TetMesh),
    /// A surface, cloth or membrane.
    Tri(TriMesh),
}
