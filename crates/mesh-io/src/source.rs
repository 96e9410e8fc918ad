//! The bytes of a mesh file, unpacked, and the files that lie beside it.

use crate::error::ReadError;
use crate::load::{check, load};
use crate::outline::{FindArrays, Outline};
use crate::path::without_gz;
use crate::region::Region;
use crate::unpack::unpack;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// A file to read a mesh from. Formats that are spread over several files find the others beside it.
///
/// Files packed with gzip are unpacked, whatever their name.
#[derive(Debug)]
pub struct Source {
    bytes: Vec<u8>,
    /// What was left out of the bytes.
    outline: Option<Outline>,
    /// The name without `.gz`.
    path: Option<PathBuf>,
}

impl Source {
    /// Reads a file.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        let bytes = load(path).map_err(|error| in_file(path, no_bytes(error)))?;
        let bytes = unpack(&bytes).map_err(|error| in_file(path, error))?.unwrap_or(bytes);
        Ok(Self { bytes, outline: None, path: Some(without_gz(path)) })
    }

    /// Reads a file but leaves the big arrays that `find` knows on the disk.
    pub(super) fn open_outline(path: &Path, find: FindArrays) -> Result<Self, ReadError> {
        let outline = check(path).and_then(|()| File::open(path)).and_then(|file| Outline::open(file, find));
        match outline.map_err(|error| in_file(path, no_bytes(error)))? {
            Some((outline, bytes)) => {
                Ok(Self { bytes, outline: Some(outline), path: Some(path.to_path_buf()) })
            }
            None => Self::open(path),
        }
    }

    /// Bytes in memory. `name` stands for a file name, whose ending helps to find the format.
    pub fn from_bytes(bytes: Vec<u8>, name: Option<&str>) -> Self {
        // What cannot be unpacked stays packed: `read` will say why.
        let unpacked = unpack(&bytes).ok().flatten();
        let path = name.map(|name| without_gz(Path::new(name)));
        Self { bytes: unpacked.unwrap_or(bytes), outline: None, path }
    }

    /// The size of the whole unpacked file.
    pub(super) fn size(&self) -> usize {
        self.offset(self.bytes.len())
    }

    /// One of the arrays that were left out of the bytes, in order, and its place.
    pub(super) fn left_out(&self, number: usize) -> Option<(usize, Region<'_>)> {
        self.outline.as_ref()?.array(number)
    }

    /// The place in the file of a place in the bytes.
    pub(super) fn offset(&self, place: usize) -> usize {
        self.outline.as_ref().map_or(place, |outline| outline.offset(place))
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
}

fn in_file(path: &Path, error: ReadError) -> ReadError {
    ReadError::InFile { path: path.to_path_buf(), error: Box::new(error) }
}

fn no_bytes(error: io::Error) -> ReadError {
    match error.kind() {
        io::ErrorKind::NotFound => ReadError::Missing { base: "the working directory" },
        _ => ReadError::Io(error),
    }
}
