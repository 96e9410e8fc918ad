//! `pliant scenes`: what can be run without a file.

use crate::args::ScenesArgs;
use crate::failure::Failure;
use crate::output::{self, Table};
use pliant_scene::{Scene, builtin, suggest};
use serde_json::{Value, json};

/// Lists the built-in scenes, or prints one.
pub fn run(args: &ScenesArgs) -> Result<(), Failure> {
    let names: Vec<&str> = match &args.name {
        Some(name) => vec![find(name)?],
        None => builtin::names().collect(),
    };
    if args.print {
        let text = names.first().and_then(|name| builtin::text(name)).unwrap_or_default();
        output::print(text.trim_end());
        return Ok(());
    }
    let list: Vec<Value> = names.into_iter().map(describe).collect::<Result<_, _>>()?;
    match (args.json, &args.name) {
        (true, _) => output::print_json(&json!(list)),
        (false, Some(_)) => list.iter().for_each(|scene| output::print(&details(scene))),
        (false, None) => output::print(&table(&list)),
    }
    Ok(())
}

/// A built-in scene by its name.
fn find(name: &str) -> Result<&'static str, Failure> {
    builtin::names().find(|n| *n == name).ok_or_else(|| {
        let names: Vec<&str> = builtin::names().collect();
        Failure::input(format!(
            "{name}: there is no such built-in scene: {}",
            suggest(name, &names, "scenes")
        ))
    })
}

fn describe(name: &str) -> Result<Value, Failure> {
    let scene = Scene::load(name)?;
    let about = scene.outline()?;
    let (vertices, elements) = match builtin::size(name) {
        Some(size) => size,
        None => {
            let setup = scene.build()?;
            (setup.vertices(), setup.elements())
        }
    };
    Ok(json!({
        "name": name,
        "source": about.source,
        "solver": about.solver,
        "vertices": vertices,
        "elements": elements,
        "description": about.description,
        "variants": scene.variants(),
        "default_variant": scene.variant(),
        "parameters": scene.parameters(),
        "probes": about.probes,
    }))
}

fn table(list: &[Value]) -> String {
    let mut table = Table::new(&["scene", "source", "solver", "vertices", "variants", "about"]);
    for scene in list {
        let cell = |key: &str| text(&scene[key]);
        table.row(["name", "source", "solver", "vertices", "variants", "description"].map(cell).to_vec());
    }
    table.text()
}

/// One scene, a line for each thing that can be said or changed.
fn details(scene: &Value) -> String {
    let keys = [
        "name",
        "description",
        "source",
        "solver",
        "vertices",
        "elements",
        "variants",
        "parameters",
        "probes",
    ];
    let mut lines: Vec<String> = keys
        .iter()
        .map(|key| (key, text(&scene[*key])))
        .filter(|(_, value)| !value.is_empty())
        .map(|(key, value)| format!("{key}: {value}"))
        .collect();
    let name = text(&scene["name"]);
    lines.push(format!("its file: pliant scenes {name} --print"));
    lines.join("\n")
}

/// A value for people: words of a list side by side.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(text).collect::<Vec<_>>().join(" "),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
