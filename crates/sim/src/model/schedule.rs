//! Values over time, and when something acts.

use super::EntryError;
use pliant_mesh::DVec3;
use std::ops::{Add, Mul, Sub};

/// Values over time: pairs of time (s, ascending) and value, linear in between and constant outside.
///
/// ```
/// use pliant::Schedule;
///
/// let course = Schedule(vec![(1.0, 0.0), (3.0, 8.0)]);
/// assert_eq!([0.0, 2.0, 9.0].map(|t| course.at(t)), [0.0, 4.0, 8.0]);
/// assert_eq!(Schedule::from(5.0).at(0.3), 5.0);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schedule<T = f64>(pub Vec<(f64, T)>);

impl<T> From<T> for Schedule<T> {
    /// Always the same value.
    fn from(value: T) -> Schedule<T> {
        Schedule(vec![(0.0, value)])
    }
}

impl<T: Copy + Default + Add<Output = T> + Sub<Output = T> + Mul<f64, Output = T>> Schedule<T> {
    /// Value at time `t`: linear between the given times, constant outside; zero if there is none.
    pub fn at(&self, t: f64) -> T {
        let after = self.0.partition_point(|(time, _)| *time <= t);
        match (after.checked_sub(1).map(|k| self.0[k]), self.0.get(after)) {
            (Some((t0, a)), Some(&(t1, b))) => a + (b - a) * ((t - t0) / (t1 - t0)),
            (Some((_, a)), None) => a,
            (None, first) => first.map_or_else(T::default, |f| f.1),
        }
    }
}

impl<T> Schedule<T> {
    /// # Errors
    /// If it is empty, a number is not usable, or times do not ascend.
    fn check(&self, is_usable: impl Fn(&T) -> bool, must: &'static str) -> Result<(), EntryError> {
        let usable = self.0.iter().all(|(t, v)| t.is_finite() && is_usable(v));
        if self.0.is_empty() || !usable || self.0.windows(2).any(|w| w[0].0 >= w[1].0) {
            return Err(EntryError::Schedule { must });
        }
        Ok(())
    }
}

impl Schedule {
    /// # Errors
    /// If it is empty, a value is negative or not finite, or times do not ascend.
    pub(crate) fn validate(&self) -> Result<(), EntryError> {
        self.check(|v| v.is_finite() && *v >= 0.0, "values of 0 or more")
    }

    /// The same for values of any sign.
    pub(crate) fn validate_finite(&self) -> Result<(), EntryError> {
        self.check(|v| v.is_finite(), "finite values")
    }
}

impl Schedule<DVec3> {
    /// # Errors
    /// If it is empty, a vector is not finite, or times do not ascend.
    pub(crate) fn validate_finite(&self) -> Result<(), EntryError> {
        self.check(|v| v.is_finite(), "finite values")
    }
}

/// When a pin, a load or an attachment acts: in every step from `from` to `until`. The default is always.
///
/// ```
/// use pliant::Interval;
///
/// let hand = Interval::until(1.0); // lets go after a second
/// assert!(!hand.is_always() && Interval::default().is_always());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// When it starts, s.
    pub from: f64,
    /// When it stops, s; may be infinite.
    pub until: f64,
}

impl Default for Interval {
    fn default() -> Self {
        Interval::ALWAYS
    }
}

impl Interval {
    /// From the start to the end.
    pub const ALWAYS: Interval = Interval { from: 0.0, until: f64::INFINITY };

    /// From a time on.
    pub fn from(from: f64) -> Interval {
        Interval { from, ..Interval::ALWAYS }
    }

    /// From the start to a time.
    pub fn until(until: f64) -> Interval {
        Interval { until, ..Interval::ALWAYS }
    }

    /// Whether it neither starts nor stops.
    pub fn is_always(&self) -> bool {
        self.from <= 0.0 && self.until == f64::INFINITY
    }

    /// Whether a step from `t0` to `t1` is inside. Times are sums of steps: what is off by rounding counts as equal.
    pub(crate) fn covers(&self, [t0, t1]: [f64; 2]) -> bool {
        let rounding = 1e-6 * (t1 - t0) + 1e-12 * t1.abs();
        t0 >= self.from - rounding && t1 <= self.until + rounding
    }

    /// Whether a step can be inside of both.
    pub(crate) fn overlaps(&self, other: &Interval) -> bool {
        self.from < other.until && other.from < self.until
    }

    /// # Errors
    /// If it ends before it starts, or a time is not a number.
    pub(crate) fn validate(&self) -> Result<(), EntryError> {
        match self.from.is_finite() && self.until > self.from {
            true => Ok(()),
            false => Err(EntryError::Interval { from: self.from, until: self.until }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_covers_whole_steps_in_spite_of_rounding() {
        let h = 0.1;
        let inside =
            |interval: Interval, step: i32| interval.covers([f64::from(step) * h, f64::from(step + 1) * h]);
        let until = Interval::until(0.3);
        assert_eq!([1, 2, 3].map(|k| inside(until, k)), [true, true, false]);
        let from = Interval::from(0.3);
        assert_eq!([1, 2, 3].map(|k| inside(from, k)), [false, false, true]);
        assert!(!until.overlaps(&from) && until.overlaps(&Interval::ALWAYS));
        assert!(Interval { from: 1.0, until: 1.0 }.validate().is_err());
        assert!(Interval { from: f64::NAN, until: 1.0 }.validate().is_err());
    }

    #[test]
    fn vectors_follow_their_schedule() {
        let course = Schedule(vec![(1.0, DVec3::ZERO), (3.0, 4.0 * DVec3::X)]);
        assert_eq!([0.0, 2.0, 9.0].map(|t| course.at(t).x), [0.0, 2.0, 4.0]);
        assert_eq!(Schedule::from(DVec3::Y).at(7.0), DVec3::Y);
        assert!(Schedule(vec![(0.0, f64::NAN)]).validate_finite().is_err());
    }
}
