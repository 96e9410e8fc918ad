//! Is a mesh fit to simulate? Each failure names cause, place and remedy in one line.

use crate::vector::{area_vector, distance, is_finite, norm, tet_volume};
use crate::{ElementKind, Groups, Mesh, MeshError, Point, TetMesh, TriMesh};

/// Below this ratio of determinant to (longest edge)^dimension an element is noise: its shape functions
/// lose more than half of the digits of an f64.
pub(crate) const DEGENERATE: f64 = 1e-9;

impl TetMesh {
    /// Checks, in this order: elements exist, positions are finite, indices are in range and distinct, groups
    /// are in range, volumes are positive, no tet is degenerate, no vertex is unused.
    pub fn validate(&self) -> Result<(), MeshError> {
        let kind = ElementKind::Tet;
        check_tables(kind, &self.vertices, &self.tets, &self.groups)?;
        let total = self.tets.len();
        let inverted = first_and_count(self.tet_volumes().into_iter().map(|v| (!above(v, 0.0)).then_some(v)));
        if let Some((first, volume, count)) = inverted {
            return Err(MeshError::Inverted { count, total, first, volume });
        }
        let shapes = (0..total).map(|t| {
            let corners = self.corners(t);
            (6.0 * tet_volume(corners), longest_edge(&corners), 3)
        });
        check_degenerate(kind, shapes)?;
        check_unused(self.vertices.len(), &self.tets)
    }
}

impl TriMesh {
    /// Checks, in this order: elements exist, positions are finite, indices are in range and distinct, groups
    /// are in range, no triangle is degenerate, no vertex is unused.
    pub fn validate(&self) -> Result<(), MeshError> {
        let kind = ElementKind::Triangle;
        check_tables(kind, &self.vertices, &self.triangles, &self.groups)?;
        let shapes = (0..self.triangles.len()).map(|t| {
            let corners = self.corners(t);
            (norm(area_vector(corners)), longest_edge(&corners), 2)
        });
        check_degenerate(kind, shapes)?;
        check_unused(self.vertices.len(), &self.triangles)
    }
}

impl Mesh {
    /// [`TetMesh::validate`] or [`TriMesh::validate`].
    pub fn validate(&self) -> Result<(), MeshError> {
        match self {
            Self::Tet(m) => m.validate(),
            Self::Tri(m) => m.validate(),
        }
    }
}

/// False for NaN, which comes from overflow: such an element is as useless as a flat one.
fn above(value: f64, bound: f64) -> bool {
    value > bound
}

/// The first hit as `(index, value)` and the number of hits.
fn first_and_count<T>(hits: impl Iterator<Item = Option<T>>) -> Option<(usize, T, usize)> {
    let mut found = hits.enumerate().filter_map(|(i, hit)| hit.map(|value| (i, value)));
    let (first, value) = found.next()?;
    Some((first, value, 1 + found.count()))
}

/// Checks what does not need geometry.
fn check_tables<const N: usize>(
    kind: ElementKind,
    vertices: &[Point],
    elements: &[[u32; N]],
    groups: &Groups,
) -> Result<(), MeshError> {
    if elements.is_empty() {
        return Err(MeshError::NoElements { kind });
    }
    check_finite(vertices)?;
    check_indices(kind, vertices.len(), elements)?;
    for (element, corners) in elements.iter().enumerate() {
        for (k, &index) in corners.iter().enumerate() {
            if corners[..k].contains(&index) {
                return Err(MeshError::RepeatedIndex { kind, element, index });
            }
        }
    }
    check_groups(vertices.len(), elements.len(), groups)
}

/// Checks that every position is a number.
pub(crate) fn check_finite(vertices: &[Point]) -> Result<(), MeshError> {
    match vertices.iter().position(|&p| !is_finite(p)) {
        Some(vertex) => Err(MeshError::NonFiniteVertex { vertex, position: vertices[vertex] }),
        None => Ok(()),
    }
}

/// Checks that every element index names a vertex, so that geometry may be read.
pub(crate) fn check_indices<const N: usize>(
    kind: ElementKind,
    vertices: usize,
    elements: &[[u32; N]],
) -> Result<(), MeshError> {
    for (element, corners) in elements.iter().enumerate() {
        if let Some(&index) = corners.iter().find(|&&i| i as usize >= vertices) {
            return Err(MeshError::IndexOutOfRange { kind, element, index, vertices });
        }
    }
    Ok(())
}

pub(crate) fn check_groups(vertices: usize, elements: usize, groups: &Groups) -> Result<(), MeshError> {
    for (name, group) in groups {
        for (what, list, count) in
            [("vertex", &group.vertices, vertices), ("element", &group.elements, elements)]
        {
            if let Some(&index) = list.iter().find(|&&i| i as usize >= count) {
                return Err(MeshError::GroupOutOfRange { group: name.clone(), what, index, count });
            }
        }
    }
    Ok(())
}

/// `shapes` yields the determinant, the longest edge and the dimension of each element.
fn check_degenerate(
    kind: ElementKind,
    shapes: impl Iterator<Item = (f64, f64, i32)>,
) -> Result<(), MeshError> {
    let hit = first_and_count(shapes.map(|(det, edge, dimension)| {
        let ratio = det / edge.powi(dimension);
        (!above(ratio, DEGENERATE)).then_some((ratio, edge))
    }));
    match hit {
        Some((first, (ratio, edge), count)) => Err(MeshError::Degenerate { kind, count, first, ratio, edge }),
        None => Ok(()),
    }
}

fn check_unused<const N: usize>(vertices: usize, elements: &[[u32; N]]) -> Result<(), MeshError> {
    let mut used = vec![false; vertices];
    for &i in elements.iter().flatten() {
        used[i as usize] = true;
    }
    match first_and_count(used.into_iter().map(|u| (!u).then_some(()))) {
        Some((first, (), count)) => Err(MeshError::UnusedVertices { count, first }),
        None => Ok(()),
    }
}

pub(crate) fn longest_edge(corners: &[Point]) -> f64 {
    edge_lengths(corners).fold(0.0, f64::max)
}

/// Distances of all pairs of corners.
pub(crate) fn edge_lengths(corners: &[Point]) -> impl Iterator<Item = f64> {
    (0..corners.len()).flat_map(move |i| (0..i).map(move |j| distance(corners[i], corners[j])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Group;
    use crate::boundary::tests::unit_tet;

    fn error(change: impl Fn(&mut TetMesh)) -> MeshError {
        let mut mesh = unit_tet();
        change(&mut mesh);
        let error = mesh.validate().unwrap_err();
        assert_eq!(error.to_string().lines().count(), 1);
        // As text, because NaN differs from itself.
        assert_eq!(Mesh::Tet(mesh).validate().unwrap_err().to_string(), error.to_string());
        error
    }

    #[test]
    fn good_meshes_pass() {
        unit_tet().validate().unwrap();
        Mesh::from(crate::cloth([1.0, 1.0], 3).unwrap()).validate().unwrap();
    }

    #[test]
    fn each_fault_of_a_tet_mesh_is_named() {
        let kind = ElementKind::Tet;
        assert_eq!(error(|m| m.tets.clear()), MeshError::NoElements { kind });
        assert_eq!(
            error(|m| m.tets[0][2] = 9),
            MeshError::IndexOutOfRange { kind, element: 0, index: 9, vertices: 4 }
        );
        assert_eq!(error(|m| m.tets[0][2] = 1), MeshError::RepeatedIndex { kind, element: 0, index: 1 });
        assert!(matches!(
            error(|m| m.vertices[3][1] = f64::NAN),
            MeshError::NonFiniteVertex { vertex: 3, .. }
        ));
        let MeshError::Inverted { count: 1, total: 1, first: 0, volume } = error(|m| m.tets[0].swap(2, 3))
        else {
            panic!("expected an inverted tet")
        };
        assert!((volume + 1.0 / 6.0).abs() < 1e-15);
        assert!(matches!(error(|m| m.vertices[3][2] = 0.0), MeshError::Inverted { .. }));
        assert!(matches!(
            error(|m| m.vertices[3][2] = 1e-12),
            MeshError::Degenerate { count: 1, first: 0, .. }
        ));
        assert_eq!(
            error(|m| m.vertices.extend([[2.0; 3], [3.0; 3]])),
            MeshError::UnusedVertices { count: 2, first: 4 }
        );
        assert!(matches!(
            error(|m| {
                m.groups.insert("g".into(), Group { vertices: vec![4], elements: vec![] });
            }),
            MeshError::GroupOutOfRange { what: "vertex", index: 4, count: 4, .. }
        ));
    }

    #[test]
    fn a_small_mesh_is_not_degenerate() {
        let mut mesh = unit_tet();
        for p in &mut mesh.vertices {
            *p = p.map(|c| c * 1e-6);
        }
        mesh.validate().unwrap();
    }

    #[test]
    fn each_fault_of_a_triangle_mesh_is_named() {
        let good = crate::cloth([1.0, 1.0], 1).unwrap();
        let error = |change: &dyn Fn(&mut TriMesh)| {
            let mut mesh = good.clone();
            change(&mut mesh);
            mesh.validate().unwrap_err()
        };
        let kind = ElementKind::Triangle;
        assert_eq!(error(&|m| m.triangles.clear()), MeshError::NoElements { kind });
        assert!(matches!(error(&|m| m.triangles[1][0] = 7), MeshError::IndexOutOfRange { element: 1, .. }));
        assert!(matches!(error(&|m| m.triangles[0] = [0, 1, 1]), MeshError::RepeatedIndex { index: 1, .. }));
        assert!(matches!(
            error(&|m| m.vertices[4] = m.vertices[0]),
            MeshError::Degenerate { kind: ElementKind::Triangle, .. }
        ));
        assert!(matches!(error(&|m| m.vertices.push([0.0; 3])), MeshError::UnusedVertices { first: 5, .. }));
        assert!(matches!(
            error(&|m| m.vertices[0][0] = f64::INFINITY),
            MeshError::NonFiniteVertex { vertex: 0, .. }
        ));
    }
}
