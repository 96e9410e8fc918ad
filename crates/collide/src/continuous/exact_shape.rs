//! When something comes near a shape whose distance is a formula.

use super::{Answer, Cell, Domain, ROUNDING, Search};
use crate::{Pose, Shape};
use pliant_mesh::DVec3;

/// Earliest time in `0..=1` at which a vertex, an edge or a triangle (`N` is 1, 2 or 3) may come within `distance` (m) of an obstacle. Its
/// vertices go from `start` to `end`, straight as seen from the obstacle, which goes from the first of the poses to the second. None
/// if it certainly does not come that near, if a place is not finite, and for meshes.
///
/// Before the time that is returned it is not within the distance; there, it is within `distance + tolerance`, or nearly so.
///
/// ```
/// use pliant_collide::{Pose, Shape, continuous::with_shape};
/// use pliant_mesh::DVec3;
/// let ball = Shape::Sphere { radius: 1.0 };
/// let still = [&Pose::IDENTITY; 2];
/// let path = |y: f64| with_shape(&ball, still, [DVec3::new(-3.0, y, 0.0)], [DVec3::new(5.0, y, 0.0)], 0.0, 1e-9);
/// assert!((path(0.0).unwrap() - 0.25).abs() < 1e-9);
/// assert!(path(0.999).is_some() && path(1.001).is_none());
/// ```
pub fn with_shape<const N: usize>(
    shape: &Shape,
    poses: [&Pose; 2],
    start: [DVec3; N],
    end: [DVec3; N],
    distance: f64,
    tolerance: f64,
) -> Option<f64> {
    const { assert!(N >= 1 && N <= 3, "a vertex, an edge or a triangle") };
    let places = [start.map(|x| poses[0].local(x)), end.map(|x| poses[1].local(x))];
    // The parallelogram on a triangle, or what is left of it.
    let corner = |k: usize| {
        let x = places[k & 1];
        let [b, c] = [x[1.min(N - 1)], x[N - 1]];
        match k >> 1 {
            0 => x[0],
            1 => b,
            2 if N < 3 => x[0],
            2 => c,
            _ if N < 3 => b,
            _ => b + (c - x[0]),
        }
    };
    let whole = Cell::whole(std::array::from_fn(corner));
    if !whole.corners.iter().all(|x| x.is_finite()) {
        return None;
    }
    let largest = whole.corners.iter().fold(0.0, |m: f64, x| m.max(x.abs().element_sum()));
    let rounding = ROUNDING * largest;
    let domain = if N == 3 { Domain::Triangle } else { Domain::Square };
    Search::new(domain, |cell: &Cell| {
        let middle = 0.125 * cell.corners.iter().sum::<DVec3>();
        let Some((at_middle, normal)) = shape.signed_distance(middle) else { return Answer::Apart };
        let reach = |c: &DVec3| c.distance(middle);
        let radius = cell.corners.iter().map(reach).fold(0.0, f64::max);
        // No distance changes faster than its point moves, and it is not below its tangent plane by more than it bends.
        let mut nearest = at_middle - radius;
        if let Some(bend) = shape.bend(middle, radius) {
            let lowest = cell.corners.iter().map(|&c| normal.dot(c - middle)).fold(f64::INFINITY, f64::min);
            nearest = nearest.max(at_middle + lowest - 0.5 * bend * radius * radius);
        }
        if nearest - rounding > distance {
            Answer::Apart
        } else if radius <= tolerance.max(4.0 * rounding) {
            Answer::Touches
        } else {
            Answer::Unknown
        }
    })
    .earliest(&whole)
}
