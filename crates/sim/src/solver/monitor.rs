//! What a solver reports while it works: times, counts, and its iterations to whoever observes them.

use super::timing::{Counter, Stage, Timings};
use pliant_mesh::DVec3;

/// An iteration, as an observer sees it.
#[derive(Clone, Copy)]
pub struct Iteration<'a> {
    /// 1, 2, ...; 0 is the first iterate, when the solver has taken over its input.
    pub number: usize,
    /// Residual of the iteration, as in [`StepOutcome`](super::StepOutcome); none for the first iterate.
    pub residual: Option<f64>,
    counters: &'a [(Counter, f64)],
    write: &'a dyn Fn(&mut [DVec3]),
}

impl Iteration<'_> {
    /// Writes the iterate: positions of all vertices, m.
    pub fn positions_into(&self, x: &mut [DVec3]) {
        (self.write)(x);
    }

    /// What a counter of the solver is at now.
    pub fn counter(&self, counter: Counter) -> Option<f64> {
        self.counters.iter().find(|(c, _)| *c == counter).map(|(_, value)| *value)
    }
}

impl std::fmt::Debug for Iteration<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("Iteration").field("number", &self.number).field("residual", &self.residual).finish()
    }
}

/// Called after each iteration.
pub type Observer<'a> = dyn FnMut(&Iteration) + Send + 'a;

/// Takes down what a solver does in a step.
pub struct Monitor<'a> {
    timings: &'a mut Timings,
    observer: Option<&'a mut Observer<'a>>,
}

impl std::fmt::Debug for Monitor<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("Monitor").field("timings", &self.timings).finish_non_exhaustive()
    }
}

impl<'a> Monitor<'a> {
    /// Takes down times and counts.
    pub fn new(timings: &'a mut Timings) -> Monitor<'a> {
        Monitor { timings, observer: None }
    }

    /// Shows the iterations to `observer` as well.
    pub fn observed(timings: &'a mut Timings, observer: &'a mut Observer<'a>) -> Monitor<'a> {
        Monitor { timings, observer: Some(observer) }
    }

    /// The same for work before the first iterate, which is not observed.
    pub fn unobserved(&mut self) -> Monitor<'_> {
        Monitor { timings: self.timings, observer: None }
    }

    /// Adds the time since the last lap to `stage`.
    pub fn lap(&mut self, stage: Stage) {
        self.timings.lap(stage);
    }

    /// Adds to a counter of the step.
    pub fn count(&mut self, counter: Counter, more: usize) {
        self.timings.count(counter, more as f64);
    }

    /// Sets a counter to what the step ended with.
    pub fn measure(&mut self, counter: Counter, value: f64) {
        self.timings.set(counter, value);
    }

    /// Shows an iterate to the observer, if there is one: `write` writes it in the order of the vertices. The time that the
    /// observer takes belongs to no stage.
    pub fn iteration(&mut self, number: usize, residual: Option<f64>, write: &dyn Fn(&mut [DVec3])) {
        if let Some(observer) = &mut self.observer {
            observer(&Iteration { number, residual, counters: self.timings.counters(), write });
            self.timings.restart();
        }
    }
}
