//! A folder of its own for each test.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// An empty folder that is removed, with all that is in it, when the value is dropped.
#[derive(Debug)]
pub struct TempFolder(PathBuf);

impl TempFolder {
    /// A new folder; `name` helps to recognise it while a test runs.
    ///
    /// # Panics
    /// If it cannot be made.
    pub fn new(name: &str) -> TempFolder {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("pliant-{name}-{}-{number}", std::process::id()));
        // A process with the same number may have been killed and left its folder.
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder for temporary files");
        TempFolder(path)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// A path in it.
    pub fn join(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.join(name)
    }

    /// Number of files and folders directly in it.
    ///
    /// # Panics
    /// If it is gone.
    pub fn entries(&self) -> usize {
        std::fs::read_dir(&self.0).expect("the folder").count()
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_empty_its_own_and_gone_afterwards() {
        let (a, b) = (TempFolder::new("same"), TempFolder::new("same"));
        assert_ne!(a.path(), b.path());
        std::fs::write(a.join("file"), "text").unwrap();
        assert_eq!((a.entries(), b.entries()), (1, 0));
        let path = a.path().to_owned();
        drop(a);
        assert!(!path.exists() && b.path().exists());
    }
}
