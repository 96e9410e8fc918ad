//! Mesh files: which format is it, and what can go wrong. One module per format.
//!
//! Readers never trust a count in a file: memory grows with what was really read.

mod gmsh;
mod gmsh_build;
mod obj;
mod scan;

pub use gmsh::read_gmsh;
pub use obj::read_obj;

use crate::{Group, Groups, Mesh, Point};
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a mesh file cannot be read. Lines count from one.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// An error inside a file, with the file's name.
    #[error("{}: {error}", path.display())]
    InFile {
        /// The file.
        path: PathBuf,
        /// What is wrong in it.
        #[source]
        error: Box<ReadError>,
    },
    /// There is no such file.
    #[error("the file does not exist; check the path, it is relative to {base}")]
    Missing {
        /// What a relative path starts from.
        base: &'static str,
    },
    /// The file cannot be read.
    #[error("the file cannot be read ({0}); check its permissions and that it is a file")]
    Io(#[source] io::Error),
    /// The content and the ending of the file fit no known format.
    #[error("not a known mesh format; use Gmsh MSH 4.1 ASCII (.msh) or Wavefront OBJ (.obj)")]
    UnknownFormat,
    /// A Gmsh file of another version.
    #[error("Gmsh format {version} is not supported; save as MSH 4.1 ASCII: gmsh -format msh41 -save")]
    GmshVersion {
        /// The version found.
        version: String,
    },
    /// A binary Gmsh file.
    #[error(
        "binary Gmsh files are not supported; save as MSH 4.1 ASCII: gmsh -format msh41 -save, without -bin"
    )]
    GmshBinary,
    /// Something is wrong at a line.
    #[error("line {line}: {cause}; {remedy}")]
    At {
        /// Line number, from one.
        line: usize,
        /// What is wrong.
        cause: String,
        /// What to do.
        remedy: &'static str,
    },
    /// Some tets are oriented one way and some the other.
    #[error(
        "{count} of {total} tets are inverted, the first at line {line} with volume {volume:e}; re-mesh, or \
         repair the orientation in a mesh editor"
    )]
    Inverted {
        /// How many have negative volume.
        count: usize,
        /// Number of tets.
        total: usize,
        /// Line of the first.
        line: usize,
        /// Volume of the first.
        volume: f64,
    },
    /// The file holds no tets and no triangles.
    #[error("the file has no tets and no triangles; {remedy}")]
    Empty {
        /// What to do.
        remedy: &'static str,
    },
    /// More than 2^32 vertices or elements.
    #[error("the file has too many vertices or elements for 32-bit indices; split it")]
    TooLarge,
}

/// Reads a mesh file. The content decides on the format, then the ending of the name.
pub fn read_mesh(path: &Path) -> Result<Mesh, ReadError> {
    let in_file = |error| ReadError::InFile { path: path.to_path_buf(), error: Box::new(error) };
    let bytes = std::fs::read(path).map_err(|error| {
        in_file(match error.kind() {
            io::ErrorKind::NotFound => ReadError::Missing { base: "the working directory" },
            _ => ReadError::Io(error),
        })
    })?;
    let ending = path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
    match detect(&bytes, ending.as_deref()) {
        Some(Format::Gmsh) => read_gmsh(&bytes),
        Some(Format::Obj) => read_obj(&bytes),
        None => Err(ReadError::UnknownFormat),
    }
    .map_err(in_file)
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Format {
    Gmsh,
    Obj,
}

fn detect(bytes: &[u8], ending: Option<&str>) -> Option<Format> {
    let text = without_mark(bytes).trim_ascii_start();
    // `$NOD` starts version 1 of the Gmsh format, which gets its own message.
    if [&b"$MeshFormat"[..], b"$Comments", b"$NOD"].iter().any(|start| text.starts_with(start)) {
        return Some(Format::Gmsh);
    }
    match ending {
        Some("msh") => Some(Format::Gmsh),
        Some("obj") => Some(Format::Obj),
        _ => None,
    }
}

/// The bytes without a UTF-8 byte order mark, which some editors put in front.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// Removes the vertices that no element uses and renumbers elements and groups.
fn drop_unused<const N: usize>(vertices: &mut Vec<Point>, elements: &mut [[u32; N]], groups: &mut Groups) {
    let mut used = vec![false; vertices.len()];
    for &i in elements.iter().flatten() {
        used[i as usize] = true;
    }
    let mut next = 0;
    let new_index: Vec<Option<u32>> = used
        .iter()
        .map(|&u| {
            u.then(|| {
                next += 1;
                next - 1
            })
        })
        .collect();
    let mut keep = used.iter();
    vertices.retain(|_| keep.next() == Some(&true));
    for i in elements.iter_mut().flatten() {
        // Each index is in use by the element it stands in.
        *i = new_index[*i as usize].unwrap_or(*i);
    }
    for Group { vertices, .. } in groups.values_mut() {
        *vertices = vertices.iter().filter_map(|&i| new_index[i as usize]).collect();
    }
    groups.retain(|_, g| !(g.vertices.is_empty() && g.elements.is_empty()));
}

#[cfg(test)]
mod tests;
