//! Boxes along the axes.

use crate::Point;

/// A box along the axes. A box without any point in it has infinite, crossed limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Smallest coordinates.
    pub min: Point,
    /// Largest coordinates.
    pub max: Point,
}

impl Aabb {
    /// The box of nothing: any union with it is the other box.
    pub const EMPTY: Self = Self { min: [f64::INFINITY; 3], max: [f64::NEG_INFINITY; 3] };

    /// The smallest box around some points.
    pub fn around(points: &[Point]) -> Self {
        points.iter().fold(Self::EMPTY, |b, &p| b.union(Self { min: p, max: p }))
    }

    /// The smallest box around both.
    pub fn union(self, other: Self) -> Self {
        // Comparisons instead of f64::min: no NaN is met here, and they compile to one instruction each.
        Self {
            min: std::array::from_fn(|k| if other.min[k] < self.min[k] { other.min[k] } else { self.min[k] }),
            max: std::array::from_fn(|k| if other.max[k] > self.max[k] { other.max[k] } else { self.max[k] }),
        }
    }

    /// What is in both boxes; limits cross where that is nothing.
    pub fn intersection(self, other: Self) -> Self {
        Self {
            min: std::array::from_fn(|k| self.min[k].max(other.min[k])),
            max: std::array::from_fn(|k| self.max[k].min(other.max[k])),
        }
    }

    /// Whether no point is inside.
    pub fn is_empty(&self) -> bool {
        (0..3).any(|k| self.min[k] > self.max[k])
    }

    /// Lengths of the sides.
    pub fn size(&self) -> Point {
        std::array::from_fn(|k| self.max[k] - self.min[k])
    }

    /// The box with `margin` added on every side.
    pub fn grown(self, margin: f64) -> Self {
        Self { min: self.min.map(|c| c - margin), max: self.max.map(|c| c + margin) }
    }

    /// Whether the boxes have a point in common; touching counts.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..3).all(|k| self.min[k] <= other.max[k] && other.min[k] <= self.max[k])
    }

    /// Squared distance of a point to the box, zero inside.
    #[inline]
    pub fn distance_sq(&self, p: Point) -> f64 {
        let mut sum = 0.0;
        for k in 0..3 {
            let (below, above) = (self.min[k] - p[k], p[k] - self.max[k]);
            let d = if below > above { below } else { above };
            let d = if d > 0.0 { d } else { 0.0 };
            sum += d * d;
        }
        sum
    }

    /// Distance of a point to the farthest corner.
    pub fn farthest_distance(&self, p: Point) -> f64 {
        let sum: f64 = (0..3)
            .map(|k| {
                let d = (p[k] - self.min[k]).abs().max((self.max[k] - p[k]).abs());
                d * d
            })
            .sum();
        sum.sqrt()
    }

    /// Length of the diagonal; zero for the empty box.
    pub fn diagonal(&self) -> f64 {
        let sum: f64 = (0..3).map(|k| (self.max[k] - self.min[k]).max(0.0).powi(2)).sum();
        sum.sqrt()
    }

    /// Half the surface area, the measure that decides how a tree is split.
    pub(crate) fn half_area(&self) -> f64 {
        let [x, y, z]: [f64; 3] = std::array::from_fn(|k| (self.max[k] - self.min[k]).max(0.0));
        x * y + y * z + z * x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_to_a_unit_box() {
        let b = Aabb::around(&[[0.0; 3], [1.0; 3]]);
        assert_eq!(b.distance_sq([0.5, 0.2, 1.0]), 0.0);
        assert_eq!(b.distance_sq([-3.0, 5.0, 0.5]), 25.0);
        assert_eq!(b.farthest_distance([0.0; 3]), 3.0_f64.sqrt());
        assert_eq!(b.diagonal(), 3.0_f64.sqrt());
        assert_eq!(b.half_area(), 3.0);
    }

    #[test]
    fn the_empty_box_is_neutral() {
        let b = Aabb::around(&[[1.0, 2.0, 3.0]]);
        assert_eq!(Aabb::EMPTY.union(b), b);
        assert_eq!(Aabb::EMPTY.diagonal(), 0.0);
        assert!(!Aabb::EMPTY.overlaps(&b) && b.overlaps(&b));
    }
}
