//! The tables of a report, from the values of its JSON.

use super::html::HtmlTable;
use crate::text::short;
use pliant_scene::Probe;
use serde_json::Value;

/// Expectations with what was measured.
pub fn expectations(report: &Value) -> String {
    let mut table = HtmlTable::new(&["expected", "is", "got", ""]);
    for e in list(report, "expect") {
        let verdict = if e["ok"] == true { "ok" } else { "failed" };
        table.row(vec![text(&e["what"]), text(&e["want"]), value(&e["got"]), verdict.into()]);
    }
    let skipped = report["expect_skipped"].as_u64().unwrap_or(0);
    let mut out = table.html();
    if skipped > 0 {
        out += &format!(
            "<p class=\"about\">{skipped} more were skipped: they belong to the whole run with the values of the file.</p>\n"
        );
    }
    out
}

/// Percentiles of the times.
pub fn times(report: &Value) -> String {
    let mut table = HtmlTable::new(&["ms", "p50", "p95", "p99", "max", "mean"]);
    let stages = report["stage_ms"].as_object().into_iter().flatten();
    let step = std::iter::once(("step", &report["step_ms"]));
    for (name, v) in step.chain(stages.map(|(name, v)| (name.as_str(), v))) {
        let numbers = ["p50", "p95", "p99", "max", "mean"].map(|key| value(&v[key]));
        table.row([vec![name.to_string()], numbers.to_vec()].concat());
    }
    table.html()
}

/// The bodies at the end.
pub fn bodies(report: &Value) -> String {
    let heading = [
        "body",
        "vertices",
        "elements",
        "mass, kg",
        "centre, m",
        "velocity, m/s",
        "elastic energy, J",
        "volume ratio",
        "least J",
    ];
    let mut table = HtmlTable::new(&heading);
    for b in list(report, "bodies") {
        let keys =
            ["vertices", "elements", "mass", "center", "velocity", "elastic_energy", "volume_ratio", "min_j"];
        table.row([vec![text(&b["name"])], keys.map(|key| value(&b[key])).to_vec()].concat());
    }
    table.html()
}

/// What touches what at the end.
pub fn contact_pairs(report: &Value) -> String {
    let mut table = HtmlTable::new(&[
        "",
        "touches",
        "points",
        "force, N",
        "normal, N",
        "friction, N",
        "area, m²",
        "pressure, Pa",
    ]);
    for p in list(report, "contact_pairs") {
        let numbers = ["points", "force", "normal", "friction", "area", "pressure"].map(|key| value(&p[key]));
        table.row([text(&p["sides"][0]), text(&p["sides"][1])].into_iter().chain(numbers).collect());
    }
    table.html()
}

/// Obstacles, pins, attachments, cables and needles, each with its force at the end.
pub fn others(report: &Value) -> String {
    let mut table = HtmlTable::new(&["kind", "name", "force, N"]);
    let kinds = [
        ("obstacles", "obstacle", "force"),
        ("pins", "pin", "reaction"),
        ("attachments", "attachment", "force"),
        ("cables", "cable", "tension"),
        ("needles", "needle", "force"),
    ];
    for (key, kind, force) in kinds {
        for entry in list(report, key) {
            table.row(vec![kind.to_string(), text(&entry["name"]), value(&entry[force])]);
        }
    }
    table.html()
}

/// Probes over the run.
pub fn probes(probes: &[Probe], report: &Value) -> String {
    let mut table = HtmlTable::new(&["probe", "unit", "first", "last", "least", "most"]);
    for probe in probes {
        let p = &report["probes"][&probe.name];
        let values = ["first", "last", "min", "max"].map(|key| value(&p[key]));
        table.row([vec![probe.name.clone(), probe.unit().into()], values.to_vec()].concat());
    }
    table.html()
}

fn list<'a>(report: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    report[key].as_array().into_iter().flatten()
}

fn text(v: &Value) -> String {
    v.as_str().unwrap_or("-").to_string()
}

/// A number or a list of numbers, short.
pub fn value(v: &Value) -> String {
    match v {
        Value::Number(n) if n.is_u64() => n.to_string(),
        Value::Number(n) => n.as_f64().map_or("-".into(), short),
        Value::Array(items) => format!("({})", items.iter().map(value).collect::<Vec<_>>().join(", ")),
        Value::String(s) => s.clone(),
        Value::Bool(b) => b.to_string(),
        _ => "-".into(),
    }
}
