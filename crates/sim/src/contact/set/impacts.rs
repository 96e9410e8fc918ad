//! Bodies that are so fast that most of their step lies beyond what they meet.

use super::Contacts;
use crate::fem::System;
use crate::fem::measure::diagonal;
use pliant_collide::Side;
use pliant_mesh::DVec3;

/// Part of its size by which the prediction of a body may lie beyond an obstacle. An impact that would press it together by more
/// is over within the step: what is left of its speed towards the obstacle is lost, as in an implicit step of a stiffer body.
const DEEPEST: f64 = 0.25;

/// How often the step of a body is halved that has passed through what it met.
const HALVINGS: i32 = 6;

impl Contacts {
    /// Brings bodies back that are beyond what they met fast: the end of a step says nothing about what is between. Returns
    /// the number of their vertices.
    pub(crate) fn bring_back_from_impacts(
        &mut self,
        system: &System,
        x_t0: &[DVec3],
        x: &mut [DVec3],
    ) -> usize {
        let Contacts { found, pinned, .. } = self;
        let mut moved = 0;
        for halving in 1..=HALVINGS {
            let before = moved;
            for contact in found.iter().filter(|c| c.time < 1.0) {
                for side in contact.sides {
                    let Side::Body(body) = side else { continue };
                    let vertices = system.bodies[body.index()].vertices.clone();
                    let deepest = DEEPEST * diagonal(&system.rest[vertices.clone()]);
                    if contact.gap(x) > -deepest || vertices.clone().any(|v| pinned[v]) {
                        continue;
                    }
                    let kept = if halving == HALVINGS { 0.0 } else { 0.5 };
                    for v in vertices {
                        x[v] = x_t0[v] + kept * (x[v] - x_t0[v]);
                        moved += 1;
                    }
                }
            }
            if moved == before {
                break;
            }
        }
        moved
    }

    /// Whether the last detection found something that is met fast.
    pub(crate) fn has_impacts(&self) -> bool {
        !self.fast.is_empty()
    }

    /// Brings the first iterate `next` of bodies that meet something fast back to where they meet it: what is far beyond says
    /// nothing about how they touch. Their speed takes the prediction `inertial` at most [`DEEPEST`] beyond obstacles, so that they are
    /// stopped and not thinned out. `x_t0` are the positions at the start of the step.
    pub(crate) fn stop_at_impacts(
        &mut self,
        system: &System,
        x_t0: &[DVec3],
        next: &mut [DVec3],
        inertial: &mut [DVec3],
    ) {
        let Contacts { found, fast, impacts, pinned, .. } = self;
        fast.clear();
        let times = found.iter().zip(0..).filter(|(c, _)| c.time < 1.0);
        fast.extend(times.map(|(c, k)| (c.time, k)));
        if fast.is_empty() {
            return;
        }
        fast.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        impacts.clear();
        impacts.resize(system.bodies.len(), 1.0);
        for (place, &(time, k)) in fast.iter().enumerate() {
            let contact = &found[k as usize];
            let bodies = contact.sides.map(|side| match side {
                Side::Body(body) => Some(body.index()),
                Side::Obstacle(_) => None,
            });
            for body in bodies.into_iter().flatten() {
                impacts[body] = time.min(impacts[body]);
            }
            let [Some(body), None] = bodies else { continue };
            // What comes after the first contact with an obstacle would not be met any more.
            let same_pair = |&(_, other): &(f64, u32)| found[other as usize].sides == contact.sides;
            if fast[..place].iter().any(same_pair) {
                continue;
            }
            let vertices = system.bodies[body].vertices.clone();
            let most = DEEPEST * diagonal(&system.rest[vertices.clone()]);
            // The speed alone: what forces add is to be carried, however long the step.
            let beyond = -contact.gap(next) - most;
            if beyond > 0.0 && !vertices.clone().any(|v| pinned[v]) {
                inertial[vertices].iter_mut().for_each(|x| *x += beyond * contact.normal);
            }
        }
        for (body, &time) in system.bodies.iter().zip(impacts.iter()) {
            if time < 1.0 && !body.vertices.clone().any(|v| pinned[v]) {
                for v in body.vertices.clone() {
                    next[v] = x_t0[v] + time * (next[v] - x_t0[v]);
                }
            }
        }
    }
}
