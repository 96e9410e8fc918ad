//! What is known of a format: its name, how it is recognised, its reader and its writer.

use crate::contents::Contents;
use crate::error::{ReadError, WriteError};
use crate::source::Source;
use pliant_mesh::Mesh;
use std::path::Path;

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
    /// Writes the mesh; the notes say what the format could not keep (for example names of groups).
    pub(crate) write: fn(&Mesh, &Path) -> Result<Vec<String>, WriteError>,
}

/// Formats that one reader opens.
pub(crate) struct Family {
    /// Endings of file names, lower case, without the dot.
    pub endings: &'static [&'static str],
    /// Whether the first bytes can only be of this family. Leading blanks and a byte order mark are gone.
    pub recognises: fn(&[u8]) -> bool,
    pub read: fn(&Source) -> Result<Contents, ReadError>,
    /// What can be written; the first is the default of the endings.
    pub formats: &'static [Format],
}
