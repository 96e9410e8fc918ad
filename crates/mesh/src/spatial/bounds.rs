//! Boxes along the axes.

use crate::DVec3;

/// A box along the axes. A box without any point in it has infinite, crossed limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Smallest coordinates.
    pub min: DVec3,
    /// Largest coordinates.
    pub max: DVec3,
}

impl Aabb {
    /// The box of nothing: any union with it is the other box.
    pub const EMPTY: Self = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    /// The smallest box around some points.
    pub fn around(points: &[DVec3]) -> Self {
        points.iter().fold(Self::EMPTY, |b, &p| b.union(Self { min: p, max: p }))
    }

    /// The smallest box around both.
    pub fn union(self, other: Self) -> Self {
        Self { min: other.min.min(self.min), max: other.max.max(self.max) }
    }

    /// What is in both boxes; limits cross where that is nothing.
    pub fn intersection(self, other: Self) -> Self {
        Self { min: other.min.max(self.min), max: other.max.min(self.max) }
    }

    /// Whether no point is inside.
    pub fn is_empty(&self) -> bool {
        self.min.cmpgt(self.max).any()
    }

    /// The point in the middle.
    pub fn center(&self) -> DVec3 {
        0.5 * (self.min + self.max)
    }

    /// Lengths of the sides.
    pub fn size(&self) -> DVec3 {
        self.max - self.min
    }

    /// The box with `margin` added on every side.
    pub fn grown(self, margin: f64) -> Self {
        Self { min: self.min - margin, max: self.max + margin }
    }

    /// Whether the boxes have a point in common; touching counts.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// Squared distance of a point to the box, zero inside.
    #[inline]
    pub fn distance_sq(&self, p: DVec3) -> f64 {
        (self.min - p).max(p - self.max).max(DVec3::ZERO).length_squared()
    }

    /// Distance of a point to the farthest corner.
    pub(crate) fn farthest_distance(&self, p: DVec3) -> f64 {
        (p - self.min).abs().max((self.max - p).abs()).length()
    }

    /// Length of the diagonal; zero for the empty box.
    pub fn diagonal(&self) -> f64 {
        self.size().max(DVec3::ZERO).length()
    }

    /// Half the surface area, the measure that decides how a tree is split.
    pub(crate) fn half_area(&self) -> f64 {
        let DVec3 { x, y, z } = self.size().max(DVec3::ZERO);
        x * y + y * z + z * x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_to_a_unit_box() {
        let b = Aabb::around(&[DVec3::ZERO, DVec3::ONE]);
        assert_eq!(b.distance_sq(DVec3::new(0.5, 0.2, 1.0)), 0.0);
        assert_eq!(b.distance_sq(DVec3::new(-3.0, 5.0, 0.5)), 25.0);
        assert_eq!(b.farthest_distance(DVec3::ZERO), 3.0_f64.sqrt());
        assert_eq!(b.diagonal(), 3.0_f64.sqrt());
        assert_eq!(b.half_area(), 3.0);
    }

    #[test]
    fn the_empty_box_is_neutral() {
        let b = Aabb::around(&[DVec3::new(1.0, 2.0, 3.0)]);
        assert_eq!(Aabb::EMPTY.union(b), b);
        assert_eq!(Aabb::EMPTY.diagonal(), 0.0);
        assert!(!Aabb::EMPTY.overlaps(&b) && b.overlaps(&b));
    }
}
