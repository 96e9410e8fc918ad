//! When a step ends, and when it is worth a factor of its own.

use super::Need;
use super::config::{FactorMode, ImplicitFeConfig, Linearisations};

/// Part of the residual that an iteration may leave. If it leaves more, the factor may be too old for the contacts.
const PROGRESS: f64 = 0.5;

/// Residual at which a step that goes on slowly is solved well enough: nothing is said about such steps.
const SETTLED: f64 = 1e-4;

/// So many iterations without progress end a step, up to a residual at which its result is not doubtful: cloth that folds settles over
/// the steps, and not within one.
const PATIENCE: usize = 6;
const DOUBTFUL: f64 = 1e-3;

/// The iterations of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    tolerance: f64,
    /// Whether the number of iterations is left to the solver.
    is_free: bool,
    /// Whether factors are taken as they are needed, whatever they cost.
    is_eager: bool,
    done: usize,
    last: f64,
    /// The least residual that was clearly below the ones before it, and when that was.
    least: f64,
    since: usize,
    /// Iterations until the next factor may be made, and how many it will be after one that does not help.
    pause: usize,
    next_pause: usize,
    /// The present iteration has a new factor.
    has_new: bool,
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Next {
    /// The step has converged.
    Converged,
    /// More iterations would not help much.
    Enough,
    /// Another iteration.
    Go(Need),
}

impl Pace {
    pub(super) fn new(config: &ImplicitFeConfig) -> Pace {
        Pace {
            tolerance: config.tolerance,
            is_free: config.iterations == Linearisations::Auto,
            is_eager: config.factor == FactorMode::EachStep,
            done: 0,
            last: f64::INFINITY,
            least: f64::INFINITY,
            since: 0,
            pause: 0,
            next_pause: 1,
            has_new: false,
        }
    }

    /// An iteration has left this residual. A factor that did not help is not soon followed by another one: where sheets fold or
    /// buckle, it is not its age that makes steps short.
    pub(super) fn after(&mut self, residual: f64, in_contact: bool) -> Next {
        if residual <= self.tolerance {
            return Next::Converged;
        }
        let is_slow = self.done > 0 && residual > PROGRESS * self.last;
        if self.has_new && is_slow {
            self.pause = self.next_pause;
            self.next_pause *= 2;
        }
        self.done += 1;
        self.last = residual;
        if residual <= PROGRESS * self.least {
            (self.least, self.since) = (residual, self.done);
        }
        if self.is_free && !self.is_eager && is_slow {
            let stagnates = residual <= DOUBTFUL && self.done >= self.since + PATIENCE;
            if residual <= SETTLED || stagnates {
                return Next::Enough;
            }
        }
        let may_renew = self.is_eager || self.pause == 0;
        self.pause = self.pause.saturating_sub(1);
        self.has_new = is_slow && in_contact && may_renew;
        Next::Go(if self.has_new { Need::New } else { Need::Same })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needs(config: &ImplicitFeConfig, residuals: &[f64]) -> Vec<Next> {
        let mut pace = Pace::new(config);
        residuals.iter().map(|r| pace.after(*r, true)).collect()
    }

    #[test]
    fn factors_that_do_not_help_become_rare() {
        let slow: Vec<f64> = (0..16).map(|k| 0.9f64.powi(k)).collect();
        let found = needs(&ImplicitFeConfig::default(), &slow);
        let new = (0..16).filter(|&k| found[k] == Next::Go(Need::New));
        assert_eq!(new.collect::<Vec<_>>(), [1, 3, 6, 11]);
        let eager = ImplicitFeConfig { factor: FactorMode::EachStep, ..ImplicitFeConfig::default() };
        let found = needs(&eager, &[1.0, 0.9, 0.8, 0.7]);
        assert_eq!(found[1..], [Next::Go(Need::New); 3]);
    }

    #[test]
    fn what_settles_slowly_is_settled_where_nothing_is_said_about_it() {
        let auto = ImplicitFeConfig::default();
        assert_eq!(needs(&auto, &[1.0, 9e-5, 8e-5]).last(), Some(&Next::Enough));
        assert_eq!(needs(&auto, &[1.0, 9e-5, 8e-6]).last(), Some(&Next::Converged));
        // A number that is given is kept.
        let most = ImplicitFeConfig { iterations: Linearisations::Most(9), ..auto };
        assert_eq!(needs(&most, &[9e-5, 8e-5, 7e-5]).last(), Some(&Next::Go(Need::Same)));
    }

    #[test]
    fn a_step_that_stands_still_ends() {
        let found = needs(&ImplicitFeConfig::default(), &[5e-4; 12]);
        assert_eq!(found.iter().position(|next| *next == Next::Enough), Some(PATIENCE));
        // Not where its result is none.
        assert!(!needs(&ImplicitFeConfig::default(), &[1e-2; 12]).contains(&Next::Enough));
    }
}
