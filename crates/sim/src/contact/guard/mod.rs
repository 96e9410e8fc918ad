//! The guard after a solve: what passed through something all the same gets contacts, or is put back.

use super::Contacts;
use super::set::TeamTasks;
use crate::fem::{System, Tet};
use pliant_collide::{Bodies, HeldBack};
use pliant_linalg::Team;
use pliant_mesh::DVec3;

/// Part of the volume that the solver has left of an element which putting vertices back must leave.
const KEPT_VOLUME: f64 = 0.1;

/// Rounds in which vertices go half the way back to where the solver had them; in later ones they go the whole way.
const HALVINGS: usize = 3;

impl Contacts {
    /// Number of pairs of triangles that have passed through each other in the motion from `x[0]` to `x[1]` that a solver
    /// found. Adds the contacts that prevent it, so that the solver can continue with them.
    pub(crate) fn add_missed(&mut self, team: &Team, x: [&[DVec3]; 2]) -> usize {
        let Some(detector) = &mut self.detector else { return 0 };
        let (poses, missed) = ([&self.poses_t0[..], &self.poses_t1[..]], &mut self.missed);
        let count = detector.piercings(&TeamTasks(team), x, poses, missed);
        if missed.is_empty() {
            return count;
        }
        self.previous.clear();
        self.previous.extend(self.found.iter().map(|c| c.key).zip(self.forces.iter().copied()));
        // Where a pair is known the new one says better where it crosses.
        self.found.retain(|c| missed.binary_search_by_key(&c.key, |m| m.key).is_err());
        self.found.append(missed);
        self.found.sort_unstable_by_key(|c| c.key);
        self.take_over_forces();
        count
    }

    /// Puts vertices back that pass through something at `x`, towards their places `x_t0` at the start of the step.
    pub(crate) fn hold_back(&mut self, team: &Team, system: &System, x_t0: &[DVec3], x: &mut [DVec3]) {
        let Some(detector) = &mut self.detector else { return };
        self.solved.clear();
        self.solved.extend_from_slice(x);
        let poses = [&self.poses_t0[..], &self.poses_t1[..]];
        let bodies = Bodies {
            is_free: &|v| !self.pinned[v as usize],
            vertices_of: &|body| system.bodies[body.index()].vertices.clone(),
        };
        self.held_back = detector.hold_back(&TeamTasks(team), x_t0, x, poses, &bodies);
        if self.held_back.vertices > 0 {
            for body in system.bodies.iter().filter(|b| b.vertices.clone().any(|v| self.pinned[v])) {
                keep_volumes(&system.tets[body.tets.clone()], &self.solved, x);
            }
        }
    }

    /// Counts vertices that were held back elsewhere.
    pub(crate) fn add_held_back(&mut self, vertices: usize) {
        self.held_back.vertices += vertices;
    }

    /// What the last step had to hold back because no contact force kept it from passing through something.
    pub fn held_back(&self) -> HeldBack {
        self.held_back
    }
}

/// Moves vertices from where they were put back to, at `x`, towards where the solver had them, `solved`, until no element is flattened
/// by it: what is a little too deep comes out in the next steps, an element that is turned inside out may not. Solids that nothing
/// holds are put back as a whole and do not need it.
fn keep_volumes(tets: &[Tet], solved: &[DVec3], x: &mut [DVec3]) {
    for round in 0.. {
        let kept = if round < HALVINGS { 0.5 } else { 0.0 };
        let mut flattened = false;
        for tet in tets {
            let corners = tet.vertices.map(|v| v as usize);
            if corners.iter().all(|&v| x[v] == solved[v]) {
                continue;
            }
            let before = volume(corners.map(|v| solved[v]));
            if volume(corners.map(|v| x[v])) < before.min(KEPT_VOLUME * before) {
                flattened = true;
                for v in corners {
                    x[v] = solved[v] + kept * (x[v] - solved[v]);
                }
            }
        }
        // Each late round takes vertices back for good: it ends.
        if !flattened {
            return;
        }
    }
}

/// Six times the volume of a tetrahedron.
fn volume([a, b, c, d]: [DVec3; 4]) -> f64 {
    (b - a).cross(c - a).dot(d - a)
}

#[cfg(test)]
mod tests;
