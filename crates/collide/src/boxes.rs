//! Boxes in single precision that surely contain what they were made from.

use pliant_mesh::DVec3;

/// A box along the axes. Single precision halves the memory that the tree of boxes runs through; limits are rounded
/// outward. The fourth coordinate is not used: four are compared at once where three are not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    pub min: [f32; 4],
    pub max: [f32; 4],
}

/// More than the relative error of rounding to f32 and of one operation on it.
const OUTWARD: f32 = 1.5e-7;

impl Bounds {
    /// Contains nothing and overlaps nothing.
    pub const EMPTY: Self = Self { min: [f32::INFINITY; 4], max: [f32::NEG_INFINITY; 4] };

    /// Around the points between two corners, with `pad` added; empty if a number is not finite.
    #[inline]
    pub fn new(min: DVec3, max: DVec3, pad: f64) -> Self {
        if !(min + max).element_sum().is_finite() {
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
        let [min, max] = [min.to_array().map(down), max.to_array().map(up)];
        Self { min: [min[0], min[1], min[2], 0.0], max: [max[0], max[1], max[2], 0.0] }
    }

    /// Around the given points, with `pad` added.
    #[inline]
    pub fn around<const N: usize>(points: [DVec3; N], pad: f64) -> Self {
        let (mut min, mut max) = (points[0], points[0]);
        let mut sum = DVec3::ZERO;
        for p in points {
            min = p.min(min);
            max = p.max(max);
            sum += p;
        }
        // A comparison with NaN may drop it, the sum does not.
        if sum.element_sum().is_finite() { Self::new(min, max, pad) } else { Self::EMPTY }
    }

    /// Extended by what is behind a triangle to a depth.
    #[inline]
    pub fn with_inside(mut self, [a, b, c]: [DVec3; 3], depth: f64) -> Self {
        let Some(normal) = (b - a).cross(c - a).try_normalize() else { return self };
        for k in 0..3 {
            // A little more than the depth covers its rounding.
            let shift = (-1.0001 * depth * normal[k]) as f32;
            if shift < 0.0 {
                self.min[k] += shift;
            } else {
                self.max[k] += shift;
            }
        }
        self
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
        (0..4).fold(true, |all, k| all & (self.min[k] <= other.max[k]))
            & (0..4).fold(true, |all, k| all & (other.min[k] <= self.max[k]))
    }

    /// Middle, and distance from it to the corners.
    pub fn ball(&self) -> (DVec3, f64) {
        let corner = |c: [f32; 4]| DVec3::new(c[0].into(), c[1].into(), c[2].into());
        let (min, max) = (corner(self.min), corner(self.max));
        (0.5 * (min + max), (0.5 * (max - min)).length())
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
            let points = [p, q].map(DVec3::from_array);
            let b = Bounds::around(points, pad);
            for x in points {
                for k in 0..3 {
                    prop_assert!(f64::from(b.min[k]) <= x[k] - pad && x[k] + pad <= f64::from(b.max[k]));
                }
            }
        }
    }

    #[test]
    fn boxes_of_no_number_overlap_nothing() {
        let all = Bounds::around([DVec3::splat(-1e9), DVec3::splat(1e9)], 0.0);
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for k in 0..3 {
                let mut p = DVec3::ZERO;
                p[k] = bad;
                assert!(!Bounds::around([DVec3::ZERO, p, DVec3::ONE], 0.1).overlaps(&all));
            }
        }
        assert!(!Bounds::EMPTY.overlaps(&all) && all.overlaps(&all));
    }
}
