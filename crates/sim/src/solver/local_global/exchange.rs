//! What a step is given, in the order of the solver, and what it gives back, in that of the vertices.

use super::{Engine, Given, LocalGlobal, PIECE, Vec4};
use crate::solver::StepInput;
use pliant_linalg::Team;
use pliant_mesh::DVec3;

impl LocalGlobal {
    /// Takes the step's data over in solver order; starts duals and rotations if there are none yet.
    pub(super) fn load_input(&mut self, team: &Team, input: &StepInput, x: &[DVec3]) {
        let reorder = |to: &mut [Vec4], from: &[DVec3]| {
            team.for_each_piece(to, PIECE, |first, to| {
                for (to, &v) in to.iter_mut().zip(&self.numbering.vertex_of()[first..]) {
                    *to = Vec4::new(from[v as usize]);
                }
            });
        };
        reorder(&mut self.q, x);
        reorder(&mut self.q_t, input.x_t0);
        reorder(&mut self.inertial, input.inertial);
        let cold = !std::mem::replace(&mut self.warm, true);
        match &mut self.iteration {
            Engine::Admm(admm, _) if cold => admm.local.start(team, &self.q_t),
            Engine::Admm(..) => {}
            Engine::Newton(newton, contact) => {
                let given = Given { input, q_t: &self.q_t, inertial: &self.inertial };
                if cold {
                    newton.warm_up(given);
                }
                newton.start(given, contact.is_empty(), &mut self.q);
            }
        }
    }

    /// Writes the iterate back in vertex order.
    pub(super) fn store(&self, team: &Team, x: &mut [DVec3]) {
        team.for_each_piece(x, PIECE, |first, x| {
            for (x, &i) in x.iter_mut().zip(&self.numbering.index_of()[first..]) {
                if (i as usize) < self.numbering.free() {
                    *x = self.q[i as usize].point();
                }
            }
        });
    }

    /// The iterate for an observer: all vertices, in their order.
    pub(super) fn write_iterate(&self, x: &mut [DVec3]) {
        for (x, &i) in x.iter_mut().zip(self.numbering.index_of()) {
            *x = self.q[i as usize].point();
        }
    }
}
