//! Mesh files: one module per family of formats, one row per family in `table`.
//!
//! Readers work on bytes in memory, never trust a count in a file (memory grows with what was really read) and give the
//! mesh as it is in the file: nothing dropped, nothing flipped, so that it can be inspected. [`read_mesh`] makes it fit to
//! simulate. A writer fills a file beside its target and renames it when it is whole.
#![forbid(unsafe_code)]

mod animation;
mod assembly;
mod base64;
mod budget;
mod bulk;
mod cell;
mod contents;
mod cursor;
mod decimal;
mod error;
mod file_set;
mod format;
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
mod path;
mod ply;
mod points;
mod polygon;
mod read;
mod references;
mod region;
mod save;
mod scan;
mod source;
mod stl;
mod table;
mod tetgen;
mod text;
mod unpack;
mod vtk;
mod vtu;
mod words;
mod writable;

pub use animation::read_animation;
pub use contents::Contents;
pub use error::{ReadError, WriteError};
pub use format::Format;
pub use frame::{write_obj, write_ply};
pub use points::Animation;
pub use read::{read_contents, read_mesh};
pub use source::Source;
pub use table::formats;
pub use vtu::{Cells, VtuData, VtuGrid, write_vtu};

use format::Family;
use pliant_mesh::Mesh;
use std::path::Path;
use text::{counted, without_mark};

/// Writes a mesh. Without a format the ending of the name decides. The file appears only when it is whole; an
/// older one is kept if anything goes wrong. The notes say what the format could not keep.
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

#[cfg(test)]
mod tests;
#[cfg(test)]
mod trials;
