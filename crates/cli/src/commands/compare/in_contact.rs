//! One step of a scene of the solver `admm` in which things touch, iteration by iteration: residuals [Zhu24, fig. 9], weights of
//! contacts [Zhu24, fig. 1], and other methods, among them XPBD with the same contact sweeps [Zhu24, fig. 10].

use super::Comparison;
use crate::args::CompareArgs;
use crate::failure::{Failure, SIMULATION};
use crate::output::{Table, short};
use crate::progress::Progress;
use pliant::convergence::{ContactTrace, Method, trace_in_contact};
use pliant::solver::{ContactUse, SolverConfig};
use pliant::{AdmmConfig, World};
use pliant_render::{Axis, Plot, Series};
use pliant_scene::{Run, Setup};
use serde_json::{Value, json};

/// Factors on the weights of contacts.
const WEIGHTS: [f64; 4] = [0.01, 0.1, 10.0, 100.0];
/// Relative error and depth, m, to which the table has the iterations.
const GOOD_ERRORS: [f64; 2] = [1e-1, 1e-2];
const GOOD_DEPTH: f64 = 1e-5;

/// The settings, if they are those of the solver that this is about.
pub fn settings(solver: &SolverConfig) -> Option<AdmmConfig> {
    if let SolverConfig::Admm(config) = solver { Some(config.clone()) } else { None }
}

/// Runs the scene to its `compare_step` and traces the next step.
pub fn compare(args: &CompareArgs, setup: Setup, own: &AdmmConfig) -> Result<Comparison, Failure> {
    let step = setup.compare_step.unwrap_or_default();
    let mut run = Run::new(setup)?;
    run.limit_steps(step);
    let progress = Progress::new(step, args.quiet);
    while !run.is_done() {
        run.step()?;
        progress.update(&run);
    }
    progress.finish();
    let (methods, weights) = (methods(own), weights(own));
    let traces = traces(run.world(), &[&methods[..], &weights].concat(), args.iterations as usize, step)?;
    let (others, weighted) = traces.split_at(methods.len());
    let json = json!({
        "scene": args.scene.scene, "step": step, "traces": traces.iter().map(to_json).collect::<Vec<_>>(),
    });
    let mut by_weight = vec![others[0].clone()];
    by_weight.extend_from_slice(weighted);
    let error = |t: &ContactTrace| t.errors.clone();
    let plots = vec![
        plot("other methods", Axis::log("relative error"), others, &error),
        plot("deepest penetration", Axis::log("m"), others, &|t| t.depths.clone()),
        plot("weights of the contacts", Axis::log("relative error"), &by_weight, &error),
        residuals(&others[0]),
    ];
    Ok(Comparison { json, table: table(&traces), plots })
}

/// The scene's own settings and other methods.
fn methods(own: &AdmmConfig) -> Vec<(String, Method)> {
    let own = SolverConfig::Admm(AdmmConfig { tolerance: 0.0, ..own.clone() });
    let others = SolverConfig::all()
        .into_iter()
        .filter(|other| other.description().contact == ContactUse::Rows && other.kind() != own.kind());
    let named = std::iter::once(own.clone()).chain(others);
    let mut all: Vec<_> = named.map(|config| (config.kind().to_string(), Method::Solver(config))).collect();
    if let SolverConfig::Admm(config) = own {
        all.push(("xpbd".to_string(), Method::Xpbd(config)));
    }
    all
}

fn weights(own: &AdmmConfig) -> Vec<(String, Method)> {
    let weighted = |factor: f64| {
        let contact_weight = factor * own.contact_weight;
        let config = AdmmConfig { tolerance: 0.0, contact_weight, ..own.clone() };
        (format!("{factor} W_c"), Method::Solver(SolverConfig::Admm(config)))
    };
    WEIGHTS.map(weighted).to_vec()
}

fn traces(
    world: &World,
    methods: &[(String, Method)],
    iterations: usize,
    step: usize,
) -> Result<Vec<ContactTrace>, Failure> {
    trace_in_contact(world, methods, iterations)
        .map_err(|error| Failure { code: SIMULATION, message: format!("step {step}: {error}") })
}

fn table(traces: &[ContactTrace]) -> String {
    let mut heading = vec!["method".to_string(), "error at last".to_string()];
    heading.extend(GOOD_ERRORS.map(|good| format!("iterations to {good}")));
    heading.push(format!("to {} um deep", GOOD_DEPTH * 1e6));
    heading.push("ends apart".to_string());
    heading.push("ms an iteration".to_string());
    let mut table = Table::new(&heading.iter().map(String::as_str).collect::<Vec<_>>());
    for t in traces {
        let mut row = vec![t.label.clone(), t.errors.last().map_or("-".into(), |e| format!("{e:.1e}"))];
        row.extend(GOOD_ERRORS.map(|good| iterations_to(&t.errors, good)));
        row.push(iterations_to(&t.depths, GOOD_DEPTH));
        row.push(format!("{:.1e}", t.apart));
        row.push(t.times_ms.last().map_or("-".into(), |ms| short(ms / t.times_ms.len() as f64)));
        table.row(row);
    }
    table.text()
}

/// The iteration from which on the values stay below `good`.
fn iterations_to(values: &[f64], good: f64) -> String {
    let bad = values.iter().rposition(|v| v.is_nan() || *v >= good).map_or(0, |k| k + 1);
    if bad < values.len() { (bad + 1).to_string() } else { "never".into() }
}

fn to_json(t: &ContactTrace) -> Value {
    json!({
        "label": t.label, "errors": t.errors, "distances": t.distances, "apart": t.apart, "depths_m": t.depths,
        "residuals": t.residuals, "times_ms": t.times_ms,
    })
}

fn plot(title: &str, y: Axis, traces: &[ContactTrace], values: &dyn Fn(&ContactTrace) -> Vec<f64>) -> Plot {
    Plot {
        title: title.to_string(),
        x: Axis::linear("iteration"),
        y,
        series: traces.iter().map(|t| Series::new(&t.label, counted(&values(t)))).collect(),
        ..Plot::default()
    }
}

/// Primal, dual and combined residual of the scene's own settings.
fn residuals(trace: &ContactTrace) -> Plot {
    let one = |name: &str, of: &dyn Fn(&[f64; 2]) -> f64| {
        Series::new(name, counted(&trace.residuals.iter().map(of).collect::<Vec<_>>()))
    };
    Plot {
        title: format!("residuals of {}", trace.label),
        x: Axis::linear("iteration"),
        y: Axis::log("part of the size"),
        series: vec![one("primal", &|r| r[0]), one("dual", &|r| r[1]), one("combined", &|r| r[0].max(r[1]))],
        ..Plot::default()
    }
}

/// The values over 1, 2, ...; what is zero has no place on a logarithmic axis.
fn counted(values: &[f64]) -> Vec<(f64, f64)> {
    let points = values.iter().enumerate().map(|(k, value)| ((k + 1) as f64, *value));
    points.filter(|(_, value)| *value > 0.0).collect()
}
