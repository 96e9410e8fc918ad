//! Which point of a segment or of a triangle is deepest inside of a shape, or nearest to it.
//!
//! The signed distance d of a convex shape is a convex function, so the least value along a segment is found by bisection
//! with tangents. In the inside of a triangle d is least opposite a point of the shape that looks straight at the triangle: see
//! [`Shape::feelers`].

use super::Shape;
use pliant_mesh::DVec3;

/// Points of a rim or of a ring that feel for a triangle, besides the one that is nearest to its plane.
const AROUND: u32 = 8;
/// Most steps of a search along a segment.
const MOST_STEPS: usize = 50;
/// Part of the length of a segment to which distances along it are found.
const PRECISION: f64 = 1e-9;
/// Most pieces of a segment that are searched one by one, where several of its points may be nearest.
const MOST_PIECES: f64 = 32.0;

/// A point of a segment or of a triangle, as it is seen from a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deepest {
    /// Weights of the ends or of the corners; of a segment the third is zero.
    pub weights: [f64; 3],
    /// Height over the plane that touches the shape across `normal`, in m: negative inside.
    pub distance: f64,
    /// Unit vector from the shape to the point. Inside of a segment or triangle it is perpendicular to it.
    pub normal: DVec3,
}

/// A value of the distance along a segment: where, how much, its slope, and the normal of the shape there.
#[derive(Clone, Copy)]
struct Along {
    at: f64,
    distance: f64,
    slope: f64,
    normal: DVec3,
}

impl Shape {
    /// The deepest point of the segment from `a` to `b`. `None` for a mesh, and for ends that are not finite.
    pub fn deepest_on_segment(&self, [a, b]: [DVec3; 2]) -> Option<Deepest> {
        let along = b - a;
        if let Self::Sphere { .. } = self {
            let at = (-a.dot(along) / along.length_squared()).clamp(0.0, 1.0);
            let at = if at.is_nan() { 0.0 } else { at };
            let (distance, normal) = self.signed_distance(a + at * along)?;
            return distance.is_finite().then(|| deepest_at(at, distance, normal));
        }
        let sample = |at: f64| {
            let (distance, normal) = self.signed_distance(a + at * along)?;
            distance.is_finite().then_some(Along { at, distance, slope: normal.dot(along), normal })
        };
        let ends = [sample(0.0)?, sample(1.0)?];
        let precision = PRECISION * along.length();
        if !self.is_convex() {
            let pieces = (along.length() / self.finest()).ceil().clamp(1.0, MOST_PIECES) as usize;
            let mut best: Option<Deepest> = None;
            let mut from = ends[0];
            for k in 1..=pieces {
                let to = if k == pieces { ends[1] } else { sample(k as f64 / pieces as f64)? };
                let found = least_between(from, to, (precision, false), &sample)?;
                if best.is_none_or(|b| found.distance < b.distance) {
                    best = Some(found);
                }
                from = to;
            }
            return best;
        }
        let found = least_between(ends[0], ends[1], (precision, true), &sample)?;
        // At a kink the height over the plane that touches the shape there says more than the distance of its nearest side.
        let height = |reach: f64| found.normal.dot(a + found.weights[1] * along) - reach;
        let inner = found.weights[0] > 0.0 && found.weights[1] > 0.0;
        let distance = self.reach(found.normal).filter(|_| inner).map_or(found.distance, height);
        Some(Deepest { distance, ..found })
    }

    /// The deepest point of a triangle: a corner, a point of an edge, or one opposite a feeler. `None` as for segments.
    pub fn deepest_on_triangle(&self, corners: [DVec3; 3]) -> Option<Deepest> {
        let mut best: Option<Deepest> = None;
        for k in 0..3 {
            let next = (k + 1) % 3;
            let edge = self.deepest_on_segment([corners[k], corners[next]])?;
            if best.is_none_or(|b| edge.distance < b.distance) {
                let mut weights = [0.0; 3];
                (weights[k], weights[next]) = (edge.weights[0], edge.weights[1]);
                best = Some(Deepest { weights, ..edge });
            }
        }
        self.opposite_feelers(corners, |_, found| {
            if best.is_none_or(|b| found.distance < b.distance) {
                best = Some(found);
            }
        });
        best
    }

    /// Calls `found` with the inner points of a triangle that are opposite the feelers of the shape, and the numbers of these.
    pub(crate) fn opposite_feelers(&self, corners: [DVec3; 3], mut found: impl FnMut(u32, Deepest)) {
        let [a, b, c] = corners;
        let (u, v) = (b - a, c - a);
        let across = u.cross(v);
        let Some(normal) = across.try_normalize() else { return };
        // From the inside of the shape to the triangle.
        let inside = self.inside_near((a + b + c) / 3.0);
        let normal = if normal.dot(a - inside) < 0.0 { -normal } else { normal };
        let area_sq = across.length_squared();
        self.feelers(normal, |feeler, point| {
            let w = point - a;
            let second = w.cross(v).dot(across) / area_sq;
            let third = u.cross(w).dot(across) / area_sq;
            let first = 1.0 - second - third;
            let distance = normal.dot(a - point);
            // Beyond the plane there must be the shape, and not only the feeler: the triangle may be beside it.
            // Of a ring only the near side.
            let deepest = if self.is_convex() { f64::INFINITY } else { 2.0 * self.finest() };
            let inside = || {
                distance > -deepest
                    && self.signed_distance(point + distance * normal).is_some_and(|(d, _)| d < 0.0)
            };
            if first > 0.0 && second > 0.0 && third > 0.0 && (distance >= 0.0 || inside()) {
                found(feeler, Deepest { weights: [first, second, third], distance, normal });
            }
        });
    }

    /// Calls `feel` with points of the surface that may touch a flat thing in direction `m`: the point that is farthest in this
    /// direction, and where many are nearly so, as on a rim, some of them at fixed places. Numbers are the same in all steps.
    pub(crate) fn feelers(&self, m: DVec3, mut feel: impl FnMut(u32, DVec3)) {
        let around = |k: u32| {
            let (sin, cos) = (f64::from(k) * std::f64::consts::TAU / f64::from(AROUND)).sin_cos();
            DVec3::new(cos, sin, 0.0)
        };
        match *self {
            Self::Sphere { radius } => feel(0, radius * m),
            Self::Capsule { radius, half_length } => {
                for (k, end) in [half_length, -half_length].into_iter().enumerate() {
                    feel(k as u32, end * DVec3::Z + radius * m);
                }
            }
            Self::Cylinder { radius, half_length } => {
                let outward = m.with_z(0.0).try_normalize();
                for (k, end) in [half_length, -half_length].into_iter().enumerate() {
                    if let Some(outward) = outward {
                        feel(k as u32, (radius * outward).with_z(end));
                    }
                }
                let (end, first) = if m.z < 0.0 { (-half_length, 2 + AROUND) } else { (half_length, 2) };
                (0..AROUND).for_each(|k| feel(first + k, (radius * around(k)).with_z(end)));
                // What is cut through by a triangle has its rim beside the cut, and its middle in it.
                feel(2 + 2 * AROUND + u32::from(m.z < 0.0), DVec3::new(0.0, 0.0, end));
            }
            Self::Torus { major, minor } => {
                if let Some(outward) = m.with_z(0.0).try_normalize() {
                    feel(0, major * outward + minor * m);
                }
                (0..AROUND).for_each(|k| feel(1 + k, major * around(k) + minor * m));
            }
            Self::Box { half } => {
                for k in 0..8_u32 {
                    let sign = DVec3::from([0, 1, 2].map(|axis| if k >> axis & 1 == 1 { 1.0 } else { -1.0 }));
                    feel(k, sign * half);
                }
            }
            Self::Mesh(_) | Self::Plane => {}
        }
    }

    /// Where feeler `number` is for things in direction `m`.
    pub(crate) fn feeler(&self, number: u32, m: DVec3) -> Option<DVec3> {
        let mut place = None;
        self.feelers(m, |k, point| {
            if k == number {
                place = Some(point);
            }
        });
        place
    }

    /// A point well inside of the shape, for a ring near the given one.
    fn inside_near(&self, point: DVec3) -> DVec3 {
        match *self {
            Self::Torus { major, .. } => major * point.with_z(0.0).try_normalize().unwrap_or(DVec3::X),
            _ => DVec3::ZERO,
        }
    }

    /// How far a convex shape reaches in direction `n`.
    pub(crate) fn reach(&self, n: DVec3) -> Option<f64> {
        match *self {
            Self::Sphere { radius } => Some(radius),
            Self::Box { half } => Some(half.dot(n.abs())),
            Self::Capsule { radius, half_length } => Some(radius + half_length * n.z.abs()),
            Self::Cylinder { radius, half_length } => {
                Some(radius * n.truncate().length() + half_length * n.z.abs())
            }
            Self::Plane | Self::Torus { .. } | Self::Mesh(_) => None,
        }
    }

    /// Whether the straight line between any two points of the shape is in it.
    fn is_convex(&self) -> bool {
        !matches!(self, Self::Torus { .. } | Self::Mesh(_))
    }

    /// Smallest radius or thickness in m.
    pub(crate) fn finest(&self) -> f64 {
        match *self {
            Self::Plane | Self::Mesh(_) => f64::INFINITY,
            Self::Sphere { radius } | Self::Capsule { radius, .. } => radius,
            Self::Box { half } => half.min_element(),
            Self::Cylinder { radius, half_length } => radius.min(half_length),
            Self::Torus { minor, .. } => minor,
        }
    }
}

/// The least distance between two places of a segment. Of a `convex` function the tangents at both ends are below it, so where
/// they meet is a bound, and the next place to look at. Of others it is a least one.
fn least_between(
    mut low: Along,
    mut high: Along,
    (precision, convex): (f64, bool),
    sample: &impl Fn(f64) -> Option<Along>,
) -> Option<Deepest> {
    if low.slope >= 0.0 || high.slope <= 0.0 {
        let end = if high.distance < low.distance { high } else { low };
        return Some(deepest_at(end.at, end.distance, end.normal));
    }
    let mut best = if high.distance < low.distance { high } else { low };
    let mut wide = false;
    for _ in 0..MOST_STEPS {
        let span = high.at - low.at;
        let part = (high.distance - low.distance - high.slope * span) / ((low.slope - high.slope) * span);
        let bound = low.distance + low.slope * part * span;
        let near_bound = convex && best.distance - bound <= precision;
        if near_bound || span * (high.slope - low.slope) <= precision {
            break;
        }
        // Every second time in the middle if the ends do not come closer fast enough.
        let part = if wide || !convex || !part.is_finite() { 0.5 } else { part.clamp(1e-3, 1.0 - 1e-3) };
        let next = sample(low.at + part * span)?;
        if next.distance < best.distance {
            best = next;
        }
        if next.slope < 0.0 {
            low = next
        } else {
            high = next
        }
        wide = high.at - low.at > 0.5 * span;
    }
    // At a kink the normals of both sides together are perpendicular to the segment.
    let share = high.slope / (high.slope - low.slope);
    let mixed = share * low.normal + (1.0 - share) * high.normal;
    let normal = mixed.try_normalize().unwrap_or(best.normal);
    Some(deepest_at(best.at, best.distance, normal))
}

fn deepest_at(at: f64, distance: f64, normal: DVec3) -> Deepest {
    Deepest { weights: [1.0 - at, at, 0.0], distance, normal }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shape() -> impl Strategy<Value = Shape> {
        (0..5_usize, 0.2..1.0_f64, 0.2..1.0_f64, 0.2..1.0_f64).prop_map(|(kind, a, b, c)| match kind {
            0 => Shape::Sphere { radius: a },
            1 => Shape::Box { half: DVec3::new(a, b, c) },
            2 => Shape::Capsule { radius: a, half_length: b },
            3 => Shape::Cylinder { radius: a, half_length: b },
            _ => Shape::Torus { major: a + b, minor: 0.9 * a },
        })
    }

    fn point() -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-2.0..2.0_f64).prop_map(DVec3::from_array)
    }

    fn least(shape: &Shape, points: impl Iterator<Item = DVec3>) -> f64 {
        points.map(|p| shape.signed_distance(p).unwrap().0).fold(f64::INFINITY, f64::min)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

        #[test]
        fn no_point_of_a_segment_is_deeper(shape in shape(), a in point(), b in point()) {
            let found = shape.deepest_on_segment([a, b]).unwrap();
            let sampled = least(&shape, (0..=400).map(|k| a + f64::from(k) / 400.0 * (b - a)));
            let at = shape.signed_distance(found.weights[0] * a + found.weights[1] * b).unwrap().0;
            // The height over a plane that touches is never more than the distance.
            prop_assert!(found.distance < at + 1e-9 && (at < 0.0 || found.distance > at - 1e-6), "{at} {found:?}");
            // Along a segment through a ring there are several least values.
            let precision = if shape.is_convex() { 1e-7 } else { 0.02 };
            prop_assert!(at < sampled + precision, "{at} {sampled}");
            prop_assert!((found.normal.length() - 1.0).abs() < 1e-9);
            let inner = found.weights[0] > 1e-3 && found.weights[1] > 1e-3;
            // In the middle of a thin thing two opposite normals have no direction between them.
            if inner && at > -0.1 && shape.is_convex() {
                prop_assert!(found.normal.dot((b - a).normalize()).abs() < 1e-2);
            }
        }

        /// Outside, where the distance is all that matters.
        #[test]
        fn no_point_of_a_triangle_is_nearer(shape in shape(), t in prop::array::uniform3(point())) {
            let found = shape.deepest_on_triangle(t).unwrap();
            let n = 60;
            let grid = (0..=n).flat_map(|i| (0..=n - i).map(move |j| (i, j)));
            let places = grid.map(|(i, j)| {
                let (u, v) = (f64::from(i) / f64::from(n), f64::from(j) / f64::from(n));
                t[0] + u * (t[1] - t[0]) + v * (t[2] - t[0])
            });
            let sampled = least(&shape, places);
            let convex = !matches!(shape, Shape::Torus { .. });
            if sampled > 0.0 && convex {
                prop_assert!(found.distance < sampled + 1e-7, "{} {sampled}", found.distance);
                prop_assert!(found.distance > sampled - 0.05);
            }
        }
    }

    #[test]
    fn a_rim_meets_an_edge_with_a_normal_between_side_and_end() {
        let shape = Shape::Cylinder { radius: 1.0, half_length: 0.5 };
        // Leans over the rim at 45 degrees, a little inside.
        let (p, d) = (DVec3::new(0.999, 0.0, 0.499), DVec3::new(1.0, 0.0, -1.0));
        let found = shape.deepest_on_segment([p - d, p + d]).unwrap();
        assert!(found.normal.distance(DVec3::new(0.5f64.sqrt(), 0.0, 0.5f64.sqrt())) < 1e-3, "{found:?}");
        assert!((found.distance + 1e-3 * 2f64.sqrt()).abs() < 1e-5);
    }
}
