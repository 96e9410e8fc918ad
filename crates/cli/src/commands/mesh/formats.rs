//! `pliant mesh formats`: what can be read and written.

use crate::args::mesh::FormatsArgs;
use crate::failure::Failure;
use crate::output::{self, Table};
use pliant_mesh_io::{Format, formats};
use serde_json::json;

/// Lists the formats.
pub fn run(args: &FormatsArgs) -> Result<(), Failure> {
    if args.json {
        let list: Vec<_> = formats()
            .map(|f| {
                json!({
                    "name": f.name, "about": f.about, "endings": f.endings(), "default": f.is_default(),
                    "volumes": f.volumes,
                })
            })
            .collect();
        output::print_json(&json!(list));
        return Ok(());
    }
    let mut table = Table::new(&["--format", "file", "holds", "about"]);
    for format in formats() {
        let holds = if format.volumes { "tets, triangles" } else { "triangles" };
        table.row(vec![format.name.into(), files(format), holds.into(), format.about.into()]);
    }
    output::print(&format!(
        "{}\n\nAll are read, whatever the name of the file: the content decides. A name that ends in .gz is packed.\n\
         * is written for this ending unless --format says otherwise.",
        table.text()
    ));
    Ok(())
}

fn files(format: &Format) -> String {
    let endings: Vec<String> = format.endings().iter().map(|e| format!(".{e}")).collect();
    format!("{}{}", endings.join(" "), if format.is_default() { " *" } else { "" })
}
