//! Meshes that a scene names: given with it, or in files that are found, limited in size, read.

use crate::error::Fault;
use crate::file::Scene;
use crate::file::spec::GENERATORS;
use pliant_mesh::Mesh;
use pliant_mesh_io::read_mesh;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Most elements of a body: as a solid it takes about 10 GB and minutes until the first step, as cloth half of that.
const MAX_ELEMENTS: u128 = 2_000_000;
/// Most elements of a scene: many small bodies are made sooner than a large one.
pub(super) const MAX_ELEMENTS_IN_ALL: u128 = 20_000_000;
/// Largest mesh file that is read.
const MAX_MESH_BYTES: u64 = 4 << 30;

/// Where a file of a scene is: beside the scene file, or else where the user is. A name with `*` or `#` stands for several.
pub(super) fn find_file(file: &str, directory: &Path) -> PathBuf {
    let beside = directory.join(file);
    let is_there = match file.contains(['*', '#']) {
        true => beside.parent().is_some_and(Path::exists),
        false => beside.exists(),
    };
    if is_there { beside } else { PathBuf::from(file) }
}

/// Where the meshes are that a scene names.
#[derive(Clone, Copy, Debug)]
pub(super) struct MeshFiles<'a> {
    given: &'a BTreeMap<String, Arc<Mesh>>,
    directory: &'a Path,
}

impl<'a> MeshFiles<'a> {
    pub(super) fn of(scene: &'a Scene) -> MeshFiles<'a> {
        MeshFiles { given: &scene.meshes, directory: &scene.directory }
    }

    /// The mesh of this name: given with the scene, in a file beside the scene file, or else in one from where the user is,
    /// since a name may come from the command line.
    pub(super) fn read(&self, name: &str) -> Result<Mesh, Fault> {
        if let Some(mesh) = self.given.get(name) {
            limit(mesh.element_count() as u128)?;
            return Ok(Mesh::clone(mesh));
        }
        read(&find_file(name, self.directory), name)
    }

    /// Where the scene file is.
    pub(super) fn directory(&self) -> &'a Path {
        self.directory
    }
}

fn read(path: &Path, shown: &str) -> Result<Mesh, Fault> {
    let remedy = "it is looked for beside the scene file, then in the current directory";
    let info = std::fs::metadata(path).map_err(|e| {
        let remedy = match GENERATORS.contains(&shown) {
            true => format!("for the generator write mesh = {{ kind = \"{shown}\", ... }}"),
            false => format!("check the name; {remedy}"),
        };
        Fault::new(format!("mesh file `{shown}` cannot be read ({e})"), remedy)
    })?;
    if !info.is_file() {
        return Err(Fault::new(format!("mesh `{shown}` is not a file"), remedy));
    }
    if info.len() > MAX_MESH_BYTES {
        return Err(Fault::new(
            format!("mesh file `{shown}` has {} bytes", info.len()),
            "use a smaller mesh",
        ));
    }
    let mesh = read_mesh(path)?;
    limit(mesh.element_count() as u128)?;
    Ok(mesh)
}

/// Refuses a mesh with too many elements.
pub(super) fn limit(elements: u128) -> Result<(), Fault> {
    if elements > MAX_ELEMENTS {
        let cause = format!("the mesh would have {elements} elements, more than {MAX_ELEMENTS}");
        return Err(Fault::new(cause, "use fewer cells, or a coarser file (`pliant mesh simplify`)"));
    }
    Ok(())
}
