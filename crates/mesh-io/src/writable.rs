//! Checks before a mesh is written: what is written must read back.

use super::WriteError;
use pliant_mesh::check::{check_groups, check_indices};
use pliant_mesh::{DVec3, ElementKind, Mesh, TriMesh};

/// Refuses a mesh that no reader would accept.
pub(super) fn check(mesh: &Mesh, format: &'static str) -> Result<(), WriteError> {
    let refuse = |cause: String| Err(WriteError::DoesNotFit { format, cause });
    let vertices = mesh.vertices().len();
    if mesh.element_count() == 0 {
        return refuse("it has no elements".to_string());
    }
    if let Some(vertex) = mesh.vertices().iter().position(|p| !p.is_finite()) {
        return refuse(format!("vertex {vertex} is at {:?}; repair it", mesh.vertices()[vertex].to_array()));
    }
    let ascending = |list: &[u32]| list.is_sorted_by(|a, b| a < b);
    if let Some((name, _)) =
        mesh.groups().iter().find(|(_, g)| !ascending(&g.vertices) || !ascending(&g.elements))
    {
        return refuse(format!("the members of group `{name}` are not ascending and unique"));
    }
    match mesh {
        Mesh::Tet(m) => check_indices(ElementKind::Tet, vertices, &m.tets),
        Mesh::Tri(m) => check_indices(ElementKind::Triangle, vertices, &m.triangles),
    }
    .and_then(|()| check_groups(vertices, mesh.element_count(), mesh.groups()))
    .or_else(|error| refuse(error.to_string()))
}

/// The surface to write.
pub(super) fn surface<'a>(mesh: &'a Mesh, format: &'static str) -> Result<&'a TriMesh, WriteError> {
    match mesh {
        Mesh::Tri(surface) => Ok(surface),
        Mesh::Tet(_) => Err(WriteError::SurfaceOnly { format }),
    }
}

/// A note on what single precision costs, if anything.
pub(super) fn single_precision(
    vertices: &[DVec3],
    format: &'static str,
) -> Result<Option<String>, WriteError> {
    let mut largest = 0.0_f64;
    for c in vertices.iter().flat_map(|p| p.to_array()) {
        if !(c as f32).is_finite() {
            let cause = format!("a coordinate of {c:e} is beyond single precision; scale the mesh");
            return Err(WriteError::DoesNotFit { format, cause });
        }
        largest = largest.max((c - f64::from(c as f32)).abs());
    }
    let note = || format!("coordinates rounded to single precision, by {largest:.1e} at most");
    Ok((largest > 0.0).then(note))
}
