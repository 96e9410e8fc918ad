//! A solid ring: a disc grid swept around the z axis until it meets itself.

use super::disc::{disc_grid, to_disc};
use super::{check_count, check_length, check_total, vertex_groups};
use crate::{DVec3, MeshError, TetMesh};
use std::f64::consts::TAU;

/// A torus about the z axis, centred at the origin: `major` from the centre to the middle of the tube,
/// `minor` the radius of the tube, `around` cells around the axis (at least 3), `across` cells over the
/// diameter of the tube (at least 2).
///
/// Group: `surface`.
pub fn torus(major: f64, minor: f64, around: usize, across: usize) -> Result<TetMesh, MeshError> {
    check_length("major radius", major)?;
    check_length("minor radius", minor)?;
    if minor >= major {
        let value = format!("{minor:?}");
        return Err(MeshError::BadParameter { name: "minor radius", value, want: "below the major radius" });
    }
    check_count("cells around", around, 3)?;
    check_count("cells across", across, 2)?;
    check_total("torus", &[6, across, across, around])?;
    let grid = disc_grid(across, around, true);
    let vertices = grid.vertices(|[i, j, k]| {
        let [u, v] = to_disc([i, j], across);
        let r = major + minor * u;
        let (sin, cos) = (TAU * k as f64 / around as f64).sin_cos();
        // Radial, up, around is a left-handed order; the minus keeps the tets positive.
        DVec3::new(r * cos, r * sin, -minor * v)
    });
    let surface = grid.select(|p| grid.at_end(p, 0) || grid.at_end(p, 1));
    Ok(TetMesh { vertices, tets: grid.tets(), groups: vertex_groups([("surface", surface)]) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::tests::{closed_euler, enclosed_volume};
    use std::f64::consts::PI;

    #[test]
    fn torus_is_closed_has_a_hole_and_the_right_volume() {
        let exact = 2.0 * PI * PI * 0.3 * 0.3;
        let mut last = f64::INFINITY;
        for n in [2, 4, 8, 16] {
            let mesh = torus(1.0, 0.3, 10 * n, n).unwrap();
            mesh.validate().unwrap();
            let error = exact - mesh.volume();
            assert!(error > 0.0 && error < last);
            last = error;
            let surface = mesh.boundary();
            assert_eq!(closed_euler(&surface), 0);
            assert!((enclosed_volume(&mesh.vertices, &surface) - mesh.volume()).abs() < 1e-12);
            assert_eq!(mesh.groups["surface"].vertices, mesh.boundary_vertices());
            let q = mesh.quality().unwrap();
            assert!(q.min_radius_ratio > 0.5, "{n}: {q:?}");
        }
        assert!(last < 0.02 * exact, "{last}");
    }

    #[test]
    fn coarsest_torus_is_valid() {
        torus(1.0, 0.3, 3, 2).unwrap().validate().unwrap();
        torus(1.0, 0.3, 5, 3).unwrap().validate().unwrap();
    }

    #[test]
    fn bad_parameters() {
        for bad in [
            torus(1.0, 1.0, 8, 4),
            torus(-1.0, 0.1, 8, 4),
            torus(1.0, f64::NAN, 8, 4),
            torus(1.0, 0.2, 2, 4),
            torus(1.0, 0.2, 8, 1),
        ] {
            assert!(matches!(bad, Err(MeshError::BadParameter { .. })));
        }
        assert!(matches!(torus(1.0, 0.2, usize::MAX, 4), Err(MeshError::TooManyElements { .. })));
    }
}
