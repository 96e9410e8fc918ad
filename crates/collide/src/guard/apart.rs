//! A quick answer for most pairs of triangles: the plane of one surely has the other on one side.

use crate::vector::{cross, dot, sub};
use pliant_mesh::Point;

/// Many times the relative rounding error of a height over a plane.
const ROUNDING: f64 = 1e-13;

/// A triangle with its plane.
#[derive(Clone, Copy)]
pub(super) struct Plane {
    pub corners: [Point; 3],
    /// Of any length.
    normal: Point,
    /// Bound of the length of the normal: with it, what rounding does to a height is bounded even for slivers.
    scale: f64,
}

impl Plane {
    #[inline]
    pub fn new(corners: [Point; 3]) -> Self {
        let (u, v) = (sub(corners[1], corners[0]), sub(corners[2], corners[0]));
        Self { corners, normal: cross(u, v), scale: sum(u) * sum(v) }
    }

    /// Whether all the points that count are surely strictly on one side of the plane, whichever it is.
    #[inline]
    pub fn has_on_one_side(&self, points: [Point; 3], counts: [bool; 3]) -> bool {
        let (mut above, mut below) = (true, true);
        for (point, counts) in points.into_iter().zip(counts) {
            let away = sub(point, self.corners[0]);
            let (height, error) = (dot(self.normal, away), ROUNDING * self.scale * sum(away));
            above &= !counts || height > error;
            below &= !counts || height < -error;
        }
        above || below
    }
}

#[inline]
fn sum(p: Point) -> f64 {
    p[0].abs() + p[1].abs() + p[2].abs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_mesh::triangles_intersect;
    use proptest::prelude::*;

    fn triangle() -> impl Strategy<Value = [Point; 3]> {
        prop::array::uniform3(prop::array::uniform3((-4..5_i32).prop_map(|c| 0.1 * f64::from(c))))
    }

    proptest! {
        #[test]
        fn what_is_on_one_side_does_not_intersect(t in triangle(), s in triangle(), shared in any::<bool>()) {
            let s = if shared { [t[0], s[1], s[2]] } else { s };
            let counts = s.map(|p| !t.contains(&p));
            if counts.contains(&true) && Plane::new(t).has_on_one_side(s, counts) {
                prop_assert!(!triangles_intersect(t, s));
            }
        }
    }

    #[test]
    fn touching_and_flat_triangles_are_left_to_the_exact_test() {
        let flat = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let plane = Plane::new(flat);
        assert!(plane.has_on_one_side([[0.2, 0.2, 1e-9], [1.0; 3], [0.0, 0.0, 1.0]], [true; 3]));
        assert!(!plane.has_on_one_side([[0.2, 0.2, 0.0], [1.0; 3], [0.0, 0.0, 1.0]], [true; 3]));
        assert!(plane.has_on_one_side([[0.2, 0.2, 0.0], [1.0; 3], [0.0, 0.0, 1.0]], [false, true, true]));
        let line = Plane::new([[0.0; 3], [0.1, 0.1, 0.1], [0.3, 0.3, 0.3]]);
        assert!(!line.has_on_one_side([[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [3.0, 0.0, 0.0]], [true; 3]));
    }
}
