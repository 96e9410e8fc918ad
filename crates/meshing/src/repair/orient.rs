//! Turns triangles such that neighbours agree.

use super::change::{ChangeKind, Log};
use crate::inspect::middle;
use pliant_mesh::TriMesh;
use pliant_mesh::topology::{by_edge, edge_uses};
use pliant_mesh::vector::area_vector;

/// Within each part that hangs together by edges with two triangles, turns those that disagree with the
/// larger area. A part that cannot be oriented, as a Moebius strip, keeps a seam.
pub(super) fn orient_parts(mesh: &mut TriMesh, log: &mut Log) {
    let neighbours = agreeing_neighbours(&mesh.triangles);
    let n = mesh.triangles.len();
    let mut seen = vec![false; n];
    let mut turned = vec![false; n];
    for start in 0..n {
        if seen[start] {
            continue;
        }
        seen[start] = true;
        let mut part = vec![start];
        let mut next = 0;
        while next < part.len() {
            let t = part[next];
            next += 1;
            for &(other, agrees) in neighbours[t].iter().flatten() {
                if !std::mem::replace(&mut seen[other as usize], true) {
                    turned[other as usize] = turned[t] ^ !agrees;
                    part.push(other as usize);
                }
            }
        }
        keep_the_larger_side(mesh, &part, &mut turned);
    }
    for t in (0..n).filter(|&t| turned[t]) {
        mesh.triangles[t].swap(1, 2);
    }
    let places = (0..n).filter(|&t| turned[t]);
    log.add(ChangeKind::Turned, places.map(|t| (vec![t as u32], middle(&mesh.vertices, &mesh.triangles[t]))));
}

fn keep_the_larger_side(mesh: &TriMesh, part: &[usize], turned: &mut [bool]) {
    let area = |side: bool| -> f64 {
        part.iter().filter(|&&t| turned[t] == side).map(|&t| area_vector(mesh.corners(t)).length()).sum()
    };
    if area(true) > area(false) {
        for &t in part {
            turned[t] = !turned[t];
        }
    }
}

/// For each side of each triangle the only other triangle there, and whether it is oriented alike.
fn agreeing_neighbours(triangles: &[[u32; 3]]) -> Vec<[Option<(u32, bool)>; 3]> {
    let mut neighbours = vec![[None; 3]; triangles.len()];
    for run in by_edge(&edge_uses(triangles)) {
        if let [a, b] = run {
            let agrees = a.forward != b.forward;
            neighbours[a.triangle as usize][usize::from(a.side)] = Some((b.triangle, agrees));
            neighbours[b.triangle as usize][usize::from(b.side)] = Some((a.triangle, agrees));
        }
    }
    neighbours
}
