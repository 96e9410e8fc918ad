//! From a triangle surface as people have it to tetrahedra: mended first, refused if it encloses nothing.

use super::{Meshed, MesherError, MesherOptions, tetrahedralize};
use crate::SurfaceSolid;
use crate::repair::{RepairOptions, repair};
use pliant_mesh::topology::{edge_uses, open_loops};
use pliant_mesh::vector::area_vector;
use pliant_mesh::{DVec3, Mesh, TriMesh};

/// Holes that would need patches of more than this share of the area make a surface open: a sheet, a tube, a bowl.
const OPEN: f64 = 0.08;

/// Fills the inside of a triangle surface with tetrahedra.
///
/// Slightly broken surfaces are welcome: vertices at one place are welded, triangles turned to agree, small holes
/// closed; overlaps and self-intersections are seen as a person would by the generalised winding number. The
/// notes of the result say what was found. Groups of the surface become groups of boundary vertices. An open
/// sheet is refused.
pub fn tetrahedralize_surface(surface: &TriMesh, options: &MesherOptions) -> Result<Meshed, MesherError> {
    let mut notes = Vec::new();
    let mut mesh = Mesh::Tri(surface.clone());
    let mut mend = |mesh: &mut Mesh, options: &RepairOptions| -> Result<(), MesherError> {
        let changes = repair(mesh, options).map_err(|e| MesherError::BadSurface(e.to_string()))?;
        notes.extend(changes.iter().map(|change| change.to_string()));
        Ok(())
    };
    // Cutting sheets apart that meet in an edge would open the surface.
    let careful = RepairOptions { cut_non_manifold: false, hole_edges: 0, ..Default::default() };
    mend(&mut mesh, &careful)?;
    if let Mesh::Tri(surface) = &mesh {
        check_closed(surface)?;
    }
    mend(&mut mesh, &RepairOptions { hole_edges: 500, hole_area: 1.0, ..careful })?;
    let Mesh::Tri(surface) = mesh else { unreachable!("a surface stays a surface") };
    let solid = SurfaceSolid::new(surface).map_err(|e| MesherError::BadSurface(e.to_string()))?;
    match solid.self_intersections() {
        0 => {}
        1 => notes.push("1 pair of triangles intersects".to_string()),
        n => notes.push(format!("{n} pairs of triangles intersect")),
    }
    if !solid.is_closed() {
        notes.push(
            "the surface is not closed; holes are bridged where the winding number is a half".to_string(),
        );
    }
    let mut meshed = tetrahedralize(&solid, options)?;
    meshed.notes = notes;
    Ok(meshed)
}

/// Refuses a surface with holes that are large for its area.
fn check_closed(surface: &TriMesh) -> Result<(), MesherError> {
    let loops = open_loops(&edge_uses(&surface.triangles));
    let patches: Vec<f64> = loops.iter().map(|l| fan_area(surface, &l.vertices)).collect();
    let share = patches.iter().sum::<f64>() / surface.area();
    if share <= OPEN {
        return Ok(());
    }
    let largest = (0..loops.len()).fold(0, |best, i| if patches[i] > patches[best] { i } else { best });
    let rim = &loops[largest].vertices;
    Err(MesherError::OpenSurface {
        loops: loops.len(),
        percent: 100.0 * share,
        edges: rim.len(),
        center: middle(surface, rim),
    })
}

fn middle(surface: &TriMesh, vertices: &[u32]) -> DVec3 {
    let sum: DVec3 = vertices.iter().map(|&v| surface.vertices[v as usize]).sum();
    sum * (1.0 / vertices.len().max(1) as f64)
}

/// Area of the triangles between a loop and its middle.
fn fan_area(surface: &TriMesh, rim: &[u32]) -> f64 {
    let center = middle(surface, rim);
    let corner = |k: usize| surface.vertices[rim[k % rim.len()] as usize] - center;
    (0..rim.len()).map(|k| 0.5 * area_vector([DVec3::ZERO, corner(k), corner(k + 1)]).length()).sum()
}
