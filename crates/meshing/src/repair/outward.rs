//! Turns closed parts that are inside out.

use super::change::{ChangeKind, Log};
use crate::inspect::middle;
use pliant_mesh::topology::{by_edge, edge_uses, parts_by_vertices};
use pliant_mesh::{Aabb, DVec3, MeshError, TriMesh, TriangleTree, WindingTree};

/// A part of the surface that hangs together.
struct Part {
    triangles: Vec<u32>,
    closed: bool,
    /// Signed volume that it encloses.
    volume: f64,
}

/// Turns closed parts with a negative volume. A part within another is left as it is, cavity or not, but is
/// turned together with the part around it.
pub(super) fn turn_outward(mesh: &mut TriMesh, log: &mut Log) -> Result<(), MeshError> {
    let parts = closed_parts(mesh);
    if parts.iter().all(|part| !part.closed || part.volume >= 0.0) {
        return Ok(());
    }
    let around = surrounding_parts(mesh, &parts)?;
    let mut turned = Vec::new();
    for (i, part) in parts.iter().enumerate() {
        // The outermost part around this one decides.
        let outermost = around[i].iter().copied().find(|&p| around[p].is_empty()).unwrap_or(i);
        if part.closed && parts[outermost].volume < 0.0 {
            turned.push(i);
        }
    }
    for &i in &turned {
        for &t in &parts[i].triangles {
            mesh.triangles[t as usize].swap(1, 2);
        }
    }
    let places = turned.iter().map(|&i| {
        let first = parts[i].triangles[0];
        (vec![first], middle(&mesh.vertices, &mesh.triangles[first as usize]))
    });
    log.add(ChangeKind::PartsTurned, places);
    Ok(())
}

fn closed_parts(mesh: &TriMesh) -> Vec<Part> {
    let (part_of, count) = parts_by_vertices(mesh.vertices.len(), &mesh.triangles);
    let mut parts: Vec<Part> =
        (0..count).map(|_| Part { triangles: Vec::new(), closed: true, volume: 0.0 }).collect();
    for (t, &part) in part_of.iter().enumerate() {
        let part = &mut parts[part as usize];
        part.triangles.push(t as u32);
        let origin = mesh.vertices[mesh.triangles[part.triangles[0] as usize][0] as usize];
        let [a, b, c] = mesh.corners(t).map(|p| p - origin);
        part.volume += a.dot(b.cross(c)) / 6.0;
    }
    for run in by_edge(&edge_uses(&mesh.triangles)) {
        if 2 * run.iter().filter(|edge| edge.forward).count() != run.len() {
            parts[part_of[run[0].triangle as usize] as usize].closed = false;
        }
    }
    parts
}

/// Vertices of a part that are looked at to decide whether it lies within another.
const PROBES: usize = 20;

/// For each part the closed parts that it lies within.
fn surrounding_parts(mesh: &TriMesh, parts: &[Part]) -> Result<Vec<Vec<usize>>, MeshError> {
    let bounds: Vec<Aabb> = parts.iter().map(|part| part.bounds(mesh)).collect();
    let mut around = vec![Vec::new(); parts.len()];
    for (outer, part) in parts.iter().enumerate().filter(|(_, part)| part.closed) {
        let boxed = |&inner: &usize| inner != outer && bounds[outer].union(bounds[inner]) == bounds[outer];
        let candidates: Vec<usize> = (0..parts.len()).filter(boxed).collect();
        if candidates.is_empty() {
            continue;
        }
        let triangles: Vec<[u32; 3]> = part.triangles.iter().map(|&t| mesh.triangles[t as usize]).collect();
        let tree = WindingTree::new(TriangleTree::from_parts(&mesh.vertices, &triangles)?);
        let holds = |p| tree.winding_number(p).abs() > 0.5;
        for inner in candidates {
            if parts[inner].probes(mesh).all(holds) {
                around[inner].push(outer);
            }
        }
    }
    Ok(around)
}

impl Part {
    fn bounds(&self, mesh: &TriMesh) -> Aabb {
        let boxes = self.triangles.iter().map(|&t| Aabb::around(&mesh.corners(t as usize)));
        boxes.fold(Aabb::EMPTY, Aabb::union)
    }

    /// Some vertices, evenly taken.
    fn probes<'a>(&'a self, mesh: &'a TriMesh) -> impl Iterator<Item = DVec3> + 'a {
        let step = self.triangles.len().div_ceil(PROBES);
        self.triangles.iter().step_by(step).map(|&t| mesh.vertices[mesh.triangles[t as usize][0] as usize])
    }
}
