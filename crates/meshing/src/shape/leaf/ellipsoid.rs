//! The nearest point of an ellipsoid.

use crate::shape::field::Sample;
use pliant_mesh::Point;
use pliant_mesh::vector::{norm, scale, sub};

/// An ellipsoid about the origin.
#[derive(Clone, Copy, Debug)]
pub(in crate::shape) struct Ellipsoid {
    pub radii: Point,
    largest: f64,
    least: f64,
    /// Half lengths over the largest one, and their squares and inverse squares.
    e: Point,
    square: Point,
    inverse_square: Point,
}

impl Ellipsoid {
    pub fn new(radii: Point) -> Ellipsoid {
        let largest = radii.iter().fold(0.0_f64, |m, &r| m.max(r));
        let least = radii.iter().fold(f64::INFINITY, |m, &r| m.min(r));
        let e = radii.map(|r| r / largest);
        let square = e.map(|r| r * r);
        Ellipsoid { radii, largest, least, e, square, inverse_square: square.map(|s| 1.0 / s) }
    }

    /// Signed distance where it is below `cutoff`, elsewhere a lower bound of it; and the gradient.
    ///
    /// The nearest point is `e_k^2 y_k / (t + e_k^2)`, where `t` is the largest root of
    /// `S(t) = sum (e_k y_k / (t + e_k^2))^2 = 1` \[Eberly13\].
    #[inline]
    pub fn sample(&self, p: Point, cutoff: f64) -> Sample {
        let inverse = 1.0 / self.largest;
        // In the plane of symmetry the root may fall on the pole. A step aside, far below any tolerance, avoids it.
        let y = p.map(|c| (c.abs() * inverse).max(1e-13));
        let (mut scaled_sq, mut normal_sq) = (0.0, 0.0);
        for k in 0..3 {
            let ratio = y[k] * self.inverse_square[k];
            scaled_sq += y[k] * ratio;
            normal_sq += ratio * ratio;
        }
        // 1 on the surface; it grows by at most the inverse of the least half length.
        let scaled = scaled_sq.sqrt();
        let bound = (scaled - 1.0) * self.least;
        if bound >= cutoff {
            return Sample { distance: bound, gradient: [0.0; 3] };
        }
        // If the nearest point were on the ray from the middle, to first order: exact for a ball.
        let guess = scaled_sq * (scaled - 1.0) / normal_sq;
        let t = self.root(y, guess);
        let nearest: Point = std::array::from_fn(|k| {
            let x = self.square[k] * y[k] / (t + self.square[k]);
            self.largest * x.copysign(p[k])
        });
        let away = sub(p, nearest);
        let length = norm(away);
        let distance = length.copysign(scaled - 1.0);
        // Close to the surface the difference of the two points has lost its direction; the normal there has not.
        let gradient = if length > 1e-6 * self.largest {
            scale(away, 1.0 / distance)
        } else {
            let normal: Point = std::array::from_fn(|k| nearest[k] * self.inverse_square[k]);
            scale(normal, 1.0 / norm(normal))
        };
        Sample { distance, gradient }
    }

    /// The largest root of `S(t) = 1`, by Halley's method on `f(t) = 1 / sqrt(S) - 1`.
    ///
    /// Right of the last pole `f` grows, is concave and nearly linear, so that a few steps suffice from anywhere
    /// \[More83\]; \[Eberly13\] bisects.
    #[inline]
    fn root(&self, y: Point, guess: f64) -> f64 {
        let product: Point = std::array::from_fn(|k| self.e[k] * y[k]);
        // No term of the sum exceeds 1 at the root: a lower bound, and right of the pole.
        let least = (0..3).map(|k| product[k] - self.square[k]).fold(f64::NEG_INFINITY, f64::max);
        let mut t = guess.max(least);
        for _ in 0..20 {
            let (mut sum, mut first, mut second) = (0.0, 0.0, 0.0);
            for k in 0..3 {
                let inverse = 1.0 / (t + self.square[k]);
                let ratio_sq = (product[k] * inverse).powi(2);
                sum += ratio_sq;
                first += ratio_sq * inverse;
                second += ratio_sq * inverse * inverse;
            }
            let newton = sum * (sum.sqrt() - 1.0) / first;
            // The bound keeps a first step from far away within twice that of Newton's method.
            let curvature = 3.0 * (first / sum - second / first);
            let next = (t + newton / (1.0 + 0.5 * newton * curvature).max(0.5)).max(least);
            // The error after a step is about the cube of the one before. Next to the pole rounding ends the progress.
            if (sum - 1.0).abs() < 1e-5 || next == t {
                return next;
            }
            t = next;
        }
        t
    }
}
