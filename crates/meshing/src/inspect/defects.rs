//! Defects of elements and vertices that have nothing to do with the surface.

use super::report::Defect;
use pliant_mesh::check::DEGENERATE;
use pliant_mesh::close_pairs;
use pliant_mesh::measure::relative_size;
use pliant_mesh::topology::FaceUse;
use pliant_mesh::{DVec3, TetMesh};
use rayon::prelude::*;

/// Mean of some vertices.
pub(crate) fn middle(vertices: &[DVec3], indices: &[u32]) -> DVec3 {
    let n = indices.len().max(1) as f64;
    indices.iter().map(|&i| vertices[i as usize]).reduce(|a, b| a + b).unwrap_or_default() / n
}

pub(crate) fn has_repeat<const N: usize>(corners: &[u32; N]) -> bool {
    (1..N).any(|k| corners[..k].contains(&corners[k]))
}

pub(super) fn degenerate_and_inverted<const N: usize>(
    vertices: &[DVec3],
    elements: &[[u32; N]],
    keep: usize,
) -> (Defect, Defect) {
    let sizes: Vec<f64> = elements
        .par_iter()
        .map(|e| if has_repeat(e) { 0.0 } else { relative_size(e.map(|i| vertices[i as usize])) })
        .collect();
    let places = |bad: fn(f64) -> bool| {
        let hits = sizes.iter().enumerate().filter(|&(_, &size)| bad(size));
        Defect::collect(hits.map(|(t, _)| (vec![t as u32], middle(vertices, &elements[t]))), keep)
    };
    (places(|size| size.abs() <= DEGENERATE), places(|size| size < -DEGENERATE))
}

pub(super) fn duplicate_elements<const N: usize>(
    vertices: &[DVec3],
    elements: &[[u32; N]],
    keep: usize,
) -> Defect {
    let mut keys: Vec<([u32; N], u32)> = elements
        .par_iter()
        .enumerate()
        .map(|(t, e)| {
            let mut key = *e;
            key.sort_unstable();
            (key, t as u32)
        })
        .collect();
    keys.par_sort_unstable();
    let mut pairs: Vec<[u32; 2]> = keys
        .chunk_by(|a, b| a.0 == b.0)
        .flat_map(|run| run[1..].iter().map(|later| [later.1, run[0].1]))
        .collect();
    pairs.sort_unstable();
    let places = pairs.iter().map(|pair| (pair.to_vec(), middle(vertices, &elements[pair[0] as usize])));
    Defect::collect(places, keep)
}

pub(super) fn duplicate_vertices(vertices: &[DVec3], distance: f64, keep: usize) -> Defect {
    let places = close_pairs(vertices, distance);
    Defect::collect(places.iter().map(|pair| (pair.to_vec(), vertices[pair[0] as usize])), keep)
}

pub(super) fn unused_vertices<const N: usize>(
    vertices: &[DVec3],
    elements: &[[u32; N]],
    keep: usize,
) -> Defect {
    let mut used = vec![false; vertices.len()];
    for &i in elements.iter().flatten() {
        used[i as usize] = true;
    }
    let hits = (0..vertices.len()).filter(|&i| !used[i]);
    Defect::collect(hits.map(|i| (vec![i as u32], vertices[i])), keep)
}

pub(super) fn crowded_faces(mesh: &TetMesh, faces: &[FaceUse], keep: usize) -> Defect {
    let crowded = faces.chunk_by(|a, b| a.key == b.key).filter(|run| run.len() > 2);
    Defect::collect(crowded.map(|run| (run[0].key.to_vec(), middle(&mesh.vertices, &run[0].key))), keep)
}
