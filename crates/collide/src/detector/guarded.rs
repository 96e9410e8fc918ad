//! The last word after a step: finds what has passed through each other after all, lists the contacts that would
//! have prevented it, and holds back what no contact could stop.
//!
//! Contacts are found for a predicted motion and solved by a few iterations, so what the bodies do in the end can differ
//! from what was foreseen. As long as every step starts without intersections, the places at its start decide on all sides, and
//! there is always a way back.

use crate::guard::{Guard, LAST_RESORT, Pair, Watched};
use crate::near::{EdgeTest, Found, StepView, VertexTest};
use crate::{BodyId, Contact, Detector, ObstacleId, Pose, Side, Tasks};
use pliant_mesh::DVec3;
use std::ops::Range;

/// Most rounds in which vertices are held back. Each adds neighbours of those before.
const ROUNDS: usize = 12;
/// Rounds in which what is in an analytic obstacle is moved out of it. Who is still in one then is brought back the way it came: it
/// is between two.
const ROUNDS_OUT: usize = 5;
/// Rounds in which a vertex is put half way back only, and a whole body.
const HALVINGS: [usize; 2] = [2, 9];
/// Part of its depth that may be left after a step of what comes out of an obstacle by itself.
const STILL_INSIDE: f64 = 0.95;
/// Way of a triangle in the step, in parts of its size, from which on its body is brought back as a whole: alone, it would be
/// torn off. Free solids always are: vertices that are put back alone would deform them.
const FAR: f64 = 0.5;

/// What [`Detector::hold_back`] did.
///
/// ```
/// let nothing = pliant_collide::HeldBack::default();
/// assert_eq!((nothing.vertices, nothing.left), (0, 0));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeldBack {
    /// Vertices that were moved back towards their places at the start of the step.
    pub vertices: usize,
    /// Pairs of triangles that intersect nevertheless, and places that are deep inside of obstacles.
    pub left: usize,
}

/// What the guard must know of the bodies whose surfaces it moves.
pub struct Bodies<'a> {
    /// Whether a vertex can be moved.
    pub is_free: &'a dyn Fn(u32) -> bool,
    /// All vertices of a body, also those inside.
    pub vertices_of: &'a dyn Fn(BodyId) -> Range<usize>,
}

impl Detector {
    /// Number of pairs of triangles that have come to intersect in the step from `x[0]` to `x[1]`, with obstacles going
    /// from `poses[0]` to `poses[1]`, and of places that are deep inside of analytic obstacles or have passed through them. Adds
    /// to `out` the contacts that would have prevented it, sorted by key.
    ///
    /// Surfaces without a thickness touch, which is no intersection: they may be a little inside of each other. What
    /// intersected at the start of the step, and what is beside it, is left alone.
    pub fn piercings(
        &mut self,
        tasks: &dyn Tasks,
        x: [&[DVec3]; 2],
        poses: [&[Pose]; 2],
        out: &mut Vec<Contact>,
    ) -> usize {
        out.clear();
        let mut deep = std::mem::take(&mut self.guard.deep);
        let count = self.look(tasks, x, poses, 1.0, &mut deep);
        if count == 0 {
            self.guard.remember_left(&self.skin);
            out.append(&mut deep);
            self.guard.deep = deep;
            return out.len();
        }
        let mut stops = std::mem::take(&mut self.guard.stops);
        stops.clear();
        let view = self.view();
        for pair in &self.guard.pairs {
            add_stops(view, pair, &mut stops);
        }
        out.extend(stops.iter().map(|f| f.contact));
        out.sort_unstable_by_key(|c| c.key);
        out.dedup_by_key(|c| c.key);
        self.guard.stops = stops;
        self.keep(out);
        let inside = deep.len();
        out.append(&mut deep);
        out.sort_unstable_by_key(|c| c.key);
        self.guard.deep = deep;
        count + inside
    }

    /// Moves vertices of triangles that have come to intersect in the step back towards `x0`, where they did not, and what is
    /// in analytic obstacles out of them, until nothing new intersects. What was at a moving obstacle goes along with it. Only vertices that `is_free` are moved.
    pub fn hold_back(
        &mut self,
        tasks: &dyn Tasks,
        x0: &[DVec3],
        x1: &mut [DVec3],
        poses: [&[Pose]; 2],
        bodies: &Bodies,
    ) -> HeldBack {
        self.guard.held.clear();
        let mut deep = std::mem::take(&mut self.guard.deep);
        let mut left = 0;
        for round in 0..=ROUNDS {
            left = self.look(tasks, [x0, x1], poses, LAST_RESORT, &mut deep);
            deep.retain(|contact| !comes_out(contact, x0, x1));
            if left + deep.len() == 0 || round == ROUNDS {
                break;
            }
            let mut guard = std::mem::take(&mut self.guard);
            self.list_what_moves(&mut guard, bodies);
            self.move_out(&deep, x1, bodies, &mut guard.held);
            if round >= ROUNDS_OUT {
                add_deeper(&deep, [x0, x1], poses, &mut guard.to_shorten);
            }
            self.move_back(round, x0, x1, poses, bodies, &mut guard);
            self.guard = guard;
        }
        left += deep.len();
        self.guard.deep = deep;
        self.guard.remember_left(&self.skin);
        HeldBack { vertices: self.guard.count_held(), left }
    }

    /// Fills the list of pairs, and `deep` with what is inside of analytic obstacles; returns the number of pairs.
    fn look(
        &mut self,
        tasks: &dyn Tasks,
        x: [&[DVec3]; 2],
        poses: [&[Pose]; 2],
        tolerance: f64,
        deep: &mut Vec<Contact>,
    ) -> usize {
        deep.clear();
        let analytic = self.has_analytic;
        if !(analytic || self.guard.is_needed()) || (0..2).any(|k| !self.matches(x[k], poses[k])) {
            return 0;
        }
        self.motion.update(&self.skin, x, poses);
        self.guard.ways.clear();
        self.guard.ways.extend(self.skin.parts.iter().map(|part| self.motion.longest_way(part)));
        let watched = Watched { skin: &self.skin, x0: &self.motion.x0, x1: &self.motion.x1, tolerance };
        self.guard.refit(tasks, &watched, poses[1]);
        if self.guard.is_needed() {
            self.guard.search(tasks, &watched);
            if self.guard.has_fast_parts(&self.skin) {
                self.refit(tasks);
                let watched =
                    Watched { skin: &self.skin, x0: &self.motion.x0, x1: &self.motion.x1, tolerance };
                self.guard.add_passed(&self.forest, &watched);
            }
        }
        if analytic {
            self.find_deep(tasks, x[1], poses, tolerance, deep);
        }
        self.guard.pairs.len()
    }

    /// Lists the vertices of the pairs and the bodies that are brought back as a whole.
    fn list_what_moves(&self, guard: &mut Guard, bodies: &Bodies) {
        let Self { skin, motion, .. } = self;
        guard.list_vertices(skin, |side, t| {
            if self.as_a_whole(side, bodies).is_some() {
                return true;
            }
            let corners = skin.topology.triangles[t as usize].map(|v| v as usize);
            let way = |v: usize| motion.x0[v].distance(motion.x1[v]);
            corners.into_iter().any(|v| way(v) > FAR * skin.sizes[t as usize])
        });
    }

    /// Moves what is listed back, each vertex once.
    fn move_back(
        &self,
        round: usize,
        x0: &[DVec3],
        x1: &mut [DVec3],
        poses: [&[Pose]; 2],
        bodies: &Bodies,
        guard: &mut Guard,
    ) {
        let kept = HALVINGS.map(|halvings| if round < halvings { 0.5 } else { 0.0 });
        let Guard { to_move, to_shorten, held, .. } = guard;
        let mut bring_back = |name: u32, obstacle: Option<ObstacleId>, kept: f64| {
            if (name as usize) < self.vertex_count && (bodies.is_free)(name) {
                let place = &mut x1[name as usize];
                let from = x0[name as usize];
                let back = match obstacle {
                    Some(o) => poses[1][o.index()].place(poses[0][o.index()].local(from)),
                    None => from,
                };
                *place = back + kept * (*place - back);
                held.push(name);
            }
        };
        for &(body, obstacle) in to_shorten.iter() {
            (bodies.vertices_of)(body).for_each(|v| bring_back(v as u32, obstacle, kept[1]));
        }
        to_move.iter().for_each(|&(name, obstacle)| bring_back(name, obstacle, kept[0]));
    }
}

/// Whether what was inside of an obstacle at the start of the step is on its way out.
fn comes_out(contact: &Contact, x0: &[DVec3], x1: &[DVec3]) -> bool {
    let before = contact.gap(x0) + contact.normal.dot(contact.anchor_motion);
    before < 0.0 && contact.gap(x1) >= STILL_INSIDE * before
}

/// Adds the bodies that are deeper in an obstacle that stays than at the start of the step. At a moving one they would be carried on
/// into others.
fn add_deeper(
    deep: &[Contact],
    [x0, x1]: [&[DVec3]; 2],
    poses: [&[Pose]; 2],
    to_shorten: &mut Vec<(BodyId, Option<ObstacleId>)>,
) {
    for contact in deep {
        if let [Side::Body(body), Side::Obstacle(obstacle)] = contact.sides
            && poses[0][obstacle.index()] == poses[1][obstacle.index()]
            && contact.gap(x1) < contact.gap(x0)
        {
            to_shorten.push((body, Some(obstacle)));
        }
    }
    to_shorten.sort_unstable();
    to_shorten.dedup_by_key(|&mut (body, _)| body);
}

/// Adds the contacts between the features of two triangles that pass through each other in the step. Those at borders
/// count only if there are no others: they come close, and whether they cross is not sure.
fn add_stops(view: StepView, pair: &Pair, out: &mut Vec<Found>) {
    let first = out.len();
    for at_borders in [false, true] {
        if out.len() == first {
            add_stops_of(view, pair, at_borders, out);
        }
    }
}

fn add_stops_of(view: StepView, pair: &Pair, at_borders: bool, out: &mut Vec<Found>) {
    let topology = &view.skin.topology;
    let ([a, b], [t, s]) = (pair.parts, pair.triangles);
    let first_on_second = VertexTest::new(view, a, b, 0.0);
    let second_on_first = VertexTest::new(view, b, a, 0.0);
    let edges = EdgeTest::new(view, a, b);
    let corners = |t: u32| topology.triangles[t as usize].iter();
    out.extend(corners(t).filter_map(|&v| first_on_second.stop(v, s, at_borders)));
    out.extend(corners(s).filter_map(|&v| second_on_first.stop(v, t, at_borders)));
    for e in topology.triangle_edges[t as usize] {
        let others = topology.triangle_edges[s as usize].iter();
        out.extend(others.filter_map(|&f| edges.stop(if f < e { [f, e] } else { [e, f] }, at_borders)));
    }
}
