//! A description of a mesh: size, shape of the elements, topology, and each defect with its
//! place.

mod defects;
mod report;
mod shape;
mod surface;

pub(crate) use surface::enclosed_volume;

pub use report::{
    Defect, Defects, GroupSize, Histogram, InspectOptions, LengthRange, LoopReport, MeshReport, Place, Spread,
};

pub use shape::element_quality;

use defects::{
    crowded_faces, degenerate_and_inverted, duplicate_elements, duplicate_vertices, unused_vertices,
};
pub(crate) use defects::{has_repeat, middle};
use pliant_mesh::check::check_readable;
use pliant_mesh::topology::{face_uses, parts_by_vertices};
use pliant_mesh::{DVec3, ElementKind, Groups, Mesh, MeshError, TetMesh, TriMesh};
use shape::{Shapes, tet_shapes, triangle_shapes};
use surface::SurfaceFacts;

/// Describes a mesh, good or bad. An error only if it cannot be read: no elements, an index out of range, or a
/// position that is not finite.
pub fn inspect(mesh: &Mesh, options: &InspectOptions) -> Result<MeshReport, MeshError> {
    match mesh {
        Mesh::Tet(m) => inspect_tets(m, options),
        Mesh::Tri(m) => inspect_triangles(m, options),
    }
}

fn inspect_tets(mesh: &TetMesh, options: &InspectOptions) -> Result<MeshReport, MeshError> {
    let kind = ElementKind::Tet;
    check_readable(kind, &mesh.vertices, &mesh.tets, &mesh.groups)?;
    let faces = face_uses(&mesh.tets);
    let boundary = surface::boundary_of(&mesh.tets, &faces);
    let surface = SurfaceFacts::of(&mesh.vertices, &boundary, options)?;
    let mut report =
        describe(kind, (&mesh.vertices, &mesh.tets, &mesh.groups), tet_shapes(mesh), surface, options);
    report.volume = Some(mesh.volume());
    report.defects.crowded_faces = crowded_faces(mesh, &faces, options.places);
    Ok(report)
}

fn inspect_triangles(mesh: &TriMesh, options: &InspectOptions) -> Result<MeshReport, MeshError> {
    let kind = ElementKind::Triangle;
    check_readable(kind, &mesh.vertices, &mesh.triangles, &mesh.groups)?;
    let surface = SurfaceFacts::of(&mesh.vertices, &mesh.triangles, options)?;
    let parts = (&mesh.vertices[..], &mesh.triangles[..], &mesh.groups);
    Ok(describe(kind, parts, triangle_shapes(mesh), surface, options))
}

/// What volumes and surfaces have in common.
fn describe<const N: usize>(
    kind: ElementKind,
    (vertices, elements, groups): (&[DVec3], &[[u32; N]], &Groups),
    shapes: Shapes,
    surface: SurfaceFacts,
    options: &InspectOptions,
) -> MeshReport {
    let bounds = pliant_mesh::Aabb::around(vertices);
    let mut defects = surface.defects;
    let shape_faults = degenerate_and_inverted(vertices, elements, options.places);
    defects.degenerate_elements = shape_faults.0;
    defects.inverted_elements = shape_faults.1;
    defects.duplicate_elements = duplicate_elements(vertices, elements, options.places);
    defects.duplicate_vertices = duplicate_vertices(vertices, options.duplicate_distance, options.places);
    defects.unused_vertices = unused_vertices(vertices, elements, options.places);
    let sizes = component_sizes(vertices.len(), elements);
    MeshReport {
        kind,
        vertices: vertices.len(),
        elements: elements.len(),
        groups: groups
            .iter()
            .map(|(name, g)| GroupSize {
                name: name.clone(),
                vertices: g.vertices.len(),
                elements: g.elements.len(),
            })
            .collect(),
        bounds: [bounds.min.to_array(), bounds.max.to_array()],
        diagonal: bounds.diagonal(),
        volume: surface.volume,
        area: surface.area,
        surface_triangles: surface.triangles,
        closed: surface.closed,
        components: sizes.len(),
        largest_components: sizes.into_iter().take(options.places).collect(),
        euler: surface.euler,
        genus: surface.genus,
        open_loops: surface.open_loops,
        longest_open_loops: surface.longest_open_loops,
        edge_length: shapes.edge_length,
        angle_degrees: shapes.angle_degrees,
        radius_ratio: shapes.radius_ratio,
        rms_quality: shapes.rms_quality,
        defects,
    }
}

/// Elements of each connected part, the largest first.
fn component_sizes<const N: usize>(vertices: usize, elements: &[[u32; N]]) -> Vec<usize> {
    let (part_of, parts) = parts_by_vertices(vertices, elements);
    let mut sizes = vec![0; parts];
    for part in part_of {
        sizes[part as usize] += 1;
    }
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    sizes
}

#[cfg(test)]
mod tests;
