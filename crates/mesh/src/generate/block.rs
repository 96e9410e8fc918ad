//! A box of tets, and the same as a beam along x.

use super::grid::Grid;
use super::{check_count, check_length, check_total, vertex_groups};
use crate::{DVec3, MeshError, TetMesh};

/// A box from the origin to `size`, `cells` cells in each direction, six tets per cell.
///
/// Vertices are ordered x fastest, then y, then z. Groups: `x_min`, `x_max`, `y_min`, `y_max`, `z_min`,
/// `z_max`.
pub fn block(size: [f64; 3], cells: [usize; 3]) -> Result<TetMesh, MeshError> {
    for (name, length) in ["size x", "size y", "size z"].into_iter().zip(size) {
        check_length(name, length)?;
    }
    grid_block("block", size, cells)
}

/// A [`block`] with its length along x, its width along y and its height along z.
pub fn beam(length: f64, width: f64, height: f64, cells: [usize; 3]) -> Result<TetMesh, MeshError> {
    for (name, value) in [("length", length), ("width", width), ("height", height)] {
        check_length(name, value)?;
    }
    grid_block("beam", [length, width, height], cells)
}

fn grid_block(shape: &'static str, size: [f64; 3], cells: [usize; 3]) -> Result<TetMesh, MeshError> {
    for (name, count) in ["cells x", "cells y", "cells z"].into_iter().zip(cells) {
        check_count(name, count, 1)?;
    }
    check_total(shape, &[6, cells[0], cells[1], cells[2]])?;
    let grid = Grid::new(cells);
    // Multiplying before dividing puts the last vertices exactly on `size`.
    let vertices = grid.vertices(|p| {
        DVec3::from_array(size) * DVec3::from_array(p.map(|i| i as f64))
            / DVec3::from_array(cells.map(|n| n as f64))
    });
    let groups = vertex_groups([
        ("x_min", grid.select(|p| p[0] == 0)),
        ("x_max", grid.select(|p| p[0] == cells[0])),
        ("y_min", grid.select(|p| p[1] == 0)),
        ("y_max", grid.select(|p| p[1] == cells[1])),
        ("z_min", grid.select(|p| p[2] == 0)),
        ("z_max", grid.select(|p| p[2] == cells[2])),
    ]);
    Ok(TetMesh { vertices, tets: grid.tets(), groups })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::tests::{closed_euler, enclosed_volume};

    #[test]
    fn counts_of_the_benchmark_bars() {
        for (cells, vertices, tets) in
            [([13, 13, 26], 5_292, 26_364), ([17, 17, 34], 11_340, 58_956), ([21, 21, 42], 20_812, 111_132)]
        {
            let mesh = block([1.0, 1.0, 2.0], cells).unwrap();
            assert_eq!((mesh.vertices.len(), mesh.tets.len()), (vertices, tets));
        }
    }

    #[test]
    fn block_fills_its_box_with_good_tets() {
        let mesh = block([1.0, 2.0, 3.0], [2, 4, 6]).unwrap();
        mesh.validate().unwrap();
        assert!((mesh.volume() - 6.0).abs() < 1e-12);
        assert_eq!(mesh.bounds(), (DVec3::ZERO, DVec3::new(1.0, 2.0, 3.0)));
        let surface = mesh.boundary();
        assert_eq!(surface.len(), 2 * 2 * (2 * 4 + 4 * 6 + 6 * 2));
        assert_eq!(closed_euler(&surface), 2);
        assert!((enclosed_volume(&mesh.vertices, &surface) - 6.0).abs() < 1e-12);
        let q = mesh.quality().unwrap();
        assert!((q.min_radius_ratio - 0.717).abs() < 1e-3, "{q:?}");
        assert!((q.min_dihedral_degrees - 45.0).abs() < 1e-9);
        assert!((q.max_dihedral_degrees - 90.0).abs() < 1e-9);
    }

    #[test]
    fn vertex_order_and_sides() {
        let mesh = block([2.0, 1.0, 1.0], [2, 1, 1]).unwrap();
        assert_eq!(mesh.vertices[1], DVec3::X);
        assert_eq!(mesh.vertices[3], DVec3::Y);
        assert_eq!(mesh.vertices[6], DVec3::Z);
        assert_eq!(mesh.groups["x_min"].vertices, vec![0, 3, 6, 9]);
        assert_eq!(mesh.groups["x_max"].vertices, vec![2, 5, 8, 11]);
        assert_eq!(mesh.groups["y_max"].vertices, vec![3, 4, 5, 9, 10, 11]);
        assert_eq!(mesh.groups["z_min"].vertices, vec![0, 1, 2, 3, 4, 5]);
        assert_eq!(mesh.groups.len(), 6);
    }

    #[test]
    fn beam_is_a_block() {
        assert_eq!(beam(4.0, 1.0, 2.0, [4, 1, 2]), block([4.0, 1.0, 2.0], [4, 1, 2]));
    }

    #[test]
    fn bad_parameters() {
        let name = |r: Result<TetMesh, MeshError>| match r {
            Err(MeshError::BadParameter { name, .. }) => name,
            other => panic!("{other:?}"),
        };
        assert_eq!(name(block([1.0, -1.0, 1.0], [1; 3])), "size y");
        assert_eq!(name(block([f64::NAN, 1.0, 1.0], [1; 3])), "size x");
        assert_eq!(name(block([1.0; 3], [1, 1, 0])), "cells z");
        assert_eq!(name(beam(1.0, 1.0, f64::INFINITY, [1; 3])), "height");
        assert!(matches!(
            block([1.0; 3], [1000, 1000, 9]),
            Err(MeshError::TooManyElements { count: 54_000_000, .. })
        ));
        assert!(matches!(block([1.0; 3], [usize::MAX; 3]), Err(MeshError::TooManyElements { .. })));
    }
}
