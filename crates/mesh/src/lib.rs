//! Tetrahedral and triangle meshes with named groups, and what can be said about them without any physics:
//! generators, selections, boundary, orientation, quality, closest points, intersections, embedding.
//!
//! Lengths are metres, angles radians unless a name says degrees. Nothing here panics on bad meshes where it says
//! so: [`TetMesh::validate`] and [`TriMesh::validate`] check everything. Files are read and written by
//! `pliant-mesh-io`; `pliant-meshing` inspects, repairs, simplifies and makes meshes from shapes and surfaces.
#![forbid(unsafe_code)]

mod boundary;
pub mod check;
mod embed;
mod error;
mod generate;
mod hinge;
pub mod measure;
mod mesh;
mod orient;
pub mod quality;
mod select;
mod spatial;
mod tidy;
pub mod topology;
mod transform;
pub mod vector;

pub use glam::{DMat3, DVec3, dvec3};

pub use embed::{Binding, Embedding};
pub use error::{ElementKind, MeshError};
pub use generate::{MAX_ELEMENTS, ball, beam, block, cloth, cloth_cells, cylinder, sphere_surface, torus};
pub use hinge::Hinge;
pub use mesh::{Group, Groups, Mesh, TetMesh, TriMesh};
pub use quality::{TetQuality, TriQuality};
pub use select::{SelectError, Selector};
pub use spatial::{
    Aabb, Closest, Crossing, Feature, TriangleTree, WindingTree, close_pairs, closest_on_triangle,
    point_on_triangle, triangles_intersect,
};
pub use transform::{Rotation, Transform};
