//! How well shaped are the elements? A summary for reports and for tests of the generators.

use crate::check::check_indices;
use crate::measure::edge_lengths;
use crate::topology::TET_FACES;
use crate::vector::{area_vector, tet_volume};
use crate::{DVec3, ElementKind, MeshError, TetMesh, TriMesh};

/// Shape of the tets of a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TetQuality {
    /// Worst radius ratio, three times the inscribed over the circumscribed radius: 1 is a regular tet, 0 is
    /// flat, negative is inverted.
    pub min_radius_ratio: f64,
    /// Mean of the radius ratios.
    pub mean_radius_ratio: f64,
    /// Smallest angle between two faces of a tet, degrees.
    pub min_dihedral_degrees: f64,
    /// Largest angle between two faces of a tet, degrees.
    pub max_dihedral_degrees: f64,
    /// Smallest signed volume, m^3.
    pub min_volume: f64,
    /// Shortest edge, m.
    pub shortest_edge: f64,
}

/// Shape of the triangles of a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TriQuality {
    /// Worst radius ratio, twice the inscribed over the circumscribed radius: 1 is equilateral, 0 is flat.
    pub min_radius_ratio: f64,
    /// Mean of the radius ratios.
    pub mean_radius_ratio: f64,
    /// Smallest corner angle, degrees.
    pub min_angle_degrees: f64,
    /// Largest corner angle, degrees.
    pub max_angle_degrees: f64,
    /// Smallest area, m^2.
    pub min_area: f64,
    /// Shortest edge, m.
    pub shortest_edge: f64,
}

impl TetMesh {
    /// Summary of the tets' shapes. An error if there are no tets or an index is out of range; inverted tets
    /// are allowed, so that a bad mesh can be described.
    pub fn quality(&self) -> Result<TetQuality, MeshError> {
        let kind = ElementKind::Tet;
        check_indices(kind, self.vertices.len(), &self.tets)?;
        let all = || (0..self.tets.len()).map(|t| self.corners(t));
        let (min_radius_ratio, mean_radius_ratio) =
            min_and_mean(all().map(tet_radius_ratio)).ok_or(MeshError::NoElements { kind })?;
        let (min_dihedral_degrees, max_dihedral_degrees) = range(all().flat_map(dihedrals_degrees));
        Ok(TetQuality {
            min_radius_ratio,
            mean_radius_ratio,
            min_dihedral_degrees,
            max_dihedral_degrees,
            min_volume: all().map(tet_volume).fold(f64::INFINITY, f64::min),
            shortest_edge: shortest_edge(all()),
        })
    }
}

impl TriMesh {
    /// Summary of the triangles' shapes. An error if there are none or an index is out of range.
    pub fn quality(&self) -> Result<TriQuality, MeshError> {
        let kind = ElementKind::Triangle;
        check_indices(kind, self.vertices.len(), &self.triangles)?;
        let all = || (0..self.triangles.len()).map(|t| self.corners(t));
        let (min_radius_ratio, mean_radius_ratio) =
            min_and_mean(all().map(triangle_radius_ratio)).ok_or(MeshError::NoElements { kind })?;
        let (min_angle_degrees, max_angle_degrees) = range(all().flat_map(angles_degrees));
        Ok(TriQuality {
            min_radius_ratio,
            mean_radius_ratio,
            min_angle_degrees,
            max_angle_degrees,
            min_area: all().map(|c| area_vector(c).length() / 2.0).fold(f64::INFINITY, f64::min),
            shortest_edge: shortest_edge(all()),
        })
    }
}

fn min_and_mean(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let (min, sum, n) =
        values.fold((f64::INFINITY, 0.0, 0usize), |(min, sum, n), v| (min.min(v), sum + v, n + 1));
    (n > 0).then(|| (min, sum / n as f64))
}

fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), v| (min.min(v), max.max(v)))
}

fn shortest_edge<const N: usize>(elements: impl Iterator<Item = [DVec3; N]>) -> f64 {
    elements.map(|c| edge_lengths(&c).fold(f64::INFINITY, f64::min)).fold(f64::INFINITY, f64::min)
}

/// `3 r / R` with `r = 3 V / (sum of face areas)` and, from the products `p` of opposite edge lengths,
/// `R = sqrt((p0+p1+p2)(p0+p1-p2)(p1+p2-p0)(p2+p0-p1)) / (24 V)`. Zero where it is undefined.
pub fn tet_radius_ratio(corners: [DVec3; 4]) -> f64 {
    let [a, b, c, d] = corners;
    let volume = tet_volume(corners);
    let area: f64 = TET_FACES.iter().map(|f| area_vector(f.map(|k| corners[k])).length() / 2.0).sum();
    let p0 = a.distance(b) * c.distance(d);
    let p1 = a.distance(c) * b.distance(d);
    let p2 = a.distance(d) * b.distance(c);
    let product = (p0 + p1 + p2) * (p0 + p1 - p2) * (p1 + p2 - p0) * (p2 + p0 - p1);
    let denominator = area * product.max(0.0).sqrt();
    if denominator > 0.0 { 216.0 * volume * volume.abs() / denominator } else { 0.0 }
}

/// `2 r / R = (b+c-a)(c+a-b)(a+b-c) / (a b c)` for edge lengths `a, b, c`. Zero where it is undefined.
pub fn triangle_radius_ratio([p, q, r]: [DVec3; 3]) -> f64 {
    let (a, b, c) = (q.distance(r), r.distance(p), p.distance(q));
    let product = a * b * c;
    if product > 0.0 { ((b + c - a) * (c + a - b) * (a + b - c) / product).max(0.0) } else { 0.0 }
}

/// The six angles between faces, measured inside the tet.
pub fn dihedrals_degrees(corners: [DVec3; 4]) -> impl Iterator<Item = f64> {
    let normals = TET_FACES.map(|f| area_vector(f.map(|k| corners[k])));
    (0..4).flat_map(move |i| (0..i).map(move |j| 180.0 - angle_degrees(normals[i], normals[j])))
}

/// The angles at the corners.
pub fn angles_degrees(c: [DVec3; 3]) -> [f64; 3] {
    std::array::from_fn(|k| angle_degrees(c[(k + 1) % 3] - c[k], c[(k + 2) % 3] - c[k]))
}

/// Angle between two vectors; atan2 stays accurate near 0 and 180 degrees, where acos does not.
fn angle_degrees(a: DVec3, b: DVec3) -> f64 {
    a.cross(b).length().atan2(a.dot(b)).to_degrees()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::tests::unit_tet;

    #[test]
    fn regular_tet_has_quality_one() {
        let mut mesh = unit_tet();
        mesh.vertices = vec![
            DVec3::ONE,
            DVec3::new(-1.0, 1.0, -1.0),
            DVec3::new(1.0, -1.0, -1.0),
            DVec3::new(-1.0, -1.0, 1.0),
        ];
        let q = mesh.quality().unwrap();
        let dihedral = (1.0_f64 / 3.0).acos().to_degrees();
        assert!((q.min_radius_ratio - 1.0).abs() < 1e-12 && (q.mean_radius_ratio - 1.0).abs() < 1e-12);
        assert!((q.min_dihedral_degrees - dihedral).abs() < 1e-9);
        assert!((q.max_dihedral_degrees - dihedral).abs() < 1e-9);
        assert!((q.shortest_edge - 8.0_f64.sqrt()).abs() < 1e-12);
        assert!((q.min_volume - 8.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn flat_is_zero_and_inverted_is_negative() {
        let mut mesh = unit_tet();
        mesh.tets[0].swap(0, 1);
        assert!(mesh.quality().unwrap().min_radius_ratio < -0.5);
        mesh.vertices[3] = DVec3::new(0.25, 0.25, 0.0);
        assert_eq!(mesh.quality().unwrap().min_radius_ratio, 0.0);
        mesh.tets[0][1] = 9;
        assert!(matches!(mesh.quality(), Err(MeshError::IndexOutOfRange { .. })));
        mesh.tets.clear();
        assert!(matches!(mesh.quality(), Err(MeshError::NoElements { .. })));
    }

    #[test]
    fn right_triangle() {
        let mesh = TriMesh {
            vertices: vec![DVec3::ZERO, DVec3::new(3.0, 0.0, 0.0), DVec3::new(0.0, 4.0, 0.0)],
            triangles: vec![[0, 1, 2]],
            ..Default::default()
        };
        // r = 1, R = 2.5.
        let q = mesh.quality().unwrap();
        assert!((q.min_radius_ratio - 0.8).abs() < 1e-12);
        assert!((q.max_angle_degrees - 90.0).abs() < 1e-12);
        assert!((q.min_angle_degrees - 0.75_f64.atan().to_degrees()).abs() < 1e-12);
        assert_eq!((q.min_area, q.shortest_edge), (6.0, 3.0));
    }
}
