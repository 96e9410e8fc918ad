//! Exact signs of orientations, by adaptive arithmetic \[Shewchuk97\].

use crate::DVec3;
use robust::{Coord, Coord3D};

fn coord3(DVec3 { x, y, z }: DVec3) -> Coord3D<f64> {
    Coord3D { x, y, z }
}

/// Positive if `d` is on the side of the plane `a, b, c` to which its normal points: the sign of
/// `det(b-a, c-a, d-a)`. Zero only if the four are exactly coplanar.
pub(crate) fn orient3d(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> f64 {
    // Flat parts along the axes are common, and zeros are what costs the exact arithmetic most.
    if (0..3).any(|k| a[k] == b[k] && a[k] == c[k] && a[k] == d[k]) {
        return 0.0;
    }
    -robust::orient3d(coord3(a), coord3(b), coord3(c), coord3(d))
}

/// Positive if `a, b, c`, seen along `axis` (coordinates `axis + 1` and `axis + 2`), turn counter-clockwise.
pub(crate) fn orient2d(axis: usize, a: DVec3, b: DVec3, c: DVec3) -> f64 {
    let flat = |p: DVec3| Coord { x: p[(axis + 1) % 3], y: p[(axis + 2) % 3] };
    robust::orient2d(flat(a), flat(b), flat(c))
}

/// The axis along which a triangle is seen with an area, or `None` if its corners are exactly collinear.
pub(crate) fn visible_axis([a, b, c]: [DVec3; 3]) -> Option<usize> {
    (0..3).find(|&axis| orient2d(axis, a, b, c) != 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::tet_volume;
    use proptest::prelude::*;

    #[test]
    fn signs_follow_the_determinant() {
        let [o, x, y, z] = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        assert!(orient3d(o, x, y, z) > 0.0 && tet_volume([o, x, y, z]) > 0.0);
        assert!(orient2d(2, o, x, y) > 0.0 && orient2d(0, o, y, z) > 0.0 && orient2d(1, o, z, x) > 0.0);
        assert_eq!(visible_axis([o, x, y]), Some(2));
        assert_eq!(visible_axis([0.1, 0.2, 0.4].map(DVec3::splat)), None);
    }

    proptest! {
        /// Integer coordinates have an exact determinant in i128.
        #[test]
        fn nearly_coplanar_points_have_the_exact_sign(
            base in prop::array::uniform3(prop::array::uniform3(-1_000_000_i64..1_000_000)),
            weights in prop::array::uniform2(-3_i64..4),
            nudge in prop::array::uniform3(-1_i64..2),
        ) {
            let [a, b, c] = base;
            let d: [i64; 3] = std::array::from_fn(|k| {
                a[k] + weights[0] * (b[k] - a[k]) + weights[1] * (c[k] - a[k]) + nudge[k]
            });
            let row = |p: [i64; 3]| -> [i128; 3] { std::array::from_fn(|k| i128::from(p[k] - a[k])) };
            let (u, v, w) = (row(b), row(c), row(d));
            let det = u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0])
                + u[2] * (v[0] * w[1] - v[1] * w[0]);
            let float = |p: [i64; 3]| DVec3::from_array(p.map(|x| x as f64));
            let sign = orient3d(float(a), float(b), float(c), float(d));
            prop_assert_eq!(det.signum(), if sign > 0.0 { 1 } else if sign < 0.0 { -1 } else { 0 });
        }
    }
}
