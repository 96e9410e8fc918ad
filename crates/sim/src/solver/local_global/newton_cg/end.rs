//! The end of a step of the Newton iteration: errors that would add up from step to step are taken out.

use super::NewtonCg;
use crate::solver::local_global::{Given, PIECE, Vec4};
use pliant_linalg::Team;
use pliant_mesh::DVec3;

/// Way of a body as a whole, in parts of the size, that a step may have left: more is not what rounding does.
const UNBALANCED: f64 = 0.01;

impl NewtonCg {
    /// Turns each part as a whole by what is missing of its balance of torques, where nothing touches, and corrects its linear
    /// momentum. Such errors would add up from step to step.
    pub(in super::super) fn finish(
        &mut self,
        Given { input, inertial, .. }: Given,
        body_forces: &[DVec3],
        touches: bool,
        q: &mut [Vec4],
    ) {
        let team = input.team;
        if touches {
            self.recent.forget();
        } else {
            self.recent.remember(team, &q[..self.free]);
            self.balance_torques(team, q);
        }
        self.forces.keep_momentum(inertial, body_forces, UNBALANCED * self.size, q);
    }

    fn balance_torques(&mut self, team: &Team, q: &mut [Vec4]) {
        let NewtonCg { metric, motions, residual, next, free, .. } = self;
        metric.parts.refresh(team, q);
        if !metric.parts.can_move() {
            return;
        }
        metric.parts.balance(team, q, residual, motions);
        let parts = &metric.parts;
        team.for_each_piece(&mut next[..*free], PIECE, |first, next| {
            for (k, next) in next.iter_mut().enumerate() {
                let (row, x) = (first + k, q[first + k].point());
                let motion = &motions[parts.of(row)];
                *next = Vec4::new(motion.turned(x, motion.rigid(x)).0);
            }
        });
        q[..*free].copy_from_slice(&next[..*free]);
    }
}
