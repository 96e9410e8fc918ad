//! A mesh in a line, or in a few keys.

pub use pliant_output::text::{count, elements_of, kind, mesh_line as line};

use pliant_mesh::Mesh;
use serde_json::{Value, json};

/// A mesh as JSON.
pub fn json(mesh: &Mesh) -> Value {
    json!({
        "kind": kind(mesh), "vertices": mesh.vertices().len(), "elements": mesh.element_count(),
        "groups": mesh.groups().keys().collect::<Vec<_>>(),
    })
}

/// The notes as lines of text.
pub fn notes(notes: &[String]) -> impl Iterator<Item = String> {
    notes.iter().map(|note| format!("note: {note}"))
}
