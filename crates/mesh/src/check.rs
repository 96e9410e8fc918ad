//! Is a mesh fit to simulate? Each failure names cause, place and remedy in one line. The single checks are for code that
//! takes meshes which were not validated.

use crate::measure::longest_edge;
use crate::topology::used_vertices;
use crate::vector::{area_vector, tet_volume};
use crate::{DVec3, ElementKind, Groups, Mesh, MeshError, TetMesh, TriMesh};
use rayon::prelude::*;

/// Below this ratio of determinant to (longest edge)^dimension an element is noise: its shape functions
/// lose more than half of the digits of an f64.
pub const DEGENERATE: f64 = 1e-9;

/// Numbers that are looked at together.
const BLOCK: usize = 1 << 16;

impl TetMesh {
    /// Checks, in this order: elements exist, positions are finite, indices are in range and distinct, groups
    /// are in range, volumes are positive, no tet is degenerate, no vertex is unused.
    pub fn validate(&self) -> Result<(), MeshError> {
        let kind = ElementKind::Tet;
        check_tables(kind, &self.vertices, &self.tets, &self.groups)?;
        let total = self.tets.len();
        let volume = |t: usize| tet_volume(self.corners(t));
        if let Some((first, count)) = first_and_count(total, |t| !above(volume(t), 0.0)) {
            return Err(MeshError::Inverted { count, total, first, volume: volume(first) });
        }
        check_degenerate(kind, total, |t| {
            let corners = self.corners(t);
            (6.0 * tet_volume(corners), longest_edge(&corners), 3)
        })?;
        check_unused(self.vertices.len(), &self.tets)
    }
}

impl TriMesh {
    /// Checks, in this order: elements exist, positions are finite, indices are in range and distinct, groups
    /// are in range, no triangle is degenerate, no vertex is unused.
    pub fn validate(&self) -> Result<(), MeshError> {
        let kind = ElementKind::Triangle;
        check_tables(kind, &self.vertices, &self.triangles, &self.groups)?;
        check_degenerate(kind, self.triangles.len(), |t| {
            let corners = self.corners(t);
            (area_vector(corners).length(), longest_edge(&corners), 2)
        })?;
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

/// The first of `count` numbers for which `is_bad` holds.
pub fn find_first(count: usize, is_bad: impl Fn(usize) -> bool + Sync) -> Option<usize> {
    let blocks = count.div_ceil(BLOCK);
    let block = |block: usize| block * BLOCK..count.min((block + 1) * BLOCK);
    let bad = (0..blocks).into_par_iter().find_first(|&b| block(b).any(&is_bad))?;
    block(bad).find(|&i| is_bad(i))
}

/// The first of `total` elements that is hit, and how many are.
fn first_and_count(total: usize, is_hit: impl Fn(usize) -> bool + Sync) -> Option<(usize, usize)> {
    let first = find_first(total, &is_hit)?;
    Some((first, (first..total).into_par_iter().filter(|&i| is_hit(i)).count()))
}

/// Checks what does not need geometry.
fn check_tables<const N: usize>(
    kind: ElementKind,
    vertices: &[DVec3],
    elements: &[[u32; N]],
    groups: &Groups,
) -> Result<(), MeshError> {
    check_readable(kind, vertices, elements, groups)?;
    let repeated = |element: usize| {
        let corners = &elements[element];
        (1..N).find(|&k| corners[..k].contains(&corners[k])).map(|k| corners[k])
    };
    if let Some(element) = find_first(elements.len(), |e| repeated(e).is_some())
        && let Some(index) = repeated(element)
    {
        return Err(MeshError::RepeatedIndex { kind, element, index });
    }
    Ok(())
}

/// Checks that there is something, that every position is a number and that every index names something.
pub fn check_readable<const N: usize>(
    kind: ElementKind,
    vertices: &[DVec3],
    elements: &[[u32; N]],
    groups: &Groups,
) -> Result<(), MeshError> {
    if elements.is_empty() {
        return Err(MeshError::NoElements { kind });
    }
    check_finite(vertices)?;
    check_indices(kind, vertices.len(), elements)?;
    check_groups(vertices.len(), elements.len(), groups)
}

/// Checks that every position is a number.
pub fn check_finite(vertices: &[DVec3]) -> Result<(), MeshError> {
    match find_first(vertices.len(), |i| !vertices[i].is_finite()) {
        Some(vertex) => Err(MeshError::NonFiniteVertex { vertex, position: vertices[vertex] }),
        None => Ok(()),
    }
}

/// Checks that every element index names a vertex, so that geometry may be read.
pub fn check_indices<const N: usize>(
    kind: ElementKind,
    vertices: usize,
    elements: &[[u32; N]],
) -> Result<(), MeshError> {
    let largest = |element: usize| elements[element].iter().fold(0, |most, &i| i.max(most));
    let Some(element) = find_first(elements.len(), |e| largest(e) as usize >= vertices) else {
        return Ok(());
    };
    let index = elements[element].into_iter().find(|&i| i as usize >= vertices).unwrap_or_default();
    Err(MeshError::IndexOutOfRange { kind, element, index, vertices })
}

/// Checks that every index in a group names something.
pub fn check_groups(vertices: usize, elements: usize, groups: &Groups) -> Result<(), MeshError> {
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

/// `shape` gives the determinant, the longest edge and the dimension of an element.
fn check_degenerate(
    kind: ElementKind,
    total: usize,
    shape: impl Fn(usize) -> (f64, f64, i32) + Sync,
) -> Result<(), MeshError> {
    let ratio = |element: usize| {
        let (det, edge, dimension) = shape(element);
        (det / edge.powi(dimension), edge)
    };
    match first_and_count(total, |e| !above(ratio(e).0, DEGENERATE)) {
        Some((first, count)) => {
            let (ratio, edge) = ratio(first);
            Err(MeshError::Degenerate { kind, count, first, ratio, edge })
        }
        None => Ok(()),
    }
}

fn check_unused<const N: usize>(vertices: usize, elements: &[[u32; N]]) -> Result<(), MeshError> {
    let used = used_vertices(vertices, elements);
    match first_and_count(vertices, |i| !used[i]) {
        Some((first, count)) => Err(MeshError::UnusedVertices { count, first }),
        None => Ok(()),
    }
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
    fn the_first_is_found_in_any_block() {
        let count = 3 * BLOCK + 17;
        for first in [0, 7, BLOCK, 2 * BLOCK + 1, count - 1] {
            assert_eq!(find_first(count, |i| i >= first), Some(first));
        }
        assert_eq!(find_first(count, |_| false), None);
        assert_eq!(find_first(0, |_| true), None);
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
            error(|m| m.vertices.extend([2.0, 3.0].map(DVec3::splat))),
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
            *p *= 1e-6;
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
        assert!(matches!(
            error(&|m| m.vertices.push(DVec3::ZERO)),
            MeshError::UnusedVertices { first: 5, .. }
        ));
        assert!(matches!(
            error(&|m| m.vertices[0][0] = f64::INFINITY),
            MeshError::NonFiniteVertex { vertex: 0, .. }
        ));
    }
}
