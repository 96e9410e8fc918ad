//! Bodies against an obstacle whose signed distance is a formula.
//!
//! All is seen from the obstacle: in its coordinates it stands still, and a vertex, an edge or a triangle moves straight from its
//! place before the step to its place after it. Each touches where it is deepest. Edges and triangles count where they come clearly
//! nearer than their vertices do, as on a pole that is thinner than a triangle.

mod refreshed;
mod touch;

pub(crate) use touch::Touch;

use crate::{Pose, Shape};
use pliant_mesh::DVec3;

/// Normals that differ more than this (60 degrees) belong to different sides of an obstacle.
const SAME_SIDE: f64 = 0.5;
/// Most steps along a path.
const MAX_ADVANCES: usize = 64;

/// An analytic obstacle in one step.
#[derive(Clone, Copy)]
pub(crate) struct MovingShape<'a> {
    pub shape: &'a Shape,
    pub start: &'a Pose,
    pub end: &'a Pose,
    /// Distance that is kept.
    pub thickness: f64,
    /// Gap up to which contacts are reported.
    pub margin: f64,
    /// How much nearer than their vertices edges and triangles may come without a contact of their own.
    pub slack: f64,
    /// Distance up to which a vertex of a sheet has a contact of its own; none is so near for a solid.
    pub near: f64,
    /// A way of a body beyond a contact that is long.
    pub long: f64,
}

/// Where a vertex, an edge or a triangle is before and after the step, in the coordinates of the obstacle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path<const N: usize> {
    start: [DVec3; N],
    end: [DVec3; N],
    /// The longest way of a vertex.
    length: f64,
}

impl<const N: usize> Path<N> {
    fn at(&self, time: f64) -> [DVec3; N] {
        std::array::from_fn(|k| self.start[k] + time * (self.end[k] - self.start[k]))
    }
}

/// The deepest point of something at one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// The moment, from 0 to 1.
    time: f64,
    place: DVec3,
    weights: [f64; 3],
    distance: f64,
    normal: DVec3,
}

/// How something touches.
pub(super) struct Met {
    sample: Sample,
    /// Part of the step after which something fast touches; else 1.
    impact: f64,
}

impl MovingShape<'_> {
    /// The path of vertices that are at `x0` before the step and at `x1` after it.
    pub fn path<const N: usize>(&self, x0: [DVec3; N], x1: [DVec3; N]) -> Path<N> {
        let (start, end) = (x0.map(|x| self.start.local(x)), x1.map(|x| self.end.local(x)));
        let longest = start.iter().zip(&end).map(|(a, b)| a.distance_squared(*b)).fold(0.0, f64::max);
        Path { start, end, length: longest.sqrt() }
    }

    /// The deepest point of a path at some moment: at no distance to anything where a place is not finite.
    fn sample<const N: usize>(&self, path: &Path<N>, time: f64) -> Sample {
        let places = if time == 1.0 { path.end } else { path.at(time) };
        let found = match places[..] {
            [p] => self.shape.signed_distance(p).map(|(d, n)| ([1.0, 0.0, 0.0], d, n)),
            [a, b] => self.shape.deepest_on_segment([a, b]).map(|d| (d.weights, d.distance, d.normal)),
            [a, b, c] => self.shape.deepest_on_triangle([a, b, c]).map(|d| (d.weights, d.distance, d.normal)),
            _ => None,
        };
        let (weights, distance, normal) = found.unwrap_or(([0.0; 3], f64::INFINITY, DVec3::ZERO));
        let place = places.iter().zip(weights).map(|(&p, w)| w * p).sum();
        Sample { time, place, weights, distance, normal }
    }

    /// Part of the step after which something comes within the thickness, if the rest of its way is long; else 1.
    fn time_of_impact(&self, length: f64, [start, sample]: [&Sample; 2]) -> f64 {
        let apart = |s: &Sample| s.distance - self.thickness;
        let (rest, time) = if sample.time < 1.0 {
            ((1.0 - sample.time) * length, sample.time)
        } else {
            let way = apart(start) - apart(sample);
            (-apart(sample), apart(start) / way)
        };
        if rest > self.long && sample.time > 0.0 { time.clamp(0.0, 1.0) } else { 1.0 }
    }

    /// The moment at which something touches, on the side that it came from, if it comes near at all.
    fn touching<const N: usize>(&self, path: &Path<N>) -> Option<Met> {
        let reach = self.thickness + self.margin;
        if self.is_far(path, reach.max(0.0)) {
            return None;
        }
        let end = self.sample(path, 1.0);
        // Most of what is looked at is nowhere near; false for NaN.
        let may_be_near = end.distance - path.length <= reach;
        if !may_be_near {
            return None;
        }
        let start = self.sample(path, 0.0);
        if !(start.distance.is_finite() && end.distance.is_finite()) {
            return None;
        }
        let sample = if end.distance < self.thickness {
            self.side_it_came_from(path, start, end)
        } else if start.normal.dot(end.normal) <= SAME_SIDE
            && let Some(entry) = self.entry(path, &start, &end)
        {
            // Through something thin.
            entry
        } else if end.distance < reach {
            end
        } else if start.distance < reach {
            start
        } else {
            self.entry(path, &start, &end)?
        };
        Some(Met { sample, impact: self.time_of_impact(path.length, [&start, &sample]) })
    }

    /// Whether an edge or a triangle is surely nowhere within `reach`, by its middle alone.
    fn is_far<const N: usize>(&self, path: &Path<N>, reach: f64) -> bool {
        if N == 1 {
            return false;
        }
        let middle = path.end.iter().sum::<DVec3>() / N as f64;
        let radius = path.end.iter().map(|p| p.distance_squared(middle)).fold(0.0, f64::max).sqrt();
        let distance = self.shape.signed_distance(middle).map_or(f64::INFINITY, |(d, _)| d);
        distance - radius - path.length > reach
    }

    /// The end of the step where it belongs to the same side as its start, else where it went in.
    fn side_it_came_from<const N: usize>(&self, path: &Path<N>, start: Sample, end: Sample) -> Sample {
        let is_inside = start.distance < self.thickness;
        // Deep inside, the deepest point of an edge or of a triangle is between two sides of an obstacle: the one it came through counts.
        if start.normal.dot(end.normal) > SAME_SIDE && (N == 1 || is_inside) {
            return end;
        }
        if is_inside {
            return start;
        }
        match self.entry(path, &start, &end) {
            Some(entry) if N > 1 || entry.normal.dot(end.normal) <= SAME_SIDE => entry,
            _ => end,
        }
    }

    /// When a path first comes within the thickness. As no distance changes faster than its points move, going forward by
    /// the distance cannot miss it.
    fn entry<const N: usize>(&self, path: &Path<N>, start: &Sample, end: &Sample) -> Option<Sample> {
        let apart = |s: &Sample| s.distance - self.thickness;
        // Also refuses NaN.
        let may_touch = path.length >= apart(start) + apart(end);
        if !may_touch {
            return None;
        }
        let close_enough = 1e-6 * path.length;
        let mut sample = *start;
        let mut gone = 0.0;
        for _ in 0..MAX_ADVANCES {
            if apart(&sample) <= close_enough {
                break;
            }
            gone += apart(&sample);
            if gone > path.length {
                return None;
            }
            sample = self.sample(path, gone / path.length);
        }
        // What slides along the surface does not go in.
        (apart(&sample) <= 1e-3 * path.length).then_some(sample)
    }

    /// Whether no point within `radius` of `center` before and after the step can come near.
    pub fn is_beyond(&self, center: DVec3, radius: f64) -> bool {
        let (from, to) = (self.start.local(center), self.end.local(center));
        let moved = to.distance(from);
        let distance = self.shape.signed_distance(to).map_or(f64::INFINITY, |(d, _)| d);
        distance - radius - moved > self.thickness + self.margin
    }
}
