//! A solid ball: a cube grid whose shells become spheres.

use super::disc::centred;
use super::grid::Grid;
use super::{check_count, check_length, check_total, vertex_groups};
use crate::{DVec3, MeshError, TetMesh};
use std::f64::consts::FRAC_PI_4;

/// A ball centred at the origin with `cells` cells over the diameter (at least 2).
///
/// Group: `surface`.
pub fn ball(radius: f64, cells: usize) -> Result<TetMesh, MeshError> {
    check_length("radius", radius)?;
    check_count("cells", cells, 2)?;
    check_total("ball", &[6, cells, cells, cells])?;
    let grid = Grid { mirror: [cells / 2; 3], ..Grid::new([cells; 3]) };
    let vertices = grid.vertices(|p| radius * to_ball(DVec3::from_array(p.map(|i| centred(i, cells)))));
    let surface = grid.select(|p| (0..3).any(|axis| grid.at_end(p, axis)));
    Ok(TetMesh { vertices, tets: grid.tets(), groups: vertex_groups([("surface", surface)]) })
}

/// Maps the cube -1..1 to the unit ball.
///
/// Cubes around the centre become spheres; on each face the tangent spreads the grid lines to nearly equal
/// angles. As for the disc, the kinks along the cube's diagonals keep the cells there in shape, and
/// the centre blends into the plain cube grid.
fn to_ball(p: DVec3) -> DVec3 {
    let r = p.abs().max_element();
    if r == 0.0 {
        return DVec3::ZERO;
    }
    let spread = p.map(|c| (FRAC_PI_4 * c / r).tan());
    let round = spread * (r / spread.length());
    let cube = CUBE * p;
    r * round + (1.0 - r) * cube
}

/// Size of the cube grid in the centre, relative to the sphere around its corners.
const CUBE: f64 = 0.8;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::tests::{closed_euler, enclosed_volume};
    use std::f64::consts::PI;

    #[test]
    fn volume_converges_and_quality_does_not_fall() {
        let mut last = f64::INFINITY;
        for cells in [2, 4, 8, 16, 32] {
            let mesh = ball(1.0, cells).unwrap();
            mesh.validate().unwrap();
            let error = 4.0 / 3.0 * PI - mesh.volume();
            // Second order: a quarter of the error for half the cell size.
            assert!(error > 0.0 && error < 0.35 * last, "{cells}: {error} after {last}");
            last = error;
            let q = mesh.quality().unwrap();
            assert!(q.min_radius_ratio > 0.6, "{cells}: {q:?}");
            let surface = mesh.boundary();
            assert_eq!(closed_euler(&surface), 2);
            assert!((enclosed_volume(&mesh.vertices, &surface) - mesh.volume()).abs() < 1e-12);
            assert_eq!(mesh.groups["surface"].vertices, mesh.boundary_vertices());
        }
        assert!(last < 0.03, "{last}");
    }

    #[test]
    fn odd_cells_work_and_the_surface_is_round() {
        for cells in [3, 5, 7] {
            let mesh = ball(0.1, cells).unwrap();
            mesh.validate().unwrap();
            assert!(mesh.quality().unwrap().min_radius_ratio > 0.6);
            for &v in &mesh.groups["surface"].vertices {
                assert!((mesh.vertices[v as usize].length() - 0.1).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn bad_parameters() {
        for bad in [ball(-1.0, 4), ball(f64::NAN, 4), ball(1.0, 0), ball(1.0, 1)] {
            assert!(matches!(bad, Err(MeshError::BadParameter { .. })));
        }
        assert!(matches!(ball(1.0, 1000), Err(MeshError::TooManyElements { .. })));
    }
}
