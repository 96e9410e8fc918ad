//! Rigid motions of the parts, which elasticity does not resist but the global matrix does.
//!
//! A rotation of a stiff part costs no energy, but the matrix resists it with the whole stiffness: plain projective dynamics
//! hardly turns it in a step (docs/theory/admm.md#rotation). After each global solve every part is therefore moved as a
//! whole to where the forces from outside balance: those of elements have neither sum nor torque.

use crate::fem::System;
use crate::fem::numbering::Numbering;
use crate::solver::local_global::local::Local;
use crate::solver::local_global::parts::{Parts, RigidMotion};
use crate::solver::local_global::{PIECE, Vec4};
use pliant_linalg::Team;
use pliant_mesh::DMat3;

/// Rotation of a step, as the largest entry of `R - 1`, below which duals stay as they are.
const NEGLIGIBLE: f64 = 1e-9;

/// The parts, and how they move.
#[derive(Clone, Debug)]
pub(super) struct Rigid {
    parts: Parts,
    motions: Vec<RigidMotion>,
    displacements: Vec<Vec4>,
}

impl Rigid {
    pub(super) fn new(system: &System, numbering: &Numbering, h: f64) -> Rigid {
        let parts = Parts::new(system, numbering, h);
        let motions = Vec::with_capacity(parts.frames().len());
        Rigid { parts, motions, displacements: vec![Vec4::default(); numbering.free()] }
    }

    /// Replaces the linear rotation of each part on its way from `q_t` to `q` by a true one, and turns the duals with it.
    pub(super) fn predict(&mut self, team: &Team, q_t: &[Vec4], q: &mut [Vec4], local: &mut Local) {
        let Rigid { parts, motions, displacements } = self;
        let free = displacements.len();
        team.for_each_piece(displacements, PIECE, |first, d| {
            for (k, d) in d.iter_mut().enumerate() {
                *d = q[first + k] - q_t[first + k];
            }
        });
        parts.refresh(team, q_t);
        parts.motions(team, q_t, displacements, motions);
        team.for_each_piece(&mut q[..free], PIECE, |first, q| {
            for (k, q) in q.iter_mut().enumerate() {
                let row = first + k;
                *q = Vec4::new(motions[parts.of(row)].turned(q_t[row].point(), displacements[row].point()).0);
            }
        });
        let far = |r: &DMat3| (*r - DMat3::IDENTITY).to_cols_array().iter().any(|x| x.abs() > NEGLIGIBLE);
        if motions.iter().any(|m| far(m.rotation())) {
            let of_row =
                |row: u32| ((row as usize) < free).then(|| *motions[parts.of(row as usize)].rotation());
            local.turn(team, &of_row);
        }
    }

    /// Moves each part as a whole by what the forces `r` from outside cause, with `more` inertia at some rows.
    pub(super) fn balance(
        &mut self,
        team: &Team,
        more: impl Fn(usize) -> f64 + Sync,
        r: &[Vec4],
        q: &mut [Vec4],
    ) {
        let Rigid { parts, motions, displacements } = self;
        parts.refresh_with(team, q, more);
        parts.balance(team, q, r, motions);
        // Damping of the material acts on rotations too, and is not among these forces.
        for (part, motion) in motions.iter_mut().enumerate() {
            if parts.is_damped(part) {
                *motion = motion.without_rotation();
            }
        }
        team.for_each_piece(&mut q[..displacements.len()], PIECE, |first, q| {
            for (k, q) in q.iter_mut().enumerate() {
                *q = Vec4::new(motions[parts.of(first + k)].carried(q.point()));
            }
        });
    }
}
