//! The table of a sweep: a row for each run.

use crate::summary::unmet;
use serde_json::Value;

/// Rows of texts under a heading: the values that were set, how the run went, the last value of every probe, the time of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepTable {
    /// The names of the columns.
    pub heading: Vec<String>,
    /// The rows, in the order of the combinations.
    pub rows: Vec<Vec<String>>,
    /// How many of the columns are values that were set.
    pub set: usize,
    /// How many runs are not ok.
    pub failed: usize,
    /// Why the first run is not ok that is not.
    pub error: Option<String>,
}

impl SweepTable {
    /// From the values and the report of each run.
    pub(super) fn new(
        axes: &[(String, Vec<String>)],
        runs: impl Iterator<Item = (Vec<(String, String)>, Value)>,
    ) -> SweepTable {
        let runs: Vec<_> = runs.collect();
        let mut probes: Vec<String> = Vec::new();
        for name in runs.iter().flat_map(|(_, report)| values(report)).map(|(name, _)| name) {
            if !probes.contains(&name) {
                probes.push(name);
            }
        }
        let mut heading: Vec<String> = axes.iter().map(|(name, _)| name.clone()).collect();
        heading.extend(["ok", "verdict"].map(String::from));
        heading.extend(probes.iter().cloned());
        heading.push("step_p50_ms".into());
        let error = |report: &Value| match report["error"].as_str() {
            Some(error) => Some(error.to_string()),
            None if report["ok"] == true => None,
            None => unmet(report).lines().next().map(str::to_string),
        };
        let first_error = runs.iter().find_map(|(_, report)| error(report));
        heading.extend(first_error.is_some().then(|| "error".to_string()));
        let has_errors = first_error.is_some();
        let failed = runs.iter().filter(|(_, report)| report["ok"] != true).count();
        let row = |(point, report): (Vec<(String, String)>, Value)| {
            let mut row: Vec<String> = point.into_iter().map(|(_, value)| value).collect();
            row.push((report["ok"] == true).to_string());
            row.push(verdict(&report));
            let own = values(&report);
            let value = |probe: &String| own.iter().find(|(name, _)| name == probe).map(|(_, v)| v.clone());
            row.extend(probes.iter().map(|probe| value(probe).unwrap_or_default()));
            row.push(number(&report["step_ms"]["p50"]));
            row.extend(has_errors.then(|| error(&report).unwrap_or_default()));
            row
        };
        let rows = runs.into_iter().map(row).collect();
        SweepTable { heading, rows, set: axes.len(), failed, error: first_error }
    }

    /// As CSV [RFC 4180].
    pub fn csv(&self) -> String {
        let line = |cells: &Vec<String>| cells.iter().map(|c| cell(c)).collect::<Vec<_>>().join(",") + "\n";
        line(&self.heading) + &self.rows.iter().map(line).collect::<String>()
    }

    /// The numbers of a column; nothing where a cell is none.
    pub(super) fn column(&self, index: usize) -> Vec<Option<f64>> {
        self.rows.iter().map(|row| row[index].parse().ok()).collect()
    }
}

/// One word about how a run went.
fn verdict(report: &Value) -> String {
    let word = match report["verdict"].as_str() {
        Some(word) => word,
        None if report["error"].is_string() => "failed",
        None if report["ok"] == true => "ok",
        None => "unmet",
    };
    word.to_string()
}

/// Names and last values of all probes, vectors by component.
fn values(report: &Value) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for (name, probe) in report["probes"].as_object().into_iter().flatten() {
        match &probe["last"] {
            Value::Array(parts) if parts.len() == 3 => {
                let parts = parts.iter().zip(["x", "y", "z"]);
                all.extend(parts.map(|(v, axis)| (format!("{name}.{axis}"), number(v))));
            }
            Value::Array(parts) => all.push((name.clone(), parts.first().map(number).unwrap_or_default())),
            value => all.push((name.clone(), number(value))),
        }
    }
    all
}

fn number(value: &Value) -> String {
    if value.is_number() { value.to_string() } else { String::new() }
}

fn cell(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_row_has_the_values_the_verdict_and_the_probes() {
        let axes = [("size".to_string(), vec!["[1, 2]".to_string()])];
        let report = json!({ "ok": true, "step_ms": { "p50": 0.5 },
            "probes": { "tip": { "last": [1.0, 2.0, 3.0] }, "gap": { "last": 0.25 } } });
        let table = SweepTable::new(&axes, [(vec![("size".into(), "[1, 2]".into())], report)].into_iter());
        assert_eq!(
            table.csv(),
            "size,ok,verdict,gap,tip.x,tip.y,tip.z,step_p50_ms\n\"[1, 2]\",true,ok,0.25,1.0,2.0,3.0,0.5\n"
        );
    }
}
