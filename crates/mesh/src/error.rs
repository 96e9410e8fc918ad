//! What can be wrong with a mesh or with the parameters of a generator.

use crate::DVec3;
use std::fmt;
use thiserror::Error;

/// The kind of element an error speaks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementKind {
    /// A tetrahedron of a [`TetMesh`](crate::TetMesh).
    Tet,
    /// A triangle of a [`TriMesh`](crate::TriMesh).
    Triangle,
}

impl fmt::Display for ElementKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tet => "tet",
            Self::Triangle => "triangle",
        })
    }
}

/// A mesh that cannot be simulated, or generator parameters that make none. Indices count from zero.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum MeshError {
    /// The element list is empty.
    #[error("the mesh has no {kind}s; add elements or pick another file")]
    NoElements {
        /// What is missing.
        kind: ElementKind,
    },
    /// An element names a vertex that does not exist.
    #[error("{kind} {element} uses vertex {index}, but there are {vertices} vertices; fix the connectivity")]
    IndexOutOfRange {
        /// Kind of the element.
        kind: ElementKind,
        /// Index of the element.
        element: usize,
        /// The vertex index it uses.
        index: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// An element uses one vertex twice.
    #[error("{kind} {element} uses vertex {index} twice; remove the collapsed element")]
    RepeatedIndex {
        /// Kind of the element.
        kind: ElementKind,
        /// Index of the element.
        element: usize,
        /// The vertex used twice.
        index: u32,
    },
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} has the non-finite position {:?}; fix or remove it", position.to_array())]
    NonFiniteVertex {
        /// Index of the vertex.
        vertex: usize,
        /// Its position.
        position: DVec3,
    },
    /// Tets with zero or negative volume.
    #[error(
        "{count} of {total} tets are inverted or flat, the first is tet {first} with volume {volume:e}; \
         swap two of its vertices if it was only written the wrong way round, else re-mesh"
    )]
    Inverted {
        /// How many.
        count: usize,
        /// Number of tets.
        total: usize,
        /// Index of the first.
        first: usize,
        /// Signed volume of the first.
        volume: f64,
    },
    /// Elements that are flat or needle-like down to rounding error.
    #[error(
        "{count} {kind}s are degenerate, the first is {kind} {first}: its size relative to its longest edge \
         ({edge:e}) is {ratio:e}; merge close vertices or re-mesh"
    )]
    Degenerate {
        /// Kind of the elements.
        kind: ElementKind,
        /// How many.
        count: usize,
        /// Index of the first.
        first: usize,
        /// Determinant over the longest edge to the power of the dimension.
        ratio: f64,
        /// Longest edge of the first.
        edge: f64,
    },
    /// Vertices that belong to no element: they would have no mass.
    #[error("{count} vertices belong to no element, the first is vertex {first}; remove them")]
    UnusedVertices {
        /// How many.
        count: usize,
        /// Index of the first.
        first: usize,
    },
    /// A group names a vertex or element that does not exist.
    #[error("group `{group}` names {what} {index}, but there are {count}; fix or remove the group")]
    GroupOutOfRange {
        /// Name of the group.
        group: String,
        /// `vertex` or `element`.
        what: &'static str,
        /// The index.
        index: u32,
        /// How many exist.
        count: usize,
    },
    /// An edge shared by three or more triangles: bending across it is undefined.
    #[error(
        "edge ({}, {}) is shared by {triangles} triangles, more than two; split the surface there",
        edge[0], edge[1]
    )]
    NonManifoldEdge {
        /// The two vertices.
        edge: [u32; 2],
        /// Number of triangles around it.
        triangles: usize,
    },
    /// A parameter of a generator or transform is out of its range.
    #[error("{name} is {value}, but it must be {want}")]
    BadParameter {
        /// Name of the parameter.
        name: &'static str,
        /// The value given.
        value: String,
        /// What is allowed.
        want: &'static str,
    },
    /// A generator was asked for more elements than [`MAX_ELEMENTS`](crate::MAX_ELEMENTS).
    #[error("{shape} would have {count} elements, more than {limit}; use fewer cells")]
    TooManyElements {
        /// The generator.
        shape: &'static str,
        /// Number of elements asked for (saturating).
        count: u128,
        /// The limit.
        limit: u128,
    },
}
