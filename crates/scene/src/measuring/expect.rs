//! What must hold at the end of a run, looked up in the report.

use crate::error::suggest;
use crate::file::spec::{Expectation, Op, Scope};
use pliant::Stage;
use pliant::solver::KINDS;
use serde_json::{Value, json};

/// An expectation on a value of the report.
#[derive(Clone, Debug)]
pub struct Expect {
    /// Probe or report path.
    pub what: String,
    op: Op,
    value: f64,
    tolerance: f64,
    relative: bool,
    only_as_written: bool,
}

/// Keys of the report that an expectation can use at its start.
const REPORT_KEYS: [&str; 24] = [
    "attachments",
    "bodies",
    "cables",
    "contacts",
    "counters",
    "dofs",
    "dt",
    "elements",
    "intersections",
    "inverted_elements",
    "memory",
    "needles",
    "obstacles",
    "penetration_max_m",
    "pins",
    "probes",
    "pushed_apart_m",
    "residual",
    "simulated_s",
    "stage_ms",
    "step_ms",
    "steps",
    "vertices",
    "wall_s",
];

const STATISTICS: [&str; 5] = ["first", "last", "min", "max", "change"];
const COMPONENTS: [&str; 3] = ["x", "y", "z"];

/// Whether the report will have such a value, given the probes and the number of entries in each list; the
/// error is a remedy.
pub(crate) fn known(what: &str, probes: &[&str], lists: &[(&str, usize)]) -> Result<(), String> {
    let mut parts = what.split('.');
    let mut first = parts.next().unwrap_or_default();
    if first == "probes" {
        first = parts.next().unwrap_or_default();
        if !probes.contains(&first) {
            return Err(suggest(first, probes, "probes"));
        }
    }
    if probes.contains(&first) {
        return match parts
            .find(|p| !is_one_of(p, &STATISTICS) && !is_one_of(p, &COMPONENTS) && !is_index(p, 3))
        {
            None => Ok(()),
            Some(bad) => Err(suggest(
                bad,
                &["first", "last", "min", "max", "change", "x", "y", "z"],
                "parts of a probe",
            )),
        };
    }
    for &(list, count) in lists {
        if first == list && parts.next().is_none_or(|p| !is_index(p, count)) {
            return Err(match count {
                0 => format!("the scene has no {list}"),
                _ => format!("{list} are numbered from 0 to {}", count - 1),
            });
        }
    }
    if REPORT_KEYS.contains(&first) {
        let keys = inner_keys(first);
        return match (keys.is_empty(), parts.next()) {
            (true, None) => Ok(()),
            (true, Some(bad)) => Err(format!("`{first}` is a number, leave out `.{bad}`")),
            (false, Some(key)) if keys.contains(&key) => Ok(()),
            (false, key) => Err(suggest(key.unwrap_or_default(), &keys, &format!("values of `{first}`"))),
        };
    }
    let all: Vec<&str> = probes.iter().copied().chain(REPORT_KEYS).collect();
    Err(suggest(first, &all, "probes and report values"))
}

/// What stands below a key of the report; nothing for a number. Probes are checked by their own names.
fn inner_keys(key: &str) -> Vec<&'static str> {
    let fixed: &[&str] = match key {
        "stage_ms" => {
            let own = KINDS.iter().flat_map(|kind| kind.stages);
            return Stage::COMMON.iter().chain(own).map(|stage| stage.name()).collect();
        }
        "counters" => return KINDS.iter().flat_map(|kind| kind.counters).map(|c| c.name()).collect(),
        "bodies" => &[
            "angular_momentum",
            "center",
            "contact_force",
            "elastic_energy",
            "elements",
            "kinetic_energy",
            "mass",
            "min_j",
            "momentum",
            "velocity",
            "vertices",
            "volume_ratio",
        ],
        "contacts" => {
            &["held_back", "max_points", "max_rows", "max_sliding", "mean_rows", "sliding", "sticking"]
        }
        "attachments" | "obstacles" => &["force"],
        "cables" => &["length", "tension"],
        "needles" => &["force", "gap", "points"],
        "pins" => &["reaction"],
        "memory" => &["delassus_bytes", "factor_bytes", "inverse_factor_bytes", "peak_rss_bytes"],
        "residual" => &["doubtful_steps", "first", "iterations_mean", "last", "last_max"],
        "step_ms" => &["max", "mean", "p50", "p95", "p99"],
        _ => &[],
    };
    fixed.to_vec()
}

fn is_one_of(word: &str, words: &[&str]) -> bool {
    words.contains(&word)
}

fn is_index(word: &str, limit: usize) -> bool {
    word.parse::<usize>().is_ok_and(|i| i < limit)
}

impl Expect {
    pub(crate) fn new(e: &Expectation) -> Expect {
        Expect {
            what: e.what.clone(),
            op: e.op,
            value: e.value,
            tolerance: e.tolerance,
            relative: e.relative,
            only_as_written: e.scope == Scope::AsWritten,
        }
    }

    /// Whether it counts in a run that was (or was not) over the whole duration with the values of the file.
    pub fn applies(&self, as_written: bool) -> bool {
        as_written || !self.only_as_written
    }

    /// The comparison in words.
    pub fn want(&self) -> String {
        let percent = if self.relative { " (relative)" } else { "" };
        match self.op {
            Op::Less => format!("< {}", self.value),
            Op::LessOrEqual => format!("<= {}", self.value),
            Op::Greater => format!("> {}", self.value),
            Op::GreaterOrEqual => format!(">= {}", self.value),
            Op::Equal => format!("== {}", self.value),
            Op::Within => format!("within {}{percent} of {}", self.tolerance, self.value),
        }
    }

    /// Looks the value up in the report and compares; a value that is not there does not hold.
    pub fn check(&self, report: &Value) -> (bool, Value) {
        let got = lookup(report, &self.what);
        let ok = got.is_some_and(|got| self.holds(got));
        (ok, got.map_or(Value::Null, |g| json!(g)))
    }

    fn holds(&self, got: f64) -> bool {
        let allowed = if self.relative { self.tolerance * self.value.abs() } else { self.tolerance };
        match self.op {
            Op::Less => got < self.value,
            Op::LessOrEqual => got <= self.value,
            Op::Greater => got > self.value,
            Op::GreaterOrEqual => got >= self.value,
            Op::Equal | Op::Within => (got - self.value).abs() <= allowed,
        }
    }
}

/// A number of the report: `probe[.statistic][.component]`, where the statistic is `last` if absent, or a dotted path.
fn lookup(report: &Value, what: &str) -> Option<f64> {
    let mut parts: Vec<&str> = what.split('.').collect();
    let Some(probe) = report["probes"].get(parts[0]) else { return number(descend(report, &parts)?) };
    parts.remove(0);
    let statistic = match parts.first() {
        Some(s) if is_one_of(s, &STATISTICS) => parts.remove(0),
        _ => "last",
    };
    let value = |key: &str| number(descend(&probe[key], &parts)?);
    match statistic {
        "change" => Some(value("last")? - value("first")?),
        key => value(key),
    }
}

fn descend<'a>(mut at: &'a Value, parts: &[&str]) -> Option<&'a Value> {
    for part in parts {
        at = match at {
            Value::Array(items) => {
                let index = COMPONENTS.iter().position(|c| c == part).or_else(|| part.parse().ok())?;
                items.get(index)?
            }
            other => other.get(part)?,
        };
    }
    Some(at)
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_checked_to_their_end() {
        let check = |what| known(what, &["tip"], &[("bodies", 2), ("obstacles", 1), ("cables", 1)]);
        let good =
            ["tip", "tip.change.z", "probes.tip.last.x", "steps", "step_ms.p50", "obstacles.0.force.z"];
        for what in good.into_iter().chain(["bodies.1.min_j", "bodies.0.center.x", "cables.0.tension"]) {
            assert_eq!(check(what), Ok(()), "{what}");
        }
        for (bad, remedy) in [
            ("bodies.0.min_jj", "`min_j`"),
            ("bodies.2.min_j", "from 0 to 1"),
            ("bodies.0", "one of the values of `bodies`"),
            ("obstacles.1.force.z", "from 0 to 0"),
            ("step_ms.p5", "`p50`"),
            ("steps.mean", "is a number"),
            ("probes.top", "`tip`"),
            ("tip.lost", "`last`"),
        ] {
            let error = check(bad).expect_err(bad);
            assert!(error.contains(remedy), "{bad}: {error}");
        }
    }

    fn expect(what: &str, op: Op, value: f64, tolerance: f64, relative: bool) -> Expect {
        Expect { what: what.into(), op, value, tolerance, relative, only_as_written: false }
    }

    #[test]
    fn looks_up_probes_and_paths() {
        let report = json!({
            "steps": 5, "bodies": [{"min_j": 0.5, "center": [1.0, 2.0, 3.0]}],
            "probes": {"tip": {"first": [0.0, 0.0, 1.0], "last": [0.0, 0.0, 0.75], "min": [0.0, 0.0, 0.5]},
                       "width": {"last": 0.9}}
        });
        for (what, want) in [
            ("tip.z", 0.75),
            ("tip.min.z", 0.5),
            ("tip.change.2", -0.25),
            ("width", 0.9),
            ("bodies.0.min_j", 0.5),
            ("bodies.0.center.y", 2.0),
            ("steps", 5.0),
            ("probes.width.last", 0.9),
        ] {
            assert_eq!(lookup(&report, what), Some(want), "{what}");
        }
        for what in ["tip", "tip.w", "nothing", "bodies.7.min_j", "", "."] {
            assert_eq!(lookup(&report, what), None, "{what}");
        }
    }

    #[test]
    fn comparisons() {
        let report = json!({"steps": 10});
        for (op, value, tolerance, relative, ok) in [
            (Op::Less, 11.0, 0.0, false, true),
            (Op::Less, 10.0, 0.0, false, false),
            (Op::LessOrEqual, 10.0, 0.0, false, true),
            (Op::Greater, 10.0, 0.0, false, false),
            (Op::GreaterOrEqual, 10.0, 0.0, false, true),
            (Op::Equal, 10.0, 0.0, false, true),
            (Op::Within, 9.0, 0.5, false, false),
            (Op::Within, 9.0, 0.2, true, true),
        ] {
            assert_eq!(
                expect("steps", op, value, tolerance, relative).check(&report).0,
                ok,
                "{op:?} {value}"
            );
        }
        assert_eq!(expect("gone", Op::Less, 1.0, 0.0, false).check(&report), (false, Value::Null));
    }
}
