//! Volume, area and bounds.
//!
//! These take the connectivity as checked: an index out of range panics, so validate foreign data first.

use crate::vector::{area_vector, tet_volume};
use crate::{DVec3, Mesh, TetMesh, TriMesh};

impl TetMesh {
    /// Corner positions of tet `t`. Panics if an index is out of range.
    pub fn corners(&self, t: usize) -> [DVec3; 4] {
        self.tets[t].map(|i| self.vertices[i as usize])
    }

    /// Signed volume of each tet, `det(b-a, c-a, d-a) / 6`. Panics if an index is out of range.
    pub fn tet_volumes(&self) -> Vec<f64> {
        (0..self.tets.len()).map(|t| tet_volume(self.corners(t))).collect()
    }

    /// Sum of the signed tet volumes. Panics if an index is out of range.
    pub fn volume(&self) -> f64 {
        (0..self.tets.len()).map(|t| tet_volume(self.corners(t))).sum()
    }

    /// Smallest and largest coordinates; both zero for a mesh without vertices.
    pub fn bounds(&self) -> (DVec3, DVec3) {
        bounds(&self.vertices)
    }
}

impl TriMesh {
    /// Corner positions of triangle `t`. Panics if an index is out of range.
    pub fn corners(&self, t: usize) -> [DVec3; 3] {
        self.triangles[t].map(|i| self.vertices[i as usize])
    }

    /// Sum of the triangle areas. Panics if an index is out of range.
    pub fn area(&self) -> f64 {
        (0..self.triangles.len()).map(|t| area_vector(self.corners(t)).length() / 2.0).sum()
    }

    /// Smallest and largest coordinates; both zero for a mesh without vertices.
    pub fn bounds(&self) -> (DVec3, DVec3) {
        bounds(&self.vertices)
    }
}

impl Mesh {
    /// Smallest and largest coordinates; both zero for a mesh without vertices.
    pub fn bounds(&self) -> (DVec3, DVec3) {
        bounds(self.vertices())
    }
}

fn bounds(vertices: &[DVec3]) -> (DVec3, DVec3) {
    if vertices.is_empty() {
        return (DVec3::ZERO, DVec3::ZERO);
    }
    // The point comes first, so that a coordinate that is NaN is passed over.
    vertices.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(min, max), p| (p.min(min), p.max(max)))
}

/// Longest distance of two corners.
pub fn longest_edge(corners: &[DVec3]) -> f64 {
    edge_lengths(corners).fold(0.0, f64::max)
}

/// Distances of all pairs of corners.
pub fn edge_lengths(corners: &[DVec3]) -> impl Iterator<Item = f64> {
    (0..corners.len()).flat_map(move |i| (0..i).map(move |j| corners[i].distance(corners[j])))
}

/// Determinant over the longest edge to the power of the dimension: zero if degenerate, negative if inverted.
pub fn relative_size<const N: usize>(corners: [DVec3; N]) -> f64 {
    let edge = longest_edge(&corners);
    let size = match corners[..] {
        [a, b, c, d] => 6.0 * tet_volume([a, b, c, d]) / edge.powi(3),
        [a, b, c] => area_vector([a, b, c]).length() / edge.powi(2),
        _ => 0.0,
    };
    // No edge, or overflow: as useless as flat.
    if size.is_finite() { size } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::tests::unit_tet;

    #[test]
    fn unit_tet_measures() {
        let mut mesh = unit_tet();
        assert!((mesh.volume() - 1.0 / 6.0).abs() < 1e-16);
        assert_eq!(mesh.bounds(), (DVec3::ZERO, DVec3::ONE));
        mesh.tets[0].swap(0, 1);
        assert!((mesh.tet_volumes()[0] + 1.0 / 6.0).abs() < 1e-16);
        let surface = TriMesh { vertices: mesh.vertices, triangles: vec![[1, 2, 3]], ..Default::default() };
        assert!((surface.area() - 0.75_f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn empty_mesh_has_zero_bounds() {
        assert_eq!(TetMesh::default().bounds(), (DVec3::ZERO, DVec3::ZERO));
        assert_eq!(Mesh::Tri(TriMesh::default()).bounds(), (DVec3::ZERO, DVec3::ZERO));
    }
}
