//! The bytes of a file, read by all threads: filling fresh memory takes longer than copying.

use super::region::read_at;
use rayon::prelude::*;
use std::fs::File;
use std::io;
use std::path::Path;

/// All bytes of a file.
pub(super) fn load(path: &Path) -> io::Result<Vec<u8>> {
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
    // Pipes have no size; small files are not worth it.
    if !about.is_file() || size < 4 * PART || cfg!(not(any(unix, windows))) {
        return Ok(None);
    }
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
