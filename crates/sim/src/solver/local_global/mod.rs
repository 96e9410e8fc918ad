//! The local-global solver [Zeng25, algorithm 2] with ADMM duals \[Overby17\], in increment form.
//!
//! Each iteration projects every element (local step), sums the residual
//! `r = M (q~ - q) + h^2 sum w V G^T (p - u - G q)`, and corrects the positions by `A dq = r` (global step) with the
//! constant matrix `A = M + h^2 sum w V G^T G`, factored once. Solving for the increment instead of the position lets
//! the inner kernels run in f32: their rounding is relative to a correction that tends to zero.

mod anderson;
mod assemble;
mod chunk;
mod config;
mod contact;
mod double;
mod global;
mod local;
mod projection;
mod target;
mod weight;

use super::settings::{AnySettings, Settings};
use super::{
    HoldError, Kind, Memory, Monitor, SettingError, SetupError, SolveError, Solver, Stage, StepInput,
    StepOutcome, Value,
};
use crate::contact::Contacts;
use crate::fem::System;
use crate::fem::numbering::Numbering;
use crate::snapshot::{Reader, SnapshotError, Writer};
use anderson::Anderson;
pub use config::{GlobalSolve, LocalGlobalConfig, Precision};
use contact::ContactStep;
use global::{Global, GlobalFactor};
use local::Local;
use pliant_linalg::panels::PanelFactor;
use pliant_linalg::{SymmetricCsc, Team};
use pliant_mesh::DVec3;
use std::sync::Arc;
pub(crate) use weight::Weighted;

/// Vertices per parallel piece of a vector loop.
const PIECE: usize = 1024;

/// Three f64 components and padding, aligned for vector loads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct Vec4(pub [f64; 4]);

impl Vec4 {
    #[inline(always)]
    fn new(p: DVec3) -> Vec4 {
        Vec4([p.x, p.y, p.z, 0.0])
    }

    #[inline(always)]
    fn point(&self) -> DVec3 {
        DVec3::new(self.0[0], self.0[1], self.0[2])
    }

    #[inline(always)]
    fn norm_sq(&self) -> f64 {
        self.0.iter().map(|x| x * x).sum()
    }
}

impl std::ops::Sub for Vec4 {
    type Output = Vec4;

    #[inline(always)]
    fn sub(self, other: Vec4) -> Vec4 {
        Vec4(std::array::from_fn(|k| self.0[k] - other.0[k]))
    }
}

impl std::ops::AddAssign<DVec3> for Vec4 {
    #[inline(always)]
    fn add_assign(&mut self, p: DVec3) {
        self.0[0] += p.x;
        self.0[1] += p.y;
        self.0[2] += p.z;
    }
}

/// The constant matrix A of the global step of `system` with time step `h`, in elimination order.
pub fn global_matrix(config: &LocalGlobalConfig, system: &System, h: f64) -> SymmetricCsc {
    assemble::ordered_matrix(system, &Weighted::all(system, config.weight_scale), h).0
}

/// The solver. Inside it vertices are renumbered: free ones in elimination order, then the pinned ones.
#[derive(Clone, Debug)]
pub(super) struct LocalGlobal {
    config: LocalGlobalConfig,
    /// Body size, to which residuals are relative.
    size: f64,
    numbering: Arc<Numbering>,
    local: Local,
    factor: GlobalFactor,
    global: Global,
    contact: ContactStep,
    anderson: Option<Anderson>,
    /// Iterate, positions at the start of the step, inertial prediction.
    q: Vec<Vec4>,
    q_t: Vec<Vec4>,
    inertial: Vec<Vec4>,
    /// Right-hand side of the global step, then its solution.
    residual: Vec<Vec4>,
    /// Whether duals and rotations have been started.
    warm: bool,
}

impl LocalGlobal {
    /// Assembles and factors the system for time step `h`; `contacts` says whether there may be contact.
    ///
    /// # Errors
    /// If a setting is out of range or the matrix cannot be factored.
    pub fn new(
        config: &LocalGlobalConfig,
        system: &System,
        h: f64,
        contacts: bool,
    ) -> Result<LocalGlobal, SetupError> {
        let materials = Weighted::all(system, config.weight_scale);
        let (matrix, numbering) = assemble::ordered_matrix(system, &materials, h);
        let factor = GlobalFactor::new(config, &matrix)?;
        let n = numbering.len();
        let panels = match factor.panels() {
            None if contacts && !factor.is_complete() => return Err(SetupError::IncompleteGlobal),
            None if contacts => Some(Arc::new(PanelFactor::new(&matrix)?)),
            panels => panels.cloned(),
        };
        let size = system.size();
        let masses = numbering.free_vertices().iter().map(|&v| system.masses[v as usize]).collect();
        Ok(LocalGlobal {
            size,
            contact: ContactStep::new(config.contact, panels, masses, n, h, size),
            local: Local::new(config, system, &materials, &numbering, h),
            global: Global::new(&factor),
            factor,
            anderson: (config.anderson > 0).then(|| Anderson::new(config.anderson)),
            config: config.clone(),
            q: vec![Vec4::default(); n],
            q_t: vec![Vec4::default(); n],
            inertial: vec![Vec4::default(); n],
            residual: vec![Vec4::default(); numbering.free()],
            numbering: Arc::new(numbering),
            warm: false,
        })
    }

    /// Iteration `k`; returns the longest correction relative to the size of the bodies.
    fn iterate(
        &mut self,
        team: &Team,
        input: &StepInput,
        contacts: &mut Contacts,
        k: usize,
        monitor: &mut Monitor,
    ) -> f64 {
        self.local.residual_into(team, input, &self.q, &self.q_t, &self.inertial, &mut self.residual);
        monitor.lap(Stage::LOCAL);
        self.contact.add_forces(contacts, &mut self.residual);
        let mut correction =
            self.global.correct(team, k, &mut self.residual, &mut self.q[..self.numbering.free()]);
        monitor.lap(Stage::GLOBAL);
        if !self.contact.is_empty() {
            self.contact.refresh(team, contacts, self.numbering.index_of(), &self.q);
            monitor.lap(Stage::CONTACT);
            self.contact.grow(team, contacts, self.numbering.index_of(), input.x_t0);
            monitor.lap(Stage::DELASSUS);
            self.contact.solve(team, contacts, correction);
            self.contact.changes_into(&mut self.residual);
            monitor.lap(Stage::CONTACT);
            let pushed =
                self.global.correct(team, k, &mut self.residual, &mut self.q[..self.numbering.free()]);
            correction = correction.max(pushed);
        }
        self.local.keep_momentum(&self.inertial, contacts.body_forces(input.system), &mut self.q);
        monitor.lap(Stage::GLOBAL);
        if let Some(anderson) = &mut self.anderson {
            anderson.accelerate(k, &mut self.q[..self.numbering.free()], &mut self.local);
        }
        correction / self.size
    }

    /// Takes the step's data over in solver order; starts duals and rotations if there are none yet.
    fn load_input(&mut self, team: &Team, input: &StepInput, x: &[DVec3]) {
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
        if !self.warm {
            self.local.start(team, &self.q_t);
            self.warm = true;
        }
    }

    /// Writes the iterate back in vertex order.
    fn store(&self, team: &Team, x: &mut [DVec3]) {
        team.for_each_piece(x, PIECE, |first, x| {
            for (x, &i) in x.iter_mut().zip(&self.numbering.index_of()[first..]) {
                if (i as usize) < self.numbering.free() {
                    *x = self.q[i as usize].point();
                }
            }
        });
    }

    /// The iterate for an observer: all vertices, in their order.
    fn write_iterate(&self, x: &mut [DVec3]) {
        for (x, &i) in x.iter_mut().zip(self.numbering.index_of()) {
            *x = self.q[i as usize].point();
        }
    }
}

impl Solver for LocalGlobal {
    fn duplicate(&self) -> Box<dyn Solver> {
        Box::new(self.clone())
    }

    fn kind(&self) -> &'static Kind {
        &LocalGlobalConfig::KIND
    }

    fn solve(
        &mut self,
        input: &StepInput,
        contacts: &mut Contacts,
        x: &mut [DVec3],
        monitor: &mut Monitor,
    ) -> Result<StepOutcome, SolveError> {
        let team = input.team;
        self.load_input(team, input, x);
        monitor.lap(Stage::PREDICT);
        self.contact.begin(contacts, self.numbering.index_of());
        monitor.lap(Stage::CONTACT);
        monitor.iteration(0, None, &|x| self.write_iterate(x));
        let mut outcome = StepOutcome::default();
        for k in 0..self.config.iterations {
            let correction = self.iterate(team, input, contacts, k, monitor);
            outcome.iterations = k + 1;
            outcome.residual_last = correction;
            if k == 0 {
                outcome.residual_first = correction;
            }
            monitor.iteration(k + 1, Some(correction), &|x| self.write_iterate(x));
            if correction <= self.config.tolerance {
                outcome.converged = true;
                break;
            }
        }
        self.store(team, x);
        monitor.lap(Stage::ADVANCE);
        Ok(outcome)
    }

    fn reset(&mut self) {
        self.warm = false;
    }

    // The history of accelerations lives for one step.
    fn save(&self, out: &mut Writer) {
        out.bool(self.warm);
        if self.warm {
            self.local.save(out);
        }
        out.u32s(self.contact.slots());
    }

    fn load(&mut self, from: &mut Reader) -> Result<(), SnapshotError> {
        self.warm = from.bool()?;
        if self.warm {
            self.local.load(from)?;
        }
        let slots = from.u32s()?;
        let LocalGlobal { contact, numbering, .. } = self;
        match Team::for_rows(numbering.free(), |team| contact.restore_slots(team, &slots)) {
            true => Ok(()),
            false => Err(SnapshotError::Impossible { what: "vertex of the contact operator" }),
        }
    }

    fn prepare_holds(&mut self, system: &System, dt: f64) -> Result<(), HoldError> {
        if self.contact.has_panels() {
            return Ok(());
        }
        if !self.factor.is_complete() {
            return Err(HoldError::IncompleteGlobal);
        }
        let materials = Weighted::all(system, self.config.weight_scale);
        let (matrix, _) = assemble::ordered_matrix(system, &materials, dt);
        self.contact.use_panels(Arc::new(PanelFactor::new(&matrix)?));
        Ok(())
    }

    fn retune(&mut self, name: &str, value: Value) -> Result<(), SettingError> {
        self.config.set(name, value)
    }

    fn memory(&self) -> Memory {
        // Panels that the global step does not solve with are there for the operator.
        let own_panels = if self.factor.panels().is_some() { 0 } else { self.contact.panel_bytes() };
        Memory { delassus_bytes: self.contact.bytes() + own_panels, ..self.factor.memory() }
    }
}
