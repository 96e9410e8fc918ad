//! Points of two segments nearest to each other.

use crate::vector::{add_scaled, dot, norm, sub};
use pliant_mesh::Point;

/// Square of the sine of the angle below which two edges count as parallel. Their distance is then that of an end to
/// the other edge, which is the matter of vertices and triangles.
const PARALLEL: f64 = 1e-4;
/// Fraction of an edge at its ends that belongs to the vertices.
const END: f64 = 1e-4;

/// Distance of two segments; either may be a point.
pub(super) fn distance(e: [Point; 2], f: [Point; 2]) -> f64 {
    let (_, apart) = nearest(e, f);
    norm(apart)
}

/// Fractions at which two segments are nearest \[Ericson04, section 5.1.9\], and the way from the second to the first;
/// either may be a point.
#[inline]
pub(super) fn nearest([a, b]: [Point; 2], [c, d]: [Point; 2]) -> ([f64; 2], Point) {
    let (u, v, w) = (sub(b, a), sub(d, c), sub(a, c));
    let (uu, vv, uv) = (dot(u, u), dot(v, v), dot(u, v));
    let (uw, vw) = (dot(u, w), dot(v, w));
    let ratio = |x: f64, y: f64| if y > 0.0 { (x / y).clamp(0.0, 1.0) } else { 0.0 };
    let area = uu * vv - uv * uv;
    let s = if area > 1e-14 * uu * vv { ratio(uv * vw - vv * uw, area) } else { 0.0 };
    let t = ratio(uv * s + vw, vv);
    // Right also where t was cut off, and for edges that are parallel or points.
    let s = ratio(uv * t - uw, uu);
    ([s, t], sub(add_scaled(a, s, u), add_scaled(c, t, v)))
}

/// Fractions at which two segments are nearest, if this is inside of both and they are not parallel.
pub(super) fn nearest_inside([a, b]: [Point; 2], [c, d]: [Point; 2]) -> Option<[f64; 2]> {
    let (u, v, w) = (sub(b, a), sub(d, c), sub(a, c));
    let (uu, vv, uv) = (dot(u, u), dot(v, v), dot(u, v));
    let (uw, vw) = (dot(u, w), dot(v, w));
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
    use crate::vector::mix;
    use proptest::prelude::*;

    fn segment() -> impl Strategy<Value = [Point; 2]> {
        prop::array::uniform2(prop::array::uniform3((-3..4_i32).prop_map(|c| f64::from(c) * 0.5)))
    }

    /// Alternating projection converges for convex sets.
    fn by_projection([a, b]: [Point; 2], [c, d]: [Point; 2]) -> f64 {
        let project = |p: Point, q: Point, x: Point| {
            let u = sub(q, p);
            let t = if dot(u, u) > 0.0 { (dot(sub(x, p), u) / dot(u, u)).clamp(0.0, 1.0) } else { 0.0 };
            mix(p, q, t)
        };
        let (mut x, mut y) = (a, c);
        for _ in 0..4000 {
            y = project(c, d, x);
            x = project(a, b, y);
        }
        norm(sub(x, y))
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
                let (p, q) = (mix(e[0], e[1], s), mix(f[0], f[1], t));
                prop_assert!((norm(sub(p, q)) - distance(e, f)).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn parallel_and_empty_edges_have_no_inner_point() {
        let (o, x, y) = ([0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
        assert!(nearest_inside([o, x], [y, [1.0, 1.0, 0.0]]).is_none());
        assert!(nearest_inside([o, o], [x, y]).is_none());
        assert!(nearest_inside([o, x], [[0.5, -1.0, 0.1], [0.5, 1.0, 0.1]]).is_some());
        assert!(nearest_inside([o, [f64::NAN; 3]], [x, y]).is_none());
    }
}
