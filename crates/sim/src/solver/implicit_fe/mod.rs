//! Implicit finite elements \[Zeng22\] with recursive correction of the contacts \[ZengRec\].
//!
//! A step is a Newton step of the incremental potential from the last positions, (4) of \[Zeng22\]: the matrix is that of the true
//! stiffness there. Its factor is made beside the simulation and some steps old: it preconditions the free motion and is the
//! compliance of the contacts, whose forces then correct the motion. More iterations converge to the implicit step.

mod config;
mod contact;
mod cost;
mod factor;
mod linear;
mod memory;
mod pace;
mod warp;

use super::settings::{AnySettings, Settings};
use super::{Kind, Memory, Monitor, SettingError, SolveError, Solver, Stage, StepInput, StepOutcome, Value};
use crate::contact::Contacts;
use crate::fem::System;
use crate::fem::assembly::Assembly;
use crate::fem::energy::ElementGradients;
use crate::fem::measure::diagonal;
use crate::fem::potential::Potential;
use crate::snapshot::{Reader, SnapshotError, Writer};
use config::{AGE, FRESH, HALVINGS, KNOWN, PCG, PRODUCTS};
pub use config::{
    Correction, Directions, FactorMode, ImplicitFeConfig, Linearisations, OperatorUse, Schur, Update,
};
use contact::ContactStep;
use factor::{Factors, expanded};
use linear::LinearSolves;
use pace::{Next, Pace};
use pliant_linalg::Team;
use pliant_linalg::krylov::Params;
use pliant_linalg::panels::Analysis;
use pliant_mesh::DVec3;
use warp::Warp;

/// The matrix of a step.
const ASSEMBLY: Stage = Stage::new("assembly");
/// Factors that the step has to wait for.
const FACTOR: Stage = Stage::new("factor");

/// Halvings of a step before it is given up.
const MOST_HALVINGS: usize = 30;

/// What an iteration needs of the factor.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Need {
    /// That of the step.
    OfStep,
    /// The one that is there.
    Same,
    /// One of the matrix of this iteration.
    New,
}

/// Part of the slope at the start of a step by which its end may lead uphill.
const OVERSHOOT: f64 = 0.5;

/// The solver. Vectors by row have the free vertices in elimination order; all others are by vertex. [`StepOutcome::residual_last`] is
/// the first guess at what another iteration would change, relative to the size of the body.
#[derive(Clone, Debug)]
pub(in crate::solver) struct ImplicitFe {
    config: ImplicitFeConfig,
    assembly: Assembly,
    factors: Factors,
    warp: Warp,
    linear: LinearSolves,
    contact: ContactStep,
    /// Size of the body of each row in m, and of all bodies.
    sizes: Vec<f64>,
    size: f64,
    /// The step that was solved last: the guard asks for more within it.
    last_step: Option<u64>,
    /// By vertex: the iterate, where a step leads to, the gradient.
    x: Vec<DVec3>,
    trial: Vec<DVec3>,
    gradient: Vec<DVec3>,
    parts: ElementGradients,
    /// In the order of the numbering: motion of the pinned vertices.
    motion: Vec<DVec3>,
    /// By row: right-hand side, motion, forces of contacts.
    right: Vec<DVec3>,
    step: Vec<DVec3>,
    forces: Vec<DVec3>,
    /// By row: forces that the bodies have not followed yet.
    waiting: Vec<DVec3>,
    /// Forces of the contacts before they were corrected.
    old_forces: Vec<DVec3>,
}

impl ImplicitFe {
    pub(in crate::solver) fn new(config: &ImplicitFeConfig, system: &System, h: f64) -> ImplicitFe {
        let assembly = Assembly::with_pins(system);
        let numbering = assembly.numbering().clone();
        let (n, free) = (numbering.len(), numbering.free());
        let sizes = body_sizes(system);
        ImplicitFe {
            config: config.clone(),
            factors: Factors::new(Analysis::new(&assembly.scalar_pattern())),
            warp: Warp::new(system, &numbering),
            linear: LinearSolves::default(),
            contact: ContactStep::new(config, system, &numbering, h),
            sizes: numbering.free_vertices().iter().map(|&v| sizes[v as usize]).collect(),
            size: system.size(),
            last_step: None,
            x: vec![DVec3::ZERO; n],
            trial: vec![DVec3::ZERO; n],
            gradient: vec![DVec3::ZERO; n],
            parts: ElementGradients::default(),
            motion: vec![DVec3::ZERO; n],
            right: vec![DVec3::ZERO; free],
            step: vec![DVec3::ZERO; free],
            forces: vec![DVec3::ZERO; free],
            waiting: vec![DVec3::ZERO; free],
            old_forces: Vec::new(),
            assembly,
        }
    }

    /// The matrix at the iterate, and a factor for it that may be older.
    fn linearise(
        &mut self,
        input: &StepInput,
        potential: &Potential,
        need: Need,
        monitor: &mut Monitor,
    ) -> Result<(), SolveError> {
        let team = input.team;
        self.assembly.assemble(team, potential, &self.x, true);
        monitor.lap(ASSEMBLY);
        let ImplicitFe { config, assembly, factors, x, .. } = self;
        let matrix = || expanded(team, assembly);
        match need {
            Need::OfStep => {
                let is_other = factors.prepare(config.factor, input.step, potential, x, matrix)?;
                self.turn_factor(input, is_other);
                monitor.count(AGE, self.factors.age(input.step) as usize);
            }
            Need::New => {
                factors.renew(input.step, potential, x, matrix)?;
                self.turn_factor(input, true);
            }
            // Where nothing touches, no operator hangs on how the factor is turned.
            Need::Same if self.contact.is_empty() => self.turn_factor(input, false),
            Need::Same => {}
        }
        monitor.lap(FACTOR);
        Ok(())
    }

    /// Takes over a factor that may be another one, turned as the bodies have turned since.
    fn turn_factor(&mut self, input: &StepInput, swapped: bool) {
        let ImplicitFe { config, factors, warp, linear, contact, x, .. } = self;
        let factor = factors.current();
        if swapped {
            linear.use_factor(factor);
            contact.forget_entries();
        }
        if !config.warp {
            warp.clear();
        } else if warp.fit(&input.system.masses, &factor.origin.x, x) {
            contact.forget_points();
        }
    }

    /// Solves `A step = right`. A factor that is too old for it is replaced.
    fn solve_linear(
        &mut self,
        input: &StepInput,
        potential: &Potential,
        monitor: &mut Monitor,
    ) -> Result<(), SolveError> {
        let team = input.team;
        let params = Params { iterations: self.config.pcg_iterations, tolerance: self.config.pcg_tolerance };
        for is_fresh in [false, true] {
            let ImplicitFe { assembly, factors, warp, linear, right, step, .. } = self;
            let info = linear.solve(team, assembly.hessian(), factors.current(), warp, right, step, params);
            monitor.count(PCG, info.iterations);
            monitor.lap(Stage::GLOBAL);
            if info.converged || is_fresh || !info.residual.is_finite() {
                break;
            }
            let ImplicitFe { assembly, factors, x, .. } = self;
            factors.renew(input.step, potential, x, || expanded(team, assembly))?;
            self.turn_factor(input, true);
            monitor.lap(FACTOR);
        }
        Ok(())
    }

    /// Where the bodies would go with the present forces of the contacts, into `trial`: `A d = -grad phi + H^T f`, with the
    /// pins at their ends.
    fn move_freely(
        &mut self,
        input: &StepInput,
        potential: &Potential,
        contacts: &Contacts,
        monitor: &mut Monitor,
    ) -> Result<(), SolveError> {
        self.residual_into_right(contacts);
        let numbering = self.assembly.numbering().clone();
        self.motion.fill(DVec3::ZERO);
        for (&(v, _), target) in input.system.held.iter().zip(input.pin_targets) {
            self.motion[numbering.index_of()[v as usize] as usize] = *target - self.x[v as usize];
        }
        self.assembly.subtract_motion_of_pins(input.team, &self.motion, &mut self.right);
        self.solve_linear(input, potential, monitor)?;
        for (&v, d) in numbering.free_vertices().iter().zip(&self.step) {
            self.trial[v as usize] = self.x[v as usize] + *d;
        }
        for (&(v, _), target) in input.system.held.iter().zip(input.pin_targets) {
            self.trial[v as usize] = *target;
        }
        Ok(())
    }

    /// `right = -grad phi + H^T f` by row, and `forces = H^T f`.
    fn residual_into_right(&mut self, contacts: &Contacts) {
        self.forces.fill(DVec3::ZERO);
        self.contact.add_forces(contacts, &mut self.forces);
        let free = self.assembly.numbering().free_vertices();
        for ((right, f), &v) in self.right.iter_mut().zip(&self.forces).zip(free) {
            *right = *f - self.gradient[v as usize];
        }
    }

    /// Finds the forces of the contacts at `trial`, and moves it by what they change. Returns by how much, relative to the size of all
    /// bodies, the contact problem is not solved.
    fn correct(
        &mut self,
        input: &StepInput,
        potential: &Potential,
        contacts: &mut Contacts,
        correction: f64,
        monitor: &mut Monitor,
    ) -> Result<f64, SolveError> {
        if self.contact.is_empty() {
            return Ok(0.0);
        }
        let team = input.team;
        let numbering = self.assembly.numbering().clone();
        // What the forces have changed that the bodies have not followed yet.
        self.waiting.fill(DVec3::ZERO);
        let problems = self.config.contact_problems();
        let mut left = 0.0;
        for k in 1..=problems {
            let ImplicitFe { contact, factors, warp, trial, .. } = self;
            let ends = [input.x_t0, &trial[..]];
            contact.prepare(team, factors.current(), warp, contacts, &numbering, ends);
            monitor.lap(Stage::DELASSUS);
            let with = (&**factors.current(), &*warp);
            left = contact.solve(team, with, contacts, &self.trial, correction, &mut self.right);
            monitor.lap(Stage::CONTACT);
            let is_last = k == problems || self.right.iter().all(|f| *f == DVec3::ZERO);
            for (sum, change) in self.waiting.iter_mut().zip(&self.right) {
                *sum += *change;
            }
            if is_last || !self.contact.moves_touched_alone() {
                self.follow_forces(input, potential, monitor)?;
            } else {
                let ImplicitFe { contact, warp, trial, right, .. } = self;
                contact.move_touched(team, warp, &numbering, right, trial);
            }
            monitor.lap(Stage::GLOBAL);
            if is_last {
                break;
            }
        }
        Ok(left / self.size)
    }

    /// Moves `trial` by the forces that wait. Touched vertices may have gone ahead: they go back first.
    fn follow_forces(
        &mut self,
        input: &StepInput,
        potential: &Potential,
        monitor: &mut Monitor,
    ) -> Result<(), SolveError> {
        let team = input.team;
        let numbering = self.assembly.numbering().clone();
        self.contact.move_back(&numbering, &mut self.trial);
        std::mem::swap(&mut self.right, &mut self.waiting);
        match self.config.correction {
            Correction::Pcg => self.solve_linear(input, potential, monitor)?,
            Correction::Factor => {
                let ImplicitFe { factors, warp, linear, right, step, .. } = self;
                linear.apply_factor(team, factors.current(), warp, right, step);
            }
        }
        for (&v, d) in numbering.free_vertices().iter().zip(&self.step) {
            self.trial[v as usize] += *d;
        }
        self.waiting.fill(DVec3::ZERO);
        Ok(())
    }

    /// Takes the step to `trial`, or a part of it, and finds the gradient at its end. Returns whether there is a part that can be
    /// taken.
    ///
    /// With the forces f of the contacts at its end, the step leads downhill on `phi - f . H x`, whose slope is `-d . A d` at its start. It
    /// is taken as it is unless it leads uphill again more steeply than by a part of that.
    fn take_step(
        &mut self,
        team: &Team,
        potential: &Potential,
        contacts: &mut Contacts,
        monitor: &mut Monitor,
    ) -> bool {
        let numbering = self.assembly.numbering().clone();
        let free = numbering.free_vertices();
        for (d, &v) in self.step.iter_mut().zip(free) {
            *d = self.trial[v as usize] - self.x[v as usize];
        }
        self.assembly.hessian().multiply_into(team, &self.step, &mut self.right);
        let downhill = dot(&self.step, &self.right);
        potential.gradient_by_team(team, &self.trial, &mut self.gradient, &mut self.parts);
        self.residual_into_right(contacts);
        let uphill = -dot(&self.step, &self.right);
        if uphill <= OVERSHOOT * downhill {
            std::mem::swap(&mut self.x, &mut self.trial);
            return true;
        }
        // Pins are at their ends all the time.
        for &v in &numbering.vertex_of()[numbering.free()..] {
            self.x[v as usize] = self.trial[v as usize];
        }
        let part = self.search(potential, free, monitor);
        // Forces go as far as the bodies.
        for (force, old) in contacts.forces_mut().iter_mut().zip(&self.old_forces) {
            *force = *old + part.unwrap_or(0.0) * (*force - *old);
        }
        potential.gradient_by_team(team, &self.x, &mut self.gradient, &mut self.parts);
        part.is_some()
    }

    /// Takes the first of the parts 1, 1/2, 1/4, ... of the step at whose end `phi - f . H x` is not above what it is at its start, and
    /// returns it: 0 if there is none. There is no start if its value is infinite.
    fn search(&mut self, potential: &Potential, free: &[u32], monitor: &mut Monitor) -> Option<f64> {
        let work = dot(&self.forces, &self.step);
        let terms = potential.terms(&self.x);
        let (start, rounding) = (terms.total(), 1e-12 * terms.size());
        let mut part = 1.0;
        for _ in 0..MOST_HALVINGS {
            let value = potential.value(&self.trial) - part * work;
            // A start with inverted elements is no measure.
            if value <= start + rounding || (value.is_finite() && !start.is_finite()) {
                std::mem::swap(&mut self.x, &mut self.trial);
                return Some(part);
            }
            part *= 0.5;
            monitor.count(HALVINGS, 1);
            for (d, &v) in self.step.iter().zip(free) {
                self.trial[v as usize] = self.x[v as usize] + part * *d;
            }
        }
        start.is_finite().then_some(0.0)
    }

    /// What another iteration would change at first, relative to the sizes of the bodies, and the same in m.
    fn estimate(&mut self, team: &Team, contacts: &Contacts) -> (f64, f64) {
        self.residual_into_right(contacts);
        let ImplicitFe { factors, warp, linear, right, step, sizes, .. } = self;
        linear.apply_factor(team, factors.current(), warp, right, step);
        let relative = step.iter().zip(sizes).map(|(d, size)| d.length() / *size);
        let longest = relative.fold(0.0, |m: f64, d| if d.is_nan() { f64::NAN } else { m.max(d) });
        (longest, longest * self.size)
    }
}

impl Solver for ImplicitFe {
    fn duplicate(&self) -> Box<dyn Solver> {
        Box::new(self.clone())
    }

    fn kind(&self) -> &'static Kind {
        &ImplicitFeConfig::KIND
    }

    fn solve(
        &mut self,
        input: &StepInput,
        contacts: &mut Contacts,
        x: &mut [DVec3],
        monitor: &mut Monitor,
    ) -> Result<StepOutcome, SolveError> {
        let potential = input.potential();
        self.factors.restore(input.team, &potential, &mut self.assembly)?;
        // The first linearisation is at the last positions; the guard goes on from where the step has come to.
        let is_new = self.last_step.replace(input.step) != Some(input.step);
        self.x.copy_from_slice(if is_new { input.x_t0 } else { x });
        self.contact.begin(contacts, self.assembly.numbering());
        monitor.lap(Stage::PREDICT);
        monitor.iteration(0, None, &|to| to.copy_from_slice(&self.x));
        potential.gradient_by_team(input.team, &self.x, &mut self.gradient, &mut self.parts);
        monitor.lap(Stage::LOCAL);
        let mut outcome = StepOutcome::default();
        let mut correction = 0.0;
        let mut pace = Pace::new(&self.config);
        let mut need = if is_new { Need::OfStep } else { Need::Same };
        for k in 0..self.config.iterations.most() {
            self.linearise(input, &potential, need, monitor)?;
            self.move_freely(input, &potential, contacts, monitor)?;
            self.old_forces.clear();
            self.old_forces.extend_from_slice(contacts.forces());
            let unsolved = self.correct(input, &potential, contacts, correction, monitor)?;
            if !self.take_step(input.team, &potential, contacts, monitor) {
                return Err(SolveError::InfeasibleStart { tet: None });
            }
            monitor.lap(Stage::LOCAL);
            let estimate;
            (estimate, correction) = self.estimate(input.team, contacts);
            // Forces that are not those of the laws yet leave gaps, which no balance of forces shows.
            let relative = if estimate.is_nan() { estimate } else { estimate.max(unsolved) };
            monitor.lap(Stage::GLOBAL);
            outcome.iterations = k + 1;
            outcome.residual_last = relative;
            if k == 0 {
                outcome.residual_first = relative;
            }
            monitor.iteration(k + 1, Some(relative), &|to| to.copy_from_slice(&self.x));
            if relative.is_nan() {
                // Forces without bounds, from an operator that does not know how contacts act on each other.
                contacts.forces_mut().fill(DVec3::ZERO);
                break;
            }
            match pace.after(relative, !self.contact.is_empty()) {
                Next::Converged => {
                    outcome.converged = true;
                    break;
                }
                Next::Enough => break,
                Next::Go(next) => need = next,
            }
        }
        monitor.count(FRESH, self.contact.fresh);
        monitor.count(KNOWN, self.contact.known);
        monitor.count(PRODUCTS, self.contact.products);
        x.copy_from_slice(&self.x);
        Ok(outcome)
    }

    fn reset(&mut self) {
        self.factors.clear();
        self.contact.forget_entries();
        self.last_step = None;
    }

    fn save(&self, out: &mut Writer) {
        self.factors.save(out);
    }

    fn load(&mut self, from: &mut Reader) -> Result<(), SnapshotError> {
        self.reset();
        self.factors.load(from, self.x.len())
    }

    fn retune(&mut self, name: &str, value: Value) -> Result<(), SettingError> {
        self.config.set(name, value)
    }

    fn memory(&self) -> Memory {
        Memory {
            factor_bytes: self.factors.bytes(),
            delassus_bytes: self.contact.bytes(),
            ..Memory::default()
        }
    }
}

fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}

/// Diagonal of the rest bounding box of each vertex's body; 1 m for a body without extent.
fn body_sizes(system: &System) -> Vec<f64> {
    let mut sizes = vec![1.0; system.rest.len()];
    for body in &system.bodies {
        let size = diagonal(&system.rest[body.vertices.clone()]);
        if size > 0.0 && size.is_finite() {
            sizes[body.vertices.clone()].fill(size);
        }
    }
    sizes
}
