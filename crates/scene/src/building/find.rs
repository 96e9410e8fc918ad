//! What references and selections of entries mean.

use super::select::select;
use crate::file::document::Problems;
use crate::file::spec::{BodyRef, Select, resolve_body};
use pliant_mesh::{Mesh, Point};

/// The body that an entry names; a wrong name is reported.
pub(super) fn body_index(
    path: &str,
    reference: Option<&BodyRef>,
    names: &[String],
    problems: &mut Problems,
) -> Option<usize> {
    resolve_body(reference, names).map_err(|fault| problems.add_fault(path, "body", fault)).ok()
}

/// Selected vertices; all of them if there is no selection.
pub(super) fn selection(
    path: &str,
    spec: Option<&Select>,
    mesh: &Mesh,
    problems: &mut Problems,
) -> Option<Vec<u32>> {
    let all = Select::All(true);
    select(spec.unwrap_or(&all), mesh)
        .map_err(|fault| problems.add_fault(&format!("{path}.select"), "", fault))
        .ok()
}

/// The mean position of vertices.
pub(super) fn mean(vertices: &[u32], positions: &[Point]) -> Point {
    let sum = vertices
        .iter()
        .fold([0.0; 3], |s: Point, &v| std::array::from_fn(|k| s[k] + positions[v as usize][k]));
    sum.map(|s| s / vertices.len() as f64)
}
