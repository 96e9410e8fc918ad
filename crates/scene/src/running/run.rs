//! A run of a scene: the world, its probes, its times.

use super::contacts::ContactHistory;
use super::inspection::Inspection;
use super::traces::Traces;
use super::verdict::{Verdict, Watch};
use crate::building::Setup;
use crate::error::SceneError;
use crate::measuring::{ProbeHistory, Samples};
use pliant::{Counter, Stage, StepError, StepOutcome, World};
use std::time::Instant;

/// How closely a run is watched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Care {
    /// All there is to see, after every step.
    #[default]
    EveryStep,
    /// Speeds, contacts and residuals after every step; elements and energies [some times](LOOKS) a simulated second, and after every
    /// step that was out of the ordinary; intersections where contacts are deeper than ever. See [`Run::look`].
    NowAndThen,
}

/// Looks in a simulated second at elements and energies, if not after every step.
pub const LOOKS: f64 = 10.0;

/// A scene that is being simulated, with everything its report needs.
#[derive(Clone, Debug)]
pub struct Run {
    pub(crate) setup: Setup,
    pub(super) world: World,
    pub(super) steps: usize,
    pub(crate) histories: Vec<ProbeHistory>,
    pub(crate) step_ms: Samples,
    pub(crate) stage_ms: Vec<(Stage, Samples)>,
    pub(crate) counters: Vec<(Counter, Samples)>,
    pub(crate) iterations: Samples,
    pub(crate) last_outcome: StepOutcome,
    pub(crate) worst_residual: f64,
    pub(crate) contact: ContactHistory,
    pub(super) inspection: Inspection,
    pub(super) watch: Watch,
    care: Care,
    pub(super) traces: Traces,
    pub(crate) setup_s: f64,
    /// Seconds that the run took before it was stopped and resumed.
    pub(super) before_s: f64,
    pub(super) started: Instant,
}

impl Run {
    /// Assembles the world; the clock of the run starts afterwards.
    pub fn new(setup: Setup) -> Result<Run, SceneError> {
        let begin = Instant::now();
        let world = setup.world()?;
        Ok(Run::from_world(world, setup, begin))
    }

    /// A run that has taken no step. The time since `begin` is that of its setup.
    pub(super) fn from_world(world: World, setup: Setup, begin: Instant) -> Run {
        let histories: Vec<ProbeHistory> =
            setup.probes.iter().map(|p| ProbeHistory::new(&p.name, p.measure(&world))).collect();
        let watch = Watch::new(&world, setup.tolerate);
        Run {
            steps: setup.steps,
            traces: Traces::new(&world, &histories),
            step_ms: Samples::default(),
            stage_ms: empty(world.timings().stages()),
            counters: empty(world.timings().counters()),
            setup,
            world,
            histories,
            iterations: Samples::default(),
            last_outcome: StepOutcome::default(),
            worst_residual: 0.0,
            contact: ContactHistory::default(),
            inspection: Inspection::default(),
            watch,
            care: Care::default(),
            setup_s: begin.elapsed().as_secs_f64(),
            before_s: 0.0,
            started: Instant::now(),
        }
    }

    /// Runs this many steps instead of the scene's own number.
    pub fn limit_steps(&mut self, steps: usize) {
        self.steps = steps;
    }

    /// Advances by one step and takes all measurements. On an error the world stays at the last good state.
    pub fn step(&mut self) -> Result<StepOutcome, StepError> {
        let outcome = self.world.step()?;
        let timings = self.world.timings();
        self.step_ms.push(timings.total_ms());
        for ((_, samples), (_, ms)) in self.stage_ms.iter_mut().zip(timings.stages()) {
            samples.push(*ms);
        }
        for ((_, samples), (_, count)) in self.counters.iter_mut().zip(timings.counters()) {
            samples.push(*count);
        }
        self.iterations.push(outcome.iterations as f64);
        self.worst_residual = self.worst_residual.max(outcome.residual_last);
        self.last_outcome = outcome;
        self.contact.record(&self.world);
        self.watch_step(&outcome);
        self.traces.record(&self.world, &outcome);
        let time = self.world.state().time;
        for (i, (history, probe)) in self.histories.iter_mut().zip(&self.setup.probes).enumerate() {
            let value = probe.measure(&self.world);
            history.record(&value);
            self.traces.record_probe(i, time, &value);
        }
        Ok(outcome)
    }

    fn watch_step(&mut self, outcome: &StepOutcome) {
        let (step, is_last) = (self.step_ms.count(), self.is_done());
        if self.care == Care::EveryStep {
            self.watch.record(&self.world, outcome);
            if self.inspection.record(&self.world, step, is_last) {
                self.watch.record_energies(&self.world);
            }
            return;
        }
        let every = (1.0 / (LOOKS * self.world.model().dt)).round().max(1.0) as usize;
        if self.watch.record_motion(&self.world, outcome) || step.is_multiple_of(every) {
            self.watch.look(&self.world);
            self.watch.record_energies(&self.world);
        }
        self.inspection.record_deeper(&self.world, step);
    }

    /// Looks at all there is to see of the present state: what a report of a run that is watched [now and then](Care::NowAndThen) needs.
    pub fn look(&mut self) {
        if self.steps_taken() > 0 {
            self.watch.look(&self.world);
            self.inspection.look(&self.world, self.step_ms.count());
        }
    }

    /// Watches the steps that follow so closely.
    pub fn set_care(&mut self, care: Care) {
        self.care = care;
    }

    /// What speaks against the results so far.
    pub fn verdict(&self) -> Verdict {
        self.watch.with_inspection(&self.setup.model, Some(&self.inspection))
    }

    /// Measures what belongs to a recorded frame: energies for the traces, and what passes through what.
    pub fn record_frame(&mut self) {
        self.traces.record_energies(&self.world);
        self.inspection.look(&self.world, self.step_ms.count());
    }

    /// Histories for plots.
    pub fn traces(&self) -> &Traces {
        &self.traces
    }

    /// Forgets all times and counts so far: what follows is measured afresh.
    pub fn forget_times(&mut self) {
        self.step_ms = Samples::default();
        self.stage_ms = empty(self.world.timings().stages());
        self.counters = empty(self.world.timings().counters());
        self.iterations = Samples::default();
        self.worst_residual = 0.0;
        self.contact = ContactHistory::default();
        self.inspection = Inspection::default();
        self.watch = Watch::new(&self.world, self.setup.tolerate);
        self.traces = Traces::new(&self.world, &self.histories);
        self.before_s = 0.0;
        self.started = Instant::now();
    }

    /// Whether all steps were taken.
    pub fn is_done(&self) -> bool {
        self.steps_taken() >= self.steps
    }

    /// Steps taken so far.
    pub fn steps_taken(&self) -> usize {
        self.step_ms.count()
    }

    /// Steps of the whole run.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Whether the run is as long as the scene says.
    pub fn is_full_length(&self) -> bool {
        self.steps == self.setup.steps
    }

    /// The simulation.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The simulation, to be driven by hand. From then on its energy is not compared with what there was: who drives gives some.
    pub fn steer(&mut self) -> &mut World {
        self.watch.forget_energy();
        &mut self.world
    }

    /// The scene it runs.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Times of the steps in ms.
    pub fn step_times(&self) -> &Samples {
        &self.step_ms
    }

    /// Times of all stages in ms, in the order of the step.
    pub fn stage_times(&self) -> &[(Stage, Samples)] {
        &self.stage_ms
    }

    /// What the solver counts in each step.
    pub fn counters(&self) -> &[(Counter, Samples)] {
        &self.counters
    }

    /// The probes so far.
    pub fn probes(&self) -> &[ProbeHistory] {
        &self.histories
    }

    /// Seconds since the first step could start, without those in which the run was stopped.
    pub fn elapsed_s(&self) -> f64 {
        self.before_s + self.started.elapsed().as_secs_f64()
    }
}

/// No samples yet of what a step measures.
fn empty<K: Copy>(measured: &[(K, f64)]) -> Vec<(K, Samples)> {
    measured.iter().map(|(key, _)| (*key, Samples::default())).collect()
}
