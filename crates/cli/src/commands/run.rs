//! `pliant run`: simulates a scene, records it, reports.

use super::{create_directory, limit, load, write_file};
use crate::args::RunArgs;
use crate::failure::{Failure, OTHER};
use crate::output::{self, Table, short, short_list, verdict};
use crate::picture::{Stage, Wanted, colors};
use crate::pool;
use crate::progress::Progress;
use pliant_render::{Settings, write_png};
use pliant_scene::export::Exporter;
use pliant_scene::record::{FrameWriter, save_state};
use pliant_scene::report::{Circumstances, report};
use pliant_scene::view::{Fields, Frame, Geometry, Layout};
use pliant_scene::{Run, Scene, Tables};
use serde_json::Value;
use std::path::Path;

/// Runs the scene; an error if it breaks down or an expectation does not hold.
pub fn run(args: &RunArgs) -> Result<(), Failure> {
    let scene = load(&args.scene.scene, &args.scene.changes)?;
    pool::install(args.threads, |threads| simulate(args, &scene, threads))
}

fn simulate(args: &RunArgs, scene: &Scene, threads: usize) -> Result<(), Failure> {
    let mut run = Run::new(scene.build()?)?;
    limit(&mut run, &args.length)?;
    if run.world().ignores_contact() {
        let kind = run.setup().solver.kind();
        output::warning(&format!("solver `{kind}` knows no contact: bodies pass through each other"));
    }
    // Only now, when nothing of the input is wrong any more, is anything written.
    let mut sink = args.out.as_deref().map(|dir| Sink::create(dir, args, scene, &run)).transpose()?;
    let progress = Progress::new(run.steps(), args.quiet);
    let failed = advance(&mut run, sink.as_mut(), &progress);
    progress.finish();
    let failed = failed?;
    let about = Circumstances {
        threads,
        variant: scene.variant().map(str::to_string),
        as_written: scene.is_as_written(),
        error: failed.as_ref().map(|f| f.message.clone()),
    };
    let report = report(&run, &about);
    if let Some(sink) = sink {
        sink.finish(&run, &report)?;
    }
    if args.json {
        output::print_json(&report);
    } else if !args.quiet {
        output::print(&summary(&run, &report));
    }
    match failed {
        Some(mut failure) => {
            if args.out.is_none() {
                failure.message += "; give --out DIR to keep the last good state";
            }
            Err(failure)
        }
        None if report["ok"] == true => Ok(()),
        None => Err(Failure { code: OTHER, message: unmet(&report) }),
    }
}

/// Takes all steps. `Ok(Some(..))` if the simulation broke down, `Err` if the recording could not be written.
fn advance(
    run: &mut Run,
    mut sink: Option<&mut Sink>,
    progress: &Progress,
) -> Result<Option<Failure>, Failure> {
    while !run.is_done() {
        if let Err(e) = run.step() {
            return Ok(Some(e.into()));
        }
        progress.update(run);
        if let Some(sink) = sink.as_deref_mut() {
            sink.frame(run)?;
        }
    }
    Ok(None)
}

/// The directory that a run is written to.
#[derive(Debug)]
struct Sink<'a> {
    directory: &'a Path,
    every: usize,
    frames: FrameWriter,
    tables: Tables,
    exporter: Option<Exporter>,
}

impl<'a> Sink<'a> {
    fn create(directory: &'a Path, args: &RunArgs, scene: &Scene, run: &Run) -> Result<Sink<'a>, Failure> {
        create_directory(directory)?;
        write_file(directory, "scene.toml", &copy_of(scene, args))?;
        let mut frames = FrameWriter::create(&directory.join("frames.bin"), run)?;
        frames.frame(run)?;
        let tables = Tables::create(directory, run)?;
        let mut exporter = None;
        if !args.export.is_empty() {
            let mut e = Exporter::create(directory, &args.export, run)?;
            e.frame(run)?;
            exporter = Some(e);
        }
        let thirty = (1.0 / (30.0 * run.setup().model.dt)).round().max(1.0) as usize;
        Ok(Sink { directory, every: args.every.map_or(thirty, |k| k as usize), frames, tables, exporter })
    }

    fn frame(&mut self, run: &Run) -> Result<(), Failure> {
        self.tables.step(run)?;
        if !run.steps_taken().is_multiple_of(self.every) && !run.is_done() {
            return Ok(());
        }
        self.frames.frame(run)?;
        self.tables.frame(run)?;
        if let Some(exporter) = &mut self.exporter {
            exporter.frame(run)?;
        }
        Ok(())
    }

    fn finish(self, run: &Run, report: &Value) -> Result<(), Failure> {
        self.frames.finish()?;
        if let Some(exporter) = self.exporter {
            exporter.finish(run, &colors(run.world().model()))?.iter().for_each(|note| output::warning(note));
        }
        save_state(&self.directory.join("state.bin"), run.world().state())?;
        write_file(self.directory, "report.json", &format!("{report:#}\n"))?;
        write_file(self.directory, "log.txt", &format!("{}\n", plain(&summary(run, report))))?;
        write_png(self.directory.join("preview.png"), &preview(run))?;
        Ok(())
    }
}

/// The scene's text, preceded by how it was changed.
fn copy_of(scene: &Scene, args: &RunArgs) -> String {
    let mut head = format!("# pliant run {}", args.scene.scene);
    if let Some(variant) = scene.variant() {
        head.push_str(&format!(" --variant {variant}"));
    }
    if let Some(solver) = &args.scene.changes.solver {
        head.push_str(&format!(" --solver {solver}"));
    }
    for (path, value) in scene.overrides() {
        head.push_str(&format!(" --set {path}={value}"));
    }
    // The text of an override cannot end the comment.
    format!("{}\n{}", head.replace(['\n', '\r'], " "), scene.text())
}

/// The world as it is now.
fn preview(run: &Run) -> pliant_render::Image {
    let (setup, world) = (run.setup(), run.world());
    let frame = Frame::of(setup, world, Fields::default());
    let (layout, geometry) = (Layout::of(setup, world), Geometry::of(setup, world));
    Stage::new(&layout, &geometry, std::slice::from_ref(&frame), Settings::default(), Wanted::default())
        .draw(&frame)
}

/// The table at the end of a run.
fn summary(run: &Run, report: &Value) -> String {
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
    let contact_stages = ["detect", "delassus", "contact"].into_iter().filter(|_| has_contacts);
    for stage in ["local", "global"].into_iter().chain(contact_stages) {
        row(stage, &report["stage_ms"][stage]);
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
    lines.push(format!("state {}", report["state_hash"].as_str().unwrap_or("?")));
    lines.join("\n")
}

/// A text without the colours of a terminal.
fn plain(text: &str) -> String {
    let mut parts = text.split('\x1b');
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |all, part| all + part.split_once('m').map_or("", |(_, rest)| rest))
}

/// One line per expectation that did not hold.
fn unmet(report: &Value) -> String {
    let failed = report["expect"].as_array().into_iter().flatten().filter(|e| e["ok"] != true);
    let lines: Vec<String> = failed
        .map(|e| {
            let (what, want) = (e["what"].as_str().unwrap_or("?"), e["want"].as_str().unwrap_or("?"));
            format!("expectation `{what} {want}` did not hold: got {}", e["got"])
        })
        .collect();
    if lines.is_empty() { "the run did not finish".into() } else { lines.join("\n") }
}
