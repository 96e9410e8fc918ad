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
        "{} ({}): {} vertices, {} elements, {} steps of {} s on {}",
        run.setup().name,
        run.setup().solver.kind(),
        report["vertices"],
        report["elements"],
        run.steps_taken(),
        short(run.setup().model.dt),
        threads(&report["threads"]),
    )];
    lines.push(format!(
        "{} s simulated in {} s of steps: {} x real time",
        short(time),
        short(run.step_times().sum() / 1e3),
        short(time / (run.step_times().sum() / 1e3).max(1e-9)),
    ));
    let moved = run.world().moved_apart();
    if moved > 0.0 {
        lines.push(format!(
            "what touched at the start was moved apart by up to {} m: the solver needs a gap",
            short(moved)
        ));
    }
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
    lines.extend(deepest_pairs(report));
    for (probe, history) in run.setup().probes.iter().zip(run.probes()) {
        let value = format!("probe {} = {} {}", history.name, short_list(history.last()), probe.unit());
        lines.push(value.trim_end().to_string());
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

/// The pairs that are deepest in each other. Surfaces that touch are a little in each other: whether it is too much is for the
/// verdict to say.
fn deepest_pairs(report: &Value) -> Vec<String> {
    let number = |v: &Value| v.as_f64().unwrap_or(0.0);
    let mut pairs: Vec<&Value> = report["intersection_pairs"].as_array().into_iter().flatten().collect();
    pairs.sort_by(|a, b| number(&b["depth"]).total_cmp(&number(&a["depth"])));
    let name = |pair: &Value, k: usize| pair["sides"][k].as_str().unwrap_or("?").to_string();
    let mut lines: Vec<String> = pairs
        .iter()
        .take(MOST_PAIRS)
        .map(|pair| {
            let (depth, time) = (short(number(&pair["depth"])), short(number(&pair["time"])));
            format!("deepest: `{}` in `{}` by {depth} m at {time} s", name(pair, 0), name(pair, 1))
        })
        .collect();
    if pairs.len() > MOST_PAIRS {
        lines.push(format!("and {} more pairs, all in report.json", pairs.len() - MOST_PAIRS));
    }
    lines
}

fn threads(count: &Value) -> String {
    if count == 1 { "1 thread".to_string() } else { format!("{count} threads") }
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
