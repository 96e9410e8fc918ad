//! A solid cylinder: a disc grid, layer on layer.

use super::disc::{disc_grid, to_disc};
use super::{check_count, check_length, check_total, vertex_groups};
use crate::{DVec3, MeshError, TetMesh};

/// A cylinder about the z axis from `z = 0` to `height`, with `across` cells over the diameter (at least 2)
/// and `along` cells over the height.
///
/// Groups: `bottom`, `top`, `side` (rims belong to two of them).
pub fn cylinder(radius: f64, height: f64, across: usize, along: usize) -> Result<TetMesh, MeshError> {
    check_length("radius", radius)?;
    check_length("height", height)?;
    check_count("cells across", across, 2)?;
    check_count("cells along", along, 1)?;
    check_total("cylinder", &[6, across, across, along])?;
    let grid = disc_grid(across, along, false);
    let vertices = grid.vertices(|[i, j, k]| {
        let [x, y] = to_disc([i, j], across);
        DVec3::new(radius * x, radius * y, height * k as f64 / along as f64)
    });
    let groups = vertex_groups([
        ("bottom", grid.select(|p| p[2] == 0)),
        ("top", grid.select(|p| p[2] == along)),
        ("side", grid.select(|p| grid.at_end(p, 0) || grid.at_end(p, 1))),
    ]);
    Ok(TetMesh { vertices, tets: grid.tets(), groups })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::tests::{closed_euler, enclosed_volume};
    use std::f64::consts::PI;

    #[test]
    fn volume_converges_and_quality_does_not_fall() {
        let mut last = f64::INFINITY;
        for across in [2, 3, 4, 8, 16, 32] {
            let mesh = cylinder(1.0, 2.0, across, across).unwrap();
            mesh.validate().unwrap();
            let error = 2.0 * PI - mesh.volume();
            assert!(error > 0.0 && error < last);
            last = error;
            let q = mesh.quality().unwrap();
            assert!(q.min_radius_ratio > 0.55, "{across}: {q:?}");
            assert_eq!(closed_euler(&mesh.boundary()), 2);
            assert!((enclosed_volume(&mesh.vertices, &mesh.boundary()) - mesh.volume()).abs() < 1e-12);
        }
        assert!(last < 0.02, "{last}");
    }

    #[test]
    fn groups_lie_on_their_sides() {
        let mesh = cylinder(0.5, 2.0, 5, 3).unwrap();
        assert_eq!(mesh.groups["bottom"].vertices.len(), 36);
        assert_eq!(mesh.groups["side"].vertices.len(), 20 * 4);
        assert!(mesh.groups["top"].vertices.iter().all(|&v| mesh.vertices[v as usize][2] == 2.0));
        for &v in &mesh.groups["side"].vertices {
            let p = mesh.vertices[v as usize];
            assert!((p.x.hypot(p.y) - 0.5).abs() < 1e-15);
        }
    }

    #[test]
    fn bad_parameters() {
        for bad in [
            cylinder(0.0, 1.0, 2, 1),
            cylinder(1.0, f64::NAN, 2, 1),
            cylinder(1.0, 1.0, 1, 1),
            cylinder(1.0, 1.0, 2, 0),
        ] {
            assert!(matches!(bad, Err(MeshError::BadParameter { .. })));
        }
        assert!(matches!(cylinder(1.0, 1.0, 10_000, 10), Err(MeshError::TooManyElements { .. })));
    }
}
