//! Boxes in single precision that surely contain what they were made from.

use crate::vector::{add_scaled, cross, sub, unit};
use pliant_mesh::Point;

/// A box along the axes. Single precision halves the memory that the tree of boxes runs through; limits are rounded
/// outward.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    pub min: [f32; 3],
    pub max: [f32; 3],
}

/// More than the relative error of rounding to f32 and of one operation on it.
const OUTWARD: f32 = 1.5e-7;

impl Bounds {
    /// Contains nothing and overlaps nothing.
    pub const EMPTY: Self = Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    /// Around the points between two corners, with `pad` added; empty if a number is not finite.
    #[inline]
    pub fn new(min: Point, max: Point, pad: f64) -> Self {
        let sum = min[0] + min[1] + min[2] + max[0] + max[1] + max[2];
        if !sum.is_finite() {
            return Self::EMPTY;
        }
        let down = |c: f64| {
            let f = (c - pad) as f32;
            f - f.abs() * OUTWARD - f32::MIN_POSITIVE
        };
        let up = |c: f64| {
            let f = (c + pad) as f32;
            f + f.abs() * OUTWARD + f32::MIN_POSITIVE
        };
        Self { min: min.map(down), max: max.map(up) }
    }

    /// Around the given points, with `pad` added.
    #[inline]
    pub fn around<const N: usize>(points: [Point; N], pad: f64) -> Self {
        let (mut min, mut max) = (points[0], points[0]);
        let mut sum = 0.0;
        for p in points {
            for k in 0..3 {
                min[k] = if p[k] < min[k] { p[k] } else { min[k] };
                max[k] = if p[k] > max[k] { p[k] } else { max[k] };
                sum += p[k];
            }
        }
        // A comparison with NaN may drop it, the sum does not.
        if sum.is_finite() { Self::new(min, max, pad) } else { Self::EMPTY }
    }

    /// Extended by what is behind a triangle to a depth.
    #[inline]
    pub fn with_inside(self, [a, b, c]: [Point; 3], depth: f64, pad: f64) -> Self {
        let Some(normal) = unit(cross(sub(b, a), sub(c, a))) else { return self };
        let behind = [a, b, c].map(|p| add_scaled(p, -depth, normal));
        self.union(Self::around(behind, pad))
    }

    #[inline]
    pub fn union(self, other: Self) -> Self {
        let low = |a: f32, b: f32| if b < a { b } else { a };
        let high = |a: f32, b: f32| if b > a { b } else { a };
        Self {
            min: std::array::from_fn(|k| low(self.min[k], other.min[k])),
            max: std::array::from_fn(|k| high(self.max[k], other.max[k])),
        }
    }

    /// Whether they have a point in common; touching counts.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        // Without branches in between: most pairs differ in an unpredictable axis.
        (self.min[0] <= other.max[0])
            & (other.min[0] <= self.max[0])
            & (self.min[1] <= other.max[1])
            & (other.min[1] <= self.max[1])
            & (self.min[2] <= other.max[2])
            & (other.min[2] <= self.max[2])
    }

    /// Middle, and distance from it to the corners.
    pub fn ball(&self) -> (Point, f64) {
        let middle: Point = std::array::from_fn(|k| 0.5 * (f64::from(self.min[k]) + f64::from(self.max[k])));
        let half: Point = std::array::from_fn(|k| 0.5 * (f64::from(self.max[k]) - f64::from(self.min[k])));
        (middle, crate::vector::norm(half))
    }

    /// Sum of the side lengths, which decides which of two boxes to open first.
    #[inline]
    pub fn size(&self) -> f32 {
        (self.max[0] - self.min[0]) + (self.max[1] - self.min[1]) + (self.max[2] - self.min[2])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn contains_its_points_with_the_pad(
            p in prop::array::uniform3(-1e3..1e3_f64), q in prop::array::uniform3(-1e-3..1e-3_f64), pad in 0.0..0.1_f64,
        ) {
            let b = Bounds::around([p, q], pad);
            for x in [p, q] {
                for k in 0..3 {
                    prop_assert!(f64::from(b.min[k]) <= x[k] - pad && x[k] + pad <= f64::from(b.max[k]));
                }
            }
        }
    }

    #[test]
    fn boxes_of_no_number_overlap_nothing() {
        let all = Bounds::around([[-1e9; 3], [1e9; 3]], 0.0);
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for k in 0..3 {
                let mut p = [0.0; 3];
                p[k] = bad;
                assert!(!Bounds::around([[0.0; 3], p, [1.0; 3]], 0.1).overlaps(&all));
            }
        }
        assert!(!Bounds::EMPTY.overlaps(&all) && all.overlaps(&all));
    }
}
