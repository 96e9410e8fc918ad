//! Is a shape fit to be an obstacle? Each failure names cause and remedy in one line.

use super::Shape;
use pliant_mesh::{DVec3, TriMesh};
use rustc_hash::FxHashMap;
use thiserror::Error;

/// What is wrong with the shape of an obstacle.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// A length is negative, zero where it must not be, or not a number.
    #[error("the {length} of a {shape} is {value}; it must be a {} number", if *.zero_allowed { "non-negative" } else { "positive" })]
    Length {
        /// Name of the shape.
        shape: &'static str,
        /// Name of the length.
        length: &'static str,
        /// What it is.
        value: f64,
        /// Whether zero would be allowed.
        zero_allowed: bool,
    },
    /// A ring whose tube is thicker than the hole.
    #[error(
        "a torus with the radii {major} (major) and {minor} (minor) has no hole; make the minor radius smaller, or use a sphere"
    )]
    TorusWithoutHole {
        /// Major radius.
        major: f64,
        /// Minor radius.
        minor: f64,
    },
    /// A mesh without triangles.
    #[error("the mesh has no triangles; an obstacle needs at least one")]
    NoTriangles,
    /// A triangle names a vertex that does not exist.
    #[error("triangle {triangle} of the mesh uses vertex {vertex}, but there are only {count}")]
    Vertex {
        /// Index of the triangle.
        triangle: usize,
        /// The vertex.
        vertex: u32,
        /// Number of vertices.
        count: usize,
    },
    /// A position is NaN or infinite.
    #[error("vertex {vertex} of the mesh is not at a finite position; repair the mesh")]
    Position {
        /// Index of the vertex.
        vertex: usize,
    },
    /// A closed mesh that encloses nothing.
    #[error(
        "the mesh is closed but encloses no volume, so it has no outside; leave one side open to use it as a sheet"
    )]
    NoVolume,
}

impl Shape {
    /// Checks all lengths, and for a mesh its indices, positions and, if it is closed, its volume.
    pub fn validate(&self) -> Result<(), ShapeError> {
        let positive = |shape, length, value| length_error(shape, length, value, false);
        match self {
            Self::Plane => Ok(()),
            Self::Sphere { radius } => positive("sphere", "radius", *radius),
            Self::Box { half } => {
                half.to_array().into_iter().try_for_each(|h| positive("box", "half length", h))
            }
            Self::Capsule { radius, half_length } => {
                positive("capsule", "radius", *radius)?;
                length_error("capsule", "half length", *half_length, true)
            }
            Self::Cylinder { radius, half_length } => {
                positive("cylinder", "radius", *radius)?;
                positive("cylinder", "half length", *half_length)
            }
            Self::Torus { major, minor } => {
                positive("torus", "major radius", *major)?;
                positive("torus", "minor radius", *minor)?;
                if minor < major {
                    Ok(())
                } else {
                    Err(ShapeError::TorusWithoutHole { major: *major, minor: *minor })
                }
            }
            Self::Mesh(mesh) => check_mesh(mesh),
        }
    }
}

fn length_error(
    shape: &'static str,
    length: &'static str,
    value: f64,
    zero_allowed: bool,
) -> Result<(), ShapeError> {
    let fine = value.is_finite() && (value > 0.0 || (zero_allowed && value == 0.0));
    if fine { Ok(()) } else { Err(ShapeError::Length { shape, length, value, zero_allowed }) }
}

fn check_mesh(mesh: &TriMesh) -> Result<(), ShapeError> {
    if mesh.triangles.is_empty() {
        return Err(ShapeError::NoTriangles);
    }
    let count = mesh.vertices.len();
    for (triangle, t) in mesh.triangles.iter().enumerate() {
        if let Some(&vertex) = t.iter().find(|&&v| v as usize >= count) {
            return Err(ShapeError::Vertex { triangle, vertex, count });
        }
    }
    if let Some(vertex) = mesh.vertices.iter().position(|p| !p.is_finite()) {
        return Err(ShapeError::Position { vertex });
    }
    if is_closed(&mesh.triangles) && !has_volume(mesh) {
        return Err(ShapeError::NoVolume);
    }
    Ok(())
}

/// Whether each edge is used as often in one direction as in the other.
pub(super) fn is_closed(triangles: &[[u32; 3]]) -> bool {
    let mut balance: FxHashMap<(u32, u32), i32> = FxHashMap::default();
    for t in triangles {
        for k in 0..3 {
            let (a, b) = (t[k], t[(k + 1) % 3]);
            *balance.entry((a.min(b), a.max(b))).or_default() += if a < b { 1 } else { -1 };
        }
    }
    !triangles.is_empty() && balance.values().all(|&b| b == 0)
}

/// Six times the volume that a closed mesh encloses, negative if it is inside out.
pub(crate) fn six_volumes(vertices: &[DVec3], triangles: &[[u32; 3]]) -> f64 {
    let Some(&origin) = triangles.first().and_then(|t| vertices.get(t[0] as usize)) else { return 0.0 };
    let from_origin = |v: u32| vertices[v as usize] - origin;
    triangles.iter().map(|t| from_origin(t[0]).dot(from_origin(t[1]).cross(from_origin(t[2])))).sum()
}

fn has_volume(mesh: &TriMesh) -> bool {
    let (min, max) = mesh.bounds();
    let diagonal = max.distance(min);
    six_volumes(&mesh.vertices, &mesh.triangles).abs() > 1e-9 * diagonal.powi(3)
}
