//! Cuts a surface apart where more than one sheet meets in an edge or a vertex.

use super::carry::copy_membership;
use super::change::{ChangeKind, Log};
use crate::inspect::middle;
use pliant_mesh::topology::{EdgeUse, Sets, by_edge, edge_uses};
use pliant_mesh::vector::unit;
use pliant_mesh::{DVec3, TriMesh};
use std::f64::consts::PI;

/// Decides at each edge which triangles stay together in pairs, then gives each fan of triangles around a
/// vertex its own copy of the vertex.
pub(super) fn cut_edges(mesh: &mut TriMesh, log: &mut Log) {
    let mut corners = Sets::new(3 * mesh.triangles.len());
    for run in by_edge(&edge_uses(&mesh.triangles)) {
        match run {
            [a, b] => join(&mut corners, a, b),
            [_, _, ..] => {
                for (i, j) in pairs_around(mesh, run) {
                    join(&mut corners, &run[i], &run[j]);
                }
            }
            _ => {}
        }
    }
    let copies = separate_fans(mesh, corners);
    log.add(ChangeKind::CutApart, copies.iter().map(|&(v, _)| (vec![v], mesh.vertices[v as usize])));
    copy_membership(&mut mesh.groups, &copies);
    for _ in 0..PASSES {
        if !split_crowded_edges(mesh, log) {
            break;
        }
    }
}

/// An edge of a triangle may be split in one pass and its other edges in the next.
const PASSES: usize = 10;

/// Sheets that meet in an edge but hang together at both of its ends share the edge even so, because it has no
/// name but its ends. All but one of them get a vertex of their own in its middle. Returns whether there were
/// any.
fn split_crowded_edges(mesh: &mut TriMesh, log: &mut Log) -> bool {
    let mut touched = vec![false; mesh.triangles.len()];
    let mut splits: Vec<(u32, [u32; 2])> = Vec::new();
    for run in by_edge(&edge_uses(&mesh.triangles)).filter(|run| run.len() > 2) {
        let pairs = pairs_around(mesh, run);
        let single = (0..run.len()).filter(|&i| !pairs.iter().any(|&(a, b)| a == i || b == i));
        let sheets = pairs.iter().map(|&(a, b)| vec![a, b]).chain(single.map(|i| vec![i]));
        for sheet in sheets.skip(1) {
            let triangles: Vec<usize> = sheet.iter().map(|&i| run[i].triangle as usize).collect();
            if triangles.iter().any(|&t| touched[t]) {
                continue;
            }
            let middle_vertex = mesh.vertices.len() as u32;
            splits.push((middle_vertex, [run[0].low, run[0].high]));
            mesh.vertices.push(middle(&mesh.vertices, &[run[0].low, run[0].high]));
            for (&t, &i) in triangles.iter().zip(&sheet) {
                touched[t] = true;
                split_triangle(mesh, t, usize::from(run[i].side), middle_vertex);
            }
        }
    }
    log.add(
        ChangeKind::EdgesSplit,
        splits.iter().map(|&(v, ends)| (ends.to_vec(), mesh.vertices[v as usize])),
    );
    for group in mesh.groups.values_mut() {
        let holds = |v: &u32| group.vertices.binary_search(v).is_ok();
        let more: Vec<u32> =
            splits.iter().filter(|(_, ends)| ends.iter().all(holds)).map(|&(v, _)| v).collect();
        group.vertices.extend(more);
    }
    !splits.is_empty()
}

/// Cuts a triangle in two at a vertex on its side.
fn split_triangle(mesh: &mut TriMesh, t: usize, side: usize, at: u32) {
    let mut second = mesh.triangles[t];
    mesh.triangles[t][(side + 1) % 3] = at;
    second[side] = at;
    let new = mesh.triangles.len() as u32;
    mesh.triangles.push(second);
    for group in mesh.groups.values_mut() {
        if group.elements.binary_search(&(t as u32)).is_ok() {
            group.elements.push(new);
        }
    }
}

fn join(corners: &mut Sets, a: &EdgeUse, b: &EdgeUse) {
    let (a, b) = (a.corners(), b.corners());
    corners.join(a[0], b[0]);
    corners.join(a[1], b[1]);
}

/// Returns `(original, copy)` of the vertices added.
fn separate_fans(mesh: &mut TriMesh, mut corners: Sets) -> Vec<(u32, u32)> {
    let originals = mesh.vertices.len();
    let mut taken = vec![false; originals];
    // Of each corner that is the first of its fan: the vertex that the fan gets.
    let mut vertex_of_fan = vec![u32::MAX; 3 * mesh.triangles.len()];
    let mut copies = Vec::new();
    for corner in 0..vertex_of_fan.len() {
        let (t, k) = (corner / 3, corner % 3);
        let fan = corners.find(corner as u32) as usize;
        let vertex = mesh.triangles[t][k];
        if fan == corner {
            let first = !std::mem::replace(&mut taken[vertex as usize], true);
            vertex_of_fan[fan] = if first { vertex } else { mesh.vertices.len() as u32 };
            if !first {
                copies.push((vertex, mesh.vertices.len() as u32));
                mesh.vertices.push(mesh.vertices[vertex as usize]);
            }
        }
        mesh.triangles[t][k] = vertex_of_fan[fan];
    }
    copies
}

/// Pairs of triangles around an edge that stay together; whoever is left over ends there.
fn pairs_around(mesh: &TriMesh, run: &[EdgeUse]) -> Vec<(usize, usize)> {
    let angles = angles_around(mesh, run);
    let forward = run.iter().filter(|edge| edge.forward).count();
    if 2 * forward == run.len() { wedges(run, &angles) } else { flattest(run, &angles) }
}

/// Angle of each triangle around the edge.
fn angles_around(mesh: &TriMesh, run: &[EdgeUse]) -> Vec<f64> {
    let at = |i: u32| mesh.vertices[i as usize];
    let (low, high) = (at(run[0].low), at(run[0].high));
    let axis = unit(high - low).unwrap_or(DVec3::Z);
    let apex = |edge: &EdgeUse| -> DVec3 {
        let t = mesh.triangles[edge.triangle as usize];
        at(t[(usize::from(edge.side) + 2) % 3]) - low
    };
    let start = apex(&run[0]);
    let y = axis.cross(start);
    let x = y.cross(axis);
    run.iter()
        .map(|edge| {
            let d = apex(edge);
            d.dot(y).atan2(d.dot(x))
        })
        .collect()
}

/// For triangles that bound a body: each pair encloses a wedge of its inside. A triangle that passes the
/// edge backward has the inside on the side of increasing angles, one that passes it forward on the other.
fn wedges(run: &[EdgeUse], angles: &[f64]) -> Vec<(usize, usize)> {
    let mut order: Vec<usize> = (0..run.len()).collect();
    order.sort_by(|&i, &j| angles[i].total_cmp(&angles[j]).then(i.cmp(&j)));
    let mut pairs = Vec::new();
    let mut open = Vec::new();
    let mut done = vec![false; run.len()];
    // Twice around matches the brackets that wrap from the end to the beginning.
    for &i in order.iter().chain(&order) {
        if done[i] {
            continue;
        }
        if !run[i].forward {
            if !open.contains(&i) {
                open.push(i);
            }
        } else if let Some(partner) = open.pop() {
            pairs.push((partner, i));
            (done[i], done[partner]) = (true, true);
        }
    }
    pairs
}

/// For open sheets: triangles that agree in orientation and continue each other best.
fn flattest(run: &[EdgeUse], angles: &[f64]) -> Vec<(usize, usize)> {
    let mut candidates = Vec::new();
    for j in 0..run.len() {
        for i in 0..j {
            let disagree = run[i].forward == run[j].forward;
            let bend = ((angles[i] - angles[j]).abs() - PI).abs();
            candidates.push((disagree, bend, i, j));
        }
    }
    candidates.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then((a.2, a.3).cmp(&(b.2, b.3))));
    let mut used = vec![false; run.len()];
    let mut pairs = Vec::new();
    for (_, _, i, j) in candidates {
        if !used[i] && !used[j] {
            (used[i], used[j]) = (true, true);
            pairs.push((i, j));
        }
    }
    pairs
}
