//! Files that appear only when they are whole.

use super::WriteError;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes a file beside the target and renames it when it is whole. On an error an older file stays as it was.
pub(super) fn save(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), WriteError> {
    let failed = |error| WriteError::Io { path: path.to_path_buf(), error };
    let (temporary, file) = create_beside(path).map_err(failed)?;
    let mut out = BufWriter::with_capacity(1 << 16, file);
    let result = write(&mut out).and_then(|()| out.flush()).and_then(|()| fs::rename(&temporary, path));
    result.map_err(|error| {
        // The first error is the one to tell; a file that cannot be removed either changes nothing.
        let _ = fs::remove_file(&temporary);
        failed(error)
    })
}

/// A new file in the folder of `path`, with a name that is not in use.
fn create_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    let name = path.file_name().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
    let mut attempt = 0_u32;
    loop {
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}-{attempt}.tmp", std::process::id()));
        let temporary = path.with_file_name(hidden);
        match File::options().write(true).create_new(true).open(&temporary) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < 1000 => attempt += 1,
            result => return result.map(|file| (temporary, file)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_keeps_the_old_file() {
        let folder = std::env::temp_dir().join(format!("pliant-mesh-save-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("a.txt");
        save(&path, |out| out.write_all(b"old")).unwrap();
        let error = save(&path, |out| {
            out.write_all(b"new")?;
            Err(io::Error::other("the disk is full"))
        });
        assert!(error.unwrap_err().to_string().contains("a.txt` cannot be written (the disk is full)"));
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        assert!(save(&folder.join("none/b.txt"), |_| Ok(())).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
