//! The Newton iteration: `phi` is minimised with its true gradient and Hessian products, preconditioned by the constant
//! factor of A with exact rotations (docs/theory/newton-cg.md).
//!
//! ```text
//! x = prediction, the rotation of each part as a true rotation, shortened while phi would rise
//! where nothing touches, the best step within the last corrections is what CG starts with
//! repeat with K = 20 iterations of CG; where something touches with K = 0, 0, 5, 5, ..., 0:
//!   r = - grad phi + h^2 C^T f
//!   d, B' = CG(H d = r) with the preconditioner B, at most K            B' = B and d = B r for K = 0
//!   t = 1, shortened until accepted:
//!     forces f' from W = t C B' C^T at q + t d;   d' = t d + t B' h^2 C^T (f' - f)
//!     q' = q turned and moved by d'
//!     accept if J > J_old / 10 and the curvature of phi along the way is below 1.8 of that of B'
//!     else try B' = B first, then shorter t, then B' again and as little of d' as it takes
//!   q, f = q', f'; end where the estimate of the error is below the tolerance
//! balance torques and linear momentum
//! ```
//!
//! One metric for the free step, the forces and the test: a fixed point is exact balance, no penetration, and Coulomb.
//! The curvature is the change of the slope of phi from one end of the way to the other: no energies, so f32 is enough.

mod end;
mod recent;
mod shortening;
mod start;

use super::config::PRODUCTS;
use super::conjugate_gradients::{ConjugateGradients, Limits};
use super::contact::Touch;
use super::forces::Forces;
use super::metric::{Metric, PAIRS, add_scaled, copy, dot, longest, scale};
use super::parts::{Parts, RigidMotion};
use super::{Given, PIECE, Vec4};
use crate::contact::operator::UpdatedEntries;
use crate::fem::System;
use crate::material::Law;
use crate::snapshot::{Reader, SnapshotError, Writer};
use crate::solver::{Monitor, Stage, StepInput};
use pliant_linalg::Team;
use recent::Recent;
use shortening::Shortening;

/// Curvature along a step, in parts of that of the metric, up to which the step is accepted: at 2 it would not lower phi.
const STEEPEST: f64 = 1.8;

/// The same downwards: what falls that much more steeply at its end than at its start is rounding, or leads far away.
const STEEPEST_FALL: f64 = -10.0;

/// Part of its J that an element must keep in a step.
const KEPT_VOLUME: f64 = 0.1;

/// Least part of the way that is gone where elements would be flattened: usually, and where nothing else is left.
const LEAST_OF_WAY: [f64; 2] = [1.0 / 64.0, 1e-6];

/// Length of a free step, in parts of the size, that is too far for contacts: CG does not know of them, and what would touch there
/// says nothing about here.
const FAR: f64 = 0.3;

/// How often a step is shortened before the iteration gives up: with contact, and without.
const ATTEMPTS: [usize; 2] = [6, 16];

/// Length of a step, in parts of the size, that is not given up where something touches.
const MATTERS: f64 = 1e-4;

/// After so many steps with contact, one that is longer than [`LEAP`] times the shortest and than [`LONG`] of the size is no
/// progress: there the contact problem has found another solution, far away.
const SETTLED: usize = 5;
const LEAP: f64 = 100.0;
const LONG: f64 = 1e-3;

/// Steps shorter than this part of the size are not judged: the slopes are rounding.
const NOT_JUDGED: f64 = 1e-6;

/// Memory of the iteration.
#[derive(Clone, Debug)]
pub(super) struct NewtonCg {
    forces: Forces,
    metric: Metric,
    /// Size of the bodies, m.
    size: f64,
    free: usize,
    /// - grad phi at the iterate and at the next one.
    residual: Vec<Vec4>,
    next_residual: Vec<Vec4>,
    /// The same with the forces of contact.
    total: Vec<Vec4>,
    /// The next iterate.
    next: Vec<Vec4>,
    /// Predicted motion, free step, whole step, and change of contact forces.
    prediction: Vec<Vec4>,
    free_step: Vec<Vec4>,
    step: Vec<Vec4>,
    push: Vec<Vec4>,
    motions: Vec<RigidMotion>,
    cg: ConjugateGradients,
    recent: Recent,
    core: Vec<f64>,
    scales: Vec<f64>,
    retreats: usize,
    /// Whether nothing touches at the start of this step.
    is_free: bool,
    /// Steps with contact that were accepted in this time step, and the shortest of them, m.
    accepted: usize,
    shortest: f64,
    /// Length of the last step, m: vertices of cloth move across its plane by no more.
    reach: f64,
    /// Whether elements that are inverted, or would be, were found to be in the way in this step.
    tangled: bool,
    /// Whether a step is sought where none was found: along what CG finds, however short.
    patient: bool,
    /// The longest vectors of pieces.
    pieces: Vec<f64>,
    /// Products of CG with the Hessian in this iteration.
    products: usize,
}

/// Where a step would end.
struct Trial {
    /// Longest vector of the step, m.
    longest: f64,
    /// Whether an element would lose too much of its volume.
    flattens: bool,
    /// Whether it is a long way: what phi does in the middle of it is not known.
    is_far: bool,
    /// Curvature of phi along the way, in parts of that of the metric, times the part of the way that is gone.
    curvature: f64,
}

impl Trial {
    fn is_good(&self) -> bool {
        let least = if self.is_far { 0.0 } else { STEEPEST_FALL };
        !self.flattens && (least..=STEEPEST).contains(&self.curvature)
    }
}

impl NewtonCg {
    /// For bodies of this size, `n` vertices of which `free` can move.
    pub(super) fn new(forces: Forces, metric: Metric, [n, free]: [usize; 2], size: f64) -> NewtonCg {
        let parts = metric.parts.len();
        let zeros = || vec![Vec4::default(); free];
        NewtonCg {
            forces,
            metric,
            size,
            free,
            residual: zeros(),
            next_residual: zeros(),
            total: zeros(),
            next: vec![Vec4::default(); n],
            prediction: zeros(),
            free_step: zeros(),
            step: zeros(),
            push: zeros(),
            motions: Vec::with_capacity(parts),
            cg: ConjugateGradients::new(n, free, parts),
            recent: Recent::new(n, free, parts),
            core: Vec::new(),
            scales: vec![1.0; parts],
            retreats: 0,
            is_free: true,
            accepted: 0,
            shortest: f64::INFINITY,
            reach: f64::INFINITY,
            tangled: false,
            patient: false,
            pieces: vec![0.0; free.div_ceil(PIECE)],
            products: 0,
        }
    }

    /// The elements at positions `q_t` are what later ones are compared with.
    pub(super) fn warm_up(&mut self, Given { input, q_t, inertial }: Given) {
        self.recent.forget();
        self.forces.residual_into(input, [q_t, q_t, inertial], &mut self.residual);
        self.forces.accept(input.team);
    }

    /// The iterate is `q` from now on, wherever it comes from.
    pub(super) fn accept_at(&mut self, Given { input, q_t, inertial }: Given, q: &[Vec4]) {
        self.forces.residual_into(input, [q, q_t, inertial], &mut self.residual);
        self.forces.accept(input.team);
    }

    /// One iteration. Returns how far from the end it may be, or none if no step was accepted: then the iterate stays where it
    /// is. Nearly flat elements are far stiffer than the metric knows: then CG finds the way. Elements that are inverted
    /// already may be in each other's way: then others may be inverted too, for a while.
    pub(super) fn iterate(
        &mut self,
        given: Given,
        q: &mut [Vec4],
        limits: Limits,
        touch: &mut Touch<UpdatedEntries>,
        monitor: &mut Monitor,
    ) -> Option<f64> {
        let mut done = self.try_to_iterate(given, q, limits, touch, monitor);
        if done.is_none() && !touch.contact.is_empty() && self.sought(given.input.team) > MATTERS * self.size
        {
            self.patient = true;
            let limits = Limits { most: PAIRS, ..limits };
            done = self.try_to_iterate(given, q, limits, touch, monitor);
            self.patient = false;
        }
        if done.is_none() && !self.tangled && is_tangled(given.input.system, touch.index_of, q) {
            self.tangled = true;
            done = self.try_to_iterate(given, q, limits, touch, monitor);
        }
        monitor.count(PRODUCTS, std::mem::take(&mut self.products));
        done
    }

    fn try_to_iterate(
        &mut self,
        given: Given,
        q: &mut [Vec4],
        limits: Limits,
        touch: &mut Touch<UpdatedEntries>,
        monitor: &mut Monitor,
    ) -> Option<f64> {
        let (input, team) = (given.input, given.input.team);
        self.metric.begin(team, q, touch.reach_across(self.reach));
        copy(team, &mut self.total, &self.residual);
        touch.contact.add_forces(touch.contacts, &mut self.total);
        self.find_free_step(input, q, limits);
        monitor.lap(Stage::GLOBAL);
        if !self.cg.is_finite() {
            self.mark_broken(q);
            return Some(f64::NAN);
        }
        let (mut part, mut shortening) = (1.0, Shortening::default());
        if !touch.contact.is_empty() {
            let sought = self.sought(team);
            if self.patient {
                part = (FAR * self.size / sought).min(1.0);
            } else if sought > FAR * self.size && self.metric.forget_pairs() {
                self.find_free_step(input, q, Limits { most: 0, recycle: false, ..limits });
            }
            self.metric.prepare_update(team, q);
            self.metric.cores_into(&mut self.core);
            monitor.lap(Stage::GLOBAL);
        }
        for _ in 0..ATTEMPTS[usize::from(touch.contact.is_empty())] {
            self.lengthen(team, part);
            if touch.contact.is_empty() {
                self.push.fill(Vec4::default());
            } else {
                self.push_contacts(input, q, part, touch, monitor);
            }
            // A gap or a cable may ask for more than the elements can take, however short the free step is: then only a
            // part of the way is gone, with that part of the change of the forces.
            let mut trial = self.judge(given, q, [part, 1.0], monitor);
            let mut kept = 1.0;
            let least = LEAST_OF_WAY[usize::from(self.patient)];
            while (trial.flattens || self.patient && !trial.is_good())
                && kept > least
                && !touch.contact.is_empty()
            {
                kept *= 0.5;
                touch.contact.shorten_changes(touch.contacts, 0.5);
                scale(team, &mut self.step, 0.5);
                scale(team, &mut self.push, 0.5);
                trial = self.judge(given, q, [part, kept], monitor);
            }
            if trial.is_good() && trial.longest <= self.farthest(touch.contact.is_empty()) {
                self.forces.accept(team);
                touch.contact.accept();
                q[..self.free].copy_from_slice(&self.next[..self.free]);
                std::mem::swap(&mut self.residual, &mut self.next_residual);
                self.accepted += usize::from(!touch.contact.is_empty());
                self.shortest = self.shortest.min(trial.longest);
                self.reach = trial.longest;
                return Some(self.remaining(&trial, part * kept, touch.contact.is_empty()));
            }
            touch.contact.shorten_changes(touch.contacts, 0.0);
            let is_free = touch.contact.is_empty();
            if !self.patient && (self.metric.forget_pairs() || !is_free && self.metric.forget_normals()) {
                // What CG has learnt of the Hessian does not hold so far away: the metric alone is on the safe side.
                self.find_free_step(input, q, Limits { most: 0, recycle: false, ..limits });
                self.metric.cores_into(&mut self.core);
                monitor.lap(Stage::GLOBAL);
                part = 1.0;
                continue;
            }
            if limits.recycle && self.recent.forget() {
                self.find_free_step(input, q, limits); // this step is not like the last ones
                continue;
            }
            part = shortening.next(part, trial.curvature, is_free);
        }
        None
    }

    /// How long a step may be, m.
    fn farthest(&self, free: bool) -> f64 {
        match free || self.accepted < SETTLED {
            true => f64::INFINITY,
            false => (LEAP * self.shortest).max(LONG * self.size),
        }
    }

    /// How far from the end the accepted step may have ended, in m. What CG has left, and what the true energy differs
    /// from its quadratic model along the way, are parts of the length of the step; a shortened step has left the rest.
    /// Contacts may move on by as much as they have moved.
    fn remaining(&self, trial: &Trial, gone: f64, free: bool) -> f64 {
        let left = self.cg.left().max((trial.curvature - 1.0).abs()).max(1.0 - gone);
        trial.longest * if free { left.min(1.0) } else { 1.0 }
    }

    /// Length of the step that was sought last, m: what is missing where none was accepted.
    pub(super) fn sought(&mut self, team: &Team) -> f64 {
        longest(team, &self.free_step, &mut self.pieces)
    }

    /// Leaves no number where the forces are none, so that the step is found to be broken, and where; everywhere if only their
    /// sums are none.
    fn mark_broken(&self, q: &mut [Vec4]) {
        let is_broken = |total: &Vec4| !total.norm_sq().is_finite();
        let everywhere = !self.total.iter().any(is_broken);
        for (q, total) in q.iter_mut().zip(&self.total) {
            if everywhere || is_broken(total) {
                *q = Vec4([f64::NAN; 4]);
            }
        }
    }

    /// Goes the step and looks at where it ends. It has the part `kept` of its way in the metric `part B'`.
    fn judge(
        &mut self,
        Given { input, q_t, inertial }: Given,
        q: &[Vec4],
        [part, kept]: [f64; 2],
        monitor: &mut Monitor,
    ) -> Trial {
        let team = input.team;
        let longest = self.turn(team, q);
        monitor.lap(Stage::GLOBAL);
        let state = [&self.next[..], q_t, inertial];
        let volume = self.forces.residual_into(input, state, &mut self.next_residual);
        let is_short = longest < NOT_JUDGED * self.size;
        let curvature = if is_short { 1.0 } else { kept * self.curvature(team, q, part, kept) };
        monitor.lap(Stage::LOCAL);
        // Not a number is no volume.
        let flattens = volume.is_nan() || (volume <= KEPT_VOLUME && !self.tangled);
        Trial { longest, flattens, is_far: longest > FAR * self.size, curvature }
    }

    /// `free_step = B' r` by CG on `H d = r`.
    fn find_free_step(
        &mut self,
        input: &StepInput,
        q: &[Vec4],
        Limits { most, short, remember, recycle }: Limits,
    ) {
        let team = input.team;
        let NewtonCg { forces, metric, total, free_step, cg, recent, free, pieces, products, .. } = self;
        free_step.fill(Vec4::default());
        copy(team, &mut cg.r, total);
        let squares = recycle.then(|| recent.go(input, forces, &mut metric.parts, q, [&mut cg.r, free_step]));
        cg.begin(team, metric, q, squares, *free);
        for _ in 0..most {
            forces.product_into(input, q, &cg.p, &mut cg.hp);
            *products += 1;
            if !cg.find_lengths(team, metric, *free, remember) {
                break;
            }
            if remember {
                metric.remember_direction(team, &cg.p[..*free]);
            }
            let (alpha, parts) = (&cg.alpha, &metric.parts);
            add_scaled(team, free_step, &cg.p, |row| alpha[parts.of(row)]);
            add_scaled(team, &mut cg.r, &cg.hp, |row| -alpha[parts.of(row)]);
            metric.apply(team, q, &cg.r, &mut cg.z_new, &mut cg.rho_new);
            if remember {
                metric.remember_response(team, [&cg.z, &cg.z_new], &cg.alpha, [&cg.rho, &cg.rho_new]);
            }
            if !cg.turn(team, metric, *free) || cg.to_come(team, pieces) < short {
                break;
            }
        }
        // B' r is what CG has found, and the next direction: B' is B in what CG has not seen, or shorter than that.
        let (shortest, parts) = (&cg.shortest, &metric.parts);
        add_scaled(team, free_step, &cg.p, |row| shortest[parts.of(row)]);
    }

    /// `step = part free_step`.
    fn lengthen(&mut self, team: &Team, part: f64) {
        let NewtonCg { free_step, step, .. } = self;
        team.for_each_piece(step, PIECE, |first, step| {
            for (k, step) in step.iter_mut().enumerate() {
                step.0 = free_step[first + k].0.map(|x| part * x);
            }
        });
    }

    /// Finds the contact forces after the step, and adds what their change does to it.
    fn push_contacts(
        &mut self,
        input: &StepInput,
        q: &[Vec4],
        part: f64,
        touch: &mut Touch<UpdatedEntries>,
        monitor: &mut Monitor,
    ) {
        let team = input.team;
        let Touch { contact, contacts, index_of } = touch;
        let NewtonCg { metric, next, step, push, core, cg, free, pieces, .. } = self;
        next[*free..].copy_from_slice(&q[*free..]);
        add_into(team, [q, step], &mut next[..*free]);
        contact.refresh(team, contacts, index_of, next);
        monitor.lap(Stage::CONTACT);
        contact.grow(team, contacts, index_of, input.x_t0);
        let parts = &metric.parts;
        contact.set_update(
            part,
            metric.rank(),
            |row| Some(parts.of(row as usize) as u32),
            |row, out| metric.columns(q, row as usize, out),
            |row| metric.spike(row as usize),
            core,
        );
        monitor.lap(Stage::DELASSUS);
        contact.solve(team, contacts, longest(team, step, pieces));
        contact.changes_into(push);
        monitor.lap(Stage::CONTACT);
        metric.apply_updated(team, q, push, &mut cg.z);
        add_scaled(team, step, &cg.z, |_| 1.0);
    }

    /// `next = q` moved by the step, rotations as true ones. Returns the longest vector of the step in m.
    fn turn(&mut self, team: &Team, q: &[Vec4]) -> f64 {
        let NewtonCg { metric, motions, next, step, free, pieces, .. } = self;
        metric.parts.motions(team, q, step, motions);
        next[*free..].copy_from_slice(&q[*free..]);
        turn_into(team, &metric.parts, motions, [q, step], &mut next[..*free]);
        longest(team, step, pieces)
    }

    /// The curvature of phi along the step, in parts of that of the metric: the change of the slope, from `- r.d` at its
    /// start to that along the velocity at its end, over `d.(r + h^2 C^T df)`, the square of d in the metric `B' t`; of `r`
    /// and the free step the part `kept` is gone.
    fn curvature(&mut self, team: &Team, q: &[Vec4], part: f64, kept: f64) -> f64 {
        let NewtonCg { metric, motions, residual, next_residual, total, push, step, .. } = self;
        let motions = &*motions;
        metric.parts.sum(team, |part_index, row, sum| {
            let d = step[row].point();
            let (_, velocity) = motions[part_index].turned(q[row].point(), d);
            sum[0] += dot(&residual[row], &step[row]) - next_residual[row].point().dot(velocity);
            sum[1] += d.dot(kept * total[row].point() + push[row].point() / part);
        });
        let (change, square) = metric.parts.sums().iter().fold((0.0, 0.0), |(a, b), s| (a + s[0], b + s[1]));
        if square > 0.0 { change / square } else { f64::INFINITY }
    }

    /// Writes what the next step depends on.
    pub(super) fn save(&self, out: &mut Writer) {
        self.forces.save(out);
        self.recent.save(out);
    }

    /// Takes over what [`save`](Self::save) wrote.
    pub(super) fn load(&mut self, from: &mut Reader) -> Result<(), SnapshotError> {
        self.forces.load(from)?;
        self.recent.load(from)
    }
}

/// Where the free rows of `q` go by the linear displacements `d`, the rotation of each part as a true one.
fn turn_into(team: &Team, parts: &Parts, motions: &[RigidMotion], [q, d]: [&[Vec4]; 2], to: &mut [Vec4]) {
    if !parts.can_move() {
        return add_into(team, [q, d], to);
    }
    team.for_each_piece(to, PIECE, |first, to| {
        for (k, to) in to.iter_mut().enumerate() {
            let row = first + k;
            *to = Vec4::new(motions[parts.of(row)].turned(q[row].point(), d[row].point()).0);
        }
    });
}

/// `to = q + d`
fn add_into(team: &Team, [q, d]: [&[Vec4]; 2], to: &mut [Vec4]) {
    team.for_each_piece(to, PIECE, |first, to| {
        for (k, to) in to.iter_mut().enumerate() {
            *to = Vec4(std::array::from_fn(|c| q[first + k].0[c] + d[first + k].0[c]));
        }
    });
}

/// Whether a Neo-Hookean tetrahedron is inverted.
fn is_tangled(system: &System, index_of: &[u32], q: &[Vec4]) -> bool {
    system.tets.iter().any(|t| {
        let [a, b, c, d] = t.vertices.map(|v| q[index_of[v as usize] as usize].point());
        let is_inverted = (b - a).cross(c - a).dot(d - a) <= 0.0;
        is_inverted && system.materials[t.material as usize].law == Law::NeoHookean
    })
}
