//! The nearest point of an ellipsoid.

use crate::Point;
use crate::shape::field::Sample;
use crate::vector::{norm, scale, sub};

/// Signed distance to the ellipsoid about the origin with these half lengths.
///
/// The nearest point is `e_k^2 y_k / (t + e_k^2)`, where `t` is the largest root of
/// `F(t) = sum (e_k y_k / (t + e_k^2))^2 - 1` \[Eberly13\]. Right of its last pole `F` falls and is convex, so Newton's
/// method from the left of the root never leaves that side; \[Eberly13\] bisects instead.
pub(super) fn sample(p: Point, radii: Point) -> Sample {
    let largest = radii.iter().fold(0.0_f64, |m, &r| m.max(r));
    let e = radii.map(|r| r / largest);
    // In the plane of symmetry the root may fall on the pole. A step aside, far below any tolerance, avoids it.
    let y = p.map(|c| (c.abs() / largest).max(1e-13));
    let inside = (0..3).map(|k| (y[k] / e[k]).powi(2)).sum::<f64>() < 1.0;
    let t = root(y, e);
    let nearest: Point = std::array::from_fn(|k| {
        let x = e[k] * e[k] * y[k] / (t + e[k] * e[k]);
        largest * x.copysign(p[k])
    });
    let away = sub(p, nearest);
    let length = norm(away);
    let distance = if inside { -length } else { length };
    // Close to the surface the difference of the two points has lost its direction; the normal there has not.
    let gradient = if length > 1e-6 * largest {
        scale(away, 1.0 / distance)
    } else {
        let normal: Point = std::array::from_fn(|k| nearest[k] / (radii[k] * radii[k]));
        scale(normal, 1.0 / norm(normal))
    };
    Sample { distance, gradient }
}

/// The largest root of `F`.
fn root(y: Point, e: Point) -> f64 {
    let square = e.map(|r| r * r);
    let product: Point = std::array::from_fn(|k| e[k] * y[k]);
    // No term of the sum exceeds 1 at the root: a lower bound.
    let mut t = (0..3).map(|k| product[k] - square[k]).fold(f64::NEG_INFINITY, f64::max);
    // From next to a pole each step gains half of the distance to it: 80 steps from 1e-13 to 1.
    for _ in 0..100 {
        let (mut value, mut slope) = (-1.0, 0.0);
        for k in 0..3 {
            let ratio = product[k] / (t + square[k]);
            value += ratio * ratio;
            slope -= 2.0 * ratio * ratio / (t + square[k]);
        }
        let next = t - value / slope;
        if next <= t || value < 1e-15 {
            break;
        }
        t = next;
    }
    t
}
