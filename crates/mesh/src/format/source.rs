//! The bytes of a mesh file, unpacked, and the files that lie beside it.

use super::{Contents, ReadError, detect, ending};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A file to read a mesh from. Formats that are spread over several files find the others beside it.
#[derive(Debug)]
pub struct Source {
    bytes: Vec<u8>,
    path: Option<PathBuf>,
}

impl Source {
    /// Reads a file.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        let bytes = fs::read(path).map_err(|error| {
            let error = match error.kind() {
                io::ErrorKind::NotFound => ReadError::Missing { base: "the working directory" },
                _ => ReadError::Io(error),
            };
            ReadError::InFile { path: path.to_path_buf(), error: Box::new(error) }
        })?;
        Ok(Self { bytes, path: Some(path.to_path_buf()) })
    }

    /// Bytes in memory. `name` stands for a file name, whose ending helps to find the format.
    pub fn from_bytes(bytes: Vec<u8>, name: Option<&str>) -> Self {
        Self { bytes, path: name.map(PathBuf::from) }
    }

    /// The unpacked bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes of the file with this name in the same folder, or `None` if there is no such file.
    pub(super) fn beside(&self, name: &Path) -> Option<Vec<u8>> {
        fs::read(self.path.as_deref()?.with_file_name(name)).ok()
    }

    /// The name that the bytes came with.
    pub(super) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Reads the mesh as it is.
    pub fn read(&self) -> Result<Contents, ReadError> {
        let ending = self.path.as_deref().and_then(ending);
        let family = detect(&self.bytes, ending.as_deref()).ok_or(ReadError::UnknownFormat)?;
        (family.read)(self)
    }
}
