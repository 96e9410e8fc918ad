//! `pliant mesh repair`: repairs a mesh and reports every change.

use super::files::{Target, check_picture, read};
use super::verdict::Verdict;
use super::{ToolReport, picture, summary};
use crate::args::mesh::RepairArgs;
use crate::failure::Failure;
use crate::output::Table;
use pliant_mesh::Mesh;
use pliant_mesh_io::Contents;
use pliant_meshing::inspect::{Defects, InspectOptions, MeshReport, inspect};
use pliant_meshing::repair::{Change, RepairOptions, repair};
use serde_json::{Map, Value, json};

/// Reads a mesh, repairs it and writes it.
pub fn run(args: &RepairArgs) -> Result<ToolReport, Failure> {
    let target = Target::new(&args.output.file, &args.output.how, Some(&args.input.file))?;
    check_picture(&args.picture)?;
    let file = args.input.file.display().to_string();
    let bad = |e: pliant_mesh::MeshError| Failure::input(format!("{file}: {e}"));
    let Contents { mut mesh, format, mut notes } = read(&args.input)?;
    if let Mesh::Tet(_) = mesh {
        target.check_volumes("write to a volume format such as .msh, .vtu or .mesh")?;
    }
    let options = InspectOptions { places: picture::PLACES, ..InspectOptions::default() };
    let (was, before) = (summary::line(&mesh), inspect(&mesh, &options).map_err(bad)?);
    let old = summary::json(&mesh);
    let changes = repair(&mut mesh, &repair_options(args)).map_err(bad)?;
    let after = inspect(&mesh, &options).map_err(bad)?;
    let verdict = Verdict::of(&args.output.file.display().to_string(), &mesh, &after);
    notes.extend(target.write(&mesh)?);
    picture::draw_inspected(&args.picture, &mesh, &after, args.output.file.display().to_string())?;
    let mut lines = vec![
        format!("{file}: {format}, {was}"),
        format!("{}: {}, {}", args.output.file.display(), target.format.name, summary::line(&mesh)),
    ];
    lines.extend(summary::notes(&notes));
    lines.push(String::new());
    lines.extend(lines_of(&changes, &before, &after));
    lines.push(format!("verdict: {}", verdict.summary));
    lines.extend(verdict.advice.iter().map(|a| format!("  - {a}")));
    let json = json!({
        "input": { "file": args.input.file, "format": format, "mesh": old, "defects": counts(&before.defects) },
        "output": {
            "file": args.output.file, "format": target.format.name, "bytes": target.bytes(),
            "mesh": summary::json(&mesh), "defects": counts(&after.defects),
        },
        "changes": changes,
        "verdict": verdict.json(),
        "notes": notes,
    });
    Ok(ToolReport { text: lines.join("\n"), json })
}

fn repair_options(args: &RepairArgs) -> RepairOptions {
    RepairOptions {
        weld_distance: args.weld,
        hole_edges: args.holes as usize,
        cut_non_manifold: !args.keep_non_manifold,
        ..RepairOptions::default()
    }
}

/// The changes, and the defects before and after them.
fn lines_of(changes: &[Change], before: &MeshReport, after: &MeshReport) -> Vec<String> {
    let mut lines: Vec<String> = changes.iter().map(|c| format!("- {c}")).collect();
    if changes.is_empty() {
        lines.push("nothing to change".into());
    }
    lines.push(String::new());
    if before.defects.is_empty() && after.defects.is_empty() {
        return lines;
    }
    let mut table = Table::new(&["defects", "before", "after"]);
    for ((name, was), (_, is)) in before.defects.all().into_iter().zip(after.defects.all()) {
        if was.count + is.count > 0 {
            table.row(vec![name.into(), was.count.to_string(), is.count.to_string()]);
        }
    }
    lines.push(table.text());
    lines.push(String::new());
    lines
}

/// The number of each kind of defect.
fn counts(defects: &Defects) -> Value {
    let all = defects.all().into_iter().map(|(name, d)| (name.replace([' ', '-'], "_"), json!(d.count)));
    Value::Object(all.collect::<Map<_, _>>())
}
