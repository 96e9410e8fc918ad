//! A quick answer for most pairs of triangles: the plane of one surely has the other on one side.

use pliant_mesh::DVec3;

/// Many times the relative rounding error of a height over a plane.
const ROUNDING: f64 = 1e-13;

/// A triangle with its plane.
#[derive(Clone, Copy)]
pub(super) struct Plane {
    pub corners: [DVec3; 3],
    /// Of any length.
    normal: DVec3,
    length: f64,
    /// Bound of the length of the normal: with it, what rounding does to a height is bounded even for slivers.
    scale: f64,
}

impl Plane {
    #[inline]
    pub fn new(corners: [DVec3; 3]) -> Self {
        let (u, v) = (corners[1] - corners[0], corners[2] - corners[0]);
        let normal = u.cross(v);
        Self { corners, normal, length: normal.length(), scale: sum(u) * sum(v) }
    }

    /// Whether all the points that count are surely strictly on one side of the plane, whichever it is, or no more than
    /// `depth` beyond it.
    #[inline]
    pub fn has_on_one_side(&self, points: [DVec3; 3], counts: [bool; 3], depth: f64) -> bool {
        let (mut above, mut below) = (true, true);
        for (point, counts) in points.into_iter().zip(counts) {
            let away = point - self.corners[0];
            let (height, error) = (self.normal.dot(away), ROUNDING * self.scale * sum(away));
            let least = error - depth * self.length;
            above &= !counts || height > least;
            below &= !counts || height < -least;
        }
        above || below
    }
}

#[inline]
fn sum(p: DVec3) -> f64 {
    p.abs().element_sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_mesh::triangles_intersect;
    use proptest::prelude::*;

    fn triangle() -> impl Strategy<Value = [DVec3; 3]> {
        let corner = prop::array::uniform3((-4..5_i32).prop_map(|c| 0.1 * f64::from(c)));
        prop::array::uniform3(corner.prop_map(DVec3::from_array))
    }

    proptest! {
        #[test]
        fn what_is_on_one_side_does_not_intersect(t in triangle(), s in triangle(), shared in any::<bool>()) {
            let s = if shared { [t[0], s[1], s[2]] } else { s };
            let counts = s.map(|p| !t.contains(&p));
            if counts.contains(&true) && Plane::new(t).has_on_one_side(s, counts, 0.0) {
                prop_assert!(!triangles_intersect(t, s));
            }
        }
    }

    #[test]
    fn touching_and_flat_triangles_are_left_to_the_exact_test() {
        let plane = Plane::new([DVec3::ZERO, DVec3::X, DVec3::Y]);
        let above = |z: f64| [DVec3::new(0.2, 0.2, z), DVec3::ONE, DVec3::Z];
        assert!(plane.has_on_one_side(above(1e-9), [true; 3], 0.0));
        assert!(!plane.has_on_one_side(above(0.0), [true; 3], 0.0));
        assert!(plane.has_on_one_side(above(0.0), [false, true, true], 0.0));
        let line = Plane::new([0.0, 0.1, 0.3].map(DVec3::splat));
        assert!(!line.has_on_one_side([DVec3::X, 2.0 * DVec3::X, 3.0 * DVec3::X], [true; 3], 0.0));
        assert!(plane.has_on_one_side(above(-1e-3), [true; 3], 2e-3));
        assert!(!plane.has_on_one_side(above(-1e-3), [true; 3], 5e-4));
    }
}
