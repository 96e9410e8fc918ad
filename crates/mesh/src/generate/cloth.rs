//! A rectangle of triangles in the xy plane.

use super::{check_count, check_length, check_total, vertex_groups};
use crate::{DVec3, MeshError, TriMesh};

/// A criss-cross cloth from the origin to `size` in the plane `z = 0`, facing +z: `m` by `m` cells, each cut
/// into four triangles around its centre, so that no diagonal direction is stiffer than the other.
///
/// `(m+1)^2 + m^2` vertices (grid vertices first, x fastest, then cell centres) and `4 m^2` triangles.
/// Groups: `x_min`, `x_max`, `y_min`, `y_max`.
pub fn cloth(size: [f64; 2], m: usize) -> Result<TriMesh, MeshError> {
    cloth_cells(size, [m, m])
}

/// The same as [`cloth`] with another number of cells along each side, for example for a strap.
pub fn cloth_cells(size: [f64; 2], cells: [usize; 2]) -> Result<TriMesh, MeshError> {
    check_length("size x", size[0])?;
    check_length("size y", size[1])?;
    let [mx, my] = cells;
    cells.iter().try_for_each(|&m| check_count("cells", m, 1))?;
    check_total("cloth", &[4, mx, my])?;
    let point = |x: f64, y: f64| DVec3::new(size[0] * x / mx as f64, size[1] * y / my as f64, 0.0);
    let walk = |nx: usize, ny: usize| (0..ny).flat_map(move |j| (0..nx).map(move |i| (i, j)));
    let vertices = walk(mx + 1, my + 1)
        .map(|(i, j)| point(i as f64, j as f64))
        .chain(walk(mx, my).map(|(i, j)| point(i as f64 + 0.5, j as f64 + 0.5)))
        .collect();
    let corner = |i: usize, j: usize| (i + (mx + 1) * j) as u32;
    let mut triangles = Vec::with_capacity(4 * mx * my);
    for (i, j) in walk(mx, my) {
        let centre = ((mx + 1) * (my + 1) + i + mx * j) as u32;
        let around = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
        triangles.extend((0..4).map(|k| [around[k], around[(k + 1) % 4], centre]));
    }
    let side = |m: usize, at: &dyn Fn(usize) -> (usize, usize)| {
        (0..=m).map(at).map(|(i, j)| corner(i, j)).collect::<Vec<u32>>()
    };
    let groups = vertex_groups([
        ("x_min", side(my, &|k| (0, k))),
        ("x_max", side(my, &|k| (mx, k))),
        ("y_min", side(mx, &|k| (k, 0))),
        ("y_max", side(mx, &|k| (k, my))),
    ]);
    Ok(TriMesh { vertices, triangles, groups })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::area_vector;

    #[test]
    fn counts_of_the_benchmark_cloths() {
        for (m, vertices) in [(50, 5_101), (71, 10_225), (87, 15_313), (100, 20_201)] {
            let mesh = cloth([1.0, 1.0], m).unwrap();
            assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (vertices, 4 * m * m));
        }
    }

    #[test]
    fn cloth_covers_its_rectangle_and_faces_up() {
        let mesh = cloth([2.0, 3.0], 4).unwrap();
        mesh.validate().unwrap();
        assert!((mesh.area() - 6.0).abs() < 1e-12);
        assert_eq!(mesh.bounds(), (DVec3::ZERO, DVec3::new(2.0, 3.0, 0.0)));
        assert!((0..mesh.triangles.len()).all(|t| area_vector(mesh.corners(t))[2] > 0.0));
        assert_eq!(mesh.vertices[1], DVec3::new(0.5, 0.0, 0.0));
        assert_eq!(mesh.vertices[25], DVec3::new(0.25, 0.375, 0.0));
        let square = cloth([1.0, 1.0], 4).unwrap().quality().unwrap();
        assert!((square.max_angle_degrees - 90.0).abs() < 1e-9 && square.min_radius_ratio > 0.82);
    }

    #[test]
    fn sides() {
        let mesh = cloth([1.0, 1.0], 2).unwrap();
        assert_eq!(mesh.groups["x_min"].vertices, vec![0, 3, 6]);
        assert_eq!(mesh.groups["x_max"].vertices, vec![2, 5, 8]);
        assert_eq!(mesh.groups["y_min"].vertices, vec![0, 1, 2]);
        assert_eq!(mesh.groups["y_max"].vertices, vec![6, 7, 8]);
        assert_eq!(mesh.groups.len(), 4);
    }

    #[test]
    fn bad_parameters() {
        for bad in [cloth([1.0, 0.0], 2), cloth([f64::NAN, 1.0], 2), cloth([1.0, 1.0], 0)] {
            assert!(matches!(bad, Err(MeshError::BadParameter { .. })));
        }
        assert!(matches!(cloth([1.0, 1.0], 4_000), Err(MeshError::TooManyElements { .. })));
    }
}
