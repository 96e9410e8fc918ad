//! The table of all formats.

use crate::format::{Family, Format};
use crate::path::ending;
use crate::text::without_mark;
use crate::{gltf, gmsh, medit, obj, off, ply, stl, tetgen, vtk, vtu};
use std::path::Path;

/// All families. Where contents are ambiguous, the ending decides.
pub(crate) const FAMILIES: [&Family; 10] = [
    &gmsh::FAMILY,
    &vtu::FAMILY,
    &vtk::FAMILY,
    &tetgen::FAMILY,
    &medit::FAMILY,
    &ply::FAMILY,
    &stl::FAMILY,
    &off::FAMILY,
    &gltf::FAMILY,
    &obj::FAMILY,
];

/// Every format that can be written. All of them can be read.
pub fn formats() -> impl Iterator<Item = &'static Format> {
    FAMILIES.into_iter().flat_map(|family| family.formats)
}

impl Format {
    /// The format that a file of this name is written in unless another is asked for.
    pub fn of_path(path: &Path) -> Option<&'static Format> {
        default_of(&ending(path)?)
    }

    /// Endings of file names that it goes by, lower case, without the dot. `.gz` may follow any of them.
    pub fn endings(&self) -> Vec<&'static str> {
        let of_self = |family: &&Family| family.formats.iter().any(|f| f.name == self.name);
        let Some(family) = FAMILIES.into_iter().find(of_self) else { return Vec::new() };
        // Formats named by an ending, such as glb and gltf, leave the other endings to the others.
        let has_its_own = family.endings.contains(&self.name);
        let is_own = |e: &&str| !READ_ONLY.contains(e) && (!has_its_own || *e == self.name);
        family.endings.iter().copied().filter(is_own).collect()
    }

    /// Whether a file with such an ending is written in this format unless another is asked for.
    pub fn is_default(&self) -> bool {
        self.endings().iter().any(|e| default_of(e).is_some_and(|f| f.name == self.name))
    }
}

/// Endings of files that are read but not written: those who see them expect other contents than ours.
const READ_ONLY: [&str; 2] = ["vtp", "meshb"];

/// The format of files with this ending.
fn default_of(ending: &str) -> Option<&'static Format> {
    if READ_ONLY.contains(&ending) {
        return None;
    }
    let formats = family_of(ending)?.formats;
    formats.iter().find(|f| f.name == ending).or(formats.first())
}

pub(crate) fn family_of(ending: &str) -> Option<&'static Family> {
    FAMILIES.into_iter().find(|family| family.endings.contains(&ending))
}

/// The family that reads a file with these first bytes and this ending.
pub(crate) fn detect(bytes: &[u8], ending: Option<&str>) -> Option<&'static Family> {
    let text = without_mark(bytes).trim_ascii_start();
    FAMILIES.into_iter().find(|family| (family.recognises)(text)).or_else(|| family_of(ending?))
}
