//! Vertices and elements of meshes that selections mean.

use crate::error::Fault;

use crate::error::nearest;
use crate::file::spec::{RegionSpec, Select};
use pliant_mesh::{DVec3, Mesh, Selector};

/// Vertices that a selection means, never none.
pub(super) fn select(spec: &Select, mesh: &Mesh) -> Result<Vec<u32>, Fault> {
    let selector = match spec {
        Select::All(true) => Selector::All,
        Select::Surface(true) => {
            let mut on_surface: Vec<u32> = mesh.surface_triangles().into_iter().flatten().collect();
            on_surface.sort_unstable();
            on_surface.dedup();
            Selector::Indices(on_surface)
        }
        Select::All(false) | Select::Surface(false) => {
            return Err(Fault::new("the selection says false, so it selects nothing", "write true"));
        }
        Select::Group(name) => Selector::Group(name.clone()),
        Select::Index(list) if list.is_empty() => {
            return Err(Fault::new(
                "the list of indices is empty, so it selects nothing",
                "name at least one vertex",
            ));
        }
        Select::Index(list) => Selector::Indices(list.clone()),
        Select::Box { min, max } => Selector::Box { min: DVec3::from(*min), max: DVec3::from(*max) },
        Select::Sphere { center, radius } => {
            Selector::Sphere { center: DVec3::from(*center), radius: *radius }
        }
        Select::Plane { point, normal, tolerance } => Selector::Plane {
            point: DVec3::from(*point),
            normal: DVec3::from(*normal),
            tolerance: *tolerance,
        },
        Select::HalfSpace { point, normal } => {
            Selector::HalfSpace { point: DVec3::from(*point), normal: DVec3::from(*normal) }
        }
    };
    selector.select(mesh).map_err(Fault::from)
}

/// Elements that a region covers, ascending, never none.
pub(super) fn region_elements(region: &RegionSpec, mesh: &Mesh) -> Result<Vec<u32>, Fault> {
    if let Some(name) = &region.group {
        let groups = mesh.groups();
        let Some(group) = groups.get(name) else {
            let remedy = match nearest(name, groups.keys().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("its groups are {}", groups.keys().cloned().collect::<Vec<_>>().join(", ")),
            };
            return Err(Fault::new(format!("the mesh has no group `{name}`"), remedy));
        };
        if !group.elements.is_empty() {
            return Ok(group.elements.clone());
        }
        return covered(&group.vertices, mesh);
    }
    match &region.select {
        Some(selection) => covered(&select(selection, mesh)?, mesh),
        None => Err(Fault::new("the region selects nothing", "write `select` or `group`")),
    }
}

/// Elements all of whose vertices are in the list.
fn covered(vertices: &[u32], mesh: &Mesh) -> Result<Vec<u32>, Fault> {
    let mut inside = vec![false; mesh.vertices().len()];
    for &v in vertices {
        inside[v as usize] = true;
    }
    let is_in = |element: &[u32]| element.iter().all(|&v| inside[v as usize]);
    let chosen: Vec<u32> = match mesh {
        Mesh::Tet(m) => (0u32..).zip(&m.tets).filter(|(_, t)| is_in(*t)).map(|(i, _)| i).collect(),
        Mesh::Tri(m) => (0u32..).zip(&m.triangles).filter(|(_, t)| is_in(*t)).map(|(i, _)| i).collect(),
    };
    if chosen.is_empty() {
        let cause = "no element has all its vertices in the region";
        return Err(Fault::new(cause, "enlarge the selection"));
    }
    Ok(chosen)
}
