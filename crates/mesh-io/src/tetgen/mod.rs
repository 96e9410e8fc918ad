//! TetGen: `.node` with vertices, `.ele` with tets and `.face` with triangles, beside each other.
//!
//! Any of the files finds the others. Counts are in front; a last number that was cut short cannot be noticed. Markers
//! become groups, and groups markers, without their names. The files of Triangle, with two coordinates and `.ele` for
//! triangles, are read as well.

mod read;
mod write;

use super::{Contents, Family, Format, ReadError, Source};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

pub(super) const FAMILY: Family = Family {
    endings: &["node", "ele", "face"],
    // Nothing but numbers: only the ending is a sign.
    recognises: |_| false,
    read,
    formats: &[Format {
        name: write::NAME,
        about: "TetGen .node, .ele, .face: volume or surface; groups as numbered markers, doubles exact",
        volumes: true,
        write: write::write,
    }],
};

/// The texts of the files. The others may be missing.
struct Files<'a> {
    node: Cow<'a, [u8]>,
    ele: Option<Cow<'a, [u8]>>,
    face: Option<Cow<'a, [u8]>>,
}

fn read(source: &Source) -> Result<Contents, ReadError> {
    let path = source.path().unwrap_or(Path::new(""));
    let (stem, ending) = split(path);
    let find = |wanted: &str| {
        if ending == wanted {
            return Some(Cow::Borrowed(source.bytes()));
        }
        let name = with_ending(&stem, wanted);
        source.beside(&name).or_else(|| source.beside(&with_ending(&name, "gz"))).map(Cow::Owned)
    };
    let Some(node) = find("node") else {
        return Err(ReadError::Companion {
            name: with_ending(&stem, "node").display().to_string(),
            cause: "which has the vertices and is not beside it",
            remedy: "put it in the same folder",
        });
    };
    read::read_files(&Files { node, ele: find("ele"), face: find("face") })
}

/// The name without the ending of one of the files and of a packed file, and the ending in lower case.
fn split(path: &Path) -> (PathBuf, String) {
    let name = PathBuf::from(path.file_name().unwrap_or_default());
    let name =
        if crate::path::ending(&name).as_deref() == Some("gz") { name.with_extension("") } else { name };
    match crate::path::ending(&name) {
        Some(ending) if FAMILY.endings.contains(&ending.as_str()) => (name.with_extension(""), ending),
        // A name without an ending stands for the vertices.
        _ => (name, "node".to_string()),
    }
}

/// The name with one more ending.
fn with_ending(stem: &Path, ending: &str) -> PathBuf {
    let mut name = stem.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests;
