//! Mesh files: one module per family of formats, one row per family in `FAMILIES`.
//!
//! Readers work on bytes in memory, never trust a count in a file (memory grows with what was really read) and
//! give the mesh as the file tells it: nothing dropped, nothing flipped, so that it can be inspected.
//! [`read_mesh`] makes it fit to simulate.

mod assembly;
mod base64;
mod budget;
mod bulk;
mod cursor;
mod decimal;
mod error;
mod frame;
mod gltf;
mod gmsh;
mod groups;
mod load;
mod medit;
mod names;
mod numbers;
mod obj;
mod off;
mod outline;
mod ply;
mod polygon;
mod references;
mod region;
mod remarks;
mod room;
mod save;
mod scan;
mod shape;
mod source;
mod stl;
mod tetgen;
mod unpack;
mod vtk;
mod vtu;
mod words;
mod writable;

pub use error::{ReadError, WriteError};
pub use frame::{write_obj, write_ply};
pub use source::Source;
pub use vtu::{Cells, VtuData, VtuGrid, write_vtu};

use pliant_mesh::Mesh;
use std::path::{Path, PathBuf};

/// A way to write a mesh, for example binary STL.
#[derive(Debug)]
#[non_exhaustive]
pub struct Format {
    /// What users call it, for example `gmsh41-ascii`.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// False if it holds triangles only.
    pub volumes: bool,
    /// Writes the mesh; the notes tell what the format could not keep (for example names of groups).
    write: fn(&Mesh, &Path) -> Result<Vec<String>, WriteError>,
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

/// Formats that one reader opens.
struct Family {
    /// Endings of file names, lower case, without the dot.
    endings: &'static [&'static str],
    /// Whether the first bytes can only be of this family. Leading blanks and a byte order mark are gone.
    recognises: fn(&[u8]) -> bool,
    read: fn(&Source) -> Result<Contents, ReadError>,
    /// What can be written; the first is the default of the endings.
    formats: &'static [Format],
}

/// All families. Where contents are ambiguous, the ending decides.
const FAMILIES: [&Family; 10] = [
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

/// A mesh as its file tells it.
#[derive(Clone, Debug, PartialEq)]
pub struct Contents {
    /// Vertices and elements in the order of the file, unused vertices and inverted elements included.
    pub mesh: Mesh,
    /// The format, for people: `Gmsh MSH 4.1 ASCII`, `STL binary`, ...
    pub format: String,
    /// What was changed or left out in reading, for people: `12 quads cut into triangles`, ...
    pub notes: Vec<String>,
}

/// Reads a mesh file as it is. The content decides on the format, then the ending of the name.
pub fn read_contents(path: &Path) -> Result<Contents, ReadError> {
    let source = Source::open_outline(path)?;
    source.read().map_err(|error| ReadError::InFile { path: path.to_path_buf(), error: Box::new(error) })
}

/// Reads a mesh file and makes it fit to simulate with [`Mesh::tidy`]: tets written in the other orientation are
/// turned, unused vertices dropped. What is beyond that is left to [`Mesh::validate`].
pub fn read_mesh(path: &Path) -> Result<Mesh, ReadError> {
    let mut mesh = read_contents(path)?.mesh;
    mesh.tidy();
    Ok(mesh)
}

/// Writes a mesh. Without a format the ending of the name decides. The file appears only when it is whole; an
/// older one is kept if anything goes wrong. The notes tell what the format could not keep.
pub fn write_mesh(path: &Path, mesh: &Mesh, format: Option<&Format>) -> Result<Vec<String>, WriteError> {
    let Some(format) = format.or_else(|| Format::of_path(path)) else {
        return Err(WriteError::UnknownFormat { path: path.to_path_buf() });
    };
    if !format.volumes && matches!(mesh, Mesh::Tet(_)) {
        return Err(WriteError::SurfaceOnly { format: format.name });
    }
    writable::check(mesh, format.name)?;
    (format.write)(mesh, path)
}

/// The ending of a file name in lower case, without the dot; that of the unpacked file if it is packed.
fn ending(path: &Path) -> Option<String> {
    let unpacked = without_gz(path);
    unpacked.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase)
}

/// The path without a last ending `.gz`.
fn without_gz(path: &Path) -> PathBuf {
    match path.extension() {
        Some(ending) if ending.eq_ignore_ascii_case("gz") => path.with_extension(""),
        _ => path.to_path_buf(),
    }
}

fn family_of(ending: &str) -> Option<&'static Family> {
    FAMILIES.into_iter().find(|family| family.endings.contains(&ending))
}

fn detect(bytes: &[u8], ending: Option<&str>) -> Option<&'static Family> {
    let text = without_mark(bytes).trim_ascii_start();
    FAMILIES.into_iter().find(|family| (family.recognises)(text)).or_else(|| family_of(ending?))
}

/// The bytes without a UTF-8 byte order mark, which some editors put in front.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// `1 vertex`, `2 polygons`: a count with its noun.
fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod trials;
