//! Where a step of the Newton iteration starts: at the prediction, or at less of it where phi would rise. Where pins move so far in
//! a step that they would flatten or invert elements, they go as far as the elements allow, the body follows, and so on.

use super::{KEPT_VOLUME, NewtonCg, turn_into};
use crate::solver::StepInput;
use crate::solver::local_global::conjugate_gradients::Limits;
use crate::solver::local_global::metric::scale;
use crate::solver::local_global::{FREE_ITERATIONS, Given, PIECE, Vec4};
use pliant_linalg::Team;

/// How often a step starts again from half of its prediction, the last time from nothing of it.
const RETREATS: usize = 3;

/// Parts of the prediction below this are left out.
const SHORTEST: f64 = 0.05;

/// How often the deformation of the prediction is shortened.
const ATTEMPTS: usize = 3;

/// How often pins go a part of their way.
const ROUNDS: usize = 64;

/// Distance of pins from their targets, in parts of the size, that is rounding.
const ARRIVED: f64 = 1e-12;

/// Least part of the rest of their way that pins go.
const LEAST: f64 = 1.0 / 1024.0;

impl NewtonCg {
    /// Moves the first iterate `q` to where phi is not above that at the start of the step, rotations as true ones. `is_free` says
    /// whether nothing touches.
    pub(in super::super) fn start(&mut self, given: Given, is_free: bool, q: &mut [Vec4]) {
        let Given { input: &StepInput { team, .. }, q_t, .. } = given;
        self.metric.begin(team, q_t, None);
        let free = self.free;
        team.for_each_piece(&mut self.prediction, PIECE, |first, d| {
            for (k, d) in d.iter_mut().enumerate() {
                *d = q[first + k] - q_t[first + k];
            }
        });
        self.next[free..].copy_from_slice(&q[free..]);
        self.scales.fill(1.0);
        self.retreats = 0;
        self.accepted = 0;
        self.shortest = f64::INFINITY;
        self.reach = f64::INFINITY;
        self.tangled = false;
        self.is_free = is_free;
        self.go_to_start(given, q);
    }

    /// Starts the step again from less of its prediction; returns false if nothing of that is left.
    pub(in super::super) fn retreat(&mut self, given: Given, q: &mut [Vec4]) -> bool {
        if self.retreats == RETREATS || self.prediction.iter().all(|d| *d == Vec4::default()) {
            return false;
        }
        self.retreats += 1;
        self.recent.forget();
        let team = given.input.team;
        scale(team, &mut self.prediction, if self.retreats < RETREATS { 0.5 } else { 0.0 });
        self.metric.begin(team, given.q_t, None);
        self.go_to_start(given, q);
        true
    }

    /// Goes to the prediction, with the part of its deformation that `scales` say, or less.
    fn go_to_start(&mut self, given: Given, q: &mut [Vec4]) {
        let Given { input, q_t, inertial } = given;
        let team = input.team;
        let free = self.free;
        self.metric.parts.motions(team, q_t, &self.prediction, &mut self.motions);
        let mut kept = 1.0;
        for attempt in 0..=ATTEMPTS {
            let NewtonCg { metric, prediction, step, scales, motions, next, .. } = self;
            let parts = &metric.parts;
            team.for_each_piece(step, PIECE, |first, step| {
                for (k, step) in step.iter_mut().enumerate() {
                    let row = first + k;
                    let (d, part) = (prediction[row].point(), parts.of(row));
                    let rigid = motions[part].rigid(q_t[row].point());
                    *step = Vec4::new(rigid + scales[part] * (d - rigid));
                }
            });
            turn_into(team, parts, motions, [q_t, step], &mut next[..free]);
            kept = self.forces.residual_into(input, [&self.next, q_t, inertial], &mut self.residual);
            if attempt == ATTEMPTS || !self.shorten(team, q_t, kept) {
                break;
            }
            if attempt + 1 == ATTEMPTS && kept < KEPT_VOLUME {
                self.scales.fill(0.0);
            }
        }
        if kept < KEPT_VOLUME && self.follow_pins(given, q) {
            self.recent.forget();
        } else {
            q[..free].copy_from_slice(&self.next[..free]);
            // What pins have flattened can only be opened again.
            self.forces.accept(team);
        }
        self.recent.begin(team, &self.metric.parts, &self.motions, &q[..free]);
    }

    /// Shortens the deformation that is predicted of the parts where phi would rise; returns whether there are any. Along
    /// the deformation d the inertial part of phi falls by `|d|_M^2 / 2`, and the rest rises by less than its slope at the
    /// end, where phi is convex. Rigid motions cost nothing and are never shortened. Nor is what is predicted of cloth where nothing
    /// touches: what it stretches is taken back at once, and the way across its plane, which is the long one, is right.
    fn shorten(&mut self, team: &Team, q_t: &[Vec4], kept: f64) -> bool {
        let NewtonCg { metric, step, motions, residual, scales, is_free, .. } = self;
        let motions = &*motions;
        let (is_cloth, parts) = metric.cloth_and_parts();
        parts.sum_weighted(team, |n, part, row, sum| {
            let d = step[row].point() - motions[part].rigid(q_t[row].point());
            sum[0] -= residual[row].point().dot(motions[part].rotated(d));
            sum[1] += n * d.length_squared();
            sum[2] += f64::from(u8::from(is_cloth(row)));
        });
        let mut shortened = false;
        for (scale, sum) in scales.iter_mut().zip(parts.sums()) {
            let [slope, square, cloth, ..] = *sum;
            let rises = slope > 0.5 * square && !(*is_free && cloth > 0.0);
            if *scale > 0.0 && (kept < KEPT_VOLUME || rises) && square > 0.0 {
                // Where the slope vanishes if it is `- square / scale` at the start.
                let part = (square / (square + *scale * slope.max(0.0))).min(0.5);
                *scale = if part * *scale > SHORTEST { part * *scale } else { 0.0 };
                shortened = true;
            }
        }
        shortened
    }

    /// Moves pins from their places in `q_t` to those in `q`, and the rest of the bodies with them, so that no element loses too
    /// much of its volume at once. In every round the step d solves `H d = r - H_fp D`, with D the rest of the way of the pins.
    /// Returns whether they have arrived; if not, `q` is as before.
    fn follow_pins(&mut self, given: Given, q: &mut [Vec4]) -> bool {
        let Given { input, q_t, inertial } = given;
        let (free, near) = (self.free, ARRIVED * self.size);
        let mut at = q_t.to_vec();
        // Bodies follow the mean of their pins at once.
        let ways = self.metric.parts.ways_of_pins(q_t, q);
        for (row, at) in at[..free].iter_mut().enumerate() {
            *at += ways[self.metric.parts.of(row)];
        }
        self.metric.parts.shift_pins(&ways, &mut at);
        self.forces.residual_into(input, [&at, q_t, inertial], &mut self.residual);
        for _ in 0..ROUNDS {
            self.forces.accept(input.team);
            if at[free..].iter().zip(&q[free..]).all(|(&at, &to)| (to - at).norm_sq() <= near * near) {
                at[free..].copy_from_slice(&q[free..]);
                q.copy_from_slice(&at);
                return true;
            }
            self.find_step_with_pins(input, &at, &q[free..]);
            let mut part = 1.0;
            while !self.is_kept(given, [&at, &q[free..]], part) {
                part *= 0.5;
                if part < LEAST {
                    return false;
                }
            }
            at.copy_from_slice(&self.next);
            std::mem::swap(&mut self.residual, &mut self.next_residual);
        }
        false
    }

    /// `free_step = H^-1 (r - H_fp D)`, for pins that go from their places in `at` to `targets`.
    fn find_step_with_pins(&mut self, input: &StepInput, at: &[Vec4], targets: &[Vec4]) {
        let NewtonCg { forces, metric, cg, total, residual, free, .. } = self;
        let (moved, held) = cg.p.split_at_mut(*free);
        moved.fill(Vec4::default());
        for ((way, &to), &from) in held.iter_mut().zip(targets).zip(&at[*free..]) {
            *way = to - from;
        }
        forces.product_into(input, at, &cg.p, &mut cg.hp);
        cg.p[*free..].fill(Vec4::default());
        for ((total, &r), &hp) in total.iter_mut().zip(&*residual).zip(&cg.hp) {
            *total = r - hp;
        }
        metric.begin(input.team, at, Some(0.0));
        self.find_free_step(
            input,
            at,
            Limits { most: FREE_ITERATIONS, short: 0.0, remember: false, recycle: false },
        );
    }

    /// Goes a part of the step, pins too, into `next`; returns whether all elements keep enough of their volume.
    fn is_kept(
        &mut self,
        Given { input, q_t, inertial }: Given,
        [at, targets]: [&[Vec4]; 2],
        part: f64,
    ) -> bool {
        let team = input.team;
        self.lengthen(team, part);
        let NewtonCg { forces, metric, motions, next, next_residual, step, free, .. } = self;
        metric.parts.motions(team, at, step, motions);
        turn_into(team, &metric.parts, motions, [at, step], &mut next[..*free]);
        for ((next, &to), &from) in next[*free..].iter_mut().zip(targets).zip(&at[*free..]) {
            *next = Vec4(std::array::from_fn(|c| from.0[c] + part * (to - from).0[c]));
        }
        forces.residual_into(input, [next, q_t, inertial], next_residual) > KEPT_VOLUME
    }
}
