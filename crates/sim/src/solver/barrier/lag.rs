//! When friction is taken anew.

use super::config::FrictionLag;

/// Iterations without progress after which friction is no longer taken anew in each one, but only when the step has converged.
const STALLED: usize = 20;
/// Part of the least speed so far that is progress.
const PROGRESS: f64 = 0.9;
/// How often friction is then taken anew.
const MOST: usize = 3;

/// Friction is taken anew in each iteration as long as that converges. This fixed point need not: then it is kept until the step has
/// converged with it, and taken anew at these ends only.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lag {
    least: Option<f64>,
    stalled: usize,
    /// Whether it is taken at ends only from now on, and at how many it was.
    at_ends: bool,
    taken: usize,
    /// Whether this iteration keeps it.
    kept: bool,
}

impl Lag {
    /// At the start of a step, which takes it anew either way.
    pub(super) fn new(friction_lag: FrictionLag) -> Lag {
        Lag { at_ends: friction_lag == FrictionLag::Solve, ..Lag::default() }
    }

    /// Whether this iteration takes it anew.
    pub(super) fn is_fresh(&self) -> bool {
        !self.kept
    }

    /// An end with a friction that was kept: the next iteration takes it anew. False if that was so often enough.
    pub(super) fn take(&mut self) -> bool {
        self.taken += 1;
        self.kept = false;
        self.taken <= MOST
    }

    /// An iteration that was not the last would have moved something with this speed.
    pub(super) fn watch(&mut self, speed: f64) {
        match self.least {
            Some(least) if speed > PROGRESS * least => self.stalled += 1,
            _ => (self.least, self.stalled) = (Some(speed), 0),
        }
        self.at_ends |= self.stalled >= STALLED;
        self.kept = self.at_ends;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn friction_is_kept_once_there_is_no_progress_and_then_taken_at_ends() {
        let mut lag = Lag::new(FrictionLag::Iteration);
        for k in 0..30 {
            assert!(lag.is_fresh(), "it converges");
            lag.watch(0.7_f64.powi(k));
        }
        for _ in 0..STALLED {
            assert!(lag.is_fresh());
            lag.watch(1.0);
        }
        for _ in 0..MOST {
            assert!(!lag.is_fresh());
            assert!(lag.take() && lag.is_fresh());
            lag.watch(1e-9);
        }
        assert!(!lag.take(), "it was taken often enough");
    }

    #[test]
    fn friction_that_is_kept_during_a_solve_is_taken_at_its_ends() {
        let mut lag = Lag::new(FrictionLag::Solve);
        assert!(lag.is_fresh(), "a step starts with its own");
        for k in 0..9 {
            lag.watch(0.5_f64.powi(k));
            assert!(!lag.is_fresh());
        }
        assert!(lag.take() && lag.is_fresh());
    }
}
