//! Conjugate gradients with the metric B as preconditioner. Every part has its own step lengths, and ends by itself.

use super::metric::{Metric, copy, dot, longest};
use super::{PIECE, Vec4};
use pliant_linalg::Team;

/// CG ends where the error of its step is this part of the step, in the norm of H.
const ENOUGH: f64 = 0.1;

/// A curvature below this part of the sum of its terms is the rounding of f32: stiff bodies at long steps, close to the end.
const ROUNDING: f64 = 1e-5;

/// Vectors of CG.
#[derive(Clone, Debug)]
pub(super) struct ConjugateGradients {
    pub(super) r: Vec<Vec4>,
    pub(super) z: Vec<Vec4>,
    pub(super) z_new: Vec<Vec4>,
    /// Direction, with zeros at pinned vertices, and H times it.
    pub(super) p: Vec<Vec4>,
    pub(super) hp: Vec<Vec4>,
    pub(super) alpha: Vec<f64>,
    pub(super) rho: Vec<f64>,
    pub(super) rho_new: Vec<f64>,
    progress: Vec<Progress>,
    /// Shortest step of CG in each part, if below one: how much stiffer than the metric the bodies are.
    pub(super) shortest: Vec<f64>,
    active: Vec<bool>,
}

/// When CG ends at the latest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Most iterations.
    pub(super) most: usize,
    /// What is left to go, in m, that is not worth another iteration.
    pub(super) short: f64,
    /// Whether the pairs are remembered for the operator of contact.
    pub(super) remember: bool,
    /// Whether the corrections of the last steps are tried first.
    pub(super) recycle: bool,
}

/// How CG gets on in a part. The square of its step in the norm of H is the sum of `alpha rho`, and that of its error is the
/// same over the iterations to come [Hestenes and Stiefel 1952], of which the next one stands for all.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    total: f64,
    /// The longest alpha: how soft the softest direction is that was met.
    softest: f64,
    /// rho after the last iteration.
    rho: f64,
}

impl Progress {
    /// The square of the error, in parts of that of the step.
    fn left(&self) -> f64 {
        if self.total > 0.0 { self.softest * self.rho / self.total } else { 1.0 }
    }
}

impl ConjugateGradients {
    /// For `n` vertices of which `free` can move, in so many parts.
    pub(super) fn new(n: usize, free: usize, parts: usize) -> ConjugateGradients {
        let zeros = || vec![Vec4::default(); free];
        ConjugateGradients {
            r: zeros(),
            z: zeros(),
            z_new: zeros(),
            p: vec![Vec4::default(); n],
            hp: zeros(),
            alpha: vec![0.0; parts],
            rho: vec![0.0; parts],
            rho_new: vec![0.0; parts],
            progress: vec![Progress::default(); parts],
            shortest: vec![1.0; parts],
            active: vec![false; parts],
        }
    }

    /// The first direction, `p = z = B r`, after a step whose square in the norm of H is known for each part.
    pub(super) fn begin(
        &mut self,
        team: &Team,
        metric: &mut Metric,
        q: &[Vec4],
        squares: Option<&[f64]>,
        free: usize,
    ) {
        metric.apply(team, q, &self.r, &mut self.z, &mut self.rho);
        copy(team, &mut self.p[..free], &self.z);
        self.shortest.fill(1.0);
        for (b, rho) in self.rho.iter().enumerate() {
            self.active[b] = *rho > 0.0;
            let total = squares.map_or(0.0, |s| s[b]);
            self.progress[b] = Progress { rho: *rho, total, ..Progress::default() };
        }
    }

    /// How far to go along p in each part; returns whether any part goes on. Where the curvature is not positive, or is
    /// rounding, a part ends with the direction it has.
    pub(super) fn find_lengths(
        &mut self,
        team: &Team,
        metric: &mut Metric,
        free: usize,
        remember: bool,
    ) -> bool {
        let ConjugateGradients { p, hp, alpha, rho, shortest, active, progress, .. } = self;
        let p = &p[..free];
        metric.parts.sum(team, |_, row, sum| {
            let work = dot(&p[row], &hp[row]);
            sum[0] += work;
            sum[1] += work.abs();
        });
        for (b, sum) in metric.parts.sums().iter().enumerate() {
            let [curvature, terms, ..] = *sum;
            active[b] &= curvature > ROUNDING * terms;
            alpha[b] = if active[b] { rho[b] / curvature } else { 0.0 };
            if active[b] {
                progress[b].total += alpha[b] * rho[b];
                progress[b].softest = progress[b].softest.max(alpha[b]);
            }
            if active[b] && !remember {
                shortest[b] = shortest[b].min(alpha[b]);
            }
        }
        active.contains(&true)
    }

    /// Whether the forces that CG began with are finite.
    pub(super) fn is_finite(&self) -> bool {
        self.rho.iter().all(|rho| rho.is_finite())
    }

    /// The error of the step of the worst part, as a part of the step.
    pub(super) fn left(&self) -> f64 {
        let moving = self.progress.iter().filter(|p| p.rho > 0.0);
        moving.map(Progress::left).fold(0.0, f64::max).sqrt()
    }

    /// An estimate of how far the end is from what was found, in m: the longest vector of z, along the softest direction.
    pub(super) fn to_come(&self, team: &Team, pieces: &mut [f64]) -> f64 {
        let softest = self.progress.iter().fold(1.0, |most: f64, p| most.max(p.softest));
        softest * longest(team, &self.z, pieces)
    }

    /// The next direction, `p = z + beta p`; returns whether any part goes on.
    pub(super) fn turn(&mut self, team: &Team, metric: &Metric, free: usize) -> bool {
        let ConjugateGradients { z, z_new, p, rho, rho_new, progress, active, .. } = self;
        let parts = &metric.parts;
        team.for_each_piece(&mut p[..free], PIECE, |first, p| {
            for (k, p) in p.iter_mut().enumerate() {
                let b = parts.of(first + k);
                if active[b] {
                    let beta = rho_new[b] / rho[b];
                    (0..4).for_each(|c| p.0[c] = z_new[first + k].0[c] + beta * p.0[c]);
                }
            }
        });
        for b in 0..rho.len() {
            if active[b] {
                rho[b] = rho_new[b];
                progress[b].rho = rho[b];
                active[b] = progress[b].left() > ENOUGH * ENOUGH;
            }
        }
        std::mem::swap(z, z_new);
        active.contains(&true)
    }
}
