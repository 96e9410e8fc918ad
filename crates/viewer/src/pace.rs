//! How fast simulated time goes: when the next step is due, and the factor of real time that is reached.

use std::time::{Duration, Instant};

/// Delay after which lost time is given up instead of caught up with.
const PATIENCE: Duration = Duration::from_millis(100);

/// Time over which the factor of real time is taken.
const WINDOW: Duration = Duration::from_millis(500);

/// The pace of a simulation.
#[derive(Debug)]
pub struct Pace {
    /// Factor of real time; none is as fast as it can.
    factor: Option<f64>,
    /// When the next step is due.
    due: Instant,
    /// Start of the present window, and time simulated in it, s.
    window: (Instant, f64),
    reached: Option<f64>,
}

impl Pace {
    /// Real time.
    pub fn new(now: Instant) -> Pace {
        Pace { factor: Some(1.0), due: now, window: (now, 0.0), reached: None }
    }

    /// Factor of real time that is asked for.
    pub fn factor(&self) -> Option<f64> {
        self.factor
    }

    /// Goes on at another pace.
    pub fn set(&mut self, factor: Option<f64>, now: Instant) {
        self.factor = factor;
        self.begin(now);
    }

    /// Starts, or continues after a pause.
    pub fn begin(&mut self, now: Instant) {
        self.due = now;
        self.window = (now, 0.0);
    }

    /// How long to wait for the next step.
    pub fn wait(&self, now: Instant) -> Duration {
        if self.factor.is_none() { Duration::ZERO } else { self.due.saturating_duration_since(now) }
    }

    /// A step of `dt` was taken.
    pub fn stepped(&mut self, dt: f64, now: Instant) {
        if let Some(factor) = self.factor {
            self.due += Duration::from_secs_f64((dt / factor).min(60.0));
            if now > self.due + PATIENCE {
                self.due = now;
            }
        }
        self.window.1 += dt;
        let elapsed = now - self.window.0;
        if elapsed >= WINDOW {
            self.reached = Some(self.window.1 / elapsed.as_secs_f64());
            self.window = (now, 0.0);
        }
    }

    /// Simulated over elapsed time; none before the first window is over.
    pub fn reached(&self) -> Option<f64> {
        self.reached
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_due_in_their_own_time_and_lost_time_is_given_up() {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let mut pace = Pace::new(start);
        pace.set(Some(0.5), start);
        pace.stepped(0.01, at(1));
        assert_eq!(pace.wait(at(1)), Duration::from_millis(19));
        pace.stepped(0.01, at(30));
        assert_eq!(pace.wait(at(30)), Duration::from_millis(10), "a short delay is caught up with");
        pace.stepped(0.01, at(500));
        assert_eq!(pace.wait(at(500)), Duration::ZERO);
        pace.stepped(0.01, at(501));
        assert_eq!(pace.wait(at(501)), Duration::from_millis(19), "a long one is not");
        pace.set(None, at(501));
        assert_eq!(pace.wait(at(501)), Duration::ZERO);
    }

    #[test]
    fn the_reached_factor_is_that_of_the_last_window() {
        let start = Instant::now();
        let mut pace = Pace::new(start);
        for k in 1..=60 {
            pace.stepped(0.01, start + Duration::from_millis(20 * k));
        }
        assert!((pace.reached().unwrap_or(0.0) - 0.5).abs() < 0.03, "{:?}", pace.reached());
    }
}
