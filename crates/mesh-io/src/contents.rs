//! What a reader gives.

use pliant_mesh::Mesh;

/// A mesh as it is in its file.
#[derive(Clone, Debug, PartialEq)]
pub struct Contents {
    /// Vertices and elements in the order of the file, unused vertices and inverted elements included.
    pub mesh: Mesh,
    /// The format, for people: `Gmsh MSH 4.1 ASCII`, `STL binary`, ...
    pub format: String,
    /// What was changed or left out in reading, for people: `12 quads cut into triangles`, ...
    pub notes: Vec<String>,
}
