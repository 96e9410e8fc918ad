//! A vertex against an obstacle whose signed distance is a formula.
//!
//! All is seen from the obstacle: in its coordinates it stands still, and the vertex moves along the segment from its
//! place before the step to its place after it.

use crate::{Pose, Shape};
use pliant_mesh::DVec3;

/// Normals that differ more than this (60 degrees) belong to different sides of an obstacle.
const SAME_SIDE: f64 = 0.5;
/// Steps along the path of a vertex before it is taken for one that touches.
const MAX_ADVANCES: usize = 64;

/// An analytic obstacle in one step.
#[derive(Clone, Copy)]
pub(crate) struct MovingShape<'a> {
    pub shape: &'a Shape,
    pub start: &'a Pose,
    pub end: &'a Pose,
    /// Distance that is kept.
    pub thickness: f64,
    /// Gap up to which a vertex is reported.
    pub margin: f64,
}

/// Where and in which direction a vertex touches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ObstacleTouch {
    pub normal: DVec3,
    pub anchor: DVec3,
    pub anchor_motion: DVec3,
}

/// A point in the coordinates of the obstacle with its distance and normal.
#[derive(Clone, Copy)]
struct Sample {
    place: DVec3,
    distance: f64,
    normal: DVec3,
}

impl MovingShape<'_> {
    fn sample(&self, place: DVec3) -> Sample {
        let (distance, normal) = self.shape.signed_distance(place).unwrap_or((f64::INFINITY, DVec3::ZERO));
        Sample { place, distance, normal }
    }

    /// The contact of a vertex that moves from `x0` to `x1`, if it comes near.
    pub fn touch(&self, x0: DVec3, x1: DVec3) -> Option<ObstacleTouch> {
        if matches!(self.shape, Shape::Plane) && !self.is_near_plane(x0, x1) {
            return None;
        }
        let start = self.sample(self.start.local(x0));
        let end = self.sample(self.end.local(x1));
        if !(start.distance.is_finite() && end.distance.is_finite()) {
            return None;
        }
        let reach = self.thickness + self.margin;
        let (near_start, near_end) = (start.distance < reach, end.distance < reach);
        let sample = if end.distance < self.thickness {
            self.side_it_came_from(&start, end)
        } else if near_end {
            end
        } else if near_start {
            start
        } else {
            self.entry(&start, &end)?
        };
        Some(self.touch_at(&sample))
    }

    /// For a plane: whether the vertex is near it before or after the step. Quick, as most vertices are not.
    #[inline]
    fn is_near_plane(&self, x0: DVec3, x1: DVec3) -> bool {
        let height = |pose: &Pose, x: DVec3| {
            let up = pose.rotation.z_axis;
            up.dot(x - pose.translation)
        };
        let reach = self.thickness + self.margin;
        height(self.end, x1) < reach || height(self.start, x0) < reach
    }

    /// The end of the step where it belongs to the same side as its start, else where the vertex went in.
    fn side_it_came_from(&self, start: &Sample, end: Sample) -> Sample {
        if start.normal.dot(end.normal) > SAME_SIDE {
            return end;
        }
        if start.distance < self.thickness {
            return *start;
        }
        match self.entry(start, &end) {
            Some(entry) if entry.normal.dot(end.normal) <= SAME_SIDE => entry,
            _ => end,
        }
    }

    /// Where the path first comes within the thickness. As no distance changes faster than the point moves, going
    /// forward by the distance cannot miss it.
    fn entry(&self, start: &Sample, end: &Sample) -> Option<Sample> {
        let length = end.place.distance(start.place);
        let apart = |s: &Sample| s.distance - self.thickness;
        // Also refuses NaN.
        let may_touch = length >= apart(start) + apart(end);
        if !may_touch {
            return None;
        }
        let close_enough = 1e-6 * length;
        let mut sample = *start;
        let mut gone = 0.0;
        for _ in 0..MAX_ADVANCES {
            if apart(&sample) <= close_enough {
                break;
            }
            gone += apart(&sample);
            if gone > length {
                return None;
            }
            sample = self.sample(start.place + (gone / length) * (end.place - start.place));
        }
        Some(sample)
    }

    fn touch_at(&self, sample: &Sample) -> ObstacleTouch {
        let foot = sample.place - sample.distance * sample.normal;
        let anchor = self.end.place(foot);
        ObstacleTouch {
            normal: self.end.turn(sample.normal),
            anchor,
            anchor_motion: anchor - self.start.place(foot),
        }
    }

    /// The contact at the end of the step of a vertex at `x`, on the side of `normal`.
    pub fn refreshed(&self, x: DVec3, normal: DVec3) -> Option<ObstacleTouch> {
        let sample = self.sample(self.end.local(x));
        let touch = self.touch_at(&sample);
        let same_side = touch.normal.dot(normal) > SAME_SIDE;
        (sample.distance.is_finite() && (same_side || sample.distance >= self.thickness)).then_some(touch)
    }

    /// Whether no point within `radius` of `center` before and after the step can come near.
    pub fn is_beyond(&self, center: DVec3, radius: f64) -> bool {
        let (from, to) = (self.start.local(center), self.end.local(center));
        let moved = to.distance(from);
        self.sample(to).distance - radius - moved > self.thickness + self.margin
    }
}
