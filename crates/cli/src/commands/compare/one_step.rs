//! One step of a strongly deformed state, iteration by iteration, for several stiffnesses [Zeng25, figure 9].

use super::{Comparison, config};
use crate::args::CompareArgs;
use crate::failure::{Failure, SIMULATION};
use crate::output::{Table, short};
use crate::progress::Progress;
use pliant::convergence::{Trace, trace};
use pliant::solver::SolverConfig;
use pliant_render::{Axis, Mark, Plot, Series};
use pliant_scene::{Run, Scene};
use serde_json::{Value, json};

/// Young's moduli of the figure in Pa.
const YOUNGS: [f64; 3] = [1e5, 1e7, 1e9];
/// Solvers of the figure.
const SOLVERS: [&str; 3] = ["complete", "jacobi", "chebyshev"];
/// The accuracy and the time of a frame (30 per second) that the figure looks at.
const GOOD_ERROR: f64 = 1e-3;
const FRAME_MS: f64 = 1000.0 / 30.0;
/// Distances to the converged step, in parts of the size, to which the table has the times.
const GOOD_DISTANCES: [f64; 2] = [1e-3, 1e-5];
/// Iterations whose errors the table shows.
const SHOWN: [usize; 5] = [1, 5, 10, 20, 50];

/// Runs the scene to `step` for each stiffness and traces the next step.
pub fn compare(args: &CompareArgs, scene: &Scene, step: usize) -> Result<Comparison, Failure> {
    let shown: Vec<usize> = SHOWN.into_iter().filter(|k| *k <= args.iterations as usize).collect();
    let mut heading = vec!["youngs".to_string(), "solver".to_string()];
    heading.extend(shown.iter().map(|k| format!("error after {k}")));
    heading.extend(["ms to 1e-3", "error at 33 ms", "ms to 1e-3 of the size", "to 1e-5"].map(String::from));
    let mut table = Table::new(&heading.iter().map(String::as_str).collect::<Vec<_>>());
    let (mut plots, mut results) = (Vec::new(), Vec::new());
    for youngs in stiffnesses(args) {
        let traces = traces_at(args, scene, step, youngs)?;
        for t in &traces {
            let mut row = vec![format!("{youngs:.0e}"), t.label.clone()];
            row.extend(shown.iter().map(|k| t.errors.get(*k - 1).map_or("-".into(), |e| format!("{e:.1e}"))));
            row.push(time_to(t, &t.errors, GOOD_ERROR));
            let in_time = t.times_ms.iter().take_while(|ms| **ms <= FRAME_MS).count();
            row.push(in_time.checked_sub(1).map_or("-".into(), |k| format!("{:.1e}", t.errors[k])));
            row.extend(GOOD_DISTANCES.map(|good| time_to(t, &t.distances, good)));
            table.row(row);
        }
        plots.extend(plots_of(youngs, &traces));
        results.push(json!({ "youngs": youngs, "traces": traces.iter().map(to_json).collect::<Vec<_>>() }));
    }
    let json = json!({ "scene": args.scene.scene, "step": step, "results": results });
    Ok(Comparison { json, table: table.text(), plots })
}

/// The time in ms after which the values stay below `good`.
fn time_to(trace: &Trace, values: &[f64], good: f64) -> String {
    let bad = values.iter().rposition(|v| v.is_nan() || *v >= good).map_or(0, |k| k + 1);
    trace.times_ms.get(bad).map_or("never".into(), |ms| short(*ms))
}

/// The figure's, or the one that was set by hand.
fn stiffnesses(args: &CompareArgs) -> Vec<f64> {
    let set = args.scene.changes.set.iter().rev().find(|(name, _)| name == "youngs");
    set.and_then(|(_, value)| value.parse().ok()).map_or(YOUNGS.to_vec(), |youngs| vec![youngs])
}

fn traces_at(args: &CompareArgs, scene: &Scene, step: usize, youngs: f64) -> Result<Vec<Trace>, Failure> {
    let mut scene = scene.clone();
    scene.set("youngs", &format!("{youngs:e}"))?;
    let mut run = Run::new(scene.build()?)?;
    run.limit_steps(step);
    let progress = Progress::new(step, args.quiet);
    while !run.is_done() {
        run.step()?;
        progress.update(&run);
    }
    progress.finish();
    let own = run.setup().solver.clone();
    let configs: Vec<(String, SolverConfig)> = SOLVERS
        .iter()
        .map(|name| Ok((name.to_string(), config(name, &own)?)))
        .collect::<Result<_, Failure>>()?;
    trace(run.world(), &configs, args.iterations as usize).map_err(|error| Failure {
        code: SIMULATION,
        message: format!("E = {youngs:e} Pa, step {step}: {error}"),
    })
}

fn to_json(t: &Trace) -> Value {
    json!({ "label": t.label, "errors": t.errors, "distances": t.distances, "times_ms": t.times_ms })
}

/// Error against iteration and against time; both start at 1, the error of the first iterate.
fn plots_of(youngs: f64, traces: &[Trace]) -> [Plot; 2] {
    let plot = |x_label: &str, x_of: &dyn Fn(&Trace, usize) -> f64| Plot {
        title: format!("E = {youngs:.0e} Pa"),
        x: Axis::linear(x_label),
        y: Axis::log("relative energy error"),
        series: traces
            .iter()
            .map(|t| {
                let after = t.errors.iter().enumerate().map(|(k, e)| (x_of(t, k), *e));
                Series::new(&t.label, std::iter::once((0.0, 1.0)).chain(after).collect())
            })
            .collect(),
        ..Plot::default()
    };
    let good = || Mark::horizontal(GOOD_ERROR, "10⁻³");
    let mut by_iteration = plot("iteration", &|_, k| (k + 1) as f64);
    by_iteration.marks = vec![good()];
    let mut by_time = plot("time (ms)", &|t, k| t.times_ms.get(k).copied().unwrap_or(f64::NAN));
    by_time.marks = vec![good(), Mark::vertical(FRAME_MS, "33 ms")];
    [by_iteration, by_time]
}
