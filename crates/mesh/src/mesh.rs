//! Meshes and their named groups.

use crate::DVec3;
use std::collections::BTreeMap;

/// Named subsets of a mesh, for example the physical groups of a Gmsh file.
pub type Groups = BTreeMap<String, Group>;

/// The vertices and elements that carry one name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// Vertex indices, ascending and unique.
    pub vertices: Vec<u32>,
    /// Element indices (tets of a [`TetMesh`], triangles of a [`TriMesh`]), ascending and unique.
    pub elements: Vec<u32>,
}

/// A tetrahedral mesh. A tet `[a, b, c, d]` is positively oriented: `det(b-a, c-a, d-a) > 0`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TetMesh {
    /// Vertex positions.
    pub vertices: Vec<DVec3>,
    /// Vertex indices of each tetrahedron.
    pub tets: Vec<[u32; 4]>,
    /// Named subsets.
    pub groups: Groups,
}

/// A triangle mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriMesh {
    /// Vertex positions.
    pub vertices: Vec<DVec3>,
    /// Vertex indices of each triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Named subsets.
    pub groups: Groups,
}

/// A mesh of either kind: a volume or a surface.
#[derive(Clone, Debug, PartialEq)]
pub enum Mesh {
    /// A solid.
    Tet(TetMesh),
    /// A surface, cloth or membrane.
    Tri(TriMesh),
}

impl Mesh {
    /// The boundary of a volume, or the triangles of a surface.
    pub fn surface_triangles(&self) -> Vec<[u32; 3]> {
        match self {
            Self::Tet(m) => m.boundary(),
            Self::Tri(m) => m.triangles.clone(),
        }
    }

    /// Vertex positions.
    pub fn vertices(&self) -> &[DVec3] {
        match self {
            Self::Tet(m) => &m.vertices,
            Self::Tri(m) => &m.vertices,
        }
    }

    /// Vertex positions, to move them.
    pub fn vertices_mut(&mut self) -> &mut [DVec3] {
        match self {
            Self::Tet(m) => &mut m.vertices,
            Self::Tri(m) => &mut m.vertices,
        }
    }

    /// Named subsets.
    pub fn groups(&self) -> &Groups {
        match self {
            Self::Tet(m) => &m.groups,
            Self::Tri(m) => &m.groups,
        }
    }

    /// Number of tets or triangles.
    pub fn element_count(&self) -> usize {
        match self {
            Self::Tet(m) => m.tets.len(),
            Self::Tri(m) => m.triangles.len(),
        }
    }
}

impl From<TetMesh> for Mesh {
    fn from(mesh: TetMesh) -> Self {
        Self::Tet(mesh)
    }
}

impl From<TriMesh> for Mesh {
    fn from(mesh: TriMesh) -> Self {
        Self::Tri(mesh)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::tests::unit_tet;

    #[test]
    fn mesh_accessors_agree_for_both_kinds() {
        let tet = unit_tet();
        let tri =
            TriMesh { vertices: tet.vertices.clone(), triangles: tet.boundary(), groups: Groups::new() };
        let (mut tet, tri) = (Mesh::from(tet), Mesh::from(tri));
        assert_eq!(tet.surface_triangles(), tri.surface_triangles());
        assert_eq!((tet.element_count(), tri.element_count()), (1, 4));
        assert!(tet.groups().is_empty() && tri.groups().is_empty());
        tet.vertices_mut()[0] = DVec3::NEG_X;
        assert_eq!(tet.vertices()[0], DVec3::NEG_X);
        assert_eq!(tri.vertices()[0], DVec3::ZERO);
    }
}
