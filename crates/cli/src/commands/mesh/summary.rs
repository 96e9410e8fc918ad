//! A mesh in a line, or in a few keys.

use pliant_mesh::Mesh;
use serde_json::{Value, json};

/// `5292 vertices, 26364 tets, 6 groups`.
pub fn line(mesh: &Mesh) -> String {
    let (vertices, elements, groups) = (mesh.vertices().len(), mesh.element_count(), mesh.groups().len());
    let mut text = format!("{}, {}", count(vertices, "vertex", "vertices"), elements_of(mesh, elements));
    if groups > 0 {
        text.push_str(&format!(", {}", count(groups, "group", "groups")));
    }
    text
}

/// The same as JSON.
pub fn json(mesh: &Mesh) -> Value {
    json!({
        "kind": kind(mesh), "vertices": mesh.vertices().len(), "elements": mesh.element_count(),
        "groups": mesh.groups().keys().collect::<Vec<_>>(),
    })
}

/// `tet` or `triangle`.
pub fn kind(mesh: &Mesh) -> &'static str {
    match mesh {
        Mesh::Tet(_) => "tet",
        Mesh::Tri(_) => "triangle",
    }
}

/// A number of elements of the kind of this mesh.
pub fn elements_of(mesh: &Mesh, n: usize) -> String {
    match mesh {
        Mesh::Tet(_) => count(n, "tet", "tets"),
        Mesh::Tri(_) => count(n, "triangle", "triangles"),
    }
}

/// `1 vertex`, `2 vertices`.
pub fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// The notes as lines of text.
pub fn notes(notes: &[String]) -> impl Iterator<Item = String> {
    notes.iter().map(|note| format!("note: {note}"))
}
