//! Values over time, and when something acts.

use super::finite;
use crate::file::document::Problems;
use crate::file::spec::{CourseSpec, ScheduleSpec};

/// Checks when the entry at `path` acts.
pub(super) fn acting(path: &str, start: f64, stop: Option<f64>, problems: &mut Problems) {
    finite(&format!("{path}.start"), &[start], problems);
    if stop.is_some_and(|stop| stop.is_nan() || stop <= start) {
        let at = format!("{path}.stop");
        let cause = format!("{at} = {} must be after its start, {start}", stop.unwrap_or(f64::NAN));
        problems.add(&at, cause, "write a later time, or leave it out for \"never\"");
    }
}

/// Checks a vector over time.
pub(super) fn course(path: &str, course: &CourseSpec, problems: &mut Problems) {
    for (i, v) in course.0.iter().enumerate() {
        let at = if course.0.len() == 1 { path.to_string() } else { format!("{path}.{i}") };
        finite(&at, &[v.time, v.value[0], v.value[1], v.value[2]], problems);
    }
    ascending(path, course.0.iter().map(|v| v.time).collect(), problems);
}

/// Checks the times of values.
fn ascending(path: &str, times: Vec<f64>, problems: &mut Problems) {
    if times.is_empty() || times.windows(2).any(|w| w[0] >= w[1]) {
        let cause = format!("{path} needs at least one value, at ascending times");
        problems.add(path, cause, "sort the values by time");
    }
}

/// Checks a number over time; some must not be negative.
pub(super) fn schedule(path: &str, values: &ScheduleSpec, positive: bool, problems: &mut Problems) {
    for (i, v) in values.0.iter().enumerate() {
        let one = values.0.len() == 1;
        let at = if one { path.to_string() } else { format!("{path}.{i}") };
        finite(&at, &[v.time, v.value], problems);
        if positive && v.value < 0.0 {
            let cause = format!("{at} = {} must not be negative", v.value);
            problems.add(&at, cause, "a cable has a length and pulls: write 0 or more");
        }
    }
    ascending(path, values.0.iter().map(|v| v.time).collect(), problems);
}
