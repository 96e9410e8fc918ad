//! What is printed and logged at the end of a run.

use crate::text::{Table, short, short_list};
use pliant::Stage;
use pliant_scene::Run;
use serde_json::Value;

/// Most pairs of bodies in each other that are listed.
const MOST_PAIRS: usize = 5;

/// The end of a run in a few lines; `verdict` words whether an expectation holds.
pub fn summary(run: &Run, report: &Value, verdict: fn(bool) -> String) -> String {
    let time = run.world().state().time;
    let number = |v: &Value| v.as_f64().map_or("-".to_string(), short);
    let mut lines = vec![format!(
        "{} ({}): {} vertices, {} elements, {} steps of {} s on {} threads",
        run.setup().name,
        run.setup().solver.kind(),
        report["vertices"],
        report["elements"],
        run.steps_taken(),
        short(run.setup().model.dt),
        report["threads"],
    )];
    lines.push(format!(
        "{} s simulated in {} s of steps: {} x real time",
        short(time),
        short(run.step_times().sum() / 1e3),
        short(time / (run.step_times().sum() / 1e3).max(1e-9)),
    ));
    let mut times = Table::new(&["ms", "p50", "p99", "max"]);
    let mut row = |name: &str, v: &Value| {
        times.row(vec![name.to_string(), number(&v["p50"]), number(&v["p99"]), number(&v["max"])]);
    };
    row("step", &report["step_ms"]);
    let has_contacts = report["contacts"]["max_points"].as_u64() > Some(0);
    let contact = [Stage::DETECT, Stage::DELASSUS, Stage::CONTACT];
    let beside = [Stage::PREDICT, Stage::PRESCRIBE, Stage::ADVANCE];
    for (stage, times) in run.stage_times().iter().filter(|(stage, _)| !beside.contains(stage)) {
        if if contact.contains(stage) { has_contacts } else { times.max() > 0.0 } {
            row(stage.name(), &report["stage_ms"][stage.name()]);
        }
    }
    lines.push(times.text());
    if has_contacts {
        let c = &report["contacts"];
        lines.push(format!(
            "contacts: at most {} points ({} rows), now {} stick and {} slide, penetration up to {} m",
            c["max_points"],
            c["max_rows"],
            c["sticking"],
            c["sliding"],
            number(&report["penetration_max_m"]),
        ));
    }
    for pair in report["intersection_pairs"].as_array().into_iter().flatten().take(MOST_PAIRS) {
        let [a, b] = [0, 1].map(|k| pair["sides"][k].as_str().unwrap_or("?"));
        let (depth, time) = (number(&pair["depth"]), number(&pair["time"]));
        lines.push(format!("`{a}` passes through `{b}`: {depth} m deep at {time} s"));
    }
    for probe in run.probes() {
        lines.push(format!("probe {} = {}", probe.name, short_list(probe.last())));
    }
    for e in report["expect"].as_array().into_iter().flatten() {
        let (what, want) = (e["what"].as_str().unwrap_or("?"), e["want"].as_str().unwrap_or("?"));
        lines.push(format!("expect {what} {want}: got {}, {}", number(&e["got"]), verdict(e["ok"] == true)));
    }
    if let Some(skipped) = report["expect_skipped"].as_u64().filter(|n| *n > 0) {
        lines.push(format!(
            "{skipped} expectations skipped: they belong to the whole run with the values of the file"
        ));
    }
    let warnings = report["warnings"].as_array().into_iter().flatten();
    lines.extend(warnings.map(|w| {
        let tolerated = if w["tolerated"] == true { " (tolerated)" } else { "" };
        format!("{}{tolerated}: {}", w["level"].as_str().unwrap_or("?"), finding(w))
    }));
    lines.push(format!("verdict: {}", report["verdict"].as_str().unwrap_or("?")));
    lines.push(format!("state {}", report["state_hash"].as_str().unwrap_or("?")));
    lines.join("\n")
}

/// Whether an expectation holds, in plain text.
pub(crate) fn verdict(ok: bool) -> String {
    if ok { "ok" } else { "FAILED" }.to_string()
}

/// A finding of the verdict as a sentence: what, where, what to do.
fn finding(warning: &Value) -> String {
    let [what, place, remedy] = ["what", "where", "remedy"].map(|key| warning[key].as_str().unwrap_or("?"));
    format!("{what} ({place}): {remedy}")
}

/// Why a run is not ok: one line for everything that speaks against its results and for each expectation that did not hold.
pub fn unmet(report: &Value) -> String {
    let failed = report["expect"].as_array().into_iter().flatten().filter(|e| e["ok"] != true);
    let warnings = report["warnings"].as_array().into_iter().flatten().filter(|w| w["tolerated"] != true);
    let mut lines: Vec<String> = warnings
        .map(|w| {
            let results = if w["level"] == "failed" { "cannot be trusted" } else { "are doubtful" };
            format!("the results {results}: {}", finding(w))
        })
        .collect();
    lines.extend(failed.map(|e| {
        let (what, want) = (e["what"].as_str().unwrap_or("?"), e["want"].as_str().unwrap_or("?"));
        format!("expectation `{what} {want}` did not hold: got {}", e["got"])
    }));
    if lines.is_empty() { "the run did not finish".into() } else { lines.join("\n") }
}
