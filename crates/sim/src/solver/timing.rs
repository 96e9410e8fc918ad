//! Where the time of a step goes. The only place that reads the clock.

use std::time::Instant;

/// Stages of a step, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Inertial prediction and loads.
    Predict,
    /// Pins to their prescribed places.
    Prescribe,
    /// Collision detection.
    Detect,
    /// Element projections and their forces (also the element loop of Newton).
    Local,
    /// Linear solves.
    Global,
    /// Building the contact operator.
    Delassus,
    /// Solving the contact problem.
    Contact,
    /// New velocities and positions.
    Advance,
}

impl Stage {
    /// All stages, in order.
    pub const ALL: [Stage; 8] = [
        Stage::Predict,
        Stage::Prescribe,
        Stage::Detect,
        Stage::Local,
        Stage::Global,
        Stage::Delassus,
        Stage::Contact,
        Stage::Advance,
    ];

    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Predict => "predict",
            Stage::Prescribe => "prescribe",
            Stage::Detect => "detect",
            Stage::Local => "local",
            Stage::Global => "global",
            Stage::Delassus => "delassus",
            Stage::Contact => "contact",
            Stage::Advance => "advance",
        }
    }
}

/// Times of one step in ms.
#[derive(Clone, Debug)]
pub struct Timings {
    stages: [f64; Stage::ALL.len()],
    total: f64,
    started: Instant,
    lap: Instant,
}

impl Default for Timings {
    fn default() -> Self {
        let now = Instant::now();
        Timings { stages: [0.0; Stage::ALL.len()], total: 0.0, started: now, lap: now }
    }
}

impl Timings {
    /// Time of a stage in the last step, ms.
    pub fn stage_ms(&self, stage: Stage) -> f64 {
        self.stages[stage as usize]
    }

    /// Time of the whole last step, ms.
    pub fn total_ms(&self) -> f64 {
        self.total
    }

    /// Starts a step.
    pub(crate) fn begin(&mut self) {
        *self = Timings::default();
    }

    /// Adds the time since the last lap to `stage`.
    pub(crate) fn lap(&mut self, stage: Stage) {
        let now = Instant::now();
        self.stages[stage as usize] += (now - self.lap).as_secs_f64() * 1e3;
        self.lap = now;
    }

    /// Forgets the time since the last lap.
    pub(crate) fn restart(&mut self) {
        self.lap = Instant::now();
    }

    /// Ends the step.
    pub(crate) fn end(&mut self) {
        self.total = self.started.elapsed().as_secs_f64() * 1e3;
    }
}

/// A watch that can be halted.
#[derive(Debug)]
pub(crate) struct Stopwatch {
    running_since: Instant,
    elapsed_ms: f64,
}

impl Stopwatch {
    /// Starts at zero.
    pub(crate) fn started() -> Stopwatch {
        Stopwatch { running_since: Instant::now(), elapsed_ms: 0.0 }
    }

    /// Halts and returns the time it has run in all, ms.
    pub(crate) fn pause(&mut self) -> f64 {
        self.elapsed_ms += self.running_since.elapsed().as_secs_f64() * 1e3;
        self.elapsed_ms
    }

    /// Goes on after a halt.
    pub(crate) fn resume(&mut self) {
        self.running_since = Instant::now();
    }
}
