//! The bytes of a file, read by all threads: filling fresh memory takes longer than copying.

use super::region::read_at;
use rayon::prelude::*;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

/// From this size on a file is looked at before it is read.
const HUGE: u64 = 1 << 30;
/// Part of a file that must be on the disk: sparse files have less.
const FILLED: u64 = 100;

/// Refuses what is no file, without opening it, and huge files that hold nothing.
pub(super) fn check(path: &Path) -> io::Result<()> {
    let refuse = |why: &str| Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    let about = std::fs::metadata(path)?;
    if about.is_dir() {
        return refuse("this is a folder");
    }
    if !about.is_file() {
        return refuse("this is a pipe or a device");
    }
    if about.len() < HUGE {
        return Ok(());
    }
    if on_disk(&about) < about.len() / FILLED {
        return refuse("it is almost all holes: a file that was never filled");
    }
    let mut head = [0; 4096];
    File::open(path)?.read_exact(&mut head)?;
    if head == [0; 4096] {
        return refuse("it starts with nothing but zeros");
    }
    Ok(())
}

/// Bytes of a file that are on the disk, where the system knows.
fn on_disk(about: &Metadata) -> u64 {
    #[cfg(unix)]
    return std::os::unix::fs::MetadataExt::blocks(about).saturating_mul(512);
    #[cfg(not(unix))]
    return about.len();
}

/// All bytes of a file.
pub(super) fn load(path: &Path) -> io::Result<Vec<u8>> {
    check(path)?;
    match load_in_parts(path)? {
        Some(bytes) => Ok(bytes),
        None => std::fs::read(path),
    }
}

fn load_in_parts(path: &Path) -> io::Result<Option<Vec<u8>>> {
    const PART: usize = 1 << 20;
    let file = File::open(path)?;
    let about = file.metadata()?;
    let size = usize::try_from(about.len()).unwrap_or(0);
    // Small files are not worth it.
    if size < 4 * PART || cfg!(not(any(unix, windows))) {
        return Ok(None);
    }
    // Memory that is not there would end the program.
    Vec::<u8>::new().try_reserve_exact(size).map_err(|_| io::ErrorKind::OutOfMemory)?;
    let mut bytes = vec![0; size];
    bytes
        .par_chunks_mut(PART)
        .enumerate()
        .try_for_each(|(part, bytes)| read_at(&file, bytes, (part * PART) as u64))?;
    Ok(Some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_and_small_files() {
        let path = std::env::temp_dir().join(format!("pliant-load-{}", std::process::id()));
        for size in [0, 10, (5 << 20) + 3] {
            let bytes: Vec<u8> = (0..size).map(|i: u32| (i ^ (i >> 9)) as u8).collect();
            std::fs::write(&path, &bytes).unwrap();
            assert!(load(&path).unwrap() == bytes, "{size}");
        }
        std::fs::remove_file(&path).unwrap();
        assert_eq!(load(&path).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert!(load(&std::env::temp_dir()).is_err());
    }
}
