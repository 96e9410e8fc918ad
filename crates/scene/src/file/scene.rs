//! A scene file with the changes asked for: a variant, a solver, values set by hand.

use super::document::{self, Document, Problems};
use super::instances::expand;
use super::spec::{TOP_LEVEL, solver_kinds};
use super::tree::{self, Data, Entry, Node, Origin};
use super::{builtin, include, migrate, parameters};
use crate::error::{Fault, OutputError, Place, SceneError, suggest};
use pliant::SolverConfig;
use pliant_mesh::Mesh;
use pliant_mesh_io::write_mesh;
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Largest scene file that is read.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// A scene: what a file says, with a chosen variant and overrides.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Name of the file or of the built-in scene, for messages.
    pub(crate) label: String,
    pub(crate) text: String,
    /// Where mesh files are looked for.
    pub(crate) directory: PathBuf,
    /// Meshes that are not in files, by the name that the scene has for them.
    pub(crate) meshes: BTreeMap<String, Arc<Mesh>>,
    base: Node,
    variant: Option<String>,
    solver: Option<String>,
    overrides: Vec<(String, String)>,
}

impl Scene {
    /// Reads a built-in scene by its name, or a `.toml` file.
    pub fn load(path_or_builtin: &str) -> Result<Scene, SceneError> {
        if let Some(text) = builtin::text(path_or_builtin) {
            return Scene::parse(path_or_builtin, text);
        }
        let path = Path::new(path_or_builtin);
        let place = || Place::Whole(path_or_builtin.to_string());
        if !path.exists() && !path_or_builtin.ends_with(".toml") {
            let names: Vec<&str> = builtin::names().collect();
            let remedy =
                suggest(path_or_builtin, &names, "built-in scenes, or give the path of a .toml file");
            return Err(SceneError::one(place(), "there is no such scene", remedy));
        }
        let text = read_limited(path).map_err(|cause| {
            SceneError::one(
                place(),
                cause,
                "check the path, or list the built-in scenes with `pliant scenes`",
            )
        })?;
        Scene::parse_in(path_or_builtin, &text, path.parent().unwrap_or(Path::new("")))
    }

    /// Reads a scene from text; `label` names it in messages.
    pub fn parse(label: &str, text: &str) -> Result<Scene, SceneError> {
        Scene::parse_in(label, text, Path::new(""))
    }

    /// Reads a scene from text whose files are looked for in `directory`.
    pub fn parse_in(label: &str, text: &str, directory: &Path) -> Result<Scene, SceneError> {
        if text.len() as u64 > MAX_FILE_BYTES {
            let cause = format!("the scene has {} bytes, more than {MAX_FILE_BYTES}", text.len());
            return Err(SceneError::one(
                Place::Whole(label.into()),
                cause,
                "keep meshes in files of their own",
            ));
        }
        let base = tree::parse(label, text)?;
        let mut base = include::take_in(base, (label, text), directory, &read_limited)?;
        migrate::to_current(&mut base).map_err(|(origin, fault)| fault.at(origin.place(label, text)))?;
        Ok(Scene {
            label: label.to_string(),
            text: text.to_string(),
            directory: directory.to_path_buf(),
            meshes: BTreeMap::new(),
            base,
            variant: None,
            solver: None,
            overrides: Vec::new(),
        })
    }

    /// Looks for mesh files in another directory.
    #[must_use]
    pub fn in_directory(mut self, directory: impl Into<PathBuf>) -> Scene {
        self.directory = directory.into();
        self
    }

    /// Takes this mesh where the scene names a file `name`, which need not exist.
    #[must_use]
    pub fn with_mesh(mut self, name: impl Into<String>, mesh: impl Into<Arc<Mesh>>) -> Scene {
        self.meshes.insert(name.into(), mesh.into());
        self
    }

    /// The meshes that were given with the scene, by their names.
    pub fn meshes(&self) -> &BTreeMap<String, Arc<Mesh>> {
        &self.meshes
    }

    /// Writes the meshes that were given with the scene to a directory, each to a file of its name.
    ///
    /// # Errors
    /// If a name is not that of a file in the directory, its ending is no format, or the file cannot be written.
    pub fn write_meshes(&self, directory: &Path) -> Result<(), OutputError> {
        for (name, mesh) in &self.meshes {
            let path = directory.join(name);
            let is_inside = Path::new(name).file_name().is_some_and(|file| file == name.as_str());
            let written = match is_inside {
                true => write_mesh(&path, mesh, None).map(|_| ()).map_err(|e| e.to_string()),
                false => Err("a mesh of a scene needs a plain file name".to_string()),
            };
            written.map_err(|cause| OutputError::Io { path, source: io::Error::other(cause) })?;
        }
        Ok(())
    }

    /// Where mesh files are looked for.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Chooses a variant instead of the default one.
    pub fn with_variant(mut self, name: &str) -> Result<Scene, SceneError> {
        let variants = self.variants();
        if !variants.contains(&name) {
            let remedy = suggest(name, &variants, "variants");
            let cause = format!("unknown variant `{name}`");
            return Err(SceneError::one(Place::Override(format!("--variant {name}")), cause, remedy));
        }
        self.variant = Some(name.to_string());
        self.effective()?;
        Ok(self)
    }

    /// Chooses another solver; its knobs start at their defaults unless the scene already uses it.
    pub fn with_solver(mut self, kind: &str) -> Result<Scene, SceneError> {
        let kinds: Vec<&str> = solver_kinds().iter().map(|(kind, _)| *kind).collect();
        if !kinds.contains(&kind) {
            let cause = format!("unknown solver `{kind}`");
            let remedy = suggest(kind, &kinds, "solvers");
            return Err(SceneError::one(Place::Override(format!("--solver {kind}")), cause, remedy));
        }
        self.solver = Some(kind.to_string());
        Ok(self)
    }

    /// Makes the changes that were asked for: a variant, a solver, then single values.
    pub fn with_changes(
        mut self,
        variant: Option<&str>,
        solver: Option<&str>,
        values: &[(String, String)],
    ) -> Result<Scene, SceneError> {
        if let Some(name) = variant {
            self = self.with_variant(name)?;
        }
        if let Some(kind) = solver {
            self = self.with_solver(kind)?;
        }
        for (path, value) in values {
            self.set(path, value)?;
        }
        Ok(self)
    }

    /// Sets a parameter (`youngs`) or any value by its dotted path (`body.0.material.youngs`).
    ///
    /// The value is TOML; what is not valid TOML is taken as a text.
    pub fn set(&mut self, path: &str, value: &str) -> Result<(), SceneError> {
        self.overrides.push((path.to_string(), value.to_string()));
        let result = self.effective().map(|_| ());
        if result.is_err() {
            self.overrides.pop();
        }
        result
    }

    /// Names of the variants, in the order of the file.
    pub fn variants(&self) -> Vec<&str> {
        self.base.get("variants").map(Node::keys).unwrap_or_default()
    }

    /// Names of the parameters, in the order of the file.
    pub fn parameters(&self) -> Vec<&str> {
        self.base.get("parameters").map(Node::keys).unwrap_or_default()
    }

    /// The parameters with their values, as JSON: numbers, texts, true or false, lists.
    pub fn parameter_values(&self) -> Result<Vec<(String, serde_json::Value)>, SceneError> {
        let tree = self.effective()?;
        let Some(Data::Table(entries)) = tree.get("parameters").map(|p| &p.data) else {
            return Ok(Vec::new());
        };
        Ok(entries.iter().map(|e| (e.key.clone(), e.value.to_json())).collect())
    }

    /// A text of `[scene]` such as `description`, without building the scene.
    pub fn about(&self, key: &str) -> Option<&str> {
        self.base.get("scene")?.get(key)?.as_str()
    }

    /// The variant in use, if the scene has any.
    pub fn variant(&self) -> Option<&str> {
        self.variant.as_deref().or_else(|| self.base.get("scene")?.get("default_variant")?.as_str())
    }

    /// The variant that was asked for.
    pub(crate) fn chosen_variant(&self) -> Option<&str> {
        self.variant.as_deref()
    }

    /// The solver that was asked for instead of the scene's own.
    pub fn chosen_solver(&self) -> Option<&str> {
        self.solver.as_deref()
    }

    /// Name of the file or of the built-in scene.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The text of the file as it was read.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The values set by hand, in order.
    pub fn overrides(&self) -> &[(String, String)] {
        &self.overrides
    }

    /// Whether values that the expectations depend on were set by hand.
    pub fn is_as_written(&self) -> bool {
        self.overrides
            .iter()
            .all(|(path, _)| ["expect.", "solver.", "tolerate."].iter().any(|own| path.starts_with(own)))
    }

    /// The tree with variant, solver and overrides put in, parameters not yet.
    fn effective(&self) -> Result<Node, SceneError> {
        let mut tree = self.base.clone();
        if let Some(name) = self.variant() {
            self.apply_variant(&mut tree, name)?;
        }
        if let Some(kind) = &self.solver {
            apply_solver(&mut tree, kind);
        }
        for (path, value) in &self.overrides {
            self.apply(&mut tree, path, Node::from_override(path, value))
                .map_err(|fault| fault.at(Place::Override(format!("--set {path}"))))?;
        }
        Ok(tree)
    }

    fn apply_variant(&self, tree: &mut Node, name: &str) -> Result<(), SceneError> {
        let fail = |origin: &Origin, fault: Fault| fault.at(origin.place(&self.label, &self.text));
        let Some(variant) = self.base.get("variants").and_then(|v| v.get(name)) else {
            let at = &self.base.closest("scene.default_variant").origin;
            let remedy = suggest(name, &self.variants(), "variants");
            return Err(fail(at, Fault::new(format!("unknown variant `{name}`"), remedy)));
        };
        let Data::Table(entries) = &variant.data else {
            let remedy = "write a table of overrides such as \"body.0.density\" = 500";
            return Err(fail(
                &variant.origin,
                Fault::new(format!("variants.{name}: expected a table"), remedy),
            ));
        };
        for entry in entries {
            self.apply(tree, &entry.key, entry.value.clone()).map_err(|e| fail(&entry.key_origin, e))?;
        }
        Ok(())
    }

    /// Sets a parameter or a path.
    fn apply(&self, tree: &mut Node, path: &str, value: Node) -> Result<(), Fault> {
        if let Some((first, _)) = path.split_once('.') {
            if !TOP_LEVEL.contains(&first) {
                return Err(Fault::new(
                    format!("there is no `{first}` in a scene"),
                    suggest(first, &TOP_LEVEL, "entries"),
                ));
            }
            return tree.set(path, value);
        }
        let names = self.parameters();
        if names.contains(&path) {
            return tree.set(&format!("parameters.{path}"), value);
        }
        let mut remedy = suggest(path, &names, "parameters");
        if TOP_LEVEL.contains(&path) {
            remedy = format!("give a whole path in quotes such as \"{path}.0.name\"");
        }
        Err(Fault::new(
            format!("unknown parameter `{path}`"),
            format!("{remedy} (a path has dots, as in body.0.density)"),
        ))
    }

    /// Reads all entries; checks may add to the problems, which are none so far.
    pub(crate) fn read(&self) -> Result<(Document, Problems), SceneError> {
        let mut tree = self.effective()?;
        // References to a bad parameter would only repeat its problem.
        let bad = parameters::check(&tree);
        let (stop, faults) =
            if bad.is_empty() { (false, parameters::substitute(&mut tree)) } else { (true, bad) };
        let mut problems = Problems::new(&self.label, &self.text, tree);
        for (origin, fault) in faults {
            problems.add_at(&origin, fault.cause, fault.remedy);
        }
        if stop {
            return Err(problems.into_error());
        }
        match document::read(&mut problems) {
            Some(mut document) => {
                document.bodies = expand(document.bodies, document.scene.seed, &mut problems);
                if problems.is_empty() { Ok((document, problems)) } else { Err(problems.into_error()) }
            }
            None => Err(problems.into_error()),
        }
    }
}

/// Replaces the table `[solver]` if it is of another kind.
fn apply_solver(tree: &mut Node, kind: &str) {
    let current = tree.get("solver").and_then(|s| s.get("kind")).and_then(Node::as_str);
    if current.unwrap_or(SolverConfig::default().kind()) == kind {
        return;
    }
    let origin = Origin::Override(format!("--solver {kind}"));
    let value = Node { data: Data::String(kind.to_string()), origin: origin.clone() };
    let entry = Entry { key: "kind".into(), key_origin: origin.clone(), value };
    // A fresh table: the knobs of another solver have other meanings.
    let _ = tree.set("solver", Node { data: Data::Table(vec![entry]), origin });
}

/// A text file, if it is not too large; the error is its cause.
fn read_limited(path: &Path) -> Result<String, String> {
    let size = std::fs::metadata(path).map_err(|e| format!("the scene file cannot be read ({e})"))?;
    if size.is_dir() {
        return Err("this is a directory, not a scene file".into());
    }
    if !size.is_file() {
        return Err("this is a pipe or a device, not a scene file".into());
    }
    if size.len() > MAX_FILE_BYTES {
        return Err(format!("the file has {} bytes, more than {MAX_FILE_BYTES}", size.len()));
    }
    // The size is a promise that special files do not keep.
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|e| format!("the scene file cannot be read ({e})"))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(format!("the file has more than {MAX_FILE_BYTES} bytes"));
    }
    String::from_utf8(bytes)
        .map_err(|e| format!("the file is not UTF-8 text (byte {})", e.utf8_error().valid_up_to()))
}
