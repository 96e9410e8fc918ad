//! An edge against an edge.

use super::found::{EDGE_EDGE, Found, Sides, When};
use super::segment::{distance, nearest, nearest_inside, point};
use super::sweep::{first_touch, touching};
use super::{Config, Limits, StepView};
use crate::ContactKey;
use crate::skin::{LONGER, NONE, Part};
use pliant_mesh::DVec3;

/// Fraction of the edges' length below which a distance has no direction of its own.
const NO_DISTANCE: f64 = 1e-9;
/// Sine of the angle by which the direction may lean over one of the triangles at an edge.
const LEAN: f64 = 0.05;
/// Sine of the angle by which both triangles at an edge may rise towards the other edge. More is a valley, in which
/// other features touch.
const VALLEY: f64 = 0.2;
/// Part of the length of an edge by which it may be behind another one at the start of a step.
const BEHIND: f64 = 0.01;

/// Tests of edges of one part against edges of another, or of the same.
#[derive(Clone, Copy)]
pub(crate) struct EdgeTest<'a> {
    view: StepView<'a>,
    parts: [u32; 2],
    of: [&'a Part; 2],
    limits: Limits,
}

/// Inner points of two edges that face each other.
struct EdgeTouch {
    fractions: [f64; 2],
    /// From the second edge to the first.
    normal: DVec3,
    /// Negative if they have passed through each other.
    signed: f64,
    sharp: [bool; 2],
}

impl<'a> EdgeTest<'a> {
    pub fn new(view: StepView<'a>, first: u32, second: u32) -> Self {
        let of = [view.part(first), view.part(second)];
        let limits = Limits { thickness: of[0].radius + of[1].radius, margin: view.margin };
        Self { view, parts: [first, second], of, limits }
    }

    /// Adds the contact of two edges, the first of the first part, if there is one.
    pub fn test(&self, edges: [u32; 2], out: &mut Vec<Found>) {
        let view = &self.view;
        // Where a surface does not stand out, its edges do what the vertices do: these are stopped, also in a crossing.
        if !self.is_needed(edges, edges.map(|e| view.sharp[e as usize])) {
            return;
        }
        let [a, b] = edges.map(|e| view.skin.topology.edges[e as usize]);
        if view.skin.shares(a[0], &b) || view.skin.shares(a[1], &b) {
            return;
        }
        let end = view.at(1.0);
        let end_distance = distance(end.ends(edges[0]), end.ends(edges[1]));
        let motion = view.relative_motion(a, b);
        // At no time are they nearer than this; false for NaN.
        let may_be_near = end_distance - motion <= self.limits.reach().max(self.depth_limit(edges));
        if !may_be_near {
            return;
        }
        let crossing = || if end_distance <= motion { self.crossing(edges, motion) } else { None };
        let found = if self.of[0].solid || self.of[1].solid {
            self.found_at(edges, When::End).or_else(crossing)
        } else {
            crossing().or_else(|| self.found_at(edges, When::End))
        };
        out.extend(found.or_else(|| self.found_at(edges, When::Start)));
    }

    /// The contact that keeps two edges from passing through each other in the step, however flat their surfaces are. At
    /// their ends they cross only `at_borders`.
    pub fn stop(&self, edges: [u32; 2], at_borders: bool) -> Option<Found> {
        let view = &self.view;
        let [a, b] = edges.map(|e| view.skin.topology.edges[e as usize]);
        if view.skin.shares(a[0], &b) || view.skin.shares(a[1], &b) {
            return None;
        }
        let thickness = self.limits_of(edges).thickness;
        let time = self.time_of_touch(edges, view.relative_motion(a, b), thickness)?;
        self.unfiltered(edges, time, at_borders)
    }

    /// The same, or else the contact of edges that are near at the start of the step.
    pub fn stop_or_near(&self, edges: [u32; 2]) -> Option<Found> {
        self.stop(edges, false).or_else(|| {
            let start = self.view.at(0.0);
            let near = distance(start.ends(edges[0]), start.ends(edges[1])) < self.limits_of(edges).reach();
            if near { self.unfiltered(edges, 0.0, false) } else { None }
        })
    }

    fn unfiltered(&self, edges: [u32; 2], time: f64, at_borders: bool) -> Option<Found> {
        let config = self.view.at(time);
        let (fractions, apart) = nearest(config.ends(edges[0]), config.ends(edges[1]));
        let inside = |s: f64| s > 0.0 && s < 1.0;
        if !at_borders && !fractions.into_iter().all(inside) {
            return None;
        }
        let normal = apart.try_normalize()?;
        let outward = |k: usize| if self.of[k].solid { config.edge_normal(edges[k]) } else { DVec3::ZERO };
        if normal.dot(outward(1) - outward(0)) < 0.0 {
            return None;
        }
        let touch = EdgeTouch { fractions, normal, signed: apart.length(), sharp: [true; 2] };
        let when = if time > 0.0 { When::Crossing } else { When::Start };
        let start = self.view.at(0.0);
        let limits = self.limits_of(edges).gently(distance(start.ends(edges[0]), start.ends(edges[1])));
        Some(self.found(edges, when, touch, limits))
    }

    /// When two edges come so close that they may cross, if they do.
    fn time_of_touch(&self, edges: [u32; 2], motion: f64, reach: f64) -> Option<f64> {
        let between = |t: f64| {
            let config = self.view.at(t);
            distance(config.ends(edges[0]), config.ends(edges[1]))
        };
        let start = between(0.0);
        if start <= NO_DISTANCE * self.shorter(edges) || start >= motion {
            return None;
        }
        first_touch([start, touching(start, reach)], motion, between)
    }

    fn crossing(&self, edges: [u32; 2], motion: f64) -> Option<Found> {
        let time = self.time_of_touch(edges, motion, self.limits.reach())?;
        let touch = self.touch(&self.view.at(time), edges)?;
        if touch.signed < 0.0 || !self.is_needed(edges, touch.sharp) {
            return None;
        }
        Some(self.found(edges, When::Crossing, touch, self.limits_of(edges)).met_at(time, motion, self.of))
    }

    fn found_at(&self, edges: [u32; 2], when: When) -> Option<Found> {
        let config = self.view.at(if when == When::End { 1.0 } else { 0.0 });
        let mut touch = self.touch(&config, edges)?;
        if when == When::End && self.have_crossed(edges, &touch) {
            (touch.normal, touch.signed) = (-touch.normal, -touch.signed);
        }
        let limits = self.limits_of(edges);
        let near = touch.signed < limits.reach() && self.is_needed(edges, touch.sharp);
        if !near || self.is_too_deep(edges, &touch) {
            return None;
        }
        let inside = (self.of[0].solid || self.of[1].solid) && touch.signed < 0.0;
        let fractions = touch.fractions;
        let found = self.found(edges, when, touch, limits);
        // Edges that were deeper in each other than they may be have come in elsewhere.
        let goes_through = inside && found.start_height() < -self.start_limit(edges);
        (!goes_through && !self.comes_from_behind(edges, fractions, found.start_height())).then_some(found)
    }

    /// How deep edges may be in each other at the start of a step. Sheets keep a distance, so none is in a solid then.
    fn start_limit(&self, edges: [u32; 2]) -> f64 {
        let both_solid = self.of[0].solid && self.of[1].solid;
        if both_solid {
            self.depth_limit(edges)
        } else {
            self.limits.thickness.max(BEHIND * self.shorter(edges))
        }
    }

    /// Whether a point of one edge has come to another one through a solid: at the start of the step it was before neither of the
    /// faces there, or it has passed through one of them.
    fn comes_from_behind(&self, edges: [u32; 2], fractions: [f64; 2], start_height: f64) -> bool {
        let limit = self.start_limit(edges);
        if start_height > -limit {
            return false;
        }
        let is_sheet = !(self.of[0].solid && self.of[1].solid);
        // Sheets are always some way before what they touch; solids may be a little inside.
        let before = if is_sheet { 0.5 * self.limits.thickness } else { -BEHIND * self.shorter(edges) };
        (0..2).filter(|&k| self.of[k].solid).any(|k| {
            let place = |time: f64| point(self.view.at(time).ends(edges[1 - k]), fractions[1 - k]);
            let faces = self.view.skin.topology.edge_triangles[edges[k] as usize];
            let height = |t: u32, time: f64| self.view.at(time).height(t, place(time));
            let passes = |t: u32| {
                let (from, to) = (height(t, 0.0), height(t, 1.0));
                let time = from / (from - to);
                from > 0.0 && to < 0.0 && self.view.at(time).depth_in_face(edges[k], t, place(time)) > limit
            };
            faces.iter().all(|&t| t != NONE && height(t, 0.0) < before)
                || faces.iter().any(|&t| t != NONE && passes(t))
        })
    }

    /// For edges of sheets: whether they are on the other side of each other than at the start, when they were opposite
    /// each other too.
    fn have_crossed(&self, edges: [u32; 2], touch: &EdgeTouch) -> bool {
        if self.of[0].solid || self.of[1].solid || touch.signed <= 0.0 {
            return false;
        }
        let side = |time: f64| {
            let config = self.view.at(time);
            let [a, b] = edges.map(|e| config.ends(e));
            let [s, t] = nearest_inside(a, b)?;
            let across = (a[1] - a[0]).cross(b[1] - b[0]);
            Some(across.dot(point(a, s) - point(b, t)))
        };
        side(0.0).zip(side(1.0)).is_some_and(|(from, to)| from * to < 0.0)
    }

    /// How deep edges may be inside and still be pushed out; zero without a solid.
    fn depth_limit(&self, edges: [u32; 2]) -> f64 {
        let limit = |k: usize| if self.of[k].solid { self.view.skin.edge_depth(edges[k]) } else { 0.0 };
        limit(0).max(limit(1))
    }

    fn shorter(&self, [a, b]: [u32; 2]) -> f64 {
        let lengths = &self.view.skin.lengths;
        lengths[a as usize].min(lengths[b as usize])
    }

    /// Slope of the triangles at an edge above which it stands out between the vertices around it by more than a
    /// small part of the thickness and of its length. Flatter edges do what the vertices do.
    fn sharpness(&self, edge: u32) -> f64 {
        let length = self.view.skin.lengths[edge as usize].max(f64::MIN_POSITIVE);
        0.04 + 0.4 * self.limits.thickness / length
    }

    /// The inner points and the direction between them: `None` where vertices or triangles are nearer.
    fn touch(&self, config: &Config, edges: [u32; 2]) -> Option<EdgeTouch> {
        let [a, b] = edges.map(|e| config.ends(e));
        let fractions = nearest_inside(a, b)?;
        let across = (a[1] - a[0]).cross(b[1] - b[0]).try_normalize()?;
        let apart = point(a, fractions[0]) - point(b, fractions[1]);
        let normal = self.oriented(config, edges, across, apart);
        let mut sharp = [true; 2];
        for (k, towards) in [-normal, normal].into_iter().enumerate() {
            let wings = config.wings(edges[k]);
            let slopes = wings.map(|w| w.map_or(-1.0, |w| w.dot(towards)));
            let mean = 0.5 * (slopes[0] + slopes[1]);
            let leans = mean > VALLEY || slopes[0].max(slopes[1]) > LEAN + mean.max(0.0);
            if leans && !self.is_crossed_by_longer(edges, k) {
                return None;
            }
            sharp[k] = -mean > self.sharpness(edges[k]);
        }
        Some(EdgeTouch { fractions, normal, signed: normal.dot(apart), sharp })
    }

    /// Whether the other edge of a pair is so long that it runs along many edges of this sheet. It touches all of them, and
    /// which of them comes nearest is decided by the solver only.
    fn is_crossed_by_longer(&self, edges: [u32; 2], k: usize) -> bool {
        let lengths = edges.map(|e| self.view.skin.lengths[e as usize]);
        !self.of[k].solid && lengths[1 - k] > LONGER * lengths[k]
    }

    /// The common perpendicular, pointing from the second edge to the first: out of solids, else as the edges are.
    fn oriented(&self, config: &Config, edges: [u32; 2], across: DVec3, apart: DVec3) -> DVec3 {
        let outward = |k: usize| if self.of[k].solid { config.edge_normal(edges[k]) } else { DVec3::ZERO };
        let by_solids = across.dot(outward(1) - outward(0));
        if by_solids.abs() > 1e-6 {
            return if by_solids < 0.0 { -across } else { across };
        }
        let side = across.dot(apart);
        let known = if side.abs() > NO_DISTANCE * self.shorter(edges) {
            side
        } else {
            self.side_by_memory(edges, across)
        };
        if known < 0.0 { -across } else { across }
    }

    /// For edges without a distance: on which side they were in the last step or at the start of this one.
    fn side_by_memory(&self, edges: [u32; 2], across: DVec3) -> f64 {
        if let Some(normal) = self.view.remembered(self.key(edges)) {
            // A contact is remembered from the body's side, which comes second only against an obstacle.
            let sign = if self.of[0].is_rigid() { -1.0 } else { 1.0 };
            return sign * normal.dot(across);
        }
        let start = self.view.at(0.0);
        let middle = |e: u32| {
            let [p, q] = start.ends(e);
            0.5 * (p + q)
        };
        across.dot(middle(edges[0]) - middle(edges[1]))
    }

    /// Whether edges that have passed through each other are nearer to the outside elsewhere.
    fn is_too_deep(&self, edges: [u32; 2], touch: &EdgeTouch) -> bool {
        if touch.signed >= 0.0 {
            return false;
        }
        let depth = -touch.signed;
        let skin = self.view.skin;
        let beyond = |k: usize| {
            let (length, s) = (skin.lengths[edges[k] as usize], touch.fractions[k]);
            // Nearer to an end than to the surface: the end leaves first.
            let to_end = length * s.min(1.0 - s);
            depth > to_end || (self.of[k].solid && depth > skin.edge_depth(edges[k]))
        };
        let own_material = self.parts[0] == self.parts[1]
            && self.rest_distance(edges)
                < skin.lengths[edges[0] as usize].max(skin.lengths[edges[1] as usize]);
        beyond(0) || beyond(1) || own_material
    }

    fn rest_distance(&self, edges: [u32; 2]) -> f64 {
        let skin = self.view.skin;
        let [a, b] = edges.map(|e| skin.topology.edges[e as usize].map(|v| skin.rest[v as usize]));
        distance(a, b)
    }

    fn limits_of(&self, edges: [u32; 2]) -> Limits {
        if self.parts[0] == self.parts[1] {
            self.limits.within_surface(self.rest_distance(edges))
        } else {
            self.limits
        }
    }

    /// Whether the contact of the edges does not follow from those of vertices: both are sharp, or one is and is so
    /// long that its ends say nothing about what it does in between.
    fn is_needed(&self, edges: [u32; 2], sharp: [bool; 2]) -> bool {
        let lengths = edges.map(|e| self.view.skin.lengths[e as usize]);
        match sharp {
            [true, true] => true,
            [true, false] => lengths[0] > LONGER * lengths[1],
            [false, true] => lengths[1] > LONGER * lengths[0],
            [false, false] => false,
        }
    }

    fn key(&self, [a, b]: [u32; 2]) -> ContactKey {
        ContactKey([EDGE_EDGE, a, self.parts[1], b])
    }

    fn found(&self, edges: [u32; 2], when: When, touch: EdgeTouch, limits: Limits) -> Found {
        let ends = edges.map(|e| self.view.skin.topology.edges[e as usize]);
        let points: [[(u32, f64); 2]; 2] = std::array::from_fn(|k| {
            let s = touch.fractions[k];
            [(ends[k][0], 1.0 - s), (ends[k][1], s)]
        });
        let sides = Sides {
            first: (self.parts[0], &points[0]),
            second: (self.parts[1], &points[1]),
            normal: touch.normal,
            thickness: limits.thickness,
        };
        let [start_gap, gap] = self.view.gaps(&sides);
        Found { contact: self.view.contact(self.key(edges), sides), when, inside: None, start_gap, gap }
    }
}
