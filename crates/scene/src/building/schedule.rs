//! Values over time, and when something acts.

use crate::file::spec::{CourseSpec, ScheduleSpec};
use pliant::{Interval, Schedule};
use pliant_mesh::DVec3;

/// A number over time, each value changed by a function.
pub(super) fn schedule(spec: &ScheduleSpec, value: impl Fn(f64) -> f64) -> Schedule {
    Schedule(spec.0.iter().map(|v| (v.time, value(v.value))).collect())
}

/// A vector over time.
pub(super) fn course(spec: &CourseSpec) -> Schedule<DVec3> {
    Schedule(spec.0.iter().map(|v| (v.time, v.value.into())).collect())
}

/// From `start` to `stop`, which is never if absent.
pub(super) fn interval(start: f64, stop: Option<f64>) -> Interval {
    Interval { from: start, until: stop.unwrap_or(f64::INFINITY) }
}
