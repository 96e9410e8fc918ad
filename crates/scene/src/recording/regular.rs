//! Opening files of a run: nothing but regular files, so that nobody waits on a pipe or reads a device without end.

use std::fs::File;
use std::io;
use std::path::Path;

/// Opens a regular file for reading.
///
/// # Errors
/// Also if it is a folder, a pipe or a device, which is not opened at all.
pub(super) fn open_regular(path: &Path) -> io::Result<File> {
    let about = std::fs::metadata(path)?;
    if about.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "this is a folder"));
    }
    if !about.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "this is a pipe or a device, not a file"));
    }
    File::open(path)
}
