//! `pliant bench`: times of steps and stages, with what is needed to judge them.

mod friction;
pub mod kernels;
pub mod memory;
mod models;

use super::{check_directory, load, write_results};
use crate::args::{BenchArgs, Changes};
use crate::failure::Failure;
use crate::output::{self, Table, short};
use crate::pool;
use pliant_render::{Axis, Plot, Series};
use pliant_scene::Run;
use pliant_scene::report::{Circumstances, report};
use serde_json::{Value, json};

/// What is measured when no scene is named.
const DEFAULT_SCENES: [&str; 5] =
    ["twisting_bar", "cloth_extension", "cantilever", "cantilever:40x8x8", "inflated_sphere"];
/// Steps before the measurement: caches and warm starts settle.
const WARM_UP: usize = 5;

/// Measures scenes or kernels.
pub fn run(args: &BenchArgs) -> Result<(), Failure> {
    if args.kernels {
        return kernels::run(args.threads, args.json);
    }
    if args.memory {
        return pool::install(args.threads, |_| memory::run(args.json));
    }
    check_directory(args.out.as_deref())?;
    if args.friction {
        return slopes(args);
    }
    let names: Vec<String> = match args.scenes.as_slice() {
        [] => DEFAULT_SCENES.map(str::to_string).to_vec(),
        given => given.to_vec(),
    };
    let results = pool::install(args.threads, |threads| {
        names.iter().map(|name| measure(name, args, threads)).collect::<Result<Vec<_>, Failure>>()
    })?;
    let json = json!({
        "pliant": env!("CARGO_PKG_VERSION"),
        "results": results.iter().map(|r| &r.report).collect::<Vec<_>>(),
    });
    if let Some(directory) = &args.out {
        let plots: Vec<Plot> = results.iter().map(|r| r.plot.clone()).collect();
        write_results(directory, "bench", &json, &plots)?;
    }
    if args.json {
        output::print_json(&json);
    } else {
        results.iter().for_each(|r| output::print(&table(&r.report, &r.stages)));
    }
    Ok(())
}

/// Friction by contact solver.
fn slopes(args: &BenchArgs) -> Result<(), Failure> {
    let slides = pool::install(args.threads, |_| friction::run())?;
    if let Some(directory) = &args.out {
        write_results(directory, "friction", &slides.json, &slides.plots)?;
    }
    if args.json {
        output::print_json(&slides.json);
    } else {
        output::print(&slides.table);
    }
    Ok(())
}

/// A measured scene.
#[derive(Debug)]
struct Measured {
    report: Value,
    /// Names of the stages, in the order of the step.
    stages: Vec<&'static str>,
    plot: Plot,
}

fn measure(name: &str, args: &BenchArgs, threads: usize) -> Result<Measured, Failure> {
    let (scene_name, variant) = split(name);
    let changes = Changes { variant, solver: args.solver.clone(), set: args.set.clone() };
    let scene = load(scene_name, &changes)?;
    let mut run = Run::new(scene.build()?)?;
    for _ in 0..WARM_UP {
        run.step()?;
    }
    run.forget_times();
    run.limit_steps(args.steps as usize);
    while !run.is_done() {
        run.step()?;
    }
    let variant = scene.variant().map(str::to_string);
    let about = Circumstances { threads, variant, ..Circumstances::default() };
    let mut report = report(&run, &about);
    // Expectations belong to the scene's own length and values.
    if let Some(map) = report.as_object_mut() {
        map.retain(|key, _| !["expect", "expect_skipped", "ok", "probes", "error"].contains(&key.as_str()));
    }
    let stages = run.stage_times().iter().map(|(stage, _)| stage.name()).collect();
    Ok(Measured { plot: curve(name, &run), report, stages })
}

/// `NAME:VARIANT`, unless it is a path.
fn split(name: &str) -> (&str, Option<String>) {
    match name.rsplit_once(':') {
        Some((scene, variant)) if !name.ends_with(".toml") => (scene, Some(variant.to_string())),
        _ => (name, None),
    }
}

/// Times of step and main stages against the step.
fn curve(name: &str, run: &Run) -> Plot {
    let series = |label: &str, samples: &pliant_scene::Samples| {
        let (kept, stride) = samples.kept();
        Series::new(label, kept.iter().enumerate().map(|(i, ms)| ((1 + i * stride) as f64, *ms)).collect())
    };
    let mut lines = vec![series("step", run.step_times())];
    for (stage, times) in run.stage_times() {
        if times.mean() > 0.02 * run.step_times().mean() {
            lines.push(series(stage.name(), times));
        }
    }
    Plot {
        title: name.to_string(),
        x: Axis::linear("step"),
        y: Axis::linear("time (ms)"),
        series: lines,
        ..Plot::default()
    }
}

fn table(report: &Value, stages: &[&str]) -> String {
    let number = |v: &Value| v.as_f64().map_or("-".to_string(), short);
    let variant = report["variant"].as_str().map_or(String::new(), |v| format!(":{v}"));
    let mut table = Table::new(&["ms", "p50", "p99", "max"]);
    let mut row = |name: &str, v: &Value| {
        table.row(vec![name.to_string(), number(&v["p50"]), number(&v["p99"]), number(&v["max"])]);
    };
    row("step", &report["step_ms"]);
    for stage in stages {
        let times = &report["stage_ms"][stage];
        if times["max"].as_f64() > Some(0.0) {
            row(stage, times);
        }
    }
    format!(
        "{}{variant} ({}): {} vertices, {} contact rows, {} steps, {} threads, {} iterations, residual {}, state {}\n{}\n",
        report["scene"].as_str().unwrap_or("?"),
        report["solver"].as_str().unwrap_or("?"),
        report["vertices"],
        report["contacts"]["max_rows"],
        report["steps"],
        report["threads"],
        number(&report["residual"]["iterations_mean"]),
        number(&report["residual"]["last"]),
        report["state_hash"].as_str().unwrap_or("?"),
        table.text()
    )
}
