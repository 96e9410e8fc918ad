//! The bytes of a mesh file, unpacked, and the files that lie beside it.

use super::load::load;
use super::unpack::unpack;
use super::{Contents, ReadError, detect, ending, without_gz};
use std::io;
use std::path::{Path, PathBuf};

/// A file to read a mesh from. Formats that are spread over several files find the others beside it.
///
/// Files packed with gzip are unpacked, whatever their name.
#[derive(Debug)]
pub struct Source {
    bytes: Vec<u8>,
    /// The name without `.gz`.
    path: Option<PathBuf>,
}

impl Source {
    /// Reads a file.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        let in_file = |error| ReadError::InFile { path: path.to_path_buf(), error: Box::new(error) };
        let bytes = load(path).map_err(|error| {
            in_file(match error.kind() {
                io::ErrorKind::NotFound => ReadError::Missing { base: "the working directory" },
                _ => ReadError::Io(error),
            })
        })?;
        let bytes = unpack(&bytes).map_err(in_file)?.unwrap_or(bytes);
        Ok(Self { bytes, path: Some(without_gz(path)) })
    }

    /// Bytes in memory. `name` stands for a file name, whose ending helps to find the format.
    pub fn from_bytes(bytes: Vec<u8>, name: Option<&str>) -> Self {
        // What cannot be unpacked stays packed: `read` will say why.
        let unpacked = unpack(&bytes).ok().flatten();
        Self { bytes: unpacked.unwrap_or(bytes), path: name.map(|name| without_gz(Path::new(name))) }
    }

    /// The unpacked bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The unpacked bytes of the file with this name, or with `.gz` behind it, in the same folder. `None` if
    /// there is no such file.
    pub(super) fn beside(&self, name: &Path) -> Option<Vec<u8>> {
        let path = self.path.as_deref()?.with_file_name(name);
        let packed = || {
            let mut name = path.clone().into_os_string();
            name.push(".gz");
            load(name.as_ref())
        };
        let bytes = load(&path).or_else(|_| packed()).ok()?;
        Some(unpack(&bytes).ok()?.unwrap_or(bytes))
    }

    /// The name that the bytes came with, without `.gz`.
    pub(super) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Reads the mesh as it is.
    pub fn read(&self) -> Result<Contents, ReadError> {
        if let Err(fault) = unpack(&self.bytes) {
            return Err(fault);
        }
        let ending = self.path.as_deref().and_then(ending);
        let family = detect(&self.bytes, ending.as_deref()).ok_or(ReadError::UnknownFormat)?;
        (family.read)(self)
    }
}
