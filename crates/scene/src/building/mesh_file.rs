//! Mesh files: found, limited in size, read.

use crate::file::spec::GENERATORS;
use pliant_mesh::Mesh;
use pliant_mesh_io::{ReadError, read_mesh};
use std::path::Path;

/// Most elements of a body.
pub(super) const MAX_ELEMENTS: u128 = 20_000_000;
/// Largest mesh file that is read.
const MAX_MESH_BYTES: u64 = 4 << 30;

/// Cause and remedy of a problem with a mesh or a selection.
pub(super) type Trouble = (String, String);

/// Reads a mesh file, beside the scene file or else from where the user is: a name may come from the command line.
pub(super) fn read_file(file: &str, directory: &Path) -> Result<Mesh, Trouble> {
    let beside = directory.join(file);
    read(if beside.exists() { &beside } else { Path::new(file) }, file)
}

/// Cause and remedy of a message of the mesh crate, which separates them by a semicolon.
pub(super) fn split(message: &str) -> Trouble {
    match message.split_once("; ") {
        Some((cause, remedy)) => (cause.to_string(), remedy.to_string()),
        None => (message.to_string(), String::new()),
    }
}

fn read(path: &Path, shown: &str) -> Result<Mesh, Trouble> {
    let remedy = "it is looked for beside the scene file, then in the current directory".to_string();
    let info = std::fs::metadata(path).map_err(|e| {
        let remedy = match GENERATORS.contains(&shown) {
            true => format!("for the generator write mesh = {{ kind = \"{shown}\", ... }}"),
            false => format!("check the name; {remedy}"),
        };
        (format!("mesh file `{shown}` cannot be read ({e})"), remedy)
    })?;
    if !info.is_file() {
        return Err((format!("mesh `{shown}` is not a file"), remedy));
    }
    if info.len() > MAX_MESH_BYTES {
        return Err((format!("mesh file `{shown}` has {} bytes", info.len()), "use a smaller mesh".into()));
    }
    let mesh = read_mesh(path).map_err(|e: ReadError| split(&e.to_string()))?;
    limit(mesh.element_count() as u128)?;
    Ok(mesh)
}

/// Refuses a mesh with too many elements.
pub(super) fn limit(elements: u128) -> Result<(), Trouble> {
    if elements > MAX_ELEMENTS {
        let cause = format!("the mesh would have {elements} elements, more than {MAX_ELEMENTS}");
        return Err((cause, "use fewer cells".into()));
    }
    Ok(())
}
