//! From a mesh as it is in its file to one that can be simulated: orientation and unused vertices.

use crate::check::check_indices;
use crate::orient::turn_misoriented;
use crate::topology::drop_unused;
use crate::{ElementKind, Mesh};

impl Mesh {
    /// Makes a mesh from a file fit to simulate, as far as that takes no guessing, and reports the
    /// changes: `8 tets turned`, `3 unused vertices removed`.
    ///
    /// Tets written in the other orientation are turned; a tet folded over its neighbours is not, so
    /// [`validate`](Self::validate) refuses it. Vertices that no element uses are removed, and groups without
    /// any vertex or element. A mesh with indices out of range is left as it is.
    pub fn tidy(&mut self) -> Vec<String> {
        let mut changes = Vec::new();
        let removed = match self {
            Self::Tet(m) => {
                if check_indices(ElementKind::Tet, m.vertices.len(), &m.tets).is_err() {
                    return changes;
                }
                let turned = turn_misoriented(m);
                if turned > 0 {
                    changes.push(format!("{turned} {} turned", if turned == 1 { "tet" } else { "tets" }));
                }
                drop_unused(&mut m.vertices, &mut m.tets, &mut m.groups)
            }
            Self::Tri(m) => {
                if check_indices(ElementKind::Triangle, m.vertices.len(), &m.triangles).is_err() {
                    return changes;
                }
                drop_unused(&mut m.vertices, &mut m.triangles, &mut m.groups)
            }
        };
        if removed > 0 {
            let vertices = if removed == 1 { "vertex" } else { "vertices" };
            changes.push(format!("{removed} unused {vertices} removed"));
        }
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DVec3;
    use crate::Group;
    use crate::boundary::tests::unit_tet;

    #[test]
    fn changes_are_reported() {
        let mut mesh = unit_tet();
        mesh.vertices.insert(2, DVec3::splat(9.0));
        mesh.tets = vec![[0, 1, 4, 3]];
        mesh.groups.insert("loose".into(), Group { vertices: vec![2], elements: vec![] });
        mesh.groups.insert("part".into(), Group { vertices: vec![2, 3], elements: vec![] });
        let mut mesh = Mesh::Tet(mesh);
        assert!(mesh.validate().is_err());
        assert_eq!(mesh.tidy(), ["1 tet turned", "1 unused vertex removed"]);
        mesh.validate().unwrap();
        let Mesh::Tet(tidied) = &mesh else { panic!("expected tets") };
        assert_eq!((&tidied.vertices, &tidied.tets), (&unit_tet().vertices, &unit_tet().tets));
        assert_eq!(tidied.groups.keys().collect::<Vec<_>>(), ["part"]);
        assert_eq!(tidied.groups["part"].vertices, [2]);
        assert!(mesh.tidy().is_empty());
    }

    #[test]
    fn surfaces_lose_unused_vertices_only() {
        let mut cloth = crate::cloth([1.0, 1.0], 2).unwrap();
        let good = cloth.clone();
        cloth.vertices.push(DVec3::splat(7.0));
        cloth.vertices.push(DVec3::splat(8.0));
        let mut mesh = Mesh::Tri(cloth);
        assert_eq!(mesh.tidy(), ["2 unused vertices removed"]);
        assert_eq!(mesh, Mesh::Tri(good));
    }

    #[test]
    fn broken_meshes_are_left() {
        let mut mesh = unit_tet();
        mesh.tets[0][0] = 7;
        let mut mesh = Mesh::Tet(mesh);
        assert!(mesh.tidy().is_empty());
        let mut mesh = unit_tet();
        mesh.groups.insert("g".into(), Group { vertices: vec![99], elements: vec![5] });
        mesh.vertices.push(DVec3::ZERO);
        assert_eq!(Mesh::Tet(mesh).tidy(), ["1 unused vertex removed"]);
    }
}
