//! New directions of contacts with an obstacle for other places of the same vertices, with the same weights.

use super::{MovingShape, SAME_SIDE, Touch};
use pliant_mesh::DVec3;

impl MovingShape<'_> {
    /// The contact of a vertex that came from `x0` and is at `x` now, which was found on the side of `normal`. On another side
    /// it is a contact only if it got there without passing through the obstacle.
    pub fn refreshed_vertex(&self, x0: DVec3, x: DVec3, normal: DVec3) -> Option<Touch> {
        let path = self.path([x0], [x]);
        let end = self.sample(&path, 1.0);
        let touch = self.touch_at(&end);
        let same_side = touch.normal.dot(normal) > SAME_SIDE;
        let went_around = || {
            let start = self.sample(&path, 0.0);
            end.distance >= self.thickness
                && start.distance >= self.thickness
                && self.entry(&path, &start, &end).is_none()
        };
        (end.distance.is_finite() && (same_side || went_around())).then_some(touch)
    }

    /// The contact of a point of an edge; `limit` says how far its direction may turn.
    pub fn refreshed_edge(
        &self,
        x: [DVec3; 2],
        weights: [f64; 2],
        limit: impl Fn(DVec3) -> DVec3,
    ) -> Option<Touch> {
        let ends = x.map(|x| self.end.local(x));
        let deepest = self.shape.deepest_on_segment(ends)?;
        let [first, second, _] = deepest.weights;
        let nearest = first * ends[0] + second * ends[1] - deepest.distance * deepest.normal;
        let normal = self.end.rotation.transpose() * limit(self.end.turn(deepest.normal));
        // Below the point itself, in the plane that touches the shape.
        let point = weights[0] * ends[0] + weights[1] * ends[1];
        let height = match self.shape.reach(normal) {
            Some(reach) => normal.dot(point) - reach,
            None => normal.dot(point - nearest),
        };
        Some(self.touch(point - height * normal, normal, [weights[0], weights[1], 0.0]))
    }

    /// The contact of a triangle with a feeler; `limit` says how far its direction may turn.
    pub fn refreshed_triangle(
        &self,
        x: [DVec3; 3],
        feeler: u32,
        limit: impl Fn(DVec3) -> DVec3,
    ) -> Option<Touch> {
        let [a, b, c] = x;
        let normal = self.end.rotation.transpose() * limit((b - a).cross(c - a).try_normalize()?);
        let foot = self.shape.feeler(feeler, normal)?;
        Some(self.touch(foot, normal, [0.0; 3]))
    }
}
