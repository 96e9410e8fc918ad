//! `pliant mesh convert`: the same mesh in another format.

use super::files::{Target, check_picture, read};
use super::{ToolReport, picture, summary};
use crate::args::mesh::ConvertArgs;
use crate::failure::Failure;
use pliant_mesh::Mesh;
use serde_json::json;

/// Reads a mesh as it is and writes it as it is; reports what the formats could not keep.
pub fn run(args: &ConvertArgs) -> Result<ToolReport, Failure> {
    let target = Target::new(&args.output, &args.how, Some(&args.input.file))?;
    check_picture(&args.picture)?;
    let contents = read(&args.input)?;
    let mut notes = contents.notes;
    let (before, was) = (summary::json(&contents.mesh), summary::line(&contents.mesh));
    let mesh = match contents.mesh {
        Mesh::Tet(m) if args.surface => {
            notes.push(format!("the boundary of {} tets is written", m.tets.len()));
            Mesh::Tri(m.surface())
        }
        mesh => mesh,
    };
    if let Mesh::Tet(_) = mesh {
        target.check_volumes(
            "write the boundary with --surface, or use a volume format such as .vtu or .msh",
        )?;
    }
    notes.extend(target.write(&mesh)?);
    picture::draw(&args.picture, &mesh, args.output.display().to_string())?;
    let text = [
        format!("{}: {}, {was}", args.input.file.display(), contents.format),
        format!("{}: {}, {}", args.output.display(), target.format.name, summary::line(&mesh)),
    ];
    let text = text.into_iter().chain(summary::notes(&notes)).collect::<Vec<_>>().join("\n");
    let json = json!({
        "input": { "file": args.input.file, "format": contents.format, "mesh": before },
        "output": {
            "file": args.output, "format": target.format.name, "bytes": target.bytes(),
            "mesh": summary::json(&mesh),
        },
        "notes": notes,
    });
    Ok(ToolReport { text, json })
}
