//! `pliant scenes`: what can be run without a file.

use crate::args::ScenesArgs;
use crate::failure::Failure;
use crate::output::{self, Table};
use pliant_scene::{Scene, builtin};
use serde_json::json;

/// Lists the built-in scenes.
pub fn run(args: &ScenesArgs) -> Result<(), Failure> {
    let mut table = Table::new(&["scene", "source", "solver", "vertices", "variants", "about"]);
    let mut list = Vec::new();
    for name in builtin::names() {
        let scene = Scene::load(name)?;
        let setup = scene.build()?;
        let variants = scene.variants();
        list.push(json!({
            "name": name,
            "source": setup.source,
            "solver": setup.solver.kind(),
            "vertices": setup.vertices(),
            "elements": setup.elements(),
            "description": setup.description,
            "variants": variants,
            "default_variant": scene.variant(),
            "parameters": scene.parameters(),
            "probes": setup.probes.iter().map(|p| &p.name).collect::<Vec<_>>(),
        }));
        table.row(vec![
            name.to_string(),
            setup.source.clone(),
            setup.solver.kind().to_string(),
            setup.vertices().to_string(),
            variants.join(" "),
            setup.description.clone(),
        ]);
    }
    if args.json {
        output::print_json(&json!(list));
    } else {
        output::print(&table.text());
    }
    Ok(())
}
