//! Where and in which direction vertices, edges and triangles touch an obstacle.

use super::{Met, MovingShape, Path, SAME_SIDE, Sample};
use crate::{Pose, Shape};
use pliant_mesh::DVec3;

/// Part of an edge at its ends, and of a triangle at its borders, that belongs to what is there.
const BORDER: f64 = 0.05;

/// Cosine of the angle up to which two normals are those of the same side of an obstacle.
const SAME_FACE: f64 = 0.7;

/// How much more slack there is where a vertex of a sheet touches too.
const BESIDE_A_VERTEX: f64 = 4.0;

/// Most that the normal of a cylinder's side leans towards its ends.
const ON_SIDE: f64 = 1e-3;

/// A contact with an obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Touch {
    /// Weights of the vertices that take part.
    pub weights: [f64; 3],
    pub normal: DVec3,
    pub anchor: DVec3,
    pub anchor_motion: DVec3,
    /// Which point of the obstacle touches a triangle.
    pub feeler: u32,
    /// Part of the step after which something fast touches; else 1.
    pub time: f64,
}

impl MovingShape<'_> {
    /// The contact of a vertex that moves from `x0` to `x1`, if it comes near.
    pub fn vertex(&self, x0: DVec3, x1: DVec3) -> Option<Touch> {
        if matches!(self.shape, Shape::Plane) && !self.is_near_plane(x0, x1) {
            return None;
        }
        let path = self.path([x0], [x1]);
        let Met { sample, impact } = self.touching(&path)?;
        Some(Touch { time: impact, ..self.touch_at(&sample) })
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

    /// Whether edges and triangles can touch where their vertices do not. The sharp edges of boxes and cylinders are features of
    /// their own, which are tested as those of meshes.
    pub fn touches_between_vertices(&self) -> bool {
        !matches!(self.shape, Shape::Plane | Shape::Box { .. } | Shape::Mesh(_))
    }

    /// Whether what touches with a normal is a feature of its own, and no face. What is fast may have passed it.
    fn is_feature(&self, normal: DVec3, impact: f64) -> bool {
        matches!(self.shape, Shape::Cylinder { .. }) && normal.z.abs() > ON_SIDE && impact == 1.0
    }

    /// The contact of an inner point of an edge.
    pub fn edge(&self, x0: [DVec3; 2], x1: [DVec3; 2]) -> Option<Touch> {
        let path = self.path(x0, x1);
        if self.is_as_its_vertices(&path) {
            return None;
        }
        let Met { sample, impact } = self.touching(&path)?;
        let inner =
            sample.weights[..2].iter().all(|&w| w > BORDER) && !self.is_feature(sample.normal, impact);
        (inner && self.is_needed(&path, &sample)).then(|| Touch { time: impact, ..self.touch_at(&sample) })
    }

    /// Whether an edge surely comes no nearer than its vertices do: the tangents of the distance at its ends meet above the
    /// line between them, or nearly so.
    fn is_as_its_vertices(&self, path: &Path<2>) -> bool {
        if path.length > self.margin {
            return false;
        }
        let [a, b] = path.end;
        let along = b - a;
        let (Some((da, na)), Some((db, nb))) = (self.shape.signed_distance(a), self.shape.signed_distance(b))
        else {
            return true;
        };
        let (slope_a, slope_b) = (na.dot(along), nb.dot(along));
        if slope_a >= 0.0 || slope_b <= 0.0 {
            return self.is_convex();
        }
        let part = (db - da - slope_b) / (slope_a - slope_b);
        let bound = da + slope_a * part;
        self.is_convex() && bound > da + part * (db - da) - self.slack
    }

    fn is_convex(&self) -> bool {
        !matches!(self.shape, Shape::Torus { .. })
    }

    /// Adds the contacts of inner points of a triangle.
    pub fn triangle(&self, x0: [DVec3; 3], x1: [DVec3; 3], mut found: impl FnMut(Touch)) {
        let path = self.path(x0, x1);
        let is_round = !matches!(self.shape, Shape::Cylinder { .. });
        if !is_round && path.length <= self.long {
            return;
        }
        let Some(Met { sample, impact }) = self.touching(&path) else { return };
        if !is_round && impact == 1.0 {
            return;
        }
        let places = if sample.time == 1.0 { path.end } else { path.at(sample.time) };
        self.shape.opposite_feelers(places, |feeler, deepest| {
            let place = places.iter().zip(deepest.weights).map(|(&p, w)| w * p).sum();
            let at = Sample {
                time: sample.time,
                place,
                weights: deepest.weights,
                distance: deepest.distance,
                normal: deepest.normal,
            };
            let near = at.distance < self.thickness + self.margin || sample.time < 1.0;
            if near && at.normal.dot(sample.normal) > SAME_SIDE && self.is_needed(&path, &at) {
                found(Touch { feeler, time: impact, ..self.touch_at(&at) });
            }
        });
    }

    /// Whether a point is so much nearer than the vertices around it that it needs a contact of its own. Where a vertex of a sheet
    /// touches on the same side too, the two would take turns at carrying it, which the solver does not settle: there it must be
    /// much nearer.
    fn is_needed<const N: usize>(&self, path: &Path<N>, sample: &Sample) -> bool {
        let places = path.at(sample.time);
        let seen = places.map(|p| self.shape.signed_distance(p).unwrap_or((f64::INFINITY, DVec3::ZERO)));
        let between: f64 = seen.iter().zip(sample.weights).map(|((d, _), w)| w * d).sum();
        let touches = |&(d, normal): &(f64, DVec3)| d <= self.near && normal.dot(sample.normal) > SAME_FACE;
        let slack = if seen.iter().any(touches) { BESIDE_A_VERTEX * self.slack } else { self.slack };
        sample.distance < between - slack
    }

    pub(super) fn touch_at(&self, sample: &Sample) -> Touch {
        let foot = sample.place - sample.distance * sample.normal;
        self.touch(foot, sample.normal, sample.weights)
    }

    /// A contact at a point of the obstacle's surface.
    pub(super) fn touch(&self, foot: DVec3, normal: DVec3, weights: [f64; 3]) -> Touch {
        let anchor = self.end.place(foot);
        Touch {
            weights,
            normal: self.end.turn(normal),
            anchor,
            anchor_motion: anchor - self.start.place(foot),
            feeler: 0,
            time: 1.0,
        }
    }
}
