//! Writing a file so that it appears only when it is whole.

use super::WriteError;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Writers of text make many small calls; blocks of this size or more go straight to the file.
const BUFFER: usize = 1 << 16;

/// Higher levels take four times as long to save a few per cent.
const LEVEL: Compression = Compression::new(3);

/// Writes a file beside `path` and moves it there when `write` has succeeded. If anything fails, the new file
/// is removed and an older one is untouched. A name that ends in `.gz` is packed.
///
/// The data are handed to the system but not forced to the disk: a power cut within seconds may lose them.
pub(super) fn save(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), WriteError> {
    try_save(path, write).map_err(|error| WriteError::Io { path: path.to_path_buf(), error })
}

fn try_save(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let packed = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("gz"));
    // A link stays a link: the file it leads to is replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let older = fs::metadata(&target).ok();
    if older.as_ref().is_some_and(|m| !m.is_file() && !m.is_dir()) {
        // Pipes and devices cannot be replaced.
        return fill(OpenOptions::new().write(true).open(&target)?, packed, write);
    }
    let (file, temporary) = Temporary::beside(&target)?;
    if let Some(older) = older {
        file.set_permissions(older.permissions())?;
    }
    fill(file, packed, write)?;
    temporary.rename(&target)
}

fn fill(file: File, packed: bool, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(BUFFER, file);
    if packed {
        let mut encoder = GzEncoder::new(&mut out, LEVEL);
        write(&mut encoder)?;
        encoder.finish()?;
    } else {
        write(&mut out)?;
    }
    out.flush()
}

/// A file that is removed unless it gets its final name.
struct Temporary {
    path: PathBuf,
    renamed: bool,
}

impl Temporary {
    fn beside(target: &Path) -> io::Result<(File, Self)> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let name = target.file_name().ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidInput, "the path does not end in a file name")
        })?;
        let mut hidden = OsString::from(".");
        hidden.push(name);
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        hidden.push(format!(".{}-{number}.part", std::process::id()));
        let path = target.with_file_name(hidden);
        let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        Ok((file, Self { path, renamed: false }))
    }

    fn rename(mut self, target: &Path) -> io::Result<()> {
        fs::rename(&self.path, target)?;
        self.renamed = true;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.renamed {
            // The error that led here is the one that matters.
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("pliant-save-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn names(folder: &Path) -> Vec<OsString> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    }

    #[test]
    fn a_failed_write_leaves_the_older_file() {
        let folder = folder("older");
        let path = folder.join("a.msh");
        save(&path, |out| out.write_all(b"first")).unwrap();
        let error = save(&path, |out| {
            out.write_all(&[0; 3 * BUFFER])?;
            Err(io::Error::other("the writer gave up"))
        })
        .unwrap_err();
        assert!(error.to_string().contains("the writer gave up"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"first");
        save(&path, |out| out.write_all(b"second")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(names(&folder), ["a.msh"]);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn folders_that_do_not_exist_and_folders_as_files_are_refused() {
        let folder = folder("refused");
        fs::create_dir(folder.join("sub")).unwrap();
        for path in [folder.join("none/a.msh"), folder.join("sub"), folder.join("sub/..")] {
            assert!(save(&path, |out| out.write_all(b"x")).is_err(), "{}", path.display());
        }
        assert_eq!(names(&folder), ["sub"]);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn the_ending_gz_packs() {
        let folder = folder("packed");
        let path = folder.join("a.msh.GZ");
        let text = [b'x'; 10_000];
        save(&path, |out| out.write_all(&text)).unwrap();
        let bytes = fs::read(&path).unwrap();
        assert!(bytes.len() < 1000);
        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(&bytes[..]).read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked, text);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_links() {
        let folder = folder("links");
        fs::write(folder.join("real.msh"), b"old").unwrap();
        std::os::unix::fs::symlink("real.msh", folder.join("link.msh")).unwrap();
        save(&folder.join("link.msh"), |out| out.write_all(b"new")).unwrap();
        assert_eq!(fs::read(folder.join("real.msh")).unwrap(), b"new");
        assert!(folder.join("link.msh").symlink_metadata().unwrap().is_symlink());
        fs::remove_dir_all(&folder).unwrap();
    }
}
