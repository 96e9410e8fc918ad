//! Whole runs side by side: every solver takes the same steps, distances are to the reference.

use super::{Comparison, config};
use crate::args::CompareArgs;
use crate::commands::limit;
use crate::failure::Failure;
use crate::output::{Table, short, short_list};
use crate::progress::Progress;
use pliant::convergence::{reference, reference_in_contact};
use pliant::{SolverConfig, World};
use pliant_render::{Axis, Plot, Series};
use pliant_scene::{Run, Setup};
use serde_json::json;

/// What the default solver is compared with when no solvers are named: incomplete global solves.
const INCOMPLETE: [&str; 2] = ["jacobi", "chebyshev"];

/// Name of the reference where bodies touch.
const CONVERGED: &str = "converged";

/// A solver on its way.
struct Lane {
    name: String,
    run: Run,
    /// Simulated time, computing time in ms, largest vertex distance to the reference in m.
    distances: Vec<(f64, f64, f64)>,
}

/// Runs all solvers over the whole scene.
pub fn compare(args: &CompareArgs, setup: Setup) -> Result<Comparison, Failure> {
    let mut names: Vec<String> = args.solvers.clone();
    if names.is_empty() {
        names.push(SolverConfig::default().kind().to_string());
        names.extend(INCOMPLETE.map(str::to_string));
    }
    // The reference first: the others are measured against it after each step.
    let mut lanes = vec![reference_lane(args, &setup, &names)?];
    names.retain(|n| *n != lanes[0].name);
    for name in names {
        let solver = config(&name, &setup.solver)?;
        lanes.push(lane(args, &setup, name, solver)?);
    }
    let progress = Progress::new(lanes[0].run.steps(), args.quiet);
    while !lanes[0].run.is_done() {
        for lane in &mut lanes {
            lane.run
                .step()
                .map_err(|e| Failure { message: format!("solver `{}`: {e}", lane.name), ..e.into() })?;
        }
        measure(&mut lanes);
        progress.update(&lanes[0].run);
    }
    progress.finish();
    Ok(Comparison { table: table(&lanes), plots: plots(&lanes), json: json(&lanes) })
}

/// Newton's method, or, where bodies touch and nobody asks for it, a solver that sees them touch, to convergence.
fn reference_lane(args: &CompareArgs, setup: &Setup, names: &[String]) -> Result<Lane, Failure> {
    let newton = reference().kind().to_string();
    let is_asked_for = names.contains(&newton);
    match lane(args, setup, newton, reference()) {
        Ok(lane) if is_asked_for || !lane.run.world().ignores_contact() => Ok(lane),
        Err(failure) if is_asked_for => Err(failure),
        _ => lane(args, setup, CONVERGED.to_string(), reference_in_contact()),
    }
}

fn lane(args: &CompareArgs, setup: &Setup, name: String, solver: SolverConfig) -> Result<Lane, Failure> {
    let mut setup = setup.clone();
    setup.solver = solver;
    let mut run = Run::new(setup)?;
    limit(&mut run, &args.length)?;
    Ok(Lane { name, run, distances: Vec::new() })
}

fn measure(lanes: &mut [Lane]) {
    let Some((reference, others)) = lanes.split_first_mut() else { return };
    for lane in others {
        let distance = largest_distance(reference.run.world(), lane.run.world());
        lane.distances.push((lane.run.world().state().time, lane.run.step_times().sum(), distance));
    }
}

fn largest_distance(a: &World, b: &World) -> f64 {
    let pairs = a.state().positions.iter().zip(&b.state().positions);
    pairs.map(|(p, q)| p.distance_squared(*q)).fold(0.0, f64::max).sqrt()
}

fn table(lanes: &[Lane]) -> String {
    let probes: Vec<String> = lanes[0].run.probes().iter().map(|p| p.name.clone()).collect();
    let distance = format!("distance to {} m", lanes[0].name);
    let mut heading = vec!["solver", "step p50 ms", "p99", "max", &distance];
    heading.extend(probes.iter().map(String::as_str));
    let mut table = Table::new(&heading);
    for lane in lanes {
        let times = lane.run.step_times();
        let [p50, p99] = times.percentiles([50.0, 99.0]);
        let distance = lane.distances.last().map_or("-".to_string(), |d| short(d.2));
        let mut row = vec![lane.name.clone(), short(p50), short(p99), short(times.max()), distance];
        row.extend(lane.run.probes().iter().map(|p| short_list(p.last())));
        table.row(row);
    }
    table.text()
}

fn json(lanes: &[Lane]) -> serde_json::Value {
    let solvers: Vec<_> = lanes
        .iter()
        .map(|lane| {
            let times = lane.run.step_times();
            let [p50, p99] = times.percentiles([50.0, 99.0]);
            let probes: serde_json::Map<_, _> =
                lane.run.probes().iter().map(|p| (p.name.clone(), json!(p.last()))).collect();
            json!({
                "solver": lane.name,
                "step_ms": { "p50": p50, "p99": p99, "max": times.max(), "mean": times.mean() },
                format!("distance_to_{}_m", lanes[0].name): {
                    "last": lane.distances.last().map_or(0.0, |d| d.2),
                    "max": lane.distances.iter().map(|d| d.2).fold(0.0, f64::max),
                },
                "probes": probes,
                "state_hash": format!("{:016x}", lane.run.world().state().hash()),
            })
        })
        .collect();
    json!({ "scene": lanes[0].run.setup().name, "steps": lanes[0].run.steps_taken(), "solvers": solvers })
}

/// Distance to the reference against simulated time and against computing time.
fn plots(lanes: &[Lane]) -> Vec<Plot> {
    let plot = |label: &str, x: &dyn Fn(&(f64, f64, f64)) -> f64| Plot {
        title: lanes[0].run.setup().name.clone(),
        x: Axis::linear(label),
        y: Axis::log(format!("distance to {} (m)", lanes[0].name)),
        series: lanes[1..]
            .iter()
            .map(|l| Series::new(&l.name, l.distances.iter().map(|d| (x(d), d.2)).collect()))
            .collect(),
        ..Plot::default()
    };
    vec![plot("simulated time (s)", &|d| d.0), plot("computing time (ms)", &|d| d.1)]
}
