//! `pliant mesh simplify`: fewer triangles for the same surface.

use super::clock::Clock;
use super::files::{Target, check_picture, read};
use super::{ToolReport, picture, summary};
use crate::args::mesh::SimplifyArgs;
use crate::failure::Failure;
use crate::output::short;
use pliant_mesh::{Mesh, TriMesh};
use pliant_mesh_io::Contents;
use pliant_meshing::{SimplifyOptions, SimplifyReport, simplify};
use serde_json::json;

/// Reads a surface, makes it coarser and writes it.
pub fn run(args: &SimplifyArgs) -> Result<ToolReport, Failure> {
    let target = Target::new(&args.output.file, &args.output.how, Some(&args.input.file))?;
    check_picture(&args.picture)?;
    let file = args.input.file.display().to_string();
    let mut clock = Clock::start();
    let Contents { mesh, format, mut notes } = read(&args.input)?;
    let (was, old) = (summary::line(&mesh), summary::json(&mesh));
    let surface = triangles(mesh, &file)?;
    clock.stage("read");
    let options = SimplifyOptions {
        triangles: args.target.triangles,
        max_error: args.target.error,
        avoid_intersections: args.avoid_intersections,
        ..SimplifyOptions::default()
    };
    let (coarse, report) = simplify(&surface, &options)
        .map_err(|e| Failure::input(format!("{file}: {e}; pliant mesh repair may help")))?;
    clock.stage("simplify");
    if let Some(wanted) = args.target.triangles.filter(|&n| n < report.triangles_after) {
        let why = if args.target.error.is_some() { "the error, " } else { "" };
        notes.push(format!("{wanted} triangles not reached: {why}open edges, groups or handles need more"));
    }
    let mesh = Mesh::Tri(coarse);
    notes.extend(target.write(&mesh)?);
    clock.stage("write");
    picture::draw(&args.picture, &mesh, args.output.file.display().to_string())?;
    let mut lines = vec![
        format!("{file}: {format}, {was}"),
        format!("{}: {}, {}", args.output.file.display(), target.format.name, summary::line(&mesh)),
    ];
    lines.extend(summary::notes(&notes));
    lines.extend(lines_of(&report, &surface, &clock));
    let json = json!({
        "input": { "file": args.input.file, "format": format, "mesh": old },
        "output": {
            "file": args.output.file, "format": target.format.name, "bytes": target.bytes(),
            "mesh": summary::json(&mesh),
        },
        "simplification": report,
        "deviation_m": {
            "max": report.deviation.distance(),
            "input_to_output": report.deviation.a_to_b.max,
            "output_to_input": report.deviation.b_to_a.max,
        },
        "time_s": clock.json(),
        "notes": notes,
    });
    Ok(ToolReport { text: lines.join("\n"), json })
}

fn triangles(mesh: Mesh, file: &str) -> Result<TriMesh, Failure> {
    match mesh {
        Mesh::Tri(surface) => Ok(surface),
        Mesh::Tet(_) => Err(Failure::input(format!(
            "{file}: this is a volume: take its boundary with pliant mesh convert --surface, or fill it anew with \
             pliant mesh tetrahedralize"
        ))),
    }
}

fn lines_of(report: &SimplifyReport, surface: &TriMesh, clock: &Clock) -> Vec<String> {
    let entry = |name: &str, text: String| format!("  {name:<12}{text}");
    let (low, high) = surface.bounds();
    let diagonal = high.distance(low);
    let share = |d: f64| format!("{} m ({:.3} % of the diagonal)", short(d), 100.0 * d / diagonal);
    let (out, back) = (report.deviation.a_to_b, report.deviation.b_to_a);
    let (before, after) = (report.triangles_before, report.triangles_after);
    let mut lines = vec![
        entry("triangles", format!("{before} to {after}, {:.1} %", 100.0 * after as f64 / before as f64)),
        entry("distance", format!("{} from input to output, {} back", share(out.max), share(back.max))),
        entry("mean", format!("{} m from input to output, {} m back", short(out.mean), short(back.mean))),
    ];
    let (crossing, now) = (report.self_intersections_before, report.self_intersections_after);
    if crossing + now > 0 {
        let pairs = summary::count(now, "pair of triangles", "pairs of triangles");
        lines.push(entry("crossing", format!("{pairs}, {crossing} before")));
    }
    lines.push(entry("time", clock.text()));
    lines
}
