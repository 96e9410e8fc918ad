//! The local-global solver: a constant matrix A, factored once, and one of two iterations on it, `newton_cg` and `admm`
//! (docs/theory/newton-cg.md).

mod admm;
mod anderson;
pub(super) mod assemble;
mod chunk;
mod config;
mod conjugate_gradients;
mod contact;
mod double;
mod elastic;
mod exchange;
mod forces;
pub(super) mod global;
pub(super) mod local;
mod metric;
mod newton_cg;
mod normals;
pub(super) mod parts;
mod projection;
mod target;
mod unsolved;
mod vertex_forces;
mod weight;

use super::settings::{AnySettings, Settings};
use super::{
    HoldError, Kind, Memory, Monitor, SettingError, SetupError, SolveError, Solver, Stage, StepInput,
    StepOutcome, Value,
};
use crate::contact::Contacts;
use crate::contact::operator::{ScalarEntries, UpdatedEntries};
use crate::fem::System;
use crate::fem::numbering::Numbering;
use crate::snapshot::{Reader, SnapshotError, Writer};
use admm::Admm;
use anderson::Anderson;
use config::REAL_TIME;
pub use config::{Budget, GlobalSolve, IterationKind, LocalGlobalConfig, Precision};
use conjugate_gradients::Limits;
use contact::{ContactStep, Touch};
use forces::Forces;
use global::{Global, GlobalFactor};
use local::Local;
use metric::{Metric, PAIRS};
use newton_cg::NewtonCg;
use normals::Normals;
use parts::Parts;
use pliant_linalg::panels::PanelFactor;
use pliant_linalg::{SymmetricCsc, Team};
use pliant_mesh::DVec3;
use std::sync::Arc;
use unsolved::Unsolved;
pub(crate) use weight::Weighted;

/// Estimates of the error that are small enough, relative to the size of the bodies, if no tolerance is given.
const TOLERANCE: f64 = 1e-5;

/// The same for cloth where nothing touches: it bends so easily that CG meets its softest motions late, and the estimate is
/// too small.
const CLOTH_TOLERANCE: f64 = 3e-6;

/// The same for real time where something touches: errors of resting bodies add up to creep.
const CONTACT_TOLERANCE: f64 = 1e-6;

/// Residual of a step with contact from which on it is hard.
const UNSOLVED: f64 = 1e-4;

/// Iterations without CG in a step with contact: contacts settle first, for the Hessian far from them would mislead.
const SETTLING: usize = 2;

/// The same at the end of a step of so many iterations.
fn settling_at_end(count: usize) -> usize {
    if count < 8 { 1 } else { SETTLING }
}

/// Most CG iterations in an iteration where nothing touches: there are no pairs to remember.
const FREE_ITERATIONS: usize = 20;

/// The same if there is cloth.
const CLOTH_ITERATIONS: usize = 50;

/// Part of the tolerance that CG may leave where nothing touches.
const SHORT: f64 = 0.1;

/// Vertices per parallel piece of a vector loop.
pub(super) const PIECE: usize = 1024;

/// Three f64 components and padding, aligned for vector loads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct Vec4(pub [f64; 4]);

impl Vec4 {
    #[inline(always)]
    pub(super) fn new(p: DVec3) -> Vec4 {
        Vec4([p.x, p.y, p.z, 0.0])
    }

    #[inline(always)]
    pub(super) fn point(&self) -> DVec3 {
        DVec3::new(self.0[0], self.0[1], self.0[2])
    }

    #[inline(always)]
    pub(super) fn norm_sq(&self) -> f64 {
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
    factor: GlobalFactor,
    iteration: Engine,
    unsolved: Unsolved,
    /// Iterate, positions at the start of the step, inertial prediction.
    q: Vec<Vec4>,
    q_t: Vec<Vec4>,
    inertial: Vec<Vec4>,
    /// Whether duals and rotations have been started.
    warm: bool,
}

/// What iterates.
#[derive(Clone, Debug)]
enum Engine {
    Newton(Box<NewtonCg>, Box<ContactStep<UpdatedEntries>>),
    Admm(Box<Admm>, Box<ContactStep<ScalarEntries>>),
}

/// Does the same with the contacts of either iteration.
macro_rules! with_contact {
    ($engine:expr, $contact:ident => $done:expr) => {
        match $engine {
            Engine::Newton(_, $contact) => $done,
            Engine::Admm(_, $contact) => $done,
        }
    };
}

/// What a step is given, positions in solver order: those at its start, and those without forces.
#[derive(Clone, Copy)]
struct Given<'a> {
    input: &'a StepInput<'a>,
    q_t: &'a [Vec4],
    inertial: &'a [Vec4],
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
        let free = numbering.free();
        let masses = numbering.free_vertices().iter().map(|&v| system.masses[v as usize]).collect();
        let iteration = if config.iteration == IterationKind::NewtonCg && factor.is_complete() {
            let parts = Parts::new(system, &numbering, h);
            let forces = Forces::new(config, system, &materials, &numbering, h);
            let normals = Normals::new(system, &numbering, &matrix, parts.inertias(), h);
            let metric = Metric::new(Global::new(&factor), parts, normals, free);
            let contact = ContactStep::new(config.contact, panels, masses, n, h, size);
            Engine::Newton(Box::new(NewtonCg::new(forces, metric, [n, free], size)), Box::new(contact))
        } else {
            let contact = ContactStep::new(config.contact, panels, masses, n, h, size);
            let local = Local::new(config.precision, system, &materials, &numbering, h);
            let anderson = (config.anderson > 0).then(|| Anderson::new(config.anderson));
            let admm = Admm::new(local, Global::new(&factor), anderson, free);
            Engine::Admm(Box::new(admm), Box::new(contact))
        };
        Ok(LocalGlobal {
            size,
            iteration,
            unsolved: Unsolved::default(),
            factor,
            config: config.clone(),
            q: vec![Vec4::default(); n],
            q_t: vec![Vec4::default(); n],
            inertial: vec![Vec4::default(); n],
            numbering: Arc::new(numbering),
            warm: false,
        })
    }

    /// Iteration `k` of at most `count`; returns the longest correction relative to the size of the bodies, or none if nothing can be
    /// improved any more.
    fn iterate(
        &mut self,
        input: &StepInput,
        contacts: &mut Contacts,
        [k, count]: [usize; 2],
        tolerance: f64,
        monitor: &mut Monitor,
    ) -> Option<f64> {
        let LocalGlobal { iteration, numbering, q, q_t, inertial, .. } = self;
        let given = Given { input, q_t, inertial };
        let index_of = numbering.index_of();
        let cloth = !input.system.triangles.is_empty();
        let longest = match iteration {
            Engine::Newton(newton, contact) => {
                let limits = match contact.is_empty() {
                    true => Limits {
                        most: if cloth { CLOTH_ITERATIONS } else { FREE_ITERATIONS },
                        short: SHORT * self.size * tolerance,
                        remember: false,
                        recycle: k == 0,
                    },
                    // The last ones are short again, so that what the step ends with does not penetrate.
                    false if k < SETTLING || (k > SETTLING && k + settling_at_end(count) >= count) => {
                        Limits { most: 0, short: 0.0, remember: true, recycle: false }
                    }
                    // In a crowd every field of the operator costs more than what it is good for.
                    false if contact.is_crowded() => {
                        Limits { most: 0, short: 0.0, remember: true, recycle: false }
                    }
                    false => Limits {
                        most: PAIRS,
                        short: SHORT * self.size * tolerance,
                        remember: true,
                        recycle: false,
                    },
                };
                let mut touch = Touch { contact, contacts, index_of };
                newton.iterate(given, q, limits, &mut touch, monitor)?
            }
            Engine::Admm(admm, contact) => {
                let mut touch = Touch { contact, contacts, index_of };
                admm.iterate(given, q, k, &mut touch, monitor)
            }
        };
        Some(longest / self.size)
    }

    /// All iterations of a step.
    fn iterate_to_end(
        &mut self,
        input: &StepInput,
        contacts: &mut Contacts,
        monitor: &mut Monitor,
    ) -> StepOutcome {
        let mut outcome = StepOutcome::default();
        let cloth = !input.system.triangles.is_empty();
        let tolerance = self.tolerance(cloth);
        let mut most = self.config.iterations.iterations(self.is_free(), cloth);
        for k in 0.. {
            if k == most {
                if cloth || !self.deserves_more(most, outcome.residual_last) {
                    break;
                }
                most += REAL_TIME;
            }
            let mut found = self.iterate(input, contacts, [k, most], tolerance, monitor);
            while k == 0 && found.is_none() && self.retreat(input) {
                found = self.iterate(input, contacts, [k, most], tolerance, monitor);
            }
            let Some(correction) = found else {
                if k == 0 {
                    outcome.residual_first = self.sought(input.team);
                    outcome.residual_last = outcome.residual_first;
                }
                break;
            };
            outcome.iterations = k + 1;
            outcome.residual_last = correction;
            if k == 0 {
                outcome.residual_first = correction;
            }
            monitor.iteration(k + 1, Some(correction), &|x| self.write_iterate(x));
            if correction.is_nan() {
                break;
            }
            if correction <= tolerance && self.may_end(k) {
                outcome.converged = true;
                break;
            }
        }
        outcome
    }

    /// Whether the step is one of the Newton iteration in which nothing touches.
    fn is_free(&self) -> bool {
        matches!(&self.iteration, Engine::Newton(_, contact) if contact.is_empty())
    }

    /// The residual at which the iteration ends.
    fn tolerance(&self, cloth: bool) -> f64 {
        match &self.iteration {
            _ if self.config.tolerance > 0.0 => self.config.tolerance,
            Engine::Newton(_, contact) if !contact.is_empty() => CONTACT_TOLERANCE,
            Engine::Newton(..) if cloth => CLOTH_TOLERANCE,
            Engine::Admm(..) if self.config.iterations != Budget::Auto => 0.0,
            _ => TOLERANCE,
        }
    }

    /// Whether a short step of iteration `k` says that the end is near: one without CG may be short where the bodies bend.
    fn may_end(&self, k: usize) -> bool {
        match &self.iteration {
            Engine::Newton(_, contact) => contact.is_empty() || k >= SETTLING,
            Engine::Admm(..) => true,
        }
    }

    /// Starts again from less of the prediction, where the first iteration has found no step; returns whether there is less.
    fn retreat(&mut self, input: &StepInput) -> bool {
        match &mut self.iteration {
            Engine::Newton(newton, _) => {
                newton.retreat(Given { input, q_t: &self.q_t, inertial: &self.inertial }, &mut self.q)
            }
            Engine::Admm(..) => false,
        }
    }

    /// Length of a step that was sought and not accepted, relative to the size of the bodies.
    fn sought(&mut self, team: &Team) -> f64 {
        match &mut self.iteration {
            Engine::Newton(newton, _) => newton.sought(team) / self.size,
            Engine::Admm(..) => 0.0,
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
        with_contact!(&mut self.iteration, c => c.begin(contacts, self.numbering.index_of()));
        self.unsolved.begin(contacts);
        monitor.lap(Stage::CONTACT);
        self.load_input(team, input, x);
        monitor.lap(Stage::PREDICT);
        monitor.iteration(0, None, &|x| self.write_iterate(x));
        let outcome = match self.continue_again(input, contacts, x, monitor) {
            Some(outcome) => outcome,
            None => {
                let outcome = self.iterate_to_end(input, contacts, monitor);
                self.solve_again(input, contacts, x, outcome, monitor)
            }
        };
        if let Engine::Newton(newton, contact) = &mut self.iteration
            && outcome.iterations > 0
        {
            let forces = contacts.body_forces(input.system);
            let given = Given { input, q_t: &self.q_t, inertial: &self.inertial };
            newton.finish(given, forces, !contact.is_empty(), &mut self.q);
        }
        self.store(team, x);
        monitor.lap(Stage::ADVANCE);
        Ok(outcome)
    }

    fn reset(&mut self) {
        self.unsolved.forget();
        self.warm = false;
    }

    // The history of accelerations lives for one step.
    fn save(&self, out: &mut Writer) {
        out.bool(self.warm);
        if self.warm {
            match &self.iteration {
                Engine::Newton(newton, _) => newton.save(out),
                Engine::Admm(admm, _) => admm.local.save(out),
            }
        }
        out.u32s(&with_contact!(&self.iteration, c => c.kept_rows()));
    }

    fn load(&mut self, from: &mut Reader) -> Result<(), SnapshotError> {
        self.unsolved.forget();
        self.warm = from.bool()?;
        if self.warm {
            match &mut self.iteration {
                Engine::Newton(newton, _) => newton.load(from)?,
                Engine::Admm(admm, _) => admm.local.load(from)?,
            }
        }
        let rows = from.u32s()?;
        let LocalGlobal { iteration, numbering, .. } = self;
        let restored = Team::for_rows(
            numbering.free(),
            |team| with_contact!(iteration, c => c.restore_rows(team, &rows)),
        );
        match restored {
            true => Ok(()),
            false => Err(SnapshotError::Impossible { what: "vertex of the contact operator" }),
        }
    }

    fn prepare_holds(&mut self, system: &System, dt: f64) -> Result<(), HoldError> {
        if with_contact!(&self.iteration, c => c.has_panels()) {
            return Ok(());
        }
        if !self.factor.is_complete() {
            return Err(HoldError::IncompleteGlobal);
        }
        let materials = Weighted::all(system, self.config.weight_scale);
        let (matrix, _) = assemble::ordered_matrix(system, &materials, dt);
        let panels = Arc::new(PanelFactor::new(&matrix)?);
        with_contact!(&mut self.iteration, c => c.use_panels(panels));
        Ok(())
    }

    fn retune(&mut self, name: &str, value: Value) -> Result<(), SettingError> {
        self.unsolved = Unsolved::default();
        self.config.set(name, value)
    }

    fn memory(&self) -> Memory {
        // Panels that the global step does not solve with are there for the operator.
        let (bytes, panel_bytes) = with_contact!(&self.iteration, c => (c.bytes(), c.panel_bytes()));
        let own_panels = if self.factor.panels().is_some() { 0 } else { panel_bytes };
        Memory { delassus_bytes: bytes + own_panels, ..self.factor.memory() }
    }
}
