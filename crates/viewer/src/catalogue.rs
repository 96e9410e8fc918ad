//! The scenes that a page may ask for: the built-in ones, and those beside the file that was opened.

use pliant_scene::{Scene, builtin, suggest};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Files of a folder that are listed at most.
const MAX_FILES: usize = 200;

/// What a page learns about a scene.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Listed {
    /// How it is asked for.
    pub name: String,
    /// One line about it.
    pub description: String,
    /// Where it comes from.
    pub source: String,
    /// Its variants.
    pub variants: Vec<String>,
    /// The one that is used if none is asked for.
    pub default_variant: Option<String>,
}

/// The scenes by their names.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    entries: Vec<(Listed, String)>,
}

impl Catalogue {
    /// The built-in scenes, the scene `opened` if it is a file, and other scenes in the same folder.
    pub fn around(opened: &str) -> Catalogue {
        let mut catalogue = Catalogue::default();
        if builtin::text(opened).is_none() {
            let path = Path::new(opened);
            let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
            catalogue.add_file(path);
            beside(folder).iter().filter(|p| p.file_name() != path.file_name()).for_each(|p| {
                catalogue.add_file(p);
            });
        }
        for name in builtin::names() {
            catalogue.add(name.to_string(), name);
        }
        catalogue
    }

    fn add_file(&mut self, path: &Path) {
        if let (Some(name), Some(place)) = (path.file_name().and_then(|n| n.to_str()), path.to_str()) {
            self.add(name.to_string(), place);
        }
    }

    /// Adds a scene that can be read; others would only be errors to choose from.
    fn add(&mut self, name: String, place: &str) {
        let Ok(scene) = Scene::load(place) else { return };
        let about = |key| scene.about(key).unwrap_or_default().to_string();
        let listed = Listed {
            description: about("description"),
            source: about("source"),
            variants: scene.variants().into_iter().map(str::to_string).collect(),
            default_variant: scene.variant().map(str::to_string),
            name,
        };
        self.entries.push((listed, place.to_string()));
    }

    /// What pages learn.
    pub fn listed(&self) -> impl Iterator<Item = &Listed> {
        self.entries.iter().map(|(listed, _)| listed)
    }

    /// Path or built-in name of a scene of the list. The error is a cause with a remedy.
    pub fn place(&self, name: &str) -> Result<&str, String> {
        let found = self.entries.iter().find(|(listed, _)| listed.name == name);
        found.map(|(_, place)| place.as_str()).ok_or_else(|| {
            let names: Vec<&str> = self.listed().map(|l| l.name.as_str()).collect();
            format!("there is no scene `{name}` in the list: {}", suggest(name, &names, "scenes"))
        })
    }
}

/// Scene files of a folder, by name.
fn beside(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|p| p.extension().is_some_and(|e| e == "toml") && p.is_file())
        .collect();
    paths.sort();
    paths.truncate(MAX_FILES);
    paths
}
