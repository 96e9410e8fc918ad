//! The last word after a step: finds what has passed through each other after all, lists the contacts that would
//! have prevented it, and holds back what no contact could stop.
//!
//! Contacts are found for a predicted motion and solved by a few iterations, so what the bodies do in the end can differ
//! from what was foreseen. As long as every step starts without intersections, the places at its start decide on all sides, and
//! there is always a way back.

use crate::guard::{Pair, Watched};
use crate::near::{EdgeTest, Found, StepView, VertexTest};
use crate::{BodyId, Contact, Detector, ObstacleId, Pose, Tasks};
use pliant_mesh::DVec3;
use std::ops::Range;

/// How much deeper than what the solver may leave something is before it is put back: that is no motion, and friction suffers.
const LAST_RESORT: f64 = 16.0;
/// Most rounds in which vertices are held back. Each adds neighbours of those before.
const ROUNDS: usize = 12;
/// Rounds in which a vertex is put half way back only, and a whole body.
const HALVINGS: [usize; 2] = [2, 6];
/// Way of a triangle in the step, in parts of its size, from which on its body is brought back as a whole: alone, it would be
/// torn off. Free solids always are: vertices that are put back alone would deform them.
const FAR: f64 = 0.5;

/// What [`Detector::hold_back`] did.
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
        self.find_deep(tasks, x, poses, 1.0, &mut deep);
        let count = self.find_piercings(tasks, x, poses, 1.0);
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
            self.find_deep(tasks, [x0, x1], poses, LAST_RESORT, &mut deep);
            left = self.find_piercings(tasks, [x0, x1], poses, LAST_RESORT);
            if left + deep.len() == 0 || round == ROUNDS {
                break;
            }
            self.move_out(&deep, x1, bodies);
            self.move_back(round, x0, x1, poses, bodies);
        }
        left += deep.len();
        self.guard.deep = deep;
        self.guard.remember_left(&self.skin);
        HeldBack { vertices: self.guard.count_held(), left }
    }

    /// Fills the list of pairs; returns its length.
    fn find_piercings(
        &mut self,
        tasks: &dyn Tasks,
        x: [&[DVec3]; 2],
        poses: [&[Pose]; 2],
        tolerance: f64,
    ) -> usize {
        if !self.guard.is_needed() || (0..2).any(|k| !self.matches(x[k], poses[k])) {
            return 0;
        }
        self.motion.update(&self.skin, x, poses);
        let watched = Watched { skin: &self.skin, x0: &self.motion.x0, x1: &self.motion.x1, tolerance };
        self.guard.search(tasks, &watched, poses[1]);
        self.guard.pairs.len()
    }

    /// Moves the vertices of the listed pairs back, each once.
    fn move_back(
        &mut self,
        round: usize,
        x0: &[DVec3],
        x1: &mut [DVec3],
        poses: [&[Pose]; 2],
        bodies: &Bodies,
    ) {
        let mut guard = std::mem::take(&mut self.guard);
        let Self { skin, motion, .. } = &*self;
        guard.list_vertices(skin, |side, t| {
            if self.as_a_whole(side, bodies).is_some() {
                return true;
            }
            let corners = skin.topology.triangles[t as usize].map(|v| v as usize);
            let way = |v: usize| motion.x0[v].distance(motion.x1[v]);
            corners.into_iter().any(|v| way(v) > FAR * skin.sizes[t as usize])
        });
        let kept = HALVINGS.map(|halvings| if round < halvings { 0.5 } else { 0.0 });
        let mut held = std::mem::take(&mut guard.held);
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
        for &(body, obstacle) in &guard.to_shorten {
            (bodies.vertices_of)(body).for_each(|v| bring_back(v as u32, obstacle, kept[1]));
        }
        guard.to_move.iter().for_each(|&(name, obstacle)| bring_back(name, obstacle, kept[0]));
        guard.held.append(&mut held);
        self.guard = guard;
    }
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
