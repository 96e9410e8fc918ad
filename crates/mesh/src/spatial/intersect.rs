//! Do two triangles intersect? The answer is exact for the coordinates as they are.

use super::predicate::{orient2d, orient3d, visible_axis};
use crate::DVec3;

/// Whether two triangles have a point in common beyond what neighbours of a proper surface share.
///
/// Corners at equal positions count as shared. Triangles that share one corner intersect if they meet anywhere
/// else; triangles that share an edge only if one is folded onto the other; triangles that share all corners
/// always. Without a shared corner any contact counts, touching too. A triangle whose corners are exactly
/// collinear has no inside and intersects nothing.
pub fn triangles_intersect(a: [DVec3; 3], b: [DVec3; 3]) -> bool {
    // Bring shared corners to the front of both.
    let (mut a, mut b) = (a, b);
    let mut shared = 0;
    for i in 0..3 {
        if let Some(j) = (shared..3).find(|&j| b[j] == a[i]) {
            a.swap(shared, i);
            b.swap(shared, j);
            shared += 1;
        }
    }
    match shared {
        0 => apart(a, b),
        1 => at_corner(a, b),
        2 => folded(a, b),
        _ => visible_axis(a).is_some(),
    }
}

/// No shared corner: some edge of one meets the other.
fn apart(a: [DVec3; 3], b: [DVec3; 3]) -> bool {
    let sides_of_a = b.map(|p| orient3d(a[0], a[1], a[2], p));
    if one_side(sides_of_a) || one_side(a.map(|p| orient3d(b[0], b[1], b[2], p))) {
        return false;
    }
    let (Some(axis_a), Some(axis_b)) = (visible_axis(a), visible_axis(b)) else { return false };
    (0..3).any(|k| {
        let next = (k + 1) % 3;
        meets(b[k], b[next], a, axis_a) || meets(a[k], a[next], b, axis_b)
    })
}

fn one_side(sides: [f64; 3]) -> bool {
    sides.iter().all(|&s| s > 0.0) || sides.iter().all(|&s| s < 0.0)
}

/// The first corners are shared: if the triangles meet elsewhere, then also on an edge opposite to it.
fn at_corner(a: [DVec3; 3], b: [DVec3; 3]) -> bool {
    let strictly_beside = |t: [DVec3; 3], p: DVec3, q: DVec3| {
        let (p, q) = (orient3d(t[0], t[1], t[2], p), orient3d(t[0], t[1], t[2], q));
        (p > 0.0 && q > 0.0) || (p < 0.0 && q < 0.0)
    };
    if strictly_beside(a, b[1], b[2]) || strictly_beside(b, a[1], a[2]) {
        return false;
    }
    let (Some(axis_a), Some(axis_b)) = (visible_axis(a), visible_axis(b)) else { return false };
    meets(b[1], b[2], a, axis_a) || meets(a[1], a[2], b, axis_b)
}

/// The first two corners are shared: coplanar, and the third corners on the same side of the edge.
fn folded(a: [DVec3; 3], b: [DVec3; 3]) -> bool {
    if orient3d(a[0], a[1], a[2], b[2]) != 0.0 {
        return false;
    }
    let Some(axis) = visible_axis(a) else { return false };
    let (own, other) = (orient2d(axis, a[0], a[1], a[2]), orient2d(axis, a[0], a[1], b[2]));
    (own > 0.0 && other > 0.0) || (own < 0.0 && other < 0.0)
}

/// Whether the closed segment meets the closed triangle, whose area is visible along `axis`.
fn meets(p: DVec3, q: DVec3, t: [DVec3; 3], axis: usize) -> bool {
    let (sp, sq) = (orient3d(t[0], t[1], t[2], p), orient3d(t[0], t[1], t[2], q));
    if (sp > 0.0 && sq > 0.0) || (sp < 0.0 && sq < 0.0) {
        return false;
    }
    if sp == 0.0 && sq == 0.0 {
        return meets_in_plane(p, q, t, axis);
    }
    let sides: [f64; 3] = std::array::from_fn(|k| orient3d(p, q, t[k], t[(k + 1) % 3]));
    !(sides.iter().any(|&s| s > 0.0) && sides.iter().any(|&s| s < 0.0))
}

fn meets_in_plane(p: DVec3, q: DVec3, t: [DVec3; 3], axis: usize) -> bool {
    let inside = |x: DVec3| {
        let sides: [f64; 3] = std::array::from_fn(|k| orient2d(axis, t[k], t[(k + 1) % 3], x));
        !(sides.iter().any(|&s| s > 0.0) && sides.iter().any(|&s| s < 0.0))
    };
    inside(p) || inside(q) || (0..3).any(|k| segments_cross(axis, [p, q], [t[k], t[(k + 1) % 3]]))
}

/// Whether two segments in a plane cross properly or with an end of the second on the first. An end of the
/// first on the second is found by the caller.
fn segments_cross(axis: usize, [p, q]: [DVec3; 2], [a, b]: [DVec3; 2]) -> bool {
    let (sa, sb) = (orient2d(axis, p, q, a), orient2d(axis, p, q, b));
    let (sp, sq) = (orient2d(axis, a, b, p), orient2d(axis, a, b, q));
    let differ = |x: f64, y: f64| (x >= 0.0 && y <= 0.0) || (x <= 0.0 && y >= 0.0);
    // Both on one line: then they overlap only if an end lies on the other segment, which `inside` finds for
    // p and q; the segment p, q around a whole edge has the third corner to one side and is found by it.
    if sa == 0.0 && sb == 0.0 {
        return false;
    }
    differ(sa, sb) && differ(sp, sq)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const T: [[f64; 3]; 3] = [[0.0; 3], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];

    /// All orders of the corners and of the pair must agree.
    fn intersect(a: [[f64; 3]; 3], b: [[f64; 3]; 3]) -> bool {
        let (a, b) = (a.map(DVec3::from_array), b.map(DVec3::from_array));
        let orders = |t: [DVec3; 3]| {
            [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]].map(|o| o.map(|k| t[k]))
        };
        let expected = triangles_intersect(a, b);
        for x in orders(a) {
            for y in orders(b) {
                assert_eq!(triangles_intersect(x, y), expected);
                assert_eq!(triangles_intersect(y, x), expected);
            }
        }
        expected
    }

    #[test]
    fn without_shared_corners() {
        assert!(intersect(T, [[1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [2.0, 2.0, 3.0]]));
        assert!(!intersect(T, [[3.0, 3.0, -1.0], [3.0, 3.0, 1.0], [5.0, 5.0, 3.0]]));
        assert!(!intersect(T, [[0.0, 0.0, 1e-300], [4.0, 0.0, 1e-300], [0.0, 4.0, 1e-300]]));
        // A corner that touches the inside, an edge, a corner in the plane.
        assert!(intersect(T, [[1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [2.0, 2.0, 1.0]]));
        assert!(intersect(T, [[2.0, 2.0, 0.0], [3.0, 3.0, 1.0], [3.0, 3.0, -1.0]]));
        assert!(!intersect(T, [[2.5, 2.0, 0.0], [3.0, 3.0, 1.0], [3.0, 3.0, -1.0]]));
    }

    #[test]
    fn in_one_plane() {
        assert!(intersect(T, [[1.0, 1.0, 0.0], [9.0, 1.0, 0.0], [9.0, 2.0, 0.0]]));
        assert!(intersect(T, [[0.5, 0.5, 0.0], [1.0, 0.5, 0.0], [0.5, 1.0, 0.0]]), "one within the other");
        assert!(intersect(T, [[-9.0, -9.0, 0.0], [30.0, -9.0, 0.0], [-9.0, 30.0, 0.0]]));
        assert!(!intersect(T, [[3.0, 3.0, 0.0], [9.0, 1.0, 0.0], [9.0, 2.0, 0.0]]));
        // Edge over edge: one longer than the other, on the same and on the other side.
        assert!(intersect(T, [[-1.0, 0.0, 0.0], [5.0, 0.0, 0.0], [1.0, -1.0, 0.0]]));
        assert!(intersect(T, [[-1.0, 0.0, 0.0], [5.0, 0.0, 0.0], [1.0, 9.0, 0.0]]));
    }

    #[test]
    fn with_a_shared_corner() {
        let o = T[0];
        assert!(!intersect(T, [o, [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]), "opposite sectors of a plane");
        assert!(intersect(T, [o, [1.0, 2.0, 0.0], [-1.0, 3.0, 0.0]]), "overlapping sectors");
        assert!(intersect(T, [o, [1.0, 1.0, 0.0], [1.0, 2.0, 0.0]]), "a small one within");
        assert!(intersect(T, [o, [1.0, 1.0, 1.0], [1.0, 1.0, -1.0]]), "through the inside");
        assert!(!intersect(T, [o, [1.0, 1.0, 1.0], [1.0, 2.0, 1.0]]), "above");
        assert!(!intersect(T, [o, [-1.0, -1.0, 1.0], [-1.0, -1.0, -1.0]]), "behind");
    }

    #[test]
    fn with_a_shared_edge_or_all_shared() {
        assert!(!intersect(T, [T[0], T[1], [1.0, -1.0, 0.0]]), "flat neighbours");
        assert!(intersect(T, [T[0], T[1], [1.0, 1.0, 0.0]]), "folded onto each other");
        assert!(!intersect(T, [T[0], T[1], [1.0, 1.0, 1e-300]]), "folded, but not quite");
        assert!(intersect(T, T));
    }

    #[test]
    fn collinear_triangles_intersect_nothing() {
        let line = [[1.0, 1.0, 0.0], [1.5, 1.5, 0.0], [1.25, 1.25, 0.0]];
        assert!(!intersect(T, line) && !intersect(line, line));
        assert!(!intersect(T, [[1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 0.0]]));
    }

    /// Distance of two triangles by alternating projections, which converge for any two convex sets.
    fn distance_oracle(a: [DVec3; 3], b: [DVec3; 3]) -> f64 {
        use crate::spatial::closest::{closest_on_triangle, point_on_triangle};
        let mut x = point_on_triangle(a, [1.0 / 3.0; 3]);
        let mut y = x;
        for _ in 0..3000 {
            y = point_on_triangle(b, closest_on_triangle(x, b).0);
            x = point_on_triangle(a, closest_on_triangle(y, a).0);
        }
        x.distance(y)
    }

    /// On a small grid of integers every special position is frequent.
    fn grid_triangle() -> impl Strategy<Value = [DVec3; 3]> {
        let corner = prop::array::uniform3((0..5_i32).prop_map(f64::from)).prop_map(DVec3::from_array);
        prop::array::uniform3(corner).prop_filter("has an area", |&t| visible_axis(t).is_some())
    }

    proptest! {
        #[test]
        fn disjoint_triangles_are_those_at_a_distance(a in grid_triangle(), b in grid_triangle()) {
            if a.iter().any(|p| b.contains(p)) {
                return Ok(());
            }
            let distance = distance_oracle(a, b);
            // Distinct features of integer triangles this small are at least some 1e-2 apart.
            if distance > 5e-3 {
                prop_assert!(!triangles_intersect(a, b), "{}", distance);
            } else if distance < 1e-9 {
                prop_assert!(triangles_intersect(a, b), "{}", distance);
            }
        }
    }
}
