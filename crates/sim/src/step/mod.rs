//! One time step, in the order of [`Stage`]: predict, prescribe, detect, solve, advance.

mod energy;
mod spin;
#[cfg(test)]
mod tests;

use crate::contact::Contacts;
use crate::fem::script::DeadLoad;
use crate::fem::{Drag, System, air};
use crate::snapshot::{Reader, SnapshotError, Writer};
use crate::solver::{ContactUse, Monitor, SolveError, Solver, Stage, StepInput, StepOutcome, Timings};
use crate::state::State;
use pliant_collide::{BodyId, Pose};
use pliant_linalg::Team;
use pliant_mesh::{DMat3, DVec3};

/// Why a step failed. The state is rolled back to the last good one.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/cube.rs"));
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use pliant::StepError;
///
/// let mut world = cube_on_floor();
/// if let Err(StepError::NonFinite { body, vertex, .. }) = world.step() {
///     println!("{body} broke down at vertex {vertex}; the state is that before the step");
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// A position stopped being a number.
    #[error(
        "step {step} (t = {time} s): vertex {vertex} of body `{body}` became non-finite ({cause}); \
         the state was rolled back: try a smaller dt, slower pins or a softer material"
    )]
    NonFinite {
        /// Step that failed, counted from 1.
        step: u64,
        /// Time at the start of that step in s.
        time: f64,
        /// Name of the body.
        body: String,
        /// Vertex of that body.
        vertex: usize,
        /// Which element or which input did it.
        cause: String,
    },
    /// Pins take hold or let go in this step, and the solver cannot be set up with those that are left.
    #[error(
        "step {step} (t = {time} s): pins take hold or let go, and then {cause}; the state is that before"
    )]
    Pins {
        /// Step that failed, counted from 1.
        step: u64,
        /// Time at the start of that step in s.
        time: f64,
        /// Why the solver cannot be set up.
        cause: String,
    },
    /// The solver could not go on.
    #[error("step {step} (t = {time} s): {source}; the state was rolled back")]
    Breakdown {
        /// Step that failed, counted from 1.
        step: u64,
        /// Time at the start of that step in s.
        time: f64,
        /// What happened, where, what to do.
        source: SolveError,
    },
}

/// How often a step goes on with contacts that its solution turned out to need.
const ROUNDS_FOR_MISSED: usize = 2;

/// How often a step in which the energy grows is solved further.
const ROUNDS_FOR_ENERGY: usize = 2;

/// Residual from which on the energy of a step with contact is looked at, and from which on the step is shortened if it grows.
const CONVERGED: f64 = 1e-4;
const DOUBTFUL: f64 = 1e-3;

/// Memory that a step reuses.
#[derive(Clone, Debug)]
pub(crate) struct Workspace {
    /// Inertial prediction q~.
    inertial: Vec<DVec3>,
    /// How the free parts turn.
    spins: Vec<Option<spin::Spin>>,
    /// Iterate q; after the step, places and velocities at its start.
    next: Vec<DVec3>,
    before: Vec<DVec3>,
    /// Bodies that keep only a part of their velocity.
    slowed: Vec<(usize, f64)>,
    /// Targets of the soft pins.
    anchors: Vec<DVec3>,
    /// Pressures now, in Pa.
    pressures: Vec<f64>,
    /// What the air does to each vertex; empty without air.
    drags: Vec<Drag>,
    /// Total force of the air on each body in the last step, N; empty without air.
    air_forces: Vec<DVec3>,
    /// Places of the hard-pinned vertices at the end of the step.
    pin_targets: Vec<DVec3>,
    /// Poses of the obstacles at the start and at the end of the step.
    poses: [Vec<Pose>; 2],
    /// Time at the start and at the end of the step, as pins, loads and obstacles see it.
    pub(crate) span: [f64; 2],
}

impl Workspace {
    pub(crate) fn new(system: &System) -> Workspace {
        Workspace {
            inertial: system.rest.clone(),
            spins: Vec::with_capacity(system.free_parts.len()),
            next: system.rest.clone(),
            before: system.rest.clone(),
            slowed: Vec::new(),
            anchors: system.springs.iter().map(|s| system.rest[s.vertex as usize]).collect(),
            pressures: vec![0.0; system.pressures.len()],
            drags: vec![Drag::NONE; if system.air.is_empty() { 0 } else { system.rest.len() }],
            air_forces: vec![DVec3::ZERO; if system.air.is_empty() { 0 } else { system.bodies.len() }],
            pin_targets: system.held.iter().map(|&(v, _)| system.start[v as usize]).collect(),
            poses: [Vec::new(), Vec::new()],
            span: [0.0; 2],
        }
    }

    /// Moves the hard-pinned vertices of the first iterate to their places at the end of the step.
    pub(crate) fn start_at_pins(&mut self, system: &System) {
        for (&(vertex, _), target) in system.held.iter().zip(&self.pin_targets) {
            self.next[vertex as usize] = *target;
        }
    }

    /// Total force of the air on a body in the last step, N.
    pub(crate) fn air_force(&self, body: usize) -> DVec3 {
        self.air_forces.get(body).copied().unwrap_or_default()
    }

    /// The first iterate.
    pub(crate) fn iterate(&self) -> &[DVec3] {
        &self.next
    }

    /// Writes what the forces of pins in the last step follow from. The rest is found anew by each step.
    pub(crate) fn save(&self, out: &mut Writer) {
        out.points(&self.inertial);
        out.points(&self.anchors);
        out.f64s(&self.pressures);
        for drag in &self.drags {
            drag.matrix.to_cols_array().into_iter().for_each(|x| out.f64(x));
            out.point(drag.pull);
        }
        self.air_forces.iter().for_each(|f| out.point(*f));
    }

    /// Takes over what [`save`](Self::save) wrote.
    pub(crate) fn load(&mut self, from: &mut Reader) -> Result<(), SnapshotError> {
        self.inertial = from.points("predicted places", self.inertial.len())?;
        self.anchors = from.points("anchors", self.anchors.len())?;
        let pressures = from.f64s()?;
        let (found, here) = (pressures.len() as u64, self.pressures.len() as u64);
        if found != here {
            return Err(SnapshotError::Mismatch { what: "pressures", found, here });
        }
        self.pressures = pressures;
        for drag in &mut self.drags {
            let mut columns = [0.0; 9];
            columns.iter_mut().try_for_each(|x| from.f64().map(|read| *x = read))?;
            *drag = Drag { matrix: DMat3::from_cols_array(&columns), pull: from.point()? };
        }
        self.air_forces.iter_mut().try_for_each(|f| from.point().map(|read| *f = read))?;
        Ok(())
    }

    /// What the solver is given.
    pub(crate) fn input<'a>(&'a self, team: &'a Team, system: &'a System, state: &'a State) -> StepInput<'a> {
        StepInput {
            team,
            system,
            dt: system.dt,
            x_t0: &state.positions,
            v_t0: &state.velocities,
            inertial: &self.inertial,
            anchors: &self.anchors,
            pressures: &self.pressures,
            drags: &self.drags,
            pin_targets: &self.pin_targets,
            poses: [&self.poses[0], &self.poses[1]],
            step: state.steps.saturating_add(1),
        }
    }
}

/// What a step changes.
pub(crate) struct Moving<'a> {
    pub(crate) solver: &'a mut dyn Solver,
    pub(crate) state: &'a mut State,
    pub(crate) contacts: &'a mut Contacts,
    pub(crate) work: &'a mut Workspace,
}

/// Advances the state by one time step; on error it is left as it was.
pub(crate) fn step(
    system: &System,
    gravity: DVec3,
    moving: Moving,
    timings: &mut Timings,
) -> Result<StepOutcome, StepError> {
    moving.work.span = [moving.state.time, moving.state.time + system.dt];
    step_within(system, gravity, moving, timings)
}

/// A step for which pins, loads and obstacles go from the start to the end of the span in the workspace.
pub(crate) fn step_within(
    system: &System,
    gravity: DVec3,
    moving: Moving,
    timings: &mut Timings,
) -> Result<StepOutcome, StepError> {
    let Moving { solver, state, contacts, work } = moving;
    timings.begin();
    predict(system, gravity, state, work);
    timings.lap(Stage::PREDICT);
    prescribe(system, work);
    let contact = solver.kind().contact;
    match contact {
        // A barrier starts where nothing touches, and moves the pins itself.
        ContactUse::Barrier => work.next.copy_from_slice(&state.positions),
        ContactUse::None | ContactUse::Rows => work.start_at_pins(system),
    }
    timings.lap(Stage::PRESCRIBE);
    let mut next = std::mem::take(&mut work.next);
    let mut slowed = std::mem::take(&mut work.slowed);
    slowed.clear();
    // One team for the whole step. A solver without contact has threads of its own if it wants any.
    let mut detect_and_solve = |team: &Team| {
        if contact == ContactUse::Rows {
            let poses = [&work.poses[0][..], &work.poses[1]];
            contacts.detect(team, poses, [&state.positions, &work.inertial], work.span);
            contacts.stop_at_impacts(system, &state.positions, &mut next, &mut work.inertial);
        }
        timings.lap(Stage::DETECT);
        let mut outcome =
            solve_unpierced(solver, &work.input(team, system, state), contacts, &mut next, timings)?;
        let mut rounds = 0;
        while contact == ContactUse::Rows
            && rounds < ROUNDS_FOR_ENERGY
            && outcome.residual_last > CONVERGED
            && !contacts.is_empty()
            && !contacts.joints().are_driven()
            && energy::has_grown(system, state, contacts, work, &next)
        {
            let more =
                solve_unpierced(solver, &work.input(team, system, state), contacts, &mut next, timings)?;
            outcome = outcome.followed_by(more);
            rounds += 1;
        }
        let doubtful =
            outcome.residual_last > DOUBTFUL || contacts.held_back().vertices > 0 || contacts.has_impacts();
        if contact == ContactUse::Rows && doubtful && !contacts.is_empty() && !contacts.joints().are_driven()
        {
            let stopped = energy::keep_from_growing(system, state, contacts, work, &mut next, &mut slowed);
            contacts.add_held_back(stopped);
        }
        Ok(outcome)
    };
    let solved = match contact {
        ContactUse::None => detect_and_solve(Team::alone()),
        ContactUse::Rows | ContactUse::Barrier => Team::for_rows(system.rest.len(), detect_and_solve),
    };
    work.next = next;
    work.slowed = slowed;
    let broken = first_non_finite(&work.next);
    let outcome = match (solved, broken) {
        (Ok(outcome), None) => outcome,
        (solved, broken) => {
            solver.reset();
            contacts.reset();
            return Err(explain(system, gravity, state, work, solved.err(), broken));
        }
    };
    advance(system, state, work);
    timings.lap(Stage::ADVANCE);
    timings.end();
    Ok(outcome)
}

/// Solves, and goes on with more contacts while surfaces pass through each other that were not foreseen to meet. What is
/// then still not kept apart is held back.
fn solve_unpierced(
    solver: &mut dyn Solver,
    input: &StepInput,
    contacts: &mut Contacts,
    next: &mut [DVec3],
    timings: &mut Timings,
) -> Result<StepOutcome, SolveError> {
    let mut outcome = solver.solve(input, contacts, next, &mut Monitor::new(timings))?;
    timings.restart();
    // What has become no number is nowhere, and touches nothing.
    if solver.kind().contact != ContactUse::Rows || outcome.residual_last.is_nan() {
        return Ok(outcome);
    }
    let mut rounds = 0;
    while rounds < ROUNDS_FOR_MISSED && contacts.add_missed(input.team, [input.x_t0, next]) > 0 {
        timings.lap(Stage::DETECT);
        let more = solver.solve(input, contacts, next, &mut Monitor::new(timings))?;
        timings.restart();
        outcome = outcome.followed_by(more);
        rounds += 1;
    }
    let passed = match contacts.has_impacts() {
        true => contacts.bring_back_from_impacts(input.system, input.x_t0, next),
        false => 0,
    };
    if rounds == ROUNDS_FOR_MISSED || passed > 0 {
        contacts.hold_back(input.team, input.system, input.x_t0, next);
        contacts.add_held_back(passed);
    }
    timings.lap(Stage::DETECT);
    Ok(outcome)
}

/// The inertial prediction `q~ = q_t + h v_t + h^2 M^-1 f_ext`, and the first iterate `q_t + h v_t`: without the forces,
/// so that a body at rest is a fixed point of every single iteration and not only of the converged step. Free parts are
/// predicted to turn on as they do.
pub(crate) fn predict(system: &System, gravity: DVec3, state: &State, work: &mut Workspace) {
    let h = system.dt;
    let zipped =
        work.inertial.iter_mut().zip(&mut work.next).zip(state.positions.iter().zip(&state.velocities));
    for ((predicted, first), (x, v)) in zipped {
        *predicted = x + h * (v + h * gravity);
        *first = x + h * v;
    }
    spin::predict(system, state, &mut work.inertial, &mut work.spins);
    let span = work.span;
    for DeadLoad { vertices, total } in &system.script.forces {
        let scale = h * h * total.share(span) / vertices.len() as f64;
        let total = total.value.at(span[1]);
        for i in vertices.iter().map(|&v| v as usize) {
            work.inertial[i] += scale * total / system.masses[i];
        }
    }
    for (now, course) in work.pressures.iter_mut().zip(&system.script.pressures) {
        *now = course.value.at(span[1]) * course.share(span);
    }
    if let Some(air) = &system.script.air
        && !system.air.is_empty()
    {
        let motion = [&state.positions[..], &state.velocities];
        air::drags_into(system, motion, air.velocity(span[1]), &mut work.drags);
    }
}

/// Finds where the script has hard pins and the anchors of soft pins at the end of the step, and obstacles at both ends.
pub(crate) fn prescribe(system: &System, work: &mut Workspace) {
    let [t0, t1] = work.span;
    // The vertices of a pin follow each other in its own order: its number among them tells which way a vertex goes.
    let (mut last, mut slot) = (u32::MAX, 0);
    let mut place = |vertex: u32, pin: u32| {
        slot = if pin == last { slot + 1 } else { 0 };
        last = pin;
        system.script.pins[pin as usize].position_of(slot, system.origins[vertex as usize], t1)
    };
    for (target, &(vertex, pin)) in work.pin_targets.iter_mut().zip(&system.held) {
        *target = place(vertex, pin);
    }
    for (anchor, spring) in work.anchors.iter_mut().zip(&system.springs) {
        *anchor = place(spring.vertex, spring.pin);
    }
    system.script.poses_into(t0, &mut work.poses[0]);
    system.script.poses_into(t1, &mut work.poses[1]);
}

/// `v = (q - q_t) / h`, and takes over the new positions; free parts keep their spin.
fn advance(system: &System, state: &mut State, work: &mut Workspace) {
    let h = system.dt;
    std::mem::swap(&mut state.positions, &mut work.next);
    std::mem::swap(&mut state.velocities, &mut work.before);
    for ((v, new), old) in state.velocities.iter_mut().zip(&state.positions).zip(&work.next) {
        *v = (new - old) / h;
    }
    for (force, body) in work.air_forces.iter_mut().zip(&system.bodies) {
        *force = body.vertices.clone().map(|v| work.drags[v].force(state.velocities[v])).sum();
    }
    for &(body, left) in &work.slowed {
        let vertices = system.bodies[body].vertices.clone();
        state.velocities[vertices].iter_mut().for_each(|v| *v *= left);
    }
    spin::correct(system, [&work.next, &work.before], state, &work.spins);
    // A product instead of a sum: time does not drift over millions of steps. A state that was set may have a time of
    // its own; then it is a sum.
    let counted = state.steps as f64 * h;
    state.steps = state.steps.saturating_add(1);
    let on_count = (state.time - counted).abs() <= 1e-9 * (counted + h);
    state.time = if on_count { state.steps as f64 * h } else { state.time + h };
}

fn first_non_finite(x: &[DVec3]) -> Option<usize> {
    x.iter().position(|p| !p.is_finite())
}

/// Why a step broke: an input that is not finite, or else what the solver says, or else the vertex that it broke.
fn explain(
    system: &System,
    gravity: DVec3,
    state: &State,
    work: &mut Workspace,
    error: Option<SolveError>,
    broken: Option<usize>,
) -> StepError {
    // The solver has spread a bad input over its body: look at the inputs again.
    predict(system, gravity, state, work);
    prescribe(system, work);
    work.start_at_pins(system);
    let bad_anchor = first_non_finite(&work.anchors).map(|s| system.springs[s].vertex as usize);
    let input = first_non_finite(&work.inertial).or(first_non_finite(&work.next)).or(bad_anchor);
    let (step, time) = (state.steps.saturating_add(1), state.time);
    match (input, error) {
        (Some(vertex), _) => {
            let cause = "its velocity, load or pin target is not finite".to_string();
            non_finite(system, state, vertex, cause)
        }
        (None, Some(source)) => StepError::Breakdown { step, time, source },
        (None, None) => {
            // The global step has spread it over the whole body: blame the most distorted element of the first iterate.
            let vertex = broken.unwrap_or(0);
            match system.most_distorted(&work.next, body_of(system, vertex)) {
                Some(worst) => {
                    let before = system.distortion(&state.positions, &worst);
                    let cause = format!(
                        "{} {} was to be stretched by {:.3e} in this step, {:.3e} before",
                        worst.kind, worst.element, worst.stretch, before
                    );
                    non_finite(system, state, worst.vertex, cause)
                }
                None => non_finite(system, state, vertex, "no element uses it".to_string()),
            }
        }
    }
}

/// The body that a vertex belongs to.
fn body_of(system: &System, vertex: usize) -> BodyId {
    BodyId::new(system.bodies.iter().position(|b| b.vertices.contains(&vertex)).unwrap_or(0))
}

fn non_finite(system: &System, state: &State, vertex: usize, cause: String) -> StepError {
    let body = &system.bodies[body_of(system, vertex).index()];
    StepError::NonFinite {
        step: state.steps.saturating_add(1),
        time: state.time,
        body: body.name.clone(),
        vertex: vertex - body.vertices.start,
        cause,
    }
}
