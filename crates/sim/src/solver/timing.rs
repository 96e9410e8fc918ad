//! Where the time of a step goes, and what it counts. The only place that reads the clock.

use std::time::Instant;

/// A part of a step whose time is measured. Solvers may name stages of their own, see [`Kind::stages`](super::Kind).
///
/// ```
/// use pliant::Stage;
///
/// assert_eq!(Stage::DETECT.name(), "detect");
/// assert!(Stage::COMMON.contains(&Stage::CONTACT));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage(&'static str);

impl Stage {
    /// Inertial prediction and loads.
    pub const PREDICT: Stage = Stage::new("predict");
    /// Pins to their prescribed places.
    pub const PRESCRIBE: Stage = Stage::new("prescribe");
    /// Collision detection.
    pub const DETECT: Stage = Stage::new("detect");
    /// Element projections and their forces (also the element loop of Newton).
    pub const LOCAL: Stage = Stage::new("local");
    /// Linear solves.
    pub const GLOBAL: Stage = Stage::new("global");
    /// Building the contact operator.
    pub const DELASSUS: Stage = Stage::new("delassus");
    /// Solving the contact problem.
    pub const CONTACT: Stage = Stage::new("contact");
    /// New velocities and positions.
    pub const ADVANCE: Stage = Stage::new("advance");

    /// The stages that every report has, in the order of the step. What a solver does not use takes no time.
    pub const COMMON: [Stage; 8] = [
        Stage::PREDICT,
        Stage::PRESCRIBE,
        Stage::DETECT,
        Stage::LOCAL,
        Stage::GLOBAL,
        Stage::DELASSUS,
        Stage::CONTACT,
        Stage::ADVANCE,
    ];

    /// A stage of this name.
    pub const fn new(name: &'static str) -> Stage {
        Stage(name)
    }

    /// Name in reports.
    pub fn name(self) -> &'static str {
        self.0
    }
}

/// Something that a solver counts in each step; reports have its mean and its largest value.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/cube.rs"));
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut world = cube_on_floor();
/// world.step()?;
/// for (counter, value) in world.timings().counters() {
///     println!("{} = {value}", counter.name());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter(&'static str);

impl Counter {
    /// A counter of this name.
    pub const fn new(name: &'static str) -> Counter {
        Counter(name)
    }

    /// Name in reports.
    pub fn name(self) -> &'static str {
        self.0
    }
}

/// Times of one step in ms, and what was counted in it.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/cube.rs"));
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use pliant::Stage;
///
/// let mut world = cube_on_floor();
/// world.step()?;
/// let times = world.timings();
/// assert!(times.stage_ms(Stage::DETECT) <= times.total_ms());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Timings {
    /// All stages are listed when the world is made: a step allocates nothing.
    stages: Vec<(Stage, f64)>,
    counters: Vec<(Counter, f64)>,
    total: f64,
    started: Instant,
    lap: Instant,
}

impl Default for Timings {
    fn default() -> Self {
        Timings::new(&[], &[])
    }
}

impl Timings {
    /// Watches the common stages and, before the last of them, those of a solver.
    pub(crate) fn new(own: &[Stage], counters: &[Counter]) -> Timings {
        let [before @ .., last] = &Stage::COMMON;
        let own = own.iter().filter(|stage| !Stage::COMMON.contains(stage));
        let now = Instant::now();
        Timings {
            stages: before.iter().chain(own).chain([last]).map(|stage| (*stage, 0.0)).collect(),
            counters: counters.iter().map(|counter| (*counter, 0.0)).collect(),
            total: 0.0,
            started: now,
            lap: now,
        }
    }

    /// All stages in order, with their time in the last step in ms.
    pub fn stages(&self) -> &[(Stage, f64)] {
        &self.stages
    }

    /// What the solver counted in the last step.
    pub fn counters(&self) -> &[(Counter, f64)] {
        &self.counters
    }

    /// Time of a stage in the last step, ms.
    pub fn stage_ms(&self, stage: Stage) -> f64 {
        self.stages.iter().find(|(s, _)| *s == stage).map_or(0.0, |(_, ms)| *ms)
    }

    /// Time of the whole last step, ms.
    pub fn total_ms(&self) -> f64 {
        self.total
    }

    /// Starts a step.
    pub(crate) fn begin(&mut self) {
        self.stages.iter_mut().for_each(|(_, ms)| *ms = 0.0);
        self.counters.iter_mut().for_each(|(_, count)| *count = 0.0);
        self.started = Instant::now();
        self.lap = self.started;
    }

    /// Adds the time since the last lap to `stage`.
    pub(crate) fn lap(&mut self, stage: Stage) {
        let now = Instant::now();
        let ms = (now - self.lap).as_secs_f64() * 1e3;
        self.lap = now;
        add(&mut self.stages, stage, ms);
    }

    /// Adds to a counter.
    pub(crate) fn count(&mut self, counter: Counter, more: f64) {
        add(&mut self.counters, counter, more);
    }

    /// Sets a counter.
    pub(crate) fn set(&mut self, counter: Counter, value: f64) {
        match self.counters.iter_mut().find(|(c, _)| *c == counter) {
            Some((_, old)) => *old = value,
            None => self.counters.push((counter, value)),
        }
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

/// Adds to the entry of `key`; one that was not announced gets an entry of its own.
fn add<K: PartialEq>(entries: &mut Vec<(K, f64)>, key: K, more: f64) {
    match entries.iter_mut().find(|(k, _)| *k == key) {
        Some((_, sum)) => *sum += more,
        None => entries.push((key, more)),
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

    /// Continues after a halt.
    pub(crate) fn resume(&mut self) {
        self.running_since = Instant::now();
    }
}
