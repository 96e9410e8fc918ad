//! What is deep inside of an analytic obstacle after a step, or has passed through it.

use super::Search;
use super::guarded::Bodies;
use crate::analytic::MovingShape;
use crate::{Contact, Detector, Pose, Side, Tasks};
use pliant_mesh::DVec3;
use std::ops::Range;

/// Part of the size of a body up to which it may be inside of an obstacle, and the same of the finest radius of the obstacle:
/// what the solver leaves, and nobody sees.
const ALLOWED: [f64; 2] = [2.5e-4, 0.1];

impl Detector {
    /// Fills `out` with the contacts of what is deep inside of obstacles after the step that `motion` has, or has passed
    /// through them, on the side it came from; sorted by key. What is allowed of the size is times `tolerance`. The trees of the
    /// guard must fit the end of the step.
    pub(super) fn find_deep(
        &mut self,
        tasks: &dyn Tasks,
        x1: &[DVec3],
        poses: [&[Pose]; 2],
        tolerance: f64,
        out: &mut Vec<Contact>,
    ) {
        out.clear();
        let mut visits = std::mem::take(&mut self.visits);
        let forest = &self.guard.forest;
        self.plan_visits(forest, |part| self.guard.ways[part as usize], poses, &mut visits);
        self.per_task.reserve(visits.len());
        let per_task = &self.per_task;
        tasks.for_each(visits.len(), &|job| {
            per_task.with(job, |Search { stack, contacts, .. }| {
                contacts.clear();
                let mut walk = self.visit(forest, visits[job], poses);
                let size = walk.view.part(walk.part).size;
                let [of_size, of_finest] =
                    [tolerance * ALLOWED[0] * size, ALLOWED[1] * walk.moving.shape.finest()];
                let allowed = of_size.min(of_finest);
                // As if the obstacle were smaller by that.
                walk.moving = MovingShape { thickness: -allowed, margin: 0.0, ..walk.moving };
                walk.guard = Some((self.guard.ways[walk.part as usize], allowed));
                walk.run(stack, contacts);
            });
        });
        self.per_task.each(visits.len(), |search| out.append(&mut search.contacts));
        out.retain(|c| c.gap(x1) + c.thickness < 0.0);
        out.sort_unstable_by_key(|c| c.key);
        self.visits = visits;
    }

    /// Moves what is deep inside of obstacles out to their surface: free solids as a whole, so that they are not deformed, else each
    /// vertex by its share.
    pub(super) fn move_out(&self, deep: &[Contact], x1: &mut [DVec3], bodies: &Bodies, held: &mut Vec<u32>) {
        let is_free = bodies.is_free;
        for contact in deep {
            if let Some(vertices) = self.as_a_whole(contact.sides[0], bodies) {
                let depth = -(contact.gap(x1) + contact.thickness);
                for v in vertices.filter(|_| depth > 0.0) {
                    x1[v] += depth * contact.normal;
                    held.push(v as u32);
                }
                continue;
            }
            let taking_part = || {
                let terms = contact.vertices.iter().zip(&contact.weights).take(contact.count as usize);
                terms.filter(|(v, _)| is_free(**v))
            };
            let depth = -(contact.gap(x1) + contact.thickness);
            let squares: f64 = taking_part().map(|(_, w)| w * w).sum();
            if depth > 0.0 && squares > 0.0 {
                for (&v, &w) in taking_part() {
                    x1[v as usize] += (depth * w / squares) * contact.normal;
                    held.push(v);
                }
            }
        }
    }

    /// The vertices of a solid that nothing holds: it can be moved as a whole.
    pub(super) fn as_a_whole(&self, side: Side, bodies: &Bodies) -> Option<Range<usize>> {
        let Side::Body(body) = side else { return None };
        let solid = self.skin.parts.iter().any(|p| p.side == side && p.solid);
        let vertices = (bodies.vertices_of)(body);
        (solid && vertices.clone().all(|v| (bodies.is_free)(v as u32))).then_some(vertices)
    }
}
