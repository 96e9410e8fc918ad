//! Checks of the source tree: its files, its functions, and which module imports which.

mod code;
mod modules;

use std::path::{Path, PathBuf};

pub use code::{Function, blank_comments_and_literals, functions};
pub use modules::{Cycle, import_cycles};

/// The root of the workspace.
pub fn workspace() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().and_then(Path::parent).unwrap_or(here).to_path_buf()
}

/// The folders of all crates, in alphabetical order.
///
/// # Panics
/// If the workspace cannot be read.
pub fn crates() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(workspace().join("crates")).expect("the folder of the crates");
    let folders = entries.map(|e| e.expect("an entry").path()).filter(|p| p.join("Cargo.toml").exists());
    let mut folders: Vec<_> = folders.collect();
    folders.sort();
    folders
}

/// All Rust files below a folder, in alphabetical order. None if there is no such folder.
///
/// # Panics
/// If a folder cannot be read.
pub fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        if !folder.is_dir() {
            continue;
        }
        for entry in std::fs::read_dir(&folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            let is_ours =
                !matches!(path.file_name().and_then(|n| n.to_str()), Some("target" | "node_modules"));
            if path.is_dir() && is_ours {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}
