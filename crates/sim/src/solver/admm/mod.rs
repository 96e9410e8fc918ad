//! Projective dynamics with contact by ADMM \[Zhu24\] (docs/theory/admm.md): a constant matrix, no Delassus operator.
//!
//! The step is split three ways. Each element has its own deformation z, with the dual u; each vertex has a virtual place
//! `y = x_t + h p`, with the dual lambda_c; the positions x hold them together by the weights W_e and W_c. An iteration
//! projects y so that it obeys the laws of contact, projects z to the law of its material, and finds x by one solve with the
//! factor of `A = M + h^2 D^T W_e D + h^2 W_c`.
//!
//! The dual of the contacts is eliminated. With forces gamma of the last projection,
//! `y = x + lambda_c + W_c^-1 C^T gamma`, so that the global step sees them as plain forces,
//!
//! ```text
//! A dx = M (x~ - x) + h^2 D^T W_e (z - u - D x) + h^2 C^T gamma,   lambda_c = dx - W_c^-1 C^T gamma,
//! ```
//!
//! and the next projection, which starts with the gamma of the last one, starts at `y = x + dx`.

mod colours;
mod config;
mod contact;
mod rigid;
mod xpbd;

pub use config::{AdmmConfig, StopAt};
pub(crate) use config::{DUAL, PRIMAL};
pub(crate) use xpbd::Xpbd;

use super::local_global::global::{Global, GlobalFactor};
use super::local_global::local::Local;
use super::local_global::{PIECE, Vec4, Weighted, assemble};
use super::settings::{AnySettings, Settings};
use super::{
    HoldError, Kind, Memory, Monitor, Precision, SettingError, SetupError, SolveError, Solver, Stage,
    StepInput, StepOutcome, Value,
};
use crate::contact::Contacts;
use crate::fem::System;
use crate::fem::numbering::Numbering;
use crate::snapshot::{Reader, SnapshotError, Writer};
use contact::ContactProjection;
use pliant_linalg::panels::PanelFactor;
use pliant_linalg::{SymmetricCsc, Team};
use pliant_mesh::DVec3;
use rigid::Rigid;
use std::sync::Arc;

/// The solver. Inside it vertices are renumbered: free ones in elimination order, then the pinned ones.
#[derive(Clone, Debug)]
struct Admm {
    config: AdmmConfig,
    /// Body size, to which residuals are relative.
    size: f64,
    numbering: Arc<Numbering>,
    local: Local,
    rigid: Rigid,
    contact: ContactProjection,
    /// With the matrix of steps in which nothing touches, W_c = 0, and with that of all others.
    alone: Global,
    touching: Option<Global>,
    bytes: usize,
    /// Iterate, the one before it, positions at the start of the step, inertial prediction.
    q: Vec<Vec4>,
    before: Vec<Vec4>,
    q_t: Vec<Vec4>,
    inertial: Vec<Vec4>,
    /// Right-hand side of the global step, and other forces.
    residual: Vec<Vec4>,
    /// Whether duals and rotations have been started.
    warm: bool,
}

/// How far an iteration is from the solution, as parts of the size of the bodies.
#[derive(Clone, Copy, Debug)]
struct Residuals {
    /// Longest distance of a vertex from its virtual place.
    primal: f64,
    /// Longest way of a vertex in the iteration.
    dual: f64,
}

impl Residuals {
    /// The larger one; a NaN wins.
    fn combined(self) -> f64 {
        if self.dual.is_nan() { self.dual } else { self.dual.max(self.primal) }
    }

    fn at(self, stop: StopAt) -> f64 {
        match stop {
            StopAt::Combined => self.combined(),
            StopAt::Primal => self.primal,
            StopAt::Dual => self.dual,
        }
    }
}

impl Admm {
    /// Assembles and factors the system for time step `h`; `contacts` says whether there may be contact.
    fn new(config: &AdmmConfig, system: &System, h: f64, contacts: bool) -> Result<Admm, SetupError> {
        let materials = Weighted::all(system, config.elastic_weight);
        let (matrix, numbering) = assemble::ordered_matrix(system, &materials, h);
        let (n, free) = (numbering.len(), numbering.free());
        let weights = contact_weights(config, system, &numbering, &matrix);
        let alone = GlobalFactor::Panels(Arc::new(PanelFactor::new(&matrix)?));
        let mut bytes = alone.memory().factor_bytes;
        let touching = if contacts {
            let factor = GlobalFactor::Panels(Arc::new(PanelFactor::new(&with_weights(matrix, &weights))?));
            bytes += factor.memory().factor_bytes;
            Some(Global::new(&factor))
        } else {
            None
        };
        let masses = numbering.free_vertices().iter().map(|&v| system.masses[v as usize]).collect();
        Ok(Admm {
            config: config.clone(),
            size: system.size(),
            local: Local::new(Precision::Single, system, &materials, &numbering, h),
            rigid: Rigid::new(system, &numbering, h),
            contact: ContactProjection::new(masses, weights, n, h),
            alone: Global::new(&alone),
            touching,
            bytes,
            q: vec![Vec4::default(); n],
            before: vec![Vec4::default(); n],
            q_t: vec![Vec4::default(); n],
            inertial: vec![Vec4::default(); n],
            residual: vec![Vec4::default(); free],
            numbering: Arc::new(numbering),
            warm: false,
        })
    }

    /// Takes the step's data over in solver order. The first iterate turns rigid parts as true rotations, and the duals with
    /// them.
    fn begin(&mut self, input: &StepInput, x: &[DVec3]) {
        let team = input.team;
        let vertex_of = self.numbering.vertex_of();
        for (to, from) in
            [(&mut self.q, x), (&mut self.q_t, input.x_t0), (&mut self.inertial, input.inertial)]
        {
            team.for_each_piece(to, PIECE, |first, to| {
                for (to, &v) in to.iter_mut().zip(&vertex_of[first..]) {
                    *to = Vec4::new(from[v as usize]);
                }
            });
        }
        if !std::mem::replace(&mut self.warm, true) {
            self.local.start(team, &self.q_t);
        }
        self.rigid.predict(team, &self.q_t, &mut self.q, &mut self.local);
    }

    /// Moves each part as a whole to where it gets if the forces of contacts stay what they were: what slides slides on, what
    /// rests rests. Nothing is pressed far into something: the contacts are to move it.
    fn predict_from_forces(&mut self, input: &StepInput, contacts: &Contacts) {
        let Admm { local, contact, residual, q, before, q_t, inertial, .. } = self;
        let team = input.team;
        local.outer_residual_into(team, input, [q, q_t, inertial], residual);
        contact.add_forces(contacts, residual);
        local.allow_for_air(team, input, residual);
        before.copy_from_slice(q);
        self.rigid.balance(team, |_| 0.0, residual, q);
        self.rigid.stay_apart(contacts, self.numbering.index_of(), before, q);
        before.copy_from_slice(q);
    }

    /// Iteration `k`: contact, elements, global step.
    fn iterate(
        &mut self,
        input: &StepInput,
        contacts: &mut Contacts,
        k: usize,
        monitor: &mut Monitor,
    ) -> Residuals {
        let Admm { config, local, contact, residual, q, before, q_t, inertial, .. } = self;
        let (team, free) = (input.team, residual.len());
        let index_of = self.numbering.index_of();
        if k > 0 && config.detection_interval > 0 && k.is_multiple_of(config.detection_interval) {
            contact.detect_again(team, contacts, index_of, input.x_t0, q);
            monitor.lap(Stage::DETECT);
        }
        contact.project(config, input, contacts, index_of, [before, q]);
        monitor.lap(Stage::CONTACT);
        local.residual_into(team, input, q, q_t, inertial, residual);
        monitor.lap(Stage::LOCAL);
        contact.add_forces(contacts, residual);
        local.allow_for_air(team, input, residual);
        before.copy_from_slice(q);
        let global = match &mut self.touching {
            Some(touching) if !contact.is_empty() => touching,
            _ => &mut self.alone,
        };
        global.correct(team, k, residual, &mut q[..free]);
        local.outer_residual_into(team, input, [q, q_t, inertial], residual);
        contact.add_forces(contacts, residual);
        local.allow_for_air(team, input, residual);
        contact.add_pull_back(team, [before, q], residual);
        self.rigid.balance(team, |row| contact.weight_of_touched(row), residual, q);
        monitor.lap(Stage::GLOBAL);
        Residuals { primal: contact.distance(q) / self.size, dual: longest(before, &q[..free]) / self.size }
    }

    /// The iterate in the order of the vertices.
    fn write_iterate(&self, x: &mut [DVec3]) {
        for (x, &i) in x.iter_mut().zip(self.numbering.index_of()) {
            *x = self.q[i as usize].point();
        }
    }
}

impl Solver for Admm {
    fn duplicate(&self) -> Box<dyn Solver> {
        Box::new(self.clone())
    }

    fn kind(&self) -> &'static Kind {
        &AdmmConfig::KIND
    }

    fn solve(
        &mut self,
        input: &StepInput,
        contacts: &mut Contacts,
        x: &mut [DVec3],
        monitor: &mut Monitor,
    ) -> Result<StepOutcome, SolveError> {
        self.begin(input, x);
        monitor.lap(Stage::PREDICT);
        self.contact.begin(contacts, self.numbering.index_of());
        self.predict_from_forces(input, contacts);
        monitor.lap(Stage::CONTACT);
        monitor.iteration(0, None, &|x| self.write_iterate(x));
        let mut outcome = StepOutcome::default();
        for k in 0..self.config.most_iterations() {
            let residuals = self.iterate(input, contacts, k, monitor);
            let residual = residuals.combined();
            monitor.measure(PRIMAL, residuals.primal);
            monitor.measure(DUAL, residuals.dual);
            outcome.iterations = k + 1;
            outcome.residual_last = residual;
            if k == 0 {
                outcome.residual_first = residual;
            }
            monitor.iteration(k + 1, Some(residual), &|x| self.write_iterate(x));
            outcome.converged = residuals.at(self.config.stop_at) <= self.config.tolerance;
            if outcome.converged || residual.is_nan() {
                break;
            }
        }
        let (q, index_of, free) = (&self.q, self.numbering.index_of(), self.numbering.free());
        input.team.for_each_piece(x, PIECE, |first, x| {
            for (x, &i) in x.iter_mut().zip(&index_of[first..]).filter(|(_, i)| (**i as usize) < free) {
                *x = q[i as usize].point();
            }
        });
        monitor.lap(Stage::ADVANCE);
        Ok(outcome)
    }

    fn reset(&mut self) {
        self.warm = false;
    }

    // The forces of contacts are the other dual: they are saved with the contacts.
    fn save(&self, out: &mut Writer) {
        out.bool(self.warm);
        if self.warm {
            self.local.save(out);
        }
    }

    fn load(&mut self, from: &mut Reader) -> Result<(), SnapshotError> {
        self.warm = from.bool()?;
        if self.warm { self.local.load(from) } else { Ok(()) }
    }

    fn prepare_holds(&mut self, system: &System, dt: f64) -> Result<(), HoldError> {
        if self.touching.is_none() {
            let materials = Weighted::all(system, self.config.elastic_weight);
            let (matrix, _) = assemble::ordered_matrix(system, &materials, dt);
            let matrix = with_weights(matrix, self.contact.weights());
            let factor = GlobalFactor::Panels(Arc::new(PanelFactor::new(&matrix)?));
            self.bytes += factor.memory().factor_bytes;
            self.touching = Some(Global::new(&factor));
        }
        Ok(())
    }

    fn retune(&mut self, name: &str, value: Value) -> Result<(), SettingError> {
        self.config.set(name, value)
    }

    fn memory(&self) -> Memory {
        Memory { factor_bytes: self.bytes, delassus_bytes: self.contact.bytes(), ..Memory::default() }
    }
}

/// `h^2 W_c` of each free row, kg. The paper takes 25 masses within `0.001 eta .. eta`, eta = m + h^2 (D^T W_e D)_vv the diagonal
/// entry of the matrix without contact [Zhu24, sec. 6.3]. Where eta is larger, stuck vertices then converge by `eta / (eta + 25 m)`
/// only: a stiff cloth creeps. Here it is the geometric mean of that and eta, up to 200 masses, times the factor of
/// the settings (docs/theory/admm.md#weights).
fn contact_weights(
    config: &AdmmConfig,
    system: &System,
    numbering: &Numbering,
    matrix: &SymmetricCsc,
) -> Vec<f64> {
    const MASSES: f64 = 25.0;
    const MOST_MASSES: f64 = 200.0;
    const LEAST: f64 = 0.001;
    let of_row = |(row, &v): (usize, &u32)| {
        let eta = matrix.values[matrix.col_ptr[row]];
        let mass = system.masses[v as usize];
        let by_mass = (MASSES * mass).clamp(LEAST * eta, eta);
        config.contact_weight * (by_mass * eta).sqrt().min((MOST_MASSES * mass).max(by_mass))
    };
    numbering.free_vertices().iter().enumerate().map(of_row).collect()
}

/// The matrix with `weights` added to its diagonal, which comes first in each column.
fn with_weights(mut matrix: SymmetricCsc, weights: &[f64]) -> SymmetricCsc {
    for (row, weight) in weights.iter().enumerate() {
        let diagonal = matrix.col_ptr[row];
        matrix.values[diagonal] += weight;
    }
    matrix
}

/// Longest way of a vertex, m. A NaN wins, so that it reaches the report.
fn longest(from: &[Vec4], to: &[Vec4]) -> f64 {
    let mut square = 0.0f64;
    for (a, b) in from.iter().zip(to) {
        let way = (*b - *a).norm_sq();
        if way > square || way.is_nan() {
            square = way;
        }
        if square.is_nan() {
            break;
        }
    }
    square.sqrt()
}

/// Positions in the order of the vertices.
fn in_vertex_order(team: &Team, index_of: &[u32], q: &[Vec4], x: &mut [DVec3]) {
    team.for_each_piece(x, PIECE, |first, x| {
        for (x, &i) in x.iter_mut().zip(&index_of[first..]) {
            *x = q[i as usize].point();
        }
    });
}
