//! The plots of a report.

use pliant_render::{Axis, Mark, Plot, Series};
use pliant_scene::{Run, Trace};

/// Part of the largest step time above which a stage is worth a line.
const WORTH_A_LINE: f64 = 0.02;

/// Colour of whole steps.
const STEP: &str = "#2f3640";
/// How far above the middle the longest step is where the axis is logarithmic.
const SPIKY: f64 = 8.0;

/// Most probes that are drawn.
const MOST_PROBES: usize = 40;

/// All plots as SVG.
pub fn plots(run: &Run) -> Vec<String> {
    let traces = run.traces();
    let mut plots = vec![times(run)];
    if traces.contacts.max() > Some(0.0) {
        plots.push(plot("Contacts", Axis::linear("points"), vec![line("", &traces.contacts)]));
    }
    plots.push(plot("Residual", Axis::log("last iteration"), vec![line("", &traces.residual)]));
    if traces.kinetic.max().is_some() {
        let lines = vec![line("kinetic", &traces.kinetic), line("elastic", &traces.elastic)];
        plots.push(plot("Energy of all bodies", Axis::linear("J"), lines));
    }
    for (probe, traces) in run.setup().probes.iter().zip(&traces.probes).take(MOST_PROBES) {
        let names: &[&str] = if traces.len() == 3 { &["x", "y", "z"] } else { &[""] };
        let lines = traces.iter().zip(names).map(|(trace, name)| line(name, trace)).collect();
        plots.push(plot(&format!("Probe {}", probe.name), Axis::linear(probe.unit()), lines));
    }
    // A run without steps has nothing to draw.
    plots.retain(|p| p.series.iter().any(|s| s.points.len() > 1));
    plots.iter().map(Plot::to_svg).collect()
}

/// Step and stages; real time is where a step takes as long as it simulates.
fn times(run: &Run) -> Plot {
    let traces = run.traces();
    let longest = traces.step_ms.max().unwrap_or(0.0);
    let mut lines = vec![line("step", &traces.step_ms).colored(STEP)];
    for (stage, trace) in &traces.stage_ms {
        if trace.max() > Some(WORTH_A_LINE * longest) {
            lines.push(line(stage.name(), trace).colored(stage_color(stage.name())));
        }
    }
    let real_time = 1e3 * run.setup().model.dt;
    // Where single steps are far above the others, a linear axis would show them alone.
    let spiky = longest > SPIKY * median(&traces.step_ms);
    let axis = if spiky { Axis::log("ms") } else { Axis::linear("ms") };
    let mut plot = plot("Time of a step and its stages", axis, lines);
    if real_time < 3.0 * longest {
        plot.marks.push(Mark::horizontal(real_time, "real time"));
    }
    plot
}

/// The value in the middle.
fn median(trace: &Trace) -> f64 {
    let mut values: Vec<f64> = trace.points().iter().map(|p| p.1).collect();
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// The colour of a stage, the same on every page and in the viewer (`ui/plots.ts`).
fn stage_color(name: &str) -> &'static str {
    match name {
        "detect" => "#d65f38",
        "local" => "#0f7bb8",
        "global" => "#2b9e77",
        "delassus" => "#d79b1e",
        "contact" => "#8a63ad",
        "predict" => "#c0568f",
        "prescribe" => "#5aa9d6",
        _ => "#7b8794",
    }
}

fn plot(title: &str, y: Axis, series: Vec<Series>) -> Plot {
    Plot {
        title: title.chars().take(60).collect(),
        x: Axis::linear("simulated time, s"),
        y,
        series,
        width: 520.0,
        height: 320.0,
        ..Plot::default()
    }
}

fn line(name: &str, trace: &Trace) -> Series {
    Series::new(name, trace.points())
}
