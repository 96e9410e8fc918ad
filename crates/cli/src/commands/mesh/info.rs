//! `pliant mesh info`: a mesh file as it is.

use super::files::{check_picture, read};
use super::verdict::Verdict;
use super::{ToolReport, picture, text};
use crate::args::mesh::InfoArgs;
use crate::failure::Failure;
use pliant_mesh_io::Contents;
use pliant_meshing::inspect::{InspectOptions, MeshReport, inspect};
use serde_json::{Value, json};

/// The verdict looks at some places however few are asked for, a picture at many.
const FEW_PLACES: usize = 10;
const MANY_PLACES: usize = 20_000;

/// Inspects a file before anything is tidied.
pub fn run(args: &InfoArgs) -> Result<ToolReport, Failure> {
    check_picture(&args.picture)?;
    let file = args.input.file.display().to_string();
    let contents = read(&args.input)?;
    let asked = args.places as usize;
    let looked_at = if args.picture.png.is_some() { MANY_PLACES } else { FEW_PLACES };
    let options = InspectOptions {
        duplicate_distance: args.duplicates,
        places: asked.max(looked_at),
        ..InspectOptions::default()
    };
    let mut report = inspect(&contents.mesh, &options).map_err(|e| Failure::input(format!("{file}: {e}")))?;
    let verdict = Verdict::of(&file, &contents.mesh, &report);
    picture::draw_inspected(&args.picture, &contents.mesh, &report, file)?;
    report.shorten(asked);
    Ok(ToolReport {
        text: text::info(args, &contents, &report, &verdict),
        json: json(args, &contents, &report, &verdict),
    })
}

/// The report with what is known about the file.
fn json(args: &InfoArgs, contents: &Contents, report: &MeshReport, verdict: &Verdict) -> Value {
    let mut all = json!({
        "file": args.input.file,
        "format": contents.format,
        "notes": contents.notes,
        "unit": args.input.lengths.unit.name(),
        "metres_per_unit": args.input.lengths.unit.metres(),
        "verdict": verdict.json(),
    });
    if let (Some(all), Ok(Value::Object(report))) = (all.as_object_mut(), serde_json::to_value(report)) {
        all.extend(report);
    }
    all
}
