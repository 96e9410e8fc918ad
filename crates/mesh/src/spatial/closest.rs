//! The point of a triangle nearest to another point.

use crate::DVec3;

/// The part of a triangle on which a point lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// Inside.
    Face,
    /// On the edge from corner `k` to corner `(k + 1) % 3`.
    Edge(u8),
    /// At corner `k`.
    Vertex(u8),
}

/// The nearest point of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// Index of the triangle; of several at the same distance it is any, but always the same one.
    pub triangle: u32,
    /// The nearest point.
    pub point: DVec3,
    /// Squared distance to it.
    pub distance_sq: f64,
    /// Where on the triangle it lies.
    pub feature: Feature,
    /// Weights of the three corners.
    pub barycentric: [f64; 3],
}

/// Height over longest edge below which a triangle is taken for its edges: the formulas of the inside lose
/// their digits there, and the edges are as near to within this fraction of the triangle's size.
const FLAT: f64 = 1e-9;

/// Weights of the corners and the part of the triangle that is nearest to `p` \[Ericson04, section 5.1.5\].
pub fn closest_on_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> ([f64; 3], Feature) {
    let (ab, ac) = (b - a, c - a);
    let ap = p - a;
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    let (va, vb, vc) = (d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2);
    let sum = va + vb + vc;
    let size = (d1 - d3).max(d2 - d6);
    // The sum is the square of twice the area; NaN from overflow goes to the edges too.
    let has_inside = sum > FLAT * FLAT * size * size;
    if !has_inside {
        return closest_on_edges(p, [a, b, c]);
    }
    if d1 <= 0.0 && d2 <= 0.0 {
        return ([1.0, 0.0, 0.0], Feature::Vertex(0));
    }
    if d3 >= 0.0 && d4 <= d3 {
        return ([0.0, 1.0, 0.0], Feature::Vertex(1));
    }
    if d6 >= 0.0 && d5 <= d6 {
        return ([0.0, 0.0, 1.0], Feature::Vertex(2));
    }
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let t = d1 / (d1 - d3);
        return ([1.0 - t, t, 0.0], Feature::Edge(0));
    }
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        let t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return ([0.0, 1.0 - t, t], Feature::Edge(1));
    }
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let t = d2 / (d2 - d6);
        return ([1.0 - t, 0.0, t], Feature::Edge(2));
    }
    let (v, w) = (vb / sum, vc / sum);
    ([1.0 - v - w, v, w], Feature::Face)
}

/// The nearest point of the outline, for triangles without an inside.
fn closest_on_edges(p: DVec3, corners: [DVec3; 3]) -> ([f64; 3], Feature) {
    let mut best = (f64::INFINITY, [1.0, 0.0, 0.0], Feature::Vertex(0));
    for k in 0..3 {
        let next = (k + 1) % 3;
        let along = corners[next] - corners[k];
        let length_sq = along.length_squared();
        let t = if length_sq > 0.0 { ((p - corners[k]).dot(along) / length_sq).clamp(0.0, 1.0) } else { 0.0 };
        let mut weights = [0.0; 3];
        (weights[k], weights[next]) = (1.0 - t, t);
        let distance_sq = p.distance_squared(point_on_triangle(corners, weights));
        if distance_sq < best.0 {
            let feature = match t {
                0.0 => Feature::Vertex(k as u8),
                1.0 => Feature::Vertex(next as u8),
                _ => Feature::Edge(k as u8),
            };
            best = (distance_sq, weights, feature);
        }
    }
    (best.1, best.2)
}

/// The point with barycentric weights `w`.
pub fn point_on_triangle(corners: [DVec3; 3], w: [f64; 3]) -> DVec3 {
    w[0] * corners[0] + w[1] * corners[1] + w[2] * corners[2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const T: [DVec3; 3] = [DVec3::ZERO, DVec3::X, DVec3::Y];

    #[test]
    fn each_region_of_a_right_triangle() {
        for (p, feature) in [
            (DVec3::new(0.2, 0.3, 5.0), Feature::Face),
            (DVec3::new(-1.0, -1.0, 1.0), Feature::Vertex(0)),
            (DVec3::new(3.0, 0.5, 1.0), Feature::Vertex(1)),
            (DVec3::new(0.5, 3.0, 1.0), Feature::Vertex(2)),
            (DVec3::new(0.5, -1.0, 1.0), Feature::Edge(0)),
            (DVec3::ONE, Feature::Edge(1)),
            (DVec3::new(-1.0, 0.5, 1.0), Feature::Edge(2)),
        ] {
            assert_eq!(closest_on_triangle(p, T).1, feature, "{p:?}");
        }
    }

    #[test]
    fn degenerate_triangles_are_segments_or_points() {
        let (a, b) = (DVec3::ZERO, DVec3::new(2.0, 0.0, 0.0));
        for t in [[a, b, a], [a, a, b], [b, a, a], [a, b, DVec3::X], [a, b, DVec3::new(1.0, 1e-12, 0.0)]] {
            let (w, _) = closest_on_triangle(DVec3::new(0.5, 1.0, 0.0), t);
            assert!(point_on_triangle(t, w).distance(DVec3::new(0.5, 0.0, 0.0)) < 1e-9, "{t:?}");
        }
        let (w, feature) = closest_on_triangle(DVec3::ONE, [a, a, a]);
        assert_eq!((w, feature), ([1.0, 0.0, 0.0], Feature::Vertex(0)));
    }

    fn point() -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-1.0..1.0).prop_map(DVec3::from_array)
    }

    proptest! {
        /// The nearest point of a convex set is the one from which no other lies closer in any direction.
        #[test]
        fn the_nearest_point_fulfils_the_variational_inequality(p in point(), t in prop::array::uniform3(point())) {
            let (w, _) = closest_on_triangle(p, t);
            prop_assert!(w.iter().all(|&x| x >= -1e-12) && (w.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            let x = point_on_triangle(t, w);
            for corner in t {
                prop_assert!((p - x).dot(corner - x) < 1e-7);
            }
        }
    }
}
