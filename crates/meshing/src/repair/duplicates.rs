//! Drops elements that are there twice.

use super::carry::retain_elements;
use super::change::{ChangeKind, Log};
use crate::inspect::middle;
use pliant_mesh::topology::{Sets, by_edge, edge_uses, parts_by_vertices};
use pliant_mesh::vector::area_vector;
use pliant_mesh::{TetMesh, TriMesh};

/// A double sheet with less than this fraction of the area of its part is a fin.
const FIN: f64 = 0.01;

pub(super) fn drop_duplicate_tets(mesh: &mut TetMesh, log: &mut Log) {
    let mut keep = vec![true; mesh.tets.len()];
    for run in same_vertices(&mesh.tets) {
        for &t in &run[1..] {
            keep[t as usize] = false;
        }
    }
    report(log, &keep, |t| middle(&mesh.vertices, &mesh.tets[t]));
    retain_elements(&mut mesh.tets, &mut mesh.groups, &keep);
}

/// Of triangles with the same vertices those that face the same way are one. Two that face each other enclose
/// nothing: both go, as a wall within the body or a fin on it, unless they are the two sides of a sheet: then
/// one stays.
pub(super) fn drop_duplicate_triangles(mesh: &mut TriMesh, log: &mut Log) {
    let mut keep = vec![true; mesh.triangles.len()];
    let mut walls = Vec::new();
    for run in same_vertices(&mesh.triangles) {
        let (even, odd): (Vec<u32>, Vec<u32>) =
            run.iter().partition(|&&t| is_even(mesh.triangles[t as usize]));
        // Facing pairs cancel as often as there are any, so that each edge stays as balanced as it was.
        let pairs = even.len().min(odd.len());
        for (&a, &b) in even.iter().zip(&odd) {
            (keep[a as usize], keep[b as usize]) = (false, false);
        }
        for &t in even[pairs..].iter().skip(1).chain(odd[pairs..].iter().skip(1)) {
            keep[t as usize] = false;
        }
        if even.len() == odd.len() {
            walls.push([even[0].min(odd[0]), even[0].max(odd[0])]);
        }
    }
    for (wall, is_sheet) in walls.iter().zip(sheets(mesh, &walls)) {
        keep[wall[0] as usize] = is_sheet;
    }
    report(log, &keep, |t| middle(&mesh.vertices, &mesh.triangles[t]));
    retain_elements(&mut mesh.triangles, &mut mesh.groups, &keep);
}

fn report(log: &mut Log, keep: &[bool], at: impl Fn(usize) -> pliant_mesh::DVec3) {
    let dropped = (0..keep.len()).filter(|&t| !keep[t]);
    log.add(ChangeKind::DuplicatesDropped, dropped.map(|t| (vec![t as u32], at(t))));
}

/// Runs of two or more elements with the same vertices, each ascending.
fn same_vertices<const N: usize>(elements: &[[u32; N]]) -> Vec<Vec<u32>> {
    let mut keys: Vec<([u32; N], u32)> = elements
        .iter()
        .zip(0u32..)
        .map(|(e, t)| {
            let mut key = *e;
            key.sort_unstable();
            (key, t)
        })
        .collect();
    keys.sort_unstable();
    keys.chunk_by(|a, b| a.0 == b.0)
        .filter(|run| run.len() > 1)
        .map(|run| run.iter().map(|&(_, t)| t).collect())
        .collect()
}

/// Whether the vertices are an even permutation of their ascending order.
fn is_even([a, b, c]: [u32; 3]) -> bool {
    (a < b) as u8 + (b < c) as u8 + (c < a) as u8 == 2
}

/// Of each wall whether it is part of a sheet: the walls that hang together with it end freely somewhere, and
/// they are not just a fin, small against the part they belong to.
fn sheets(mesh: &TriMesh, walls: &[[u32; 2]]) -> Vec<bool> {
    if walls.is_empty() {
        return Vec::new();
    }
    let mut wall_of = vec![None; mesh.triangles.len()];
    for (wall, number) in walls.iter().zip(0u32..) {
        for &t in wall {
            wall_of[t as usize] = Some(number);
        }
    }
    let mut regions = Sets::new(walls.len());
    let mut free = vec![false; walls.len()];
    for run in by_edge(&edge_uses(&mesh.triangles)) {
        let mut here = run.iter().filter_map(|edge| wall_of[edge.triangle as usize]);
        let Some(first) = here.next() else { continue };
        here.for_each(|wall| regions.join(first, wall));
        free[first as usize] |= run.iter().all(|edge| wall_of[edge.triangle as usize] == Some(first));
    }
    let (part_of, parts) = parts_by_vertices(mesh.vertices.len(), &mesh.triangles);
    let mut part_area = vec![0.0; parts];
    for t in 0..mesh.triangles.len() {
        part_area[part_of[t] as usize] += area_vector(mesh.corners(t)).length();
    }
    let mut region_area = vec![0.0; walls.len()];
    let mut ends_freely = vec![false; walls.len()];
    for (i, wall) in walls.iter().enumerate() {
        let region = regions.find(i as u32) as usize;
        region_area[region] += 2.0 * area_vector(mesh.corners(wall[0] as usize)).length();
        ends_freely[region] |= free[i];
    }
    (0..walls.len())
        .map(|i| {
            let region = regions.find(i as u32) as usize;
            let whole = part_area[part_of[walls[i][0] as usize] as usize];
            ends_freely[region] && region_area[region] > FIN * whole
        })
        .collect()
}
