//! Mends meshes, and says what it did.
//!
//! A surface goes through these steps: weld vertices, drop collapsed triangles, drop duplicates, cut edges with
//! more than two triangles apart, orient, mend flat triangles, fill small holes, turn closed parts outward,
//! drop unused vertices. A volume: weld, drop collapsed, duplicate and flat tets, orient, drop unused vertices.
//! Groups are carried through every step.

mod carry;
mod change;
mod duplicates;
mod flat;
mod holes;
mod manifold;
mod orient;
mod outward;
mod weld;

pub use change::{Change, ChangeKind};

use crate::inspect::{has_repeat, middle};
use carry::retain_elements;
use change::Log;
use pliant_mesh::check::{check_finite, check_groups, check_indices};
use pliant_mesh::measure::relative_size;
use pliant_mesh::{ElementKind, Mesh, MeshError, TetMesh, TriMesh};

/// What to mend. The defaults change nothing that a person would want to keep.
#[derive(Clone, Debug, PartialEq)]
pub struct RepairOptions {
    /// Vertices not farther apart than this, metres, become one. `None`, the default, is 1e-9 of the diagonal.
    pub weld_distance: Option<f64>,
    /// Elements whose size relative to their longest edge is below this are flat. 1e-9 by default, the bound
    /// of [`validate`](pliant_mesh::Mesh::validate).
    pub flat: f64,
    /// Whether edges and vertices where more than one sheet meets are cut apart; the copies of a vertex stay
    /// at one place. True by default.
    pub cut_non_manifold: bool,
    /// Holes with at most this many edges are filled; zero fills none. 100 by default, 500 at most.
    pub hole_edges: usize,
    /// Holes are filled only if the patch has at most this fraction of the area of the part they are in, so
    /// that the rim of a sheet is not taken for a hole. 0.1 by default.
    pub hole_area: f64,
    /// How many places of each change are listed. 10 by default; all are counted.
    pub places: usize,
}

impl Default for RepairOptions {
    fn default() -> Self {
        Self {
            weld_distance: None,
            flat: pliant_mesh::check::DEGENERATE,
            cut_non_manifold: true,
            hole_edges: 100,
            hole_area: 0.1,
            places: 10,
        }
    }
}

/// Mends a mesh in place and returns what was changed, in the order of the steps; nothing for a good mesh.
///
/// An error if the mesh cannot be read (an index out of range, a position that is not finite) or if nothing
/// is left of it. What could not be mended is found by [`inspect`](crate::inspect::inspect) afterwards.
pub fn repair(mesh: &mut Mesh, options: &RepairOptions) -> Result<Vec<Change>, MeshError> {
    match mesh {
        Mesh::Tet(m) => repair_tets(m, options),
        Mesh::Tri(m) => repair_triangles(m, options),
    }
}

fn repair_triangles(mesh: &mut TriMesh, options: &RepairOptions) -> Result<Vec<Change>, MeshError> {
    let kind = ElementKind::Triangle;
    check_finite(&mesh.vertices)?;
    check_indices(kind, mesh.vertices.len(), &mesh.triangles)?;
    check_groups(mesh.vertices.len(), mesh.triangles.len(), &mesh.groups)?;
    let mut log = Log::new(options.places);
    weld::weld(&mut mesh.vertices, &mut mesh.triangles, &mut mesh.groups, options.weld_distance, &mut log);
    drop_collapsed(&mesh.vertices, &mut mesh.triangles, &mut mesh.groups, &mut log);
    duplicates::drop_duplicate_triangles(mesh, &mut log);
    if options.cut_non_manifold {
        manifold::cut_edges(mesh, &mut log);
    }
    orient::orient_parts(mesh, &mut log);
    flat::mend_flat(mesh, options.flat, &mut log);
    holes::fill(mesh, options, &mut log);
    outward::turn_outward(mesh, &mut log)?;
    drop_unused(&mut mesh.vertices, &mut mesh.triangles, &mut mesh.groups, &mut log);
    if mesh.triangles.is_empty() {
        return Err(MeshError::NoElements { kind });
    }
    Ok(log.changes)
}

fn repair_tets(mesh: &mut TetMesh, options: &RepairOptions) -> Result<Vec<Change>, MeshError> {
    let kind = ElementKind::Tet;
    check_finite(&mesh.vertices)?;
    check_indices(kind, mesh.vertices.len(), &mesh.tets)?;
    check_groups(mesh.vertices.len(), mesh.tets.len(), &mesh.groups)?;
    let mut log = Log::new(options.places);
    weld::weld(&mut mesh.vertices, &mut mesh.tets, &mut mesh.groups, options.weld_distance, &mut log);
    drop_collapsed(&mesh.vertices, &mut mesh.tets, &mut mesh.groups, &mut log);
    duplicates::drop_duplicate_tets(mesh, &mut log);
    drop_flat_tets(mesh, options.flat, &mut log);
    orient_tets(mesh, &mut log);
    drop_unused(&mut mesh.vertices, &mut mesh.tets, &mut mesh.groups, &mut log);
    if mesh.tets.is_empty() {
        return Err(MeshError::NoElements { kind });
    }
    Ok(log.changes)
}

/// Drops elements that use a vertex twice.
fn drop_collapsed<const N: usize>(
    vertices: &[pliant_mesh::DVec3],
    elements: &mut Vec<[u32; N]>,
    groups: &mut pliant_mesh::Groups,
    log: &mut Log,
) {
    let keep: Vec<bool> = elements.iter().map(|e| !has_repeat(e)).collect();
    let dropped = (0..elements.len()).filter(|&t| !keep[t]);
    log.add(ChangeKind::CollapsedDropped, dropped.map(|t| (vec![t as u32], middle(vertices, &elements[t]))));
    retain_elements(elements, groups, &keep);
}

fn drop_flat_tets(mesh: &mut TetMesh, flat: f64, log: &mut Log) {
    let keep: Vec<bool> = (0..mesh.tets.len()).map(|t| relative_size(mesh.corners(t)).abs() > flat).collect();
    let dropped = (0..mesh.tets.len()).filter(|&t| !keep[t]);
    log.add(
        ChangeKind::FlatDropped,
        dropped.map(|t| (vec![t as u32], middle(&mesh.vertices, &mesh.tets[t]))),
    );
    retain_elements(&mut mesh.tets, &mut mesh.groups, &keep);
}

fn orient_tets(mesh: &mut TetMesh, log: &mut Log) {
    let inverted: Vec<usize> =
        mesh.tet_volumes().iter().enumerate().filter(|(_, v)| **v < 0.0).map(|(t, _)| t).collect();
    for &t in &inverted {
        mesh.tets[t].swap(2, 3);
    }
    log.add(
        ChangeKind::Turned,
        inverted.iter().map(|&t| (vec![t as u32], middle(&mesh.vertices, &mesh.tets[t]))),
    );
}

fn drop_unused<const N: usize>(
    vertices: &mut Vec<pliant_mesh::DVec3>,
    elements: &mut [[u32; N]],
    groups: &mut pliant_mesh::Groups,
    log: &mut Log,
) {
    let mut used = vec![false; vertices.len()];
    for &i in elements.iter().flatten() {
        used[i as usize] = true;
    }
    let dropped = (0..vertices.len()).filter(|&i| !used[i]);
    log.add(ChangeKind::UnusedDropped, dropped.map(|i| (vec![i as u32], vertices[i])));
    if used.contains(&false) {
        pliant_mesh::topology::drop_unused(vertices, elements, groups);
    }
}

#[cfg(test)]
mod tests;
