//! Newton's method on the incremental potential with a barrier between surfaces: no state that it accepts intersects or inverts \[Li20; Guo24\].
//!
//! It starts at the last positions, where nothing touches, and never leaves that set: each step is cut to what is free of contact (by
//! conservative advancement) and of inversion (by the Bézier points of the volumes), then searched for less energy. Friction is
//! that of the last iterate. Pins and obstacles go to their targets on the same terms, as far as each step lets them.

mod apart;
mod config;
mod function;
mod hessian;
mod inversion;
mod lag;
mod pairs;
mod prescribed;
mod start;
mod system;
mod terms;

use super::settings::{AnySettings, Settings};
use super::{Kind, Memory, Monitor, SettingError, SolveError, Solver, Stage, StepInput, StepOutcome, Value};
use crate::contact::Contacts;
use crate::fem::System;
use crate::fem::energy::ElementGradients;
use crate::fem::measure::diagonal;
use crate::fem::potential::Potential;
pub use apart::Room;
pub(super) use apart::room;
pub use config::{Augmentation, BarrierConfig, FrictionLag, NewtonSolve};
use config::{FREE, HALVINGS, LINE_SEARCH, PAIRS, SHORTENED};
use hessian::{Choice, HessianKind};
use inversion::{all_upright, free_part};
use lag::Lag;
use pliant_collide::Tasks;
use pliant_collide::proximity::Proximity;
use pliant_linalg::Team;
use pliant_mesh::DVec3;
use prescribed::Prescribed;
pub(super) use start::{check_joints, check_start};
use system::NewtonSystem;
use terms::Term;

/// Halvings of a step before it is given up.
const MOST_HALVINGS: usize = 40;
/// Part of a step that is no progress, and after how many such iterations a step ends where no vertex would move faster than the tolerance: at a kink
/// of the distances, as between faces that lie on each other exactly, the forces that are left stay.
const CREEP: f64 = 1e-3;
const MOST_CREEPING: usize = 4;
/// Pairs that a thread works on at a time.
const PIECE: usize = 128;

/// The solver. [`StepOutcome::residual_last`] is the largest displacement of a vertex in the last Newton step, relative to the size of its
/// body.
#[derive(Clone, Debug)]
pub(super) struct Barrier {
    config: BarrierConfig,
    system: NewtonSystem,
    /// Size of the body of each vertex in m.
    sizes: Vec<f64>,
    /// Stiffness of each vertex at rest, N/m: the barrier gets what the vertices have.
    stiffness: Vec<f64>,
    parts: ElementGradients,
    gradient: Vec<DVec3>,
    step: Vec<DVec3>,
    /// Vertices and points of obstacles, at the start of the step, in this iteration, and in the next.
    points_t0: Vec<DVec3>,
    points: Vec<DVec3>,
    trial: Vec<DVec3>,
    ways: Vec<DVec3>,
    /// The contacts within reach, ascending by pair.
    terms: Vec<Term>,
    /// Whether friction is not to overshoot: the last step had to be halved.
    careful: bool,
    hessian: Choice,
}

/// The team as tasks.
struct OnTeam<'a>(&'a Team);

impl Tasks for OnTeam<'_> {
    fn for_each(&self, count: usize, task: &(dyn Fn(usize) + Sync)) {
        self.0.for_each(count, &|i| task(i));
    }
}

/// What one step is about.
struct Problem<'a, 'b> {
    input: &'a StepInput<'b>,
    potential: Potential<'b>,
    contacts: &'a Contacts,
}

/// How a search along a step ended.
enum Search {
    /// This part of the step.
    Taken(f64),
    /// No less energy along the direction.
    Stuck,
}

impl Barrier {
    /// Analyses the pattern of the Hessian.
    pub(super) fn new(config: &BarrierConfig, system: &System, dt: f64) -> Barrier {
        let n = system.rest.len();
        let mut newton = NewtonSystem::new(system);
        let pressures = vec![0.0; system.pressures.len()];
        let anchors: Vec<DVec3> = system.springs.iter().map(|s| system.rest[s.vertex as usize]).collect();
        let at_rest = Potential {
            system,
            materials: &system.materials,
            dt,
            x_t0: &system.rest,
            inertial: &system.rest,
            anchors: &anchors,
            pressures: &pressures,
            drags: &[],
        };
        Barrier {
            config: config.clone(),
            stiffness: newton.stiffness_of_vertices(&at_rest, &system.rest),
            system: newton,
            sizes: sizes(system),
            parts: ElementGradients::default(),
            gradient: vec![DVec3::ZERO; n],
            step: vec![DVec3::ZERO; n],
            points_t0: Vec::new(),
            points: Vec::new(),
            trial: Vec::new(),
            ways: Vec::new(),
            terms: Vec::new(),
            careful: false,
            hessian: Choice::default(),
        }
    }

    fn minimise(
        &mut self,
        problem: &Problem,
        mut proximity: Option<&mut Proximity>,
        monitor: &mut Monitor,
    ) -> Result<StepOutcome, SolveError> {
        let input = problem.input;
        let mut prescribed = Prescribed::new(input);
        self.start(problem, &mut prescribed, proximity.as_deref_mut())?;
        let mut outcome = StepOutcome::default();
        let mut lag = Lag::new(self.config.friction_lag);
        let mut creeping = 0;
        for iteration in 0..self.config.iterations {
            if lag.is_fresh() {
                self.refresh_friction(problem, &mut prescribed);
            }
            self.find_step(problem, &mut prescribed, proximity.as_deref(), monitor)?;
            // Contacts are stiff: a step that is short for them may leave a force that would move a vertex.
            let of_contact = self.system.contact_speed(input.team, &input.system.masses, input.dt);
            let motion = self.speed(input.dt);
            let speed = motion.max(of_contact);
            outcome.iterations = iteration + 1;
            outcome.residual_last = self.relative_step();
            if iteration == 0 {
                outcome.residual_first = outcome.residual_last;
            }
            let last = prescribed.is_done() && speed < self.config.tolerance;
            let search = self.take_step(problem, &mut prescribed, proximity.as_deref_mut(), monitor);
            let n = self.gradient.len();
            monitor.iteration(iteration + 1, Some(outcome.residual_last), &|to| {
                to.copy_from_slice(&self.points[..n]);
            });
            if last {
                outcome.converged = lag.is_fresh();
                if outcome.converged || !lag.take() {
                    break;
                }
            } else {
                lag.watch(speed);
            }
            let creeps =
                motion < self.config.tolerance && matches!(search, Search::Taken(part) if part < CREEP);
            creeping = if creeps { creeping + 1 } else { 0 };
            let stuck = matches!(search, Search::Stuck) || creeping >= MOST_CREEPING;
            if !last && stuck && prescribed.is_done() {
                break;
            }
        }
        if !prescribed.is_done() {
            return Err(self.no_room(problem, prescribed.done));
        }
        monitor.count(PAIRS, self.terms.len());
        Ok(outcome)
    }

    /// Everything to where it is at the start, and the contacts there.
    fn start(
        &mut self,
        problem: &Problem,
        prescribed: &mut Prescribed,
        proximity: Option<&mut Proximity>,
    ) -> Result<(), SolveError> {
        let input = problem.input;
        if let Some(tet) = inversion::first_inverted(input.system, input.x_t0) {
            return Err(SolveError::NotFree { what: format!("the tetrahedron {tet} is inverted") });
        }
        self.points.clear();
        self.points.extend_from_slice(input.x_t0);
        self.terms.clear();
        self.careful = true;
        self.hessian = Choice::default();
        if let Some(proximity) = proximity {
            self.points.resize(proximity.point_count(), DVec3::ZERO);
            prescribed.place(prescribed.done, input, Some(proximity), &mut self.points);
            self.points_t0.clone_from(&self.points);
            let mut pairs = Vec::new();
            proximity.pairs(&OnTeam(input.team), [&self.points, &self.points], &mut pairs);
            self.terms = self.terms_of(pairs, input.inertial);
            self.keep_near();
        }
        if let Some(term) = self.terms.iter().find(|t| t.gap(&self.points) <= 0.0 && self.moves(&t.pair)) {
            return Err(SolveError::NotFree { what: self.between(problem, &term.pair) + " touch" });
        }
        self.points_t0.clone_from(&self.points);
        self.trial.clone_from(&self.points);
        Ok(())
    }

    /// Newton's step, with pins and obstacles on their way to their targets.
    fn find_step(
        &mut self,
        problem: &Problem,
        prescribed: &mut Prescribed,
        proximity: Option<&Proximity>,
        monitor: &mut Monitor,
    ) -> Result<(), SolveError> {
        let (input, n) = (problem.input, self.gradient.len());
        let Barrier { system, gradient, parts, points, points_t0, terms, trial, ways, step, .. } = self;
        problem.potential.gradient_by_team(input.team, &points[..n], gradient, parts);
        let both = [&points_t0[..], &points[..]];
        for term in terms.iter().filter(|t| t.sigma > 0.0) {
            term.add_gradient(both, |p, g| {
                if let Some(sum) = gradient.get_mut(p as usize) {
                    *sum += g;
                }
            });
        }
        monitor.lap(Stage::CONTACT);
        let moving = !prescribed.is_done();
        if moving {
            trial.clone_from(points);
            prescribed.place(1.0, input, proximity, trial);
            ways.clear();
            ways.extend(trial.iter().zip(points.iter()).map(|(to, from)| *to - *from));
        }
        let load = (&gradient[..], moving.then_some(&ways[..]));
        loop {
            let kind = self.hessian.kind(&self.config);
            let blocks = system.assemble(input.team, &problem.potential, (terms, kind), both);
            monitor.lap(Stage::LOCAL);
            match system.solve(input.team, &self.config, (terms, &blocks), load, step, monitor) {
                Ok(()) => break,
                Err(_) if kind == HessianKind::True => self.hessian.is_indefinite(),
                Err(error) => return Err(error.into()),
            }
        }
        if step.iter().any(|d| !d.is_finite()) {
            return Err(SolveError::NotFinite);
        }
        Ok(())
    }

    /// Goes along the step as far as it is free and the energy falls.
    fn take_step(
        &mut self,
        problem: &Problem,
        prescribed: &mut Prescribed,
        mut proximity: Option<&mut Proximity>,
        monitor: &mut Monitor,
    ) -> Search {
        let input = problem.input;
        let n = self.gradient.len();
        let mut part = free_part(input.team, input.system, &self.points[..n], &self.step);
        let mut candidates = Vec::new();
        if !self.terms.is_empty() {
            // What is near already mostly ends the step: looked at first it saves the search of all the rest of the way.
            self.place_trial(part, problem, prescribed, proximity.as_deref());
            candidates.extend(self.terms.iter().map(|t| t.pair));
            let motion = [&self.points[..], &self.trial[..]];
            part *= Proximity::free_part(&OnTeam(input.team), &candidates, motion).0;
        }
        loop {
            self.place_trial(part, problem, prescribed, proximity.as_deref());
            let Some(proximity) = proximity.as_deref_mut() else { break };
            let tasks = OnTeam(input.team);
            let motion = [&self.points[..], &self.trial[..]];
            candidates.clear();
            proximity.pairs(&tasks, motion, &mut candidates);
            let (free, _) = Proximity::free_part(&tasks, &candidates, motion);
            if free >= 1.0 {
                break;
            }
            part *= free;
            monitor.count(SHORTENED, 1);
            // A part of a straight way is as free as the whole.
            if part == 0.0 || !prescribed.turns || prescribed.is_done() {
                self.place_trial(part, problem, prescribed, Some(proximity));
                break;
            }
        }
        candidates.retain(|pair| pair.may_be_near([&self.points, &self.trial]));
        let candidates = self.terms_of(candidates, input.inertial);
        monitor.lap(FREE);
        let found = self.search(problem, prescribed, proximity.as_deref(), (part, &candidates), monitor);
        let full = found == Some(1.0) && prescribed.is_done();
        self.hessian.watch(full, self.speed(input.dt));
        monitor.lap(LINE_SEARCH);
        let Some(part) = found else { return Search::Stuck };
        std::mem::swap(&mut self.points, &mut self.trial);
        if !prescribed.is_done() {
            prescribed.done += part * (1.0 - prescribed.done);
            // What is left is rounding.
            if part >= 1.0 {
                prescribed.done = 1.0;
            }
        }
        self.terms = candidates;
        self.update_multipliers();
        self.keep_near();
        Search::Taken(part)
    }

    /// Where a part of the step leads.
    fn place_trial(
        &mut self,
        part: f64,
        problem: &Problem,
        prescribed: &mut Prescribed,
        proximity: Option<&Proximity>,
    ) {
        let n = self.gradient.len();
        for ((to, from), d) in self.trial[..n].iter_mut().zip(&self.points[..n]).zip(&self.step) {
            *to = from + part * d;
        }
        self.trial[n..].copy_from_slice(&self.points[n..]);
        if !prescribed.is_done() {
            let done = if part >= 1.0 { 1.0 } else { prescribed.done + part * (1.0 - prescribed.done) };
            prescribed.place(done, problem.input, proximity, &mut self.trial);
        }
    }

    /// The first of a part of the step, a half of it and so on at which the energy is less, and which inverts nothing; the trial is there then. While
    /// pins and obstacles move they do work: then any finite energy will do.
    fn search(
        &mut self,
        problem: &Problem,
        prescribed: &mut Prescribed,
        proximity: Option<&Proximity>,
        (limit, candidates): (f64, &[Term]),
        monitor: &mut Monitor,
    ) -> Option<f64> {
        let n = self.gradient.len();
        let terms = problem.potential.terms(&self.points[..n]);
        let of_contact = self.energy_of(problem, candidates, &self.points);
        let start = terms.total() + of_contact;
        let rounding = 1e-13 * (terms.size() + of_contact.abs());
        let slope: f64 = self.gradient.iter().zip(&self.step).map(|(g, d)| g.dot(*d)).sum();
        let mut part = limit;
        for halving in 0..MOST_HALVINGS {
            if halving > 0 {
                part *= 0.5;
                monitor.count(HALVINGS, 1);
                self.place_trial(part, problem, prescribed, proximity);
            }
            if part == 0.0 {
                return None;
            }
            if !all_upright(problem.input.system, &self.trial[..n]) {
                continue;
            }
            let end =
                problem.potential.value(&self.trial[..n]) + self.energy_of(problem, candidates, &self.trial);
            let accepted = if !prescribed.is_done() {
                end.is_finite()
            } else if -slope * part < 100.0 * rounding {
                end <= start + 10.0 * rounding
            } else {
                end < start + 1e-4 * part * slope
            };
            if accepted {
                self.careful = halving > 1;
                return Some(part);
            }
        }
        None
    }

    /// Energy of the contacts, J: by pieces, which are summed in their order.
    fn energy_of(&self, problem: &Problem, terms: &[Term], points: &[DVec3]) -> f64 {
        let both = [&self.points_t0[..], points];
        let mut sums = vec![0.0; terms.len().div_ceil(PIECE)];
        problem.input.team.for_each_mut(&mut sums, |piece, sum| {
            let own = terms.iter().skip(piece * PIECE).take(PIECE).filter(|t| t.sigma > 0.0);
            *sum = own.map(|t| t.value(both)).sum();
        });
        sums.iter().sum()
    }

    /// Largest speed that the step means for a vertex, m/s.
    fn speed(&self, dt: f64) -> f64 {
        let free = self.system.free_vertices().iter().map(|&v| self.step[v as usize].length());
        free.fold(0.0, f64::max) / dt
    }

    fn relative_step(&self) -> f64 {
        let free = self.system.free_vertices().iter().map(|&v| v as usize);
        free.map(|v| self.step[v].length() / self.sizes[v]).fold(0.0, f64::max)
    }
}

impl Solver for Barrier {
    fn duplicate(&self) -> Box<dyn Solver> {
        Box::new(self.clone())
    }

    fn kind(&self) -> &'static Kind {
        &BarrierConfig::KIND
    }

    fn solve(
        &mut self,
        input: &StepInput,
        contacts: &mut Contacts,
        x: &mut [DVec3],
        monitor: &mut Monitor,
    ) -> Result<StepOutcome, SolveError> {
        monitor.iteration(0, None, &|to| to.copy_from_slice(x));
        let mut proximity = contacts.take_proximity();
        let problem = Problem { input, potential: input.potential(), contacts };
        let outcome = self.minimise(&problem, proximity.as_mut(), monitor);
        contacts.give_proximity(proximity);
        let outcome = outcome?;
        self.hand_over(contacts);
        x.copy_from_slice(&self.points[..x.len()]);
        Ok(outcome)
    }

    fn retune(&mut self, name: &str, value: Value) -> Result<(), SettingError> {
        self.config.set(name, value)
    }

    fn memory(&self) -> Memory {
        Memory { factor_bytes: self.system.factor_bytes(), ..Memory::default() }
    }
}

/// Diagonal of the rest bounding box of each vertex's body; 1 m for a body without extent.
fn sizes(system: &System) -> Vec<f64> {
    let mut sizes = vec![1.0; system.rest.len()];
    for body in &system.bodies {
        let size = diagonal(&system.rest[body.vertices.clone()]);
        if size > 0.0 && size.is_finite() {
            sizes[body.vertices.clone()].fill(size);
        }
    }
    sizes
}
