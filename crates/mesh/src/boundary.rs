//! The surface of a volume.

use crate::topology::{FaceUse, drop_unused, face_uses, sorted_unique};
use crate::{Group, Groups, TetMesh, TriMesh};

impl TetMesh {
    /// The triangles that belong to exactly one tet, oriented outward, in the order of the tets.
    pub fn boundary(&self) -> Vec<[u32; 3]> {
        single_faces(&self.tets).iter().map(|face| face.outward(&self.tets)).collect()
    }

    /// The boundary as a mesh of its own, without the vertices inside.
    ///
    /// Groups keep their vertices on the boundary. A group of tets gets the triangles of its tets, a group of
    /// vertices only those with all corners in it. Groups that have nothing on the boundary are left out.
    pub fn surface(&self) -> TriMesh {
        let single = single_faces(&self.tets);
        let mut triangles: Vec<[u32; 3]> = single.iter().map(|face| face.outward(&self.tets)).collect();
        let mut groups = Groups::new();
        for (name, group) in &self.groups {
            let is_part = |i: usize| match &group.elements[..] {
                [] => triangles[i].iter().all(|v| group.vertices.binary_search(v).is_ok()),
                tets => tets.binary_search(&((single[i].id / 4) as u32)).is_ok(),
            };
            let elements = (0..triangles.len()).filter(|&i| is_part(i)).map(|i| i as u32).collect();
            groups.insert(name.clone(), Group { vertices: group.vertices.clone(), elements });
        }
        let mut vertices = self.vertices.clone();
        drop_unused(&mut vertices, &mut triangles, &mut groups);
        TriMesh { vertices, triangles, groups }
    }

    /// The vertices on the boundary, ascending.
    pub fn boundary_vertices(&self) -> Vec<u32> {
        sorted_unique(self.boundary().into_iter().flatten().collect())
    }
}

/// The faces that belong to exactly one tet, in the order of the tets.
fn single_faces(tets: &[[u32; 4]]) -> Vec<FaceUse> {
    // Sorting instead of hashing makes the result independent of any hash seed.
    let uses = face_uses(tets);
    let mut single: Vec<FaceUse> =
        uses.chunk_by(|a, b| a.key == b.key).filter(|run| run.len() == 1).map(|run| run[0]).collect();
    single.sort_unstable_by_key(|face| face.id);
    single
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::DVec3;
    use crate::vector::area_vector;
    use std::collections::BTreeMap;

    pub(crate) fn unit_tet() -> TetMesh {
        TetMesh {
            vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z],
            tets: vec![[0, 1, 2, 3]],
            groups: Groups::new(),
        }
    }

    /// Asserts that each directed edge is met by its opposite exactly once, then returns `V - E + F`.
    pub(crate) fn closed_euler(triangles: &[[u32; 3]]) -> i64 {
        let mut edges: BTreeMap<(u32, u32), [i64; 2]> = BTreeMap::new();
        for t in triangles {
            for k in 0..3 {
                let (a, b) = (t[k], t[(k + 1) % 3]);
                edges.entry((a.min(b), a.max(b))).or_default()[usize::from(a > b)] += 1;
            }
        }
        assert!(edges.values().all(|&n| n == [1, 1]), "surface is open or badly oriented");
        let vertices = sorted_unique(triangles.iter().flatten().copied().collect()).len();
        vertices as i64 - edges.len() as i64 + triangles.len() as i64
    }

    /// Volume enclosed by a closed surface (divergence theorem): positive only if oriented outward.
    pub(crate) fn enclosed_volume(vertices: &[DVec3], triangles: &[[u32; 3]]) -> f64 {
        triangles
            .iter()
            .map(|t| t.map(|i| vertices[i as usize]))
            .map(|c| area_vector(c).dot(c[0]) / 6.0)
            .sum()
    }

    #[test]
    fn one_tet_has_four_outward_faces() {
        let mesh = unit_tet();
        assert_eq!(mesh.boundary(), vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]);
        assert_eq!(mesh.boundary_vertices(), vec![0, 1, 2, 3]);
        assert!((enclosed_volume(&mesh.vertices, &mesh.boundary()) - 1.0 / 6.0).abs() < 1e-15);
        assert_eq!(closed_euler(&mesh.boundary()), 2);
    }

    #[test]
    fn shared_face_is_inside() {
        let mut mesh = unit_tet();
        mesh.vertices.push(DVec3::ONE);
        mesh.tets.push([1, 2, 3, 4]);
        assert_eq!(mesh.boundary().len(), 6);
        assert_eq!(closed_euler(&mesh.boundary()), 2);
    }

    #[test]
    fn the_surface_is_a_mesh_with_the_groups_on_it() {
        let mut mesh = crate::block([1.0; 3], [2, 2, 2]).unwrap();
        let inner = (0..27).find(|&v| mesh.vertices[v as usize] == DVec3::splat(0.5)).unwrap();
        mesh.groups.insert("inside".into(), Group { vertices: vec![inner], elements: vec![] });
        mesh.groups.insert("tets".into(), Group { vertices: vec![], elements: vec![0, 1] });
        let surface = mesh.surface();
        surface.validate().unwrap();
        assert_eq!((surface.vertices.len(), surface.triangles.len()), (26, 48));
        assert!((enclosed_volume(&surface.vertices, &surface.triangles) - 1.0).abs() < 1e-12);
        assert!(!surface.groups.contains_key("inside"));
        assert_eq!((surface.groups["x_min"].vertices.len(), surface.groups["x_min"].elements.len()), (9, 8));
        let of_tets = mesh
            .boundary()
            .iter()
            .filter(|f| f.iter().all(|v| mesh.tets[..2].iter().any(|t| t.contains(v))))
            .count();
        assert!(
            of_tets >= surface.groups["tets"].elements.len() && !surface.groups["tets"].elements.is_empty()
        );
    }
}
