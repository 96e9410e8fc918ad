//! The nearest point of an ellipsoid.

use crate::shape::sample::Sample;
use pliant_mesh::DVec3;

/// An ellipsoid about the origin.
#[derive(Clone, Copy, Debug)]
pub(in crate::shape) struct Ellipsoid {
    pub radii: DVec3,
    largest: f64,
    least: f64,
    /// Half lengths over the largest one, and their squares and inverse squares.
    e: DVec3,
    square: DVec3,
    inverse_square: DVec3,
}

impl Ellipsoid {
    pub fn new(radii: DVec3) -> Ellipsoid {
        let (largest, least) = (radii.max_element(), radii.min_element());
        let e = radii / largest;
        let square = e * e;
        Ellipsoid { radii, largest, least, e, square, inverse_square: 1.0 / square }
    }

    /// Signed distance where it is below `cutoff`, elsewhere a lower bound of it; and the gradient.
    ///
    /// The nearest point is `e_k^2 y_k / (t + e_k^2)`, where `t` is the largest root of
    /// `S(t) = sum (e_k y_k / (t + e_k^2))^2 = 1` \[Eberly13\].
    #[inline]
    pub fn sample(&self, p: DVec3, cutoff: f64) -> Sample {
        let inverse = 1.0 / self.largest;
        // In the plane of symmetry the root may fall on the pole. A step aside, far below any tolerance, avoids it.
        let y = (p.abs() * inverse).max(DVec3::splat(1e-13));
        let ratio = y * self.inverse_square;
        let (scaled_sq, normal_sq) = (y.dot(ratio), ratio.length_squared());
        // 1 on the surface; it grows by at most the inverse of the least half length.
        let scaled = scaled_sq.sqrt();
        let bound = (scaled - 1.0) * self.least;
        if bound >= cutoff {
            return Sample { distance: bound, gradient: DVec3::ZERO };
        }
        // If the nearest point were on the ray from the middle, to first order: exact for a ball.
        let guess = scaled_sq * (scaled - 1.0) / normal_sq;
        let t = self.root(y, guess);
        let nearest = self.largest * (self.square * y / (t + self.square)).copysign(p);
        let away = p - nearest;
        let length = away.length();
        let distance = length.copysign(scaled - 1.0);
        // Close to the surface the difference of the two points has lost its direction; the normal there has not.
        let gradient = if length > 1e-6 * self.largest {
            away * (1.0 / distance)
        } else {
            let normal = nearest * self.inverse_square;
            normal * (1.0 / normal.length())
        };
        Sample { distance, gradient }
    }

    /// The largest root of `S(t) = 1`, by Halley's method on `f(t) = 1 / sqrt(S) - 1`.
    ///
    /// Right of the last pole `f` grows, is concave and nearly linear, so that a few steps suffice from anywhere
    /// \[More83\]; \[Eberly13\] bisects.
    #[inline]
    fn root(&self, y: DVec3, guess: f64) -> f64 {
        let product = self.e * y;
        // No term of the sum exceeds 1 at the root: a lower bound, and right of the pole.
        let least = (product - self.square).max_element();
        let mut t = guess.max(least);
        for _ in 0..20 {
            let inverse = 1.0 / (t + self.square);
            let ratio = product * inverse;
            let ratio_sq = ratio * ratio;
            let sum = ratio_sq.element_sum();
            let first = ratio_sq.dot(inverse);
            let second = (ratio_sq * inverse).dot(inverse);
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
