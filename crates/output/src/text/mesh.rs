//! A mesh in a line.

use pliant_mesh::Mesh;

/// `5292 vertices, 26364 tets, 6 groups`.
pub fn mesh_line(mesh: &Mesh) -> String {
    let (vertices, elements, groups) = (mesh.vertices().len(), mesh.element_count(), mesh.groups().len());
    let mut text = format!("{}, {}", count(vertices, "vertex", "vertices"), elements_of(mesh, elements));
    if groups > 0 {
        text.push_str(&format!(", {}", count(groups, "group", "groups")));
    }
    text
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
