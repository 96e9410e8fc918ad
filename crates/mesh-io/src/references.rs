//! Groups from the integers that MEDIT and TetGen files have at vertices and elements.

use super::budget::Budget;
use super::groups::{Part, add_corners, unnamed};
use super::{Contents, ReadError};
use pliant_mesh::{DVec3, Groups, Mesh, TetMesh, TriMesh};

/// Elements with their references; zero where there is none.
pub(super) struct Referenced<const N: usize> {
    pub elements: Vec<[u32; N]>,
    pub references: Vec<i64>,
}

impl<const N: usize> Default for Referenced<N> {
    fn default() -> Self {
        Self { elements: Vec::new(), references: Vec::new() }
    }
}

/// What a file has of a mesh.
#[derive(Default)]
pub(super) struct Tables {
    pub vertices: Vec<DVec3>,
    pub vertex_references: Vec<i64>,
    pub triangles: Referenced<3>,
    pub tets: Referenced<4>,
}

impl Tables {
    /// The mesh with groups that are called after the references: `region_3` for tets, `ref_3` for triangles,
    /// `vertex_ref_3`. Triangles beside tets only give groups of vertices.
    pub fn finish(
        self,
        budget: &mut Budget,
        format: &str,
        mut notes: Vec<String>,
    ) -> Result<Contents, ReadError> {
        let groups = self.unnamed_groups(budget, &mut notes)?;
        let mesh = if self.tets.elements.is_empty() {
            Mesh::Tri(TriMesh { vertices: self.vertices, triangles: self.triangles.elements, groups })
        } else {
            Mesh::Tet(TetMesh { vertices: self.vertices, tets: self.tets.elements, groups })
        };
        Ok(Contents { mesh, format: format.to_string(), notes })
    }

    fn unnamed_groups(&self, budget: &mut Budget, notes: &mut Vec<String>) -> Result<Groups, ReadError> {
        let count = self.vertices.len();
        let mut regions = Groups::new();
        notes.extend(unnamed(&mut regions, Part::Elements, "region", &self.tets.references, budget)?);
        add_corners(&mut regions, &self.tets.elements, count, budget)?;
        let mut groups = Groups::new();
        notes.extend(unnamed(&mut groups, Part::Elements, "ref", &self.triangles.references, budget)?);
        add_corners(&mut groups, &self.triangles.elements, count, budget)?;
        if !self.tets.elements.is_empty() {
            groups.values_mut().for_each(|group| group.elements = Vec::new());
        }
        groups.append(&mut regions);
        notes.extend(unnamed(&mut groups, Part::Vertices, "vertex_ref", &self.vertex_references, budget)?);
        Ok(groups)
    }
}
