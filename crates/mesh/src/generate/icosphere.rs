//! The surface of a sphere: an icosahedron, each triangle cut into four again and again.

use super::{check_length, check_total, vertex_groups};
use crate::{DVec3, MeshError, TriMesh};
use std::collections::HashMap;

/// Triangles of the icosahedron over the vertices of [`icosahedron`], outward.
const FACES: [[u32; 3]; 20] = [
    [0, 2, 4],
    [0, 5, 2],
    [0, 4, 8],
    [0, 10, 5],
    [0, 8, 10],
    [1, 6, 3],
    [1, 3, 7],
    [1, 8, 6],
    [1, 7, 10],
    [1, 10, 8],
    [2, 9, 4],
    [2, 5, 11],
    [2, 11, 9],
    [3, 6, 9],
    [3, 11, 7],
    [3, 9, 11],
    [4, 6, 8],
    [4, 9, 6],
    [5, 10, 7],
    [5, 7, 11],
];

/// A sphere surface centred at the origin with `20 * 4^subdivisions` triangles, facing outward.
///
/// Group: `surface` (all vertices).
pub fn sphere_surface(radius: f64, subdivisions: u32) -> Result<TriMesh, MeshError> {
    check_length("radius", radius)?;
    check_total("sphere", &[20, 4usize.saturating_pow(subdivisions)])?;
    let mut vertices = icosahedron();
    let mut triangles = FACES.to_vec();
    for _ in 0..subdivisions {
        triangles = subdivide(&mut vertices, &triangles);
    }
    for p in &mut vertices {
        *p *= radius;
    }
    let all = (0..vertices.len() as u32).collect();
    Ok(TriMesh { vertices, triangles, groups: vertex_groups([("surface", all)]) })
}

/// Corners of three golden rectangles, on the unit sphere.
fn icosahedron() -> Vec<DVec3> {
    let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let mut vertices = Vec::with_capacity(12);
    for axis in 0..3 {
        for (a, b) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
            let mut p = DVec3::ZERO;
            p[axis] = a;
            p[(axis + 1) % 3] = b * golden;
            vertices.push(on_sphere(p));
        }
    }
    vertices
}

fn on_sphere(p: DVec3) -> DVec3 {
    p * (1.0 / p.length())
}

/// Cuts each triangle into four at its edges' midpoints, pushed out to the unit sphere.
fn subdivide(vertices: &mut Vec<DVec3>, triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let mut middles: HashMap<(u32, u32), u32> = HashMap::with_capacity(triangles.len() * 3 / 2);
    let mut middle = |a: u32, b: u32| {
        *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
            vertices.push(on_sphere(vertices[a as usize] + vertices[b as usize]));
            vertices.len() as u32 - 1
        })
    };
    let mut finer = Vec::with_capacity(4 * triangles.len());
    for &[a, b, c] in triangles {
        let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
        finer.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
    }
    finer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::tests::{closed_euler, enclosed_volume};
    use std::f64::consts::PI;

    #[test]
    fn sphere_is_closed_round_and_outward() {
        for s in 0..5 {
            let mesh = sphere_surface(2.0, s).unwrap();
            mesh.validate().unwrap();
            let fours = 4usize.pow(s);
            assert_eq!((mesh.triangles.len(), mesh.vertices.len()), (20 * fours, 10 * fours + 2));
            assert_eq!(closed_euler(&mesh.triangles), 2);
            assert!(mesh.vertices.iter().all(|&p| (p.length() - 2.0).abs() < 1e-14));
            assert!(mesh.quality().unwrap().min_radius_ratio > 0.9);
        }
        let fine = sphere_surface(2.0, 4).unwrap();
        assert!((fine.area() / (16.0 * PI) - 1.0).abs() < 3e-3);
        let volume = enclosed_volume(&fine.vertices, &fine.triangles);
        assert!((volume / (32.0 / 3.0 * PI) - 1.0).abs() < 6e-3);
        assert_eq!(fine.groups["surface"].vertices.len(), fine.vertices.len());
    }

    #[test]
    fn bad_parameters() {
        assert!(matches!(sphere_surface(0.0, 1), Err(MeshError::BadParameter { .. })));
        assert!(matches!(sphere_surface(1.0, 11), Err(MeshError::TooManyElements { .. })));
        assert!(matches!(sphere_surface(1.0, u32::MAX), Err(MeshError::TooManyElements { .. })));
    }
}
