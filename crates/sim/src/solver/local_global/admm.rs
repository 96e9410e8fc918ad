//! The local-global iteration [Zeng25, algorithm 2] with ADMM duals \[Overby17\], in increment form. It does not converge at large
//! strain (docs/theory/local-global.md).
//!
//! Each iteration projects every element (local step), sums the residual
//! `r = M (q~ - q) + h^2 sum w V G^T (p - u - G q)`, and corrects the positions by `A dq = r` (global step) with the
//! constant matrix `A = M + h^2 sum w V G^T G`, factored once. Solving for the increment instead of the position lets
//! the inner kernels run in f32: their rounding is relative to a correction that tends to zero.

use super::anderson::Anderson;
use super::contact::Touch;
use super::global::Global;
use super::local::Local;
use super::{Given, Vec4};
use crate::contact::operator::ScalarEntries;
use crate::solver::{Monitor, Stage};

/// Memory of the iteration.
#[derive(Clone, Debug)]
pub(super) struct Admm {
    pub(super) local: Local,
    global: Global,
    anderson: Option<Anderson>,
    /// Right-hand side of the global step, then its solution.
    residual: Vec<Vec4>,
}

impl Admm {
    /// For `free` vertices that can move.
    pub(super) fn new(local: Local, global: Global, anderson: Option<Anderson>, free: usize) -> Admm {
        Admm { local, global, anderson, residual: vec![Vec4::default(); free] }
    }

    /// Local step, global step, contact [Zeng25, algorithm 4]; returns the longest correction in m.
    pub(super) fn iterate(
        &mut self,
        Given { input, q_t, inertial }: Given,
        q: &mut [Vec4],
        k: usize,
        Touch { contact, contacts, index_of }: &mut Touch<ScalarEntries>,
        monitor: &mut Monitor,
    ) -> f64 {
        let (free, team) = (self.residual.len(), input.team);
        self.local.residual_into(team, input, q, q_t, inertial, &mut self.residual);
        monitor.lap(Stage::LOCAL);
        contact.add_forces(contacts, &mut self.residual);
        self.local.allow_for_air(team, input, &mut self.residual);
        let mut correction = self.global.correct(team, k, &mut self.residual, &mut q[..free]);
        monitor.lap(Stage::GLOBAL);
        if !contact.is_empty() {
            contact.refresh(team, contacts, index_of, q);
            monitor.lap(Stage::CONTACT);
            contact.grow(team, contacts, index_of, input.x_t0);
            monitor.lap(Stage::DELASSUS);
            contact.solve(team, contacts, correction);
            contact.changes_into(&mut self.residual);
            monitor.lap(Stage::CONTACT);
            let pushed = self.global.correct(team, k, &mut self.residual, &mut q[..free]);
            correction = correction.max(pushed);
        }
        self.local.keep_momentum(inertial, contacts.body_forces(input.system), q);
        monitor.lap(Stage::GLOBAL);
        if let Some(anderson) = &mut self.anderson {
            anderson.accelerate(k, &mut q[..free], &mut self.local);
        }
        correction
    }
}
