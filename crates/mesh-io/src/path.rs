//! Endings of file names.

use std::path::{Path, PathBuf};

/// The ending of a file name in lower case, without the dot; that of the unpacked file if it is packed.
pub(crate) fn ending(path: &Path) -> Option<String> {
    let unpacked = without_gz(path);
    unpacked.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase)
}

/// The path without a last ending `.gz`.
pub(crate) fn without_gz(path: &Path) -> PathBuf {
    match path.extension() {
        Some(ending) if ending.eq_ignore_ascii_case("gz") => path.with_extension(""),
        _ => path.to_path_buf(),
    }
}
