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
use pliant_collide::Contact;
use pliant_linalg::Team;
use pliant_mesh::{DMat3, DVec3};

/// Rotation of a step, as the largest entry of `R - 1`, below which duals stay as they are.
const NEGLIGIBLE: f64 = 1e-9;

/// Distance that is kept, in parts of itself, which the motion of a whole part may take away.
const PRESSED: f64 = 0.5;

/// The parts, and how they move.
#[derive(Clone, Debug)]
pub(super) struct Rigid {
    parts: Parts,
    motions: Vec<RigidMotion>,
    displacements: Vec<Vec4>,
    /// How the parts move as a whole.
    ways: Vec<Way>,
}

impl Rigid {
    pub(super) fn new(system: &System, numbering: &Numbering, h: f64) -> Rigid {
        let parts = Parts::new(system, numbering, h);
        let count = parts.frames().len();
        Rigid {
            parts,
            motions: Vec::with_capacity(count),
            displacements: vec![Vec4::default(); numbering.free()],
            ways: vec![Way::default(); count],
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

    /// Changes the last motion, from `before`, of parts that it would press together by more than half of the distance that is
    /// kept between them, or by the margin of contacts where none is kept, and then of those that would be pressed against these:
    /// they keep their mean way but what of it goes into a contact. A stack without forces would fall through its own layers in a
    /// long step, and contacts lose their sides.
    pub(super) fn stay_apart(
        &mut self,
        contacts: &Contacts,
        index_of: &[u32],
        before: &[Vec4],
        q: &mut [Vec4],
    ) {
        let free = self.displacements.len();
        self.find_ways(before, q);
        for _ in 0..=self.ways.len() {
            let mut is_settled = true;
            for c in contacts.contacts().iter().filter(|c| c.time == 1.0) {
                let most = if c.thickness > 0.0 { PRESSED * c.thickness } else { contacts.margin() };
                let after = gap(c, index_of, q);
                if after >= -most || after >= gap(c, index_of, before) {
                    continue;
                }
                for (v, w) in c.vertices.iter().zip(&c.weights).take(c.count as usize) {
                    let row = index_of[*v as usize] as usize;
                    is_settled &=
                        row >= free || !self.ways[self.parts.of(row)].turn_off(w.signum() * c.normal);
                }
            }
            if is_settled {
                return;
            }
            for (row, q) in q[..free].iter_mut().enumerate() {
                let way = &self.ways[self.parts.of(row)];
                if way.is_changed {
                    *q = Vec4::new(before[row].point() + way.mean);
                }
            }
        }
    }

    /// The mean ways of the parts.
    fn find_ways(&mut self, before: &[Vec4], q: &[Vec4]) {
        let Rigid { parts, ways, displacements, .. } = self;
        ways.fill(Way::default());
        for row in 0..displacements.len() {
            let way = &mut ways[parts.of(row)];
            way.mean += (q[row] - before[row]).point();
            way.rows += 1.0;
        }
        ways.iter_mut().filter(|way| way.rows > 0.0).for_each(|way| way.mean /= way.rows);
    }
}

/// How a part moves as a whole.
#[derive(Clone, Copy, Debug, Default)]
struct Way {
    mean: DVec3,
    rows: f64,
    is_changed: bool,
}

impl Way {
    /// Leaves out what goes against a direction; whether that changes anything.
    fn turn_off(&mut self, direction: DVec3) -> bool {
        let against = self.mean.dot(direction).min(0.0);
        self.mean -= against * direction;
        let is_new = !std::mem::replace(&mut self.is_changed, true);
        is_new || against < -NEGLIGIBLE * self.mean.length()
    }
}

/// The gap of a contact at places in solver order, m.
fn gap(contact: &Contact, index_of: &[u32], q: &[Vec4]) -> f64 {
    let terms = contact.vertices.iter().zip(&contact.weights).take(contact.count as usize);
    let point: DVec3 = terms.map(|(v, w)| *w * q[index_of[*v as usize] as usize].point()).sum();
    contact.normal.dot(point - contact.anchor) - contact.thickness
}
