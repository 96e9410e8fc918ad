//! Points of two segments nearest to each other.

use pliant_mesh::DVec3;

/// Square of the sine of the angle below which two edges count as parallel. Their distance is then that of an end to
/// the other edge, which is the matter of vertices and triangles.
const PARALLEL: f64 = 1e-4;
/// Fraction of an edge at its ends that belongs to the vertices.
const END: f64 = 1e-4;

/// The point at a fraction of a segment.
pub(super) fn point([a, b]: [DVec3; 2], fraction: f64) -> DVec3 {
    a + fraction * (b - a)
}

/// Distance of two segments; either may be a point.
pub(super) fn distance(e: [DVec3; 2], f: [DVec3; 2]) -> f64 {
    let (_, apart) = nearest(e, f);
    apart.length()
}

/// Fractions at which two segments are nearest \[Ericson04, section 5.1.9\], and the way from the second to the first;
/// either may be a point.
#[inline]
pub(super) fn nearest([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> ([f64; 2], DVec3) {
    let (u, v, w) = (b - a, d - c, a - c);
    let (uu, vv, uv) = (u.length_squared(), v.length_squared(), u.dot(v));
    let (uw, vw) = (u.dot(w), v.dot(w));
    let ratio = |x: f64, y: f64| if y > 0.0 { (x / y).clamp(0.0, 1.0) } else { 0.0 };
    let area = uu * vv - uv * uv;
    let s = if area > 1e-14 * uu * vv { ratio(uv * vw - vv * uw, area) } else { 0.0 };
    let t = ratio(uv * s + vw, vv);
    // Right also where t was cut off, and for edges that are parallel or points.
    let s = ratio(uv * t - uw, uu);
    ([s, t], a + s * u - (c + t * v))
}

/// Fractions at which two segments are nearest, if this is inside of both and they are not parallel.
pub(super) fn nearest_inside([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> Option<[f64; 2]> {
    let (u, v, w) = (b - a, d - c, a - c);
    let (uu, vv, uv) = (u.length_squared(), v.length_squared(), u.dot(v));
    let (uw, vw) = (u.dot(w), v.dot(w));
    let area = uu * vv - uv * uv;
    // Also refuses NaN and edges without length.
    let crossing = area > PARALLEL * uu * vv;
    if !crossing {
        return None;
    }
    let (s, t) = ((uv * vw - vv * uw) / area, (uu * vw - uv * uw) / area);
    let inside = |x: f64| x > END && x < 1.0 - END;
    (inside(s) && inside(t)).then_some([s, t])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn segment() -> impl Strategy<Value = [DVec3; 2]> {
        let end = prop::array::uniform3((-3..4_i32).prop_map(|c| f64::from(c) * 0.5));
        prop::array::uniform2(end.prop_map(DVec3::from_array))
    }

    /// Alternating projection converges for convex sets.
    fn by_projection(e: [DVec3; 2], f: [DVec3; 2]) -> f64 {
        let project = |[p, q]: [DVec3; 2], x: DVec3| {
            let (u, uu) = (q - p, p.distance_squared(q));
            point([p, q], if uu > 0.0 { ((x - p).dot(u) / uu).clamp(0.0, 1.0) } else { 0.0 })
        };
        let (mut x, mut y) = (e[0], f[0]);
        for _ in 0..4000 {
            y = project(f, x);
            x = project(e, y);
        }
        x.distance(y)
    }

    proptest! {
        #[test]
        fn distances_are_those_of_alternating_projections(e in segment(), f in segment()) {
            prop_assert!((distance(e, f) - by_projection(e, f)).abs() < 1e-3);
            prop_assert!((distance(e, f) - distance(f, e)).abs() < 1e-12);
        }

        #[test]
        fn inner_points_are_nearest(e in segment(), f in segment()) {
            if let Some([s, t]) = nearest_inside(e, f) {
                let (p, q) = (point(e, s), point(f, t));
                prop_assert!((p.distance(q) - distance(e, f)).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn parallel_and_empty_edges_have_no_inner_point() {
        let (o, x, y) = (DVec3::ZERO, DVec3::X, DVec3::Y);
        assert!(nearest_inside([o, x], [y, x + y]).is_none());
        assert!(nearest_inside([o, o], [x, y]).is_none());
        let above = DVec3::new(0.5, 0.0, 0.1);
        assert!(nearest_inside([o, x], [above - y, above + y]).is_some());
        assert!(nearest_inside([o, DVec3::NAN], [x, y]).is_none());
    }
}
