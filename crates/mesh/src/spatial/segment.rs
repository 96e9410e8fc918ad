//! Where a segment crosses triangles. Edges and corners have no gaps: the signs are exact.

use super::predicate::orient3d;
use super::{Aabb, TriangleTree};
use crate::DVec3;

/// A segment meets a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// Index of the triangle.
    pub triangle: u32,
    /// How far along the segment, from 0 to 1.
    pub t: f64,
    /// Whether the segment goes to the side of the triangle's normal: out of a body oriented outward.
    pub leaving: bool,
}

impl TriangleTree {
    /// Calls `found` for each triangle that the segment meets, in no particular (but always the same) order.
    /// A segment through an edge or a corner meets all triangles around it. A segment within the plane of a
    /// triangle does not meet it.
    pub fn crossings(&self, from: DVec3, to: DVec3, mut found: impl FnMut(Crossing)) {
        let segment = Segment::new(from, to, self.bounds());
        self.bvh().filtered(
            |bounds| segment.may_meet(bounds),
            |slots| {
                for slot in slots {
                    if let Some((t, leaving)) = cross(from, to, self.slot_corners(slot)) {
                        found(Crossing { triangle: self.slot_triangle(slot), t, leaving });
                    }
                }
            },
        );
    }
}

/// A segment prepared for tests against boxes by separating axes \[Ericson04, section 5.3.3\].
struct Segment {
    middle: DVec3,
    half: DVec3,
    reach: DVec3,
    margin: f64,
}

impl Segment {
    fn new(from: DVec3, to: DVec3, bounds: Aabb) -> Self {
        let half = 0.5 * (to - from);
        let middle = from + half;
        let largest = [from, to, bounds.min, bounds.max]
            .iter()
            .flat_map(DVec3::to_array)
            .fold(0.0_f64, |m, c| if c.is_finite() { m.max(c.abs()) } else { m });
        // Covers the rounding of the tests below, so that none rejects a box that the segment touches.
        Self { middle, half, reach: half.abs(), margin: 1e-14 * largest }
    }

    fn may_meet(&self, bounds: &Aabb) -> bool {
        let extent = 0.5 * bounds.size() + self.margin;
        let m = self.middle - bounds.center();
        if m.abs().cmpgt(extent + self.reach).any() {
            return false;
        }
        (0..3).all(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let apart = (m[i] * self.half[j] - m[j] * self.half[i]).abs();
            let slack = self.margin * (self.reach[i] + self.reach[j]);
            apart <= extent[i] * self.reach[j] + extent[j] * self.reach[i] + slack
        })
    }
}

/// Fraction at which the segment meets the triangle, and whether it goes to the side of its normal.
fn cross(from: DVec3, to: DVec3, [a, b, c]: [DVec3; 3]) -> Option<(f64, bool)> {
    let (start, end) = (orient3d(a, b, c, from), orient3d(a, b, c, to));
    if (start > 0.0 && end > 0.0) || (start < 0.0 && end < 0.0) || (start == 0.0 && end == 0.0) {
        return None;
    }
    let sides = [orient3d(from, to, a, b), orient3d(from, to, b, c), orient3d(from, to, c, a)];
    if sides.iter().any(|&s| s > 0.0) && sides.iter().any(|&s| s < 0.0) {
        return None;
    }
    Some(((start / (start - end)).clamp(0.0, 1.0), end > start))
}
