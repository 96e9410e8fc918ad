//! The nearest point of an ellipsoid.

use crate::Point;
use crate::shape::field::Sample;
use crate::vector::{norm, scale, sub};

/// Signed distance to the ellipsoid about the origin with these half lengths.
///
/// The nearest point is `e_k^2 y_k / (t + e_k^2)`, where `t` is the largest root of
/// `sum (e_k y_k / (t + e_k^2))^2 = 1` \[Eberly13\].
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

/// The largest root of `S(t) = sum (e_k y_k / (t + e_k^2))^2 = 1`.
///
/// Right of the last pole `1 / sqrt(S)` grows, is concave and nearly linear, so Newton's method on it from the left of
/// the root converges within a few steps and never passes the root \[More83\]; \[Eberly13\] bisects instead.
fn root(y: Point, e: Point) -> f64 {
    let square = e.map(|r| r * r);
    let product: Point = std::array::from_fn(|k| e[k] * y[k]);
    // No term of the sum exceeds 1 at the root: a lower bound.
    let mut t = (0..3).map(|k| product[k] - square[k]).fold(f64::NEG_INFINITY, f64::max);
    for _ in 0..20 {
        let (mut sum, mut slope) = (0.0, 0.0);
        for k in 0..3 {
            let inverse = 1.0 / (t + square[k]);
            let ratio_sq = (product[k] * inverse).powi(2);
            sum += ratio_sq;
            slope += ratio_sq * inverse;
        }
        let step = sum * (sum.sqrt() - 1.0) / slope;
        if step <= 1e-16 * t.abs() {
            break;
        }
        t += step;
        // The error after a step is about the square of its relative size.
        if sum < 1.0 + 1e-8 {
            break;
        }
    }
    t
}
