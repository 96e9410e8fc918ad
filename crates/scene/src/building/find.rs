//! What references and selections of entries mean.

use super::select::select;
use crate::file::document::Problems;
use crate::file::spec::{BodyRef, Select, resolve_body};
use pliant::BodyId;
use pliant_mesh::{DVec3, Mesh};

/// The body that an entry names; a wrong name is reported.
pub(super) fn body_of(
    path: &str,
    reference: Option<&BodyRef>,
    names: &[String],
    problems: &mut Problems,
) -> Option<BodyId> {
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
pub(super) fn mean(vertices: &[u32], positions: &[DVec3]) -> DVec3 {
    vertices.iter().map(|&v| positions[v as usize]).sum::<DVec3>() / vertices.len() as f64
}
