//! How deep triangles are in shapes.

use crate::Shape;
use pliant_mesh::DVec3;

/// A triangle is divided at least this often where that may find something deeper.
const DIVISIONS: u32 = 10;
/// What reaches in by little needs smaller pieces, down to the triangle's size by two to this.
const MOST_DIVISIONS: u32 = 22;
/// But only so many of the smaller ones are divided: where that is not enough, many points are equally deep.
const MOST_SMALL: u32 = 10_000;
/// Part of a depth to which it is found.
const PRECISION: f64 = 1e-3;

/// The deepest point of a triangle in a shape and its depth, if it is deeper than `tolerance`, in the shape's own coordinates.
/// `None` for a mesh.
///
/// Pieces of the triangle that cannot be deeper than the best are left out, the others are divided.
pub(crate) fn deepest_in(shape: &Shape, corners: [DVec3; 3], tolerance: f64) -> Option<(f64, DVec3)> {
    let mut search = Search { shape, best: tolerance, place: None, small: 0 };
    search.divide(corners, 0);
    search.place.map(|place| (search.best, place))
}

struct Search<'a> {
    shape: &'a Shape,
    best: f64,
    place: Option<DVec3>,
    /// Pieces divided beyond [`DIVISIONS`].
    small: u32,
}

impl Search<'_> {
    fn divide(&mut self, piece: [DVec3; 3], divisions: u32) {
        if self.look(piece) && self.may_divide(divisions) {
            let [a, b, c] = piece;
            let [d, e, f] = [0.5 * (b + c), 0.5 * (c + a), 0.5 * (a + b)];
            for part in [[a, f, e], [f, b, d], [e, d, c], [d, e, f]] {
                self.divide(part, divisions + 1);
            }
        }
    }

    fn may_divide(&mut self, divisions: u32) -> bool {
        if divisions < DIVISIONS {
            return true;
        }
        self.small += 1;
        divisions < MOST_DIVISIONS && self.small <= MOST_SMALL
    }

    /// Looks at the middle of a piece, and at its corners if it may be deep; whether another point of it can be notably deeper
    /// than the best.
    fn look(&mut self, piece: [DVec3; 3]) -> bool {
        let middle = (piece[0] + piece[1] + piece[2]) / 3.0;
        let Some((distance, normal)) = self.try_point(middle) else { return false };
        let radius = piece.iter().map(|c| c.distance(middle)).fold(0.0, f64::max);
        // Bounds of what is not a number, or so large that its square is none, would never tell anything: a million pieces would be
        // looked at for nothing.
        if !(distance.is_finite() && radius.is_finite()) {
            return false;
        }
        // The distance changes by no more than the way. And it is not below its tangent plane by more than it bends.
        let mut deepest = radius - distance;
        if let Some(bend) = self.shape.bend(middle, radius) {
            let lowest = piece.iter().map(|&c| normal.dot(c - middle)).fold(f64::INFINITY, f64::min);
            deepest = deepest.min(0.5 * bend * radius * radius - lowest - distance);
        }
        deepest = deepest.min(below_faces(self.shape, piece));
        if deepest > self.best {
            for corner in piece {
                self.try_point(corner);
            }
        }
        deepest > self.best * (1.0 + PRECISION)
    }

    fn try_point(&mut self, point: DVec3) -> Option<(f64, DVec3)> {
        let (distance, normal) = self.shape.signed_distance(point)?;
        if -distance > self.best {
            (self.best, self.place) = (-distance, Some(point));
        }
        Some((distance, normal))
    }
}

/// A bound of the depth by the flat faces of a shape: nothing is deeper than it is behind each of them.
fn below_faces(shape: &Shape, piece: [DVec3; 3]) -> f64 {
    let half = match *shape {
        Shape::Box { half } => half,
        Shape::Cylinder { half_length, .. } => DVec3::new(f64::INFINITY, f64::INFINITY, half_length),
        _ => return f64::INFINITY,
    };
    let [a, b, c] = piece;
    let (low, high) = (a.min(b).min(c), a.max(b).max(c));
    (half - low).min(half + high).min_element()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crossing::crossing_depth;
    use proptest::prelude::*;

    fn point(reach: f64) -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-reach..reach).prop_map(DVec3::from_array)
    }

    fn triangle() -> impl Strategy<Value = [DVec3; 3]> {
        (point(1.0), prop::array::uniform3(point(0.7))).prop_map(|(at, t)| t.map(|p| at + p))
    }

    fn shape() -> impl Strategy<Value = Shape> {
        (0..6_usize, prop::array::uniform3(0.05..0.8_f64)).prop_map(|(kind, [a, b, c])| match kind {
            0 => Shape::Plane,
            1 => Shape::Sphere { radius: a },
            2 => Shape::Box { half: DVec3::new(a, b, c) },
            3 => Shape::Capsule { radius: a, half_length: b },
            4 => Shape::Cylinder { radius: a, half_length: b },
            _ => Shape::Torus { major: a + b, minor: 0.9 * a },
        })
    }

    fn grid([a, b, c]: [DVec3; 3], rows: u32) -> impl Iterator<Item = DVec3> {
        let part = move |k: u32| f64::from(k) / f64::from(rows);
        let places = (0..=rows).flat_map(move |i| (0..=rows - i).map(move |j| (part(i), part(j))));
        places.map(move |(u, v)| a + u * (b - a) + v * (c - a))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

        #[test]
        fn no_sample_of_a_triangle_is_deeper(shape in shape(), t in triangle()) {
            let depth = |p: DVec3| -shape.signed_distance(p).unwrap().0;
            let sampled = grid(t, 60).map(depth).fold(0.0, f64::max);
            let found = deepest_in(&shape, t, 1e-6);
            let deepest = found.map_or(0.0, |(depth, _)| depth);
            prop_assert!(deepest >= sampled * (1.0 - 1e-2) - 1e-6, "{deepest} {sampled}");
            if let Some((d, place)) = found {
                prop_assert!((depth(place) - d).abs() < 1e-12);
                let normal = (t[1] - t[0]).cross(t[2] - t[0]).normalize();
                prop_assert!(normal.dot(place - t[0]).abs() < 1e-9);
            }
        }

        /// Moved by a little more than the depth along the axis of least overlap, triangles are apart; by less, along no
        /// direction.
        #[test]
        fn the_depth_of_a_crossing_is_the_shortest_way_out(t in triangle(), s in triangle(), way in point(1.0)) {
            let depth = crossing_depth(t, s);
            let crosses = pliant_mesh::triangles_intersect(t, s);
            prop_assert_eq!(depth > 0.0, crosses);
            if crosses {
                let shorter = 0.999 * depth * way.normalize();
                prop_assert!(pliant_mesh::triangles_intersect(t.map(|p| p + shorter), s));
            }
        }
    }

    #[test]
    fn what_reaches_in_by_little_is_found_as_deep_as_it_is() {
        let half = DVec3::new(0.544, 0.294, 0.218);
        let t =
            [[-0.3123, -0.9426], [-0.2355, -0.5624], [0.3783, -0.1483]].map(|[y, z]| DVec3::new(0.0, y, z));
        // In the plane x = 0 the edge from the first corner to the last crosses the box's edge y = .294, z = -.218. As deep
        // below the one face as below the other: z(y) + .218 = .294 - y.
        let slope = (t[2].z - t[1].z) / (t[2].y - t[1].y);
        let y = (half.y - half.z - t[1].z + slope * t[1].y) / (1.0 + slope);
        let (depth, _) = deepest_in(&Shape::Box { half }, t, 1e-6).unwrap();
        assert!((depth / (half.y - y) - 1.0).abs() < 2e-3, "{depth} {}", half.y - y);
    }

    #[test]
    fn what_touches_is_not_deep() {
        let flat = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let standing = [DVec3::new(0.2, 0.2, 0.0), DVec3::new(0.3, 0.2, 1.0), DVec3::new(0.2, 0.3, 1.0)];
        assert_eq!(crossing_depth(flat, standing), 0.0);
        assert_eq!(crossing_depth(flat, flat.map(|p| p + DVec3::new(0.1, 0.1, 0.0))), 0.0);
        let poking = standing.map(|p| p - 0.01 * DVec3::Z);
        assert!((crossing_depth(flat, poking) - 0.01).abs() < 1e-12);
        assert_eq!(deepest_in(&Shape::Plane, flat, 1e-9), None);
        let unit = Shape::Box { half: DVec3::splat(0.5) };
        assert_eq!(deepest_in(&unit, flat.map(|p| p + 0.5 * DVec3::Z), 1e-9), None);
    }

    #[test]
    fn what_is_not_finite_ends() {
        let t = [DVec3::NAN, DVec3::X, DVec3::INFINITY];
        assert_eq!(crossing_depth(t, [DVec3::ZERO, DVec3::X, DVec3::Y]), 0.0);
        let odd = [0.0, -3.0, 1e160, 1e300, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
        let shapes = [
            Shape::Plane,
            Shape::sphere(1.0),
            Shape::cuboid([1.0, 2.0, 3.0]),
            Shape::capsule(0.1, 1.0),
            Shape::cylinder(0.1, 1.0),
            Shape::torus(1.0, 0.1),
        ];
        let mut small = 0;
        let mut look = |shape: &Shape, t: [DVec3; 3]| {
            let mut search = Search { shape, best: 1e-9, place: None, small: 0 };
            search.divide(t, 0);
            small += search.small;
        };
        for shape in &shapes {
            look(shape, t);
            for [a, b, c] in odd.iter().flat_map(|&a| odd.iter().flat_map(move |&b| odd.map(|c| [a, b, c]))) {
                look(shape, [DVec3::splat(a), DVec3::new(b, 0.0, a), DVec3::new(c, c, 1.0)]);
                look(shape, [DVec3::ZERO, DVec3::new(a, b, c), DVec3::Y]);
            }
        }
        // Some of them alone were cut into more.
        assert!(small < 1_000_000, "{small} pieces");
    }
}
