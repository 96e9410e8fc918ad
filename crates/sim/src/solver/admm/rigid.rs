//! Rigid motions of the parts, which elasticity does not resist but the global matrix does.
//!
//! A rotation of a stiff part costs no energy, but the matrix resists it with the whole stiffness: plain projective dynamics
//! hardly turns it in a step (docs/theory/admm.md#rotation). After each global solve every part is therefore moved as a
//! whole to where the forces from outside balance: those of elements have neither sum nor torque.

use crate::contact::Contacts;
use crate::fem::System;
use crate::fem::numbering::Numbering;
use crate::solver::local_global::local::Local;
use crate::solver::local_global::parts::{Parts, RigidMotion};
use crate::solver::local_global::{PIECE, Vec4};
use pliant_collide::{Contact, Side};
use pliant_linalg::Team;
use pliant_mesh::{DMat3, DVec3};

/// Rotation of a step, as the largest entry of `R - 1`, below which duals stay as they are.
const NEGLIGIBLE: f64 = 1e-9;

/// Part of the distance that is kept which the motion of whole parts may take away: beyond it contacts may lose their sides.
const PRESSED: f64 = 0.5;

/// The parts, and how they move.
#[derive(Clone, Debug)]
pub(super) struct Rigid {
    parts: Parts,
    motions: Vec<RigidMotion>,
    displacements: Vec<Vec4>,
    /// Parts that stay where they were, and those that touch other bodies.
    stays: Vec<bool>,
    is_stacked: Vec<bool>,
}

impl Rigid {
    pub(super) fn new(system: &System, numbering: &Numbering, h: f64) -> Rigid {
        let parts = Parts::new(system, numbering, h);
        let count = parts.frames().len();
        Rigid {
            parts,
            motions: Vec::with_capacity(count),
            displacements: vec![Vec4::default(); numbering.free()],
            stays: vec![false; count],
            is_stacked: vec![false; count],
        }
    }

    /// Replaces the linear rotation of each part on its way from `q_t` to `q` by a true one, and turns the duals with it.
    pub(super) fn predict(&mut self, team: &Team, q_t: &[Vec4], q: &mut [Vec4], local: &mut Local) {
        let Rigid { parts, motions, displacements, .. } = self;
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
        let Rigid { parts, motions, displacements, .. } = self;
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

    /// Takes the last motion, from `before`, back from parts that it would press together by more than half of the distance that
    /// is kept, in a stack of bodies, or else by the margin of contacts, and then from those that would be pressed against these. A
    /// stack without forces would fall through its own layers in a long step.
    pub(super) fn stay_apart(
        &mut self,
        contacts: &Contacts,
        index_of: &[u32],
        before: &[Vec4],
        q: &mut [Vec4],
    ) {
        let Rigid { parts, displacements, stays, is_stacked, .. } = self;
        let free = displacements.len();
        let parts_of = |c| rows(c, index_of).filter(move |row| *row < free).map(|row| parts.of(row));
        is_stacked.fill(false);
        for c in contacts.contacts().iter().filter(|c| is_between_bodies(c)) {
            parts_of(c).for_each(|part| is_stacked[part] = true);
        }
        stays.fill(false);
        for _ in 0..=stays.len() {
            let mut is_settled = true;
            for c in contacts.contacts().iter().filter(|c| c.time == 1.0) {
                let is_tight = c.thickness > 0.0 && parts_of(c).any(|part| is_stacked[part]);
                let most = if is_tight { PRESSED * c.thickness } else { contacts.margin() };
                let after = gap(c, index_of, q);
                if after < -most && after < gap(c, index_of, before) {
                    parts_of(c).for_each(|part| is_settled &= std::mem::replace(&mut stays[part], true));
                }
            }
            if is_settled {
                return;
            }
            for (row, q) in q[..free].iter_mut().enumerate() {
                if stays[parts.of(row)] {
                    *q = before[row];
                }
            }
        }
    }
}

fn is_between_bodies(c: &Contact) -> bool {
    c.sides[0] != c.sides[1] && c.sides.iter().all(|side| matches!(side, Side::Body(_)))
}

/// The places of a contact's vertices in solver order.
fn rows<'a>(c: &'a Contact, index_of: &'a [u32]) -> impl Iterator<Item = usize> + 'a {
    c.vertices.iter().take(c.count as usize).map(|v| index_of[*v as usize] as usize)
}

/// The gap of a contact at places in solver order, m.
fn gap(contact: &Contact, index_of: &[u32], q: &[Vec4]) -> f64 {
    let point: DVec3 =
        rows(contact, index_of).zip(&contact.weights).map(|(row, w)| *w * q[row].point()).sum();
    contact.normal.dot(point - contact.anchor) - contact.thickness
}
