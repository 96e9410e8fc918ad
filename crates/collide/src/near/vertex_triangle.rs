//! A vertex against a triangle.

use super::found::{FACE, Found, Sides, VERTEX, VERTEX_TRIANGLE, When};
use super::sweep::{first_touch, touching};
use super::{Config, Limits, StepView};
use crate::ContactKey;
use crate::skin::{LONGER, Part};
use pliant_mesh::{DVec3, Feature, closest_on_triangle};

/// Fraction of a triangle's size below which a distance has no direction of its own.
const NO_DISTANCE: f64 = 1e-9;

/// Fraction of a triangle's size below which the direction from a feature of a solid to a vertex is left to their faces: it
/// is what rounding and the last iterations of the solver have left.
const AS_GOOD_AS_TOUCHING: f64 = 1e-3;

/// Tests of vertices of one part against triangles of another, or of the same.
#[derive(Clone, Copy)]
pub(crate) struct VertexTest<'a> {
    view: StepView<'a>,
    vertex_part: u32,
    triangle_part: u32,
    of_vertex: &'a Part,
    of_triangle: &'a Part,
    limits: Limits,
    /// Bound of the relative motion of the two parts.
    motion: f64,
}

/// The nearest point of a triangle to a vertex at some moment.
#[derive(Clone, Copy)]
struct Nearest {
    weights: [f64; 3],
    feature: Feature,
    foot: DVec3,
    /// From the foot to the vertex.
    away: DVec3,
    distance: f64,
}

impl Nearest {
    #[inline]
    fn new(p: DVec3, corners: [DVec3; 3]) -> Self {
        let (weights, feature) = closest_on_triangle(p, corners);
        let [u, v, w] = weights;
        let [a, b, c] = corners;
        let foot = u * a + v * b + w * c;
        let away = p - foot;
        Self { weights, feature, foot, away, distance: away.length() }
    }
}

/// A nearest point that makes a contact.
struct VertexTouch {
    weights: [f64; 3],
    normal: DVec3,
    /// Negative inside of a solid.
    signed: f64,
    limits: Limits,
    name: (u32, u32),
}

impl<'a> VertexTest<'a> {
    pub fn new(view: StepView<'a>, vertex_part: u32, triangle_part: u32, motion: f64) -> Self {
        let (of_vertex, of_triangle) = (view.part(vertex_part), view.part(triangle_part));
        let limits = Limits { thickness: of_vertex.radius + of_triangle.radius, margin: view.margin };
        Self { view, vertex_part, triangle_part, of_vertex, of_triangle, limits, motion }
    }

    /// Adds the contact of a vertex with a triangle, if there is one.
    pub fn test(&self, vertex: u32, triangle: u32, out: &mut Vec<Found>) {
        let corners = self.view.skin.topology.triangles[triangle as usize];
        if self.view.skin.shares(vertex, &corners) {
            return;
        }
        let x1 = self.view.x1;
        let at_end = [x1[corners[0] as usize], x1[corners[1] as usize], x1[corners[2] as usize]];
        let end = Nearest::new(x1[vertex as usize], at_end);
        // The bound of the parts is often enough, and known.
        let motion = if end.distance > self.motion && end.distance <= self.limits.reach() {
            self.motion
        } else {
            self.view.relative_motion([vertex], corners)
        };
        // At no time are they nearer than this; false for NaN.
        let may_be_near = end.distance - motion <= self.limits.reach().max(self.depth_limit(triangle));
        if !may_be_near {
            return;
        }
        let may_cross = end.distance <= motion;
        // Near at the end, but to a neighbour: that one reports it.
        let covered = end.distance <= self.limits.reach()
            && !may_cross
            && self.is_covered(&self.view.at(1.0), vertex, triangle, &end);
        if covered {
            return;
        }
        let found = if self.of_triangle.solid {
            self.found_at(vertex, triangle, When::End, end)
                .or_else(|| self.crossing(vertex, triangle, may_cross))
        } else {
            self.crossing(vertex, triangle, may_cross)
                .or_else(|| self.found_at(vertex, triangle, When::End, end))
        };
        let found = found.or_else(|| {
            let start = self.nearest(&self.view.at(0.0), vertex, triangle);
            self.found_at(vertex, triangle, When::Start, start)
        });
        out.extend(found);
    }

    /// Whether a neighbour of the triangle is nearer to the vertex.
    fn is_covered(&self, config: &Config, vertex: u32, triangle: u32, near: &Nearest) -> bool {
        !config.is_local_minimum(triangle, near.feature, near.foot, near.away)
            && self.flush(config, vertex, triangle, near).is_none()
    }

    fn nearest(&self, config: &Config, vertex: u32, triangle: u32) -> Nearest {
        Nearest::new(config.position(vertex), config.corners(triangle))
    }

    /// The contact if the vertex passes through the triangle within the step.
    fn crossing(&self, vertex: u32, triangle: u32, may_cross: bool) -> Option<Found> {
        if !may_cross {
            return None;
        }
        let time = self.time_of_touch(vertex, triangle, self.limits.reach())?;
        let config = self.view.at(time);
        let at_touch = self.nearest(&config, vertex, triangle);
        let touch = self.touch(&config, vertex, triangle, at_touch)?;
        let corners = self.view.skin.topology.triangles[triangle as usize];
        let way = self.view.relative_motion([vertex], corners);
        let found = self.found(vertex, triangle, When::Crossing, touch);
        Some(found.met_at(time, way, [self.of_vertex, self.of_triangle]))
    }

    /// The contact that keeps a vertex from passing through a triangle in the step, wherever its neighbours are. At
    /// the triangle's border it does so only `at_borders`.
    pub fn stop(&self, vertex: u32, triangle: u32, at_borders: bool) -> Option<Found> {
        let skin = self.view.skin;
        if skin.shares(vertex, &skin.topology.triangles[triangle as usize]) {
            return None;
        }
        let limits = self.limits_of(vertex, triangle, 0.0)?;
        let time = self.time_of_touch(vertex, triangle, limits.thickness)?;
        self.unfiltered(vertex, triangle, time, at_borders)
    }

    /// The same, or else the contact of a vertex that is near at the start of the step.
    pub fn stop_or_near(&self, vertex: u32, triangle: u32) -> Option<Found> {
        self.stop(vertex, triangle, false).or_else(|| {
            let start = self.nearest(&self.view.at(0.0), vertex, triangle);
            let near = start.distance < self.limits_of(vertex, triangle, 0.0)?.reach();
            if near { self.unfiltered(vertex, triangle, 0.0, false) } else { None }
        })
    }

    fn unfiltered(&self, vertex: u32, triangle: u32, time: f64, at_borders: bool) -> Option<Found> {
        let config = self.view.at(time);
        let near = self.nearest(&config, vertex, triangle);
        if !at_borders && near.feature != Feature::Face {
            return None;
        }
        let normal = near.away.try_normalize()?;
        if self.of_triangle.solid && config.pseudonormal(triangle, near.feature).dot(normal) < 0.0 {
            return None;
        }
        let start = self.nearest(&self.view.at(0.0), vertex, triangle);
        let limits = self.limits_of(vertex, triangle, 0.0)?.gently(start.distance);
        let name = config.feature_name(triangle, near.weights, false);
        let touch = VertexTouch { weights: near.weights, normal, signed: near.distance, limits, name };
        let when = if time > 0.0 { When::Crossing } else { When::Start };
        Some(self.found(vertex, triangle, when, touch))
    }

    /// When a vertex comes so close to a triangle that it may pass through it, if it does.
    fn time_of_touch(&self, vertex: u32, triangle: u32, reach: f64) -> Option<f64> {
        let view = &self.view;
        let start = self.nearest(&view.at(0.0), vertex, triangle);
        let corners = view.skin.topology.triangles[triangle as usize];
        let motion = view.relative_motion([vertex], corners);
        if start.distance <= NO_DISTANCE * self.size(triangle) || start.distance >= motion {
            return None;
        }
        if self.of_triangle.solid && !self.goes_in(vertex, triangle, &start) {
            return None;
        }
        let distance = |t: f64| self.nearest(&view.at(t), vertex, triangle).distance;
        let touch = touching(start.distance, reach);
        first_touch([start.distance, touch], motion, distance)
    }

    /// For a triangle of a solid: whether the vertex starts in front of it and ends behind it.
    fn goes_in(&self, vertex: u32, triangle: u32, start: &Nearest) -> bool {
        let outward = self.view.at(0.0).pseudonormal(triangle, start.feature);
        let end = self.view.at(1.0);
        let [a, ..] = end.corners(triangle);
        let behind = end.normal(triangle).is_none_or(|m| m.dot(end.position(vertex) - a) < 0.0);
        outward.dot(start.away) >= 0.0 && behind
    }

    fn found_at(&self, vertex: u32, triangle: u32, when: When, nearest: Nearest) -> Option<Found> {
        if nearest.distance > self.limits.reach().max(self.depth_limit(triangle)) {
            return None;
        }
        let config = self.view.at(if when == When::End { 1.0 } else { 0.0 });
        let mut touch = self.touch(&config, vertex, triangle, nearest)?;
        if when == When::End && self.is_on_the_wrong_side(vertex, triangle, &nearest) {
            // From beside the triangle there is no way back straight through it.
            if nearest.feature != Feature::Face {
                return None;
            }
            (touch.normal, touch.signed) = (-touch.normal, -touch.signed);
        }
        let near = touch.signed < touch.limits.reach();
        let inside = self.of_triangle.solid && touch.signed < 0.0;
        let found = near.then(|| self.found(vertex, triangle, when, touch))?;
        // What was deeper behind a face than it may be has come in elsewhere, and is on its way out through this one.
        let goes_through = inside && found.start_height() < -self.start_limit(triangle);
        (!goes_through).then_some(found)
    }

    /// How deep behind a face a vertex may be at the start of a step. Sheets keep a distance, so none is in a solid then: what is
    /// behind a face is beyond the solid.
    fn start_limit(&self, triangle: u32) -> f64 {
        let (limit, thickness) = (self.depth_limit(triangle), self.limits.thickness);
        if self.of_vertex.solid || thickness == 0.0 { limit } else { limit.min(thickness) }
    }

    /// For a triangle of a sheet: whether the vertex ends clearly on the other side than it started, where it may have
    /// come through a neighbour.
    fn is_on_the_wrong_side(&self, vertex: u32, triangle: u32, end: &Nearest) -> bool {
        if self.of_triangle.solid {
            return false;
        }
        let (before, after) = (self.view.at(0.0), self.view.at(1.0));
        let start = self.nearest(&before, vertex, triangle);
        let height = |config: &Config, near: &Nearest| {
            let height = config.normal(triangle)?.dot(near.away);
            (height.abs() > 0.5 * near.distance).then_some(height)
        };
        let (Some(from), Some(to)) = (height(&before, &start), height(&after, end)) else { return false };
        from * to < 0.0
    }

    fn depth_limit(&self, triangle: u32) -> f64 {
        if self.of_triangle.solid { self.view.skin.depths[triangle as usize] } else { 0.0 }
    }

    fn size(&self, triangle: u32) -> f64 {
        self.view.skin.sizes[triangle as usize]
    }

    /// What a nearest point is as a contact: `None` where a neighbour is nearer, where the vertex is too deep inside or
    /// looks away.
    fn touch(&self, config: &Config, vertex: u32, triangle: u32, near: Nearest) -> Option<VertexTouch> {
        let flush = self.flush(config, vertex, triangle, &near);
        if flush.is_none() && !config.is_local_minimum(triangle, near.feature, near.foot, near.away) {
            return None;
        }
        if self.is_left_to_others(config, vertex, triangle, &near) {
            return None;
        }
        let touching = flush.is_some() || near.distance <= NO_DISTANCE * self.size(triangle);
        let name = config.feature_name(triangle, near.weights, touching);
        let (normal, signed) = if let Some(known) = flush {
            known
        } else if self.of_triangle.solid {
            self.outward(config, vertex, triangle, &near)?
        } else {
            (self.away_or_known(config, vertex, triangle, &near, name)?, near.distance)
        };
        if signed < -self.depth_limit(triangle)
            || (self.of_vertex.solid && !config.looks_against(vertex, normal))
        {
            return None;
        }
        let limits = self.limits_of(vertex, triangle, signed)?;
        Some(VertexTouch { weights: near.weights, normal, signed, limits, name })
    }

    /// Whether a vertex of a sheet is at a corner or at a long edge, and its own triangles come nearer there than it does
    /// itself. Then these touch. The vertex may be beside or behind the corner, and would be pushed away from it while
    /// its triangles are kept before it.
    fn is_left_to_others(&self, config: &Config, vertex: u32, triangle: u32, near: &Nearest) -> bool {
        if self.of_vertex.solid || near.distance <= NO_DISTANCE * self.size(triangle) {
            return false;
        }
        let skin = self.view.skin;
        let others_touch = match near.feature {
            Feature::Face => false,
            Feature::Edge(k) => {
                let edge = skin.topology.triangle_edges[triangle as usize][usize::from(k)] as usize;
                let around = skin.topology.around(vertex).iter();
                let size = around.fold(0.0, |most: f64, &t| most.max(skin.sizes[t as usize]));
                self.view.sharp[edge] && skin.lengths[edge] > LONGER * size
            }
            Feature::Vertex(_) => true,
        };
        others_touch && !config.is_foremost(vertex, near.away)
    }

    /// Thickness and margin; `None` for a vertex that only seems to be inside of its own body.
    fn limits_of(&self, vertex: u32, triangle: u32, signed: f64) -> Option<Limits> {
        if self.vertex_part != self.triangle_part {
            return Some(self.limits);
        }
        let skin = self.view.skin;
        let corners = skin.topology.triangles[triangle as usize].map(|v| skin.rest[v as usize]);
        let p = skin.rest[vertex as usize];
        let (weights, _) = closest_on_triangle(p, corners);
        let foot: DVec3 = weights.iter().zip(corners).map(|(&w, c)| w * c).sum();
        let rest_distance = p.distance(foot);
        // The two sides of a thin part are behind each other at rest too.
        let own_material = signed < 0.0 && rest_distance < skin.sizes[triangle as usize];
        (!own_material).then(|| self.limits.within_surface(rest_distance))
    }

    /// Normal and height of a vertex that lies on a face of a solid with a face of its own, at its rim or as good as at
    /// it: blocks of equal size on top of each other. Rounding must not decide whether it is still on the face.
    fn flush(&self, config: &Config, vertex: u32, triangle: u32, near: &Nearest) -> Option<(DVec3, f64)> {
        let beside = 1e-4 * self.size(triangle);
        if near.feature == Feature::Face
            || near.distance > 5.0 * beside
            || !(self.of_triangle.solid && self.of_vertex.solid)
        {
            return None;
        }
        let normal = config.normal(triangle)?;
        let height = normal.dot(near.away);
        let off = (near.away - height * normal).length();
        let mut own = self.view.skin.topology.around(vertex).iter().filter_map(|&t| config.normal(t));
        (off <= beside && own.any(|m| m.dot(normal) < -0.999)).then_some((normal, height))
    }

    /// Normal and signed distance of a vertex with respect to a solid.
    fn outward(&self, config: &Config, vertex: u32, triangle: u32, near: &Nearest) -> Option<(DVec3, f64)> {
        if near.feature == Feature::Face
            && let Some(normal) = config.normal(triangle)
        {
            return Some((normal, normal.dot(near.away)));
        }
        if near.distance <= AS_GOOD_AS_TOUCHING * self.size(triangle) {
            let other = self.of_vertex.solid.then_some(vertex);
            let normal = config.separating_normal(other, triangle, near.feature, near.foot)?;
            return Some((normal, normal.dot(near.away)));
        }
        let direction = near.away.try_normalize()?;
        let inside = config.pseudonormal(triangle, near.feature).dot(near.away) < 0.0;
        let sign = if inside { -1.0 } else { 1.0 };
        Some((sign * direction, sign * near.distance))
    }

    /// Direction from a sheet to a vertex; without a distance, what is known of its side.
    fn away_or_known(
        &self,
        config: &Config,
        vertex: u32,
        triangle: u32,
        near: &Nearest,
        name: (u32, u32),
    ) -> Option<DVec3> {
        if near.distance > NO_DISTANCE * self.size(triangle) {
            return near.away.try_normalize();
        }
        if let Some(normal) = self.view.remembered(self.key(vertex, name)) {
            // Remembered from the body's side, which is that of the vertex unless this is one of an obstacle.
            let flipped = self.of_vertex.is_rigid() || (name.0 == VERTEX && vertex > name.1);
            return Some(if flipped { -normal } else { normal });
        }
        let normal = config
            .normal(triangle)
            .or_else(|| config.separating_normal(None, triangle, near.feature, near.foot))?;
        let start = self.nearest(&self.view.at(0.0), vertex, triangle);
        let back = self.view.at(0.0).normal(triangle).unwrap_or(normal).dot(start.away) < 0.0;
        Some(if back { -normal } else { normal })
    }

    fn key(&self, vertex: u32, (kind, index): (u32, u32)) -> ContactKey {
        if kind == VERTEX && index < vertex {
            return ContactKey([VERTEX_TRIANGLE, index, self.vertex_part, VERTEX << 30 | vertex]);
        }
        ContactKey([VERTEX_TRIANGLE, vertex, self.triangle_part, kind << 30 | index])
    }

    fn found(&self, vertex: u32, triangle: u32, when: When, touch: VertexTouch) -> Found {
        let corners = self.view.skin.topology.triangles[triangle as usize];
        let foot: [(u32, f64); 3] = std::array::from_fn(|k| (corners[k], touch.weights[k]));
        let inside = (touch.signed < 0.0).then(|| {
            let start = self.view.at(0.0);
            let base: DVec3 = foot.iter().map(|&(v, w)| w * start.position(v)).sum();
            let normal = start.normal(triangle).unwrap_or(touch.normal);
            normal.dot(start.position(vertex) - base)
        });
        let point = [(vertex, 1.0)];
        let mut sides = Sides {
            first: (self.vertex_part, &point),
            second: (self.triangle_part, &foot),
            normal: touch.normal,
            thickness: touch.limits.thickness,
        };
        let [start_gap, gap] = self.view.gaps(&sides);
        // Two vertices are found from both: the same one comes first.
        if touch.name.0 == VERTEX && touch.name.1 < vertex {
            sides = Sides { first: sides.second, second: sides.first, normal: -sides.normal, ..sides };
        }
        let key = self.key(vertex, touch.name);
        debug_assert!(touch.name.0 != FACE || key.0[1] == vertex);
        Found { contact: self.view.contact(key, sides), when, inside, start_gap, gap }
    }
}
