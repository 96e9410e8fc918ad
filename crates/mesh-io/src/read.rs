//! Reads a file with the reader of its format.

use crate::contents::Contents;
use crate::error::ReadError;
use crate::outline::Walk;
use crate::path::ending;
use crate::source::Source;
use crate::table::detect;
use crate::unpack::unpack;
use crate::{gmsh, vtu};
use pliant_mesh::Mesh;
use std::ops::Range;
use std::path::Path;

/// Reads a mesh file as it is. The content decides on the format, then the ending of the name.
pub fn read_contents(path: &Path) -> Result<Contents, ReadError> {
    let source = Source::open_outline(path, big_arrays)?;
    source.read().map_err(|error| ReadError::InFile { path: path.to_path_buf(), error: Box::new(error) })
}

/// Reads a mesh file and makes it fit to simulate with [`Mesh::tidy`]: tets written in the other orientation are
/// turned, unused vertices dropped. What is beyond that is left to [`Mesh::validate`].
pub fn read_mesh(path: &Path) -> Result<Mesh, ReadError> {
    let mut mesh = read_contents(path)?.mesh;
    mesh.tidy();
    Ok(mesh)
}

/// The big arrays of a file of a kind that can leave them on the disk.
pub(crate) fn big_arrays(walk: Walk<'_>) -> Option<Vec<Range<u64>>> {
    gmsh::outline(walk).or_else(|| vtu::outline(walk))
}

impl Source {
    /// Reads the mesh as it is.
    pub fn read(&self) -> Result<Contents, ReadError> {
        unpack(self.bytes())?;
        let ending = self.path().and_then(ending);
        let family = detect(self.bytes(), ending.as_deref()).ok_or(ReadError::UnknownFormat)?;
        (family.read)(self)
    }
}
