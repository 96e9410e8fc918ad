//! Files that appear under their name only when they are whole.

use crate::error::OutputError;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Fills a file beside `path` and moves it there. If anything fails an older file is untouched.
pub(super) fn replace(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), OutputError> {
    let part = part_of(path);
    let fill = || {
        let mut out = BufWriter::new(File::create(&part)?);
        write(&mut out)?;
        out.flush()?;
        drop(out);
        fs::rename(&part, path)
    };
    fill().map_err(|error| {
        // The first error is the one that matters.
        let _ = fs::remove_file(&part);
        OutputError::io(path)(error)
    })
}

/// Removes what an earlier run exported to a folder: `scene.*`, and frames by their number. Other files stay.
pub(super) fn remove_old(folder: &Path) -> Result<(), OutputError> {
    let remove = || -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_file() && is_ours(&path) {
                fs::remove_file(&path)?;
            }
        }
        Ok(())
    };
    remove().map_err(OutputError::io(folder))
}

/// Whether a file has a name that exports have: `scene`, or one that ends in an underscore and six digits or more.
fn is_ours(path: &Path) -> bool {
    let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()) else { return false };
    let is_number = |text: &str| text.len() >= 6 && text.bytes().all(|b| b.is_ascii_digit());
    stem == "scene" || stem.rsplit_once('_').is_some_and(|(_, number)| is_number(number))
}

/// The name of a file while it is being written: hidden, and beside its place, so that it can be renamed.
pub(super) fn part_of(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.part"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_exports_are_removed() {
        let folder = std::env::temp_dir().join(format!("pliant-remove-{}", std::process::id()));
        fs::create_dir_all(folder.join("a_000001.d")).unwrap();
        for name in
            ["0_a_000012.obj", "contacts_1000000.vtu", "scene.glb", "notes.txt", "a_12.obj", "000012.obj"]
        {
            fs::write(folder.join(name), "").unwrap();
        }
        remove_old(&folder).unwrap();
        let mut left: Vec<_> = fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["000012.obj", "a_000001.d", "a_12.obj", "notes.txt"]);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_failed_write_leaves_the_older_file_and_nothing_else() {
        let folder = std::env::temp_dir().join(format!("pliant-replace-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("a.obj");
        replace(&path, |out| out.write_all(b"first")).unwrap();
        let failed = replace(&path, |out| {
            out.write_all(&[0; 100_000])?;
            Err(io::Error::other("the disk is full"))
        });
        assert!(failed.unwrap_err().to_string().contains("the disk is full"));
        assert_eq!(fs::read(&path).unwrap(), b"first");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(&folder).unwrap();
    }
}
