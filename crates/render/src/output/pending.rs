//! A file that appears at its path only once it is whole.

use crate::RenderError;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

static NEXT: AtomicU32 = AtomicU32::new(0);

/// A temporary sibling of the target; removed when dropped before [`Pending::commit`].
#[derive(Debug)]
pub(super) struct Pending {
    target: PathBuf,
    temporary: PathBuf,
    committed: bool,
}

impl Pending {
    /// Creates the temporary file.
    pub fn create(target: &Path) -> Result<(Self, File), RenderError> {
        let bad_name = || std::io::Error::new(std::io::ErrorKind::InvalidInput, "not a file name");
        let name = target.file_name().ok_or_else(|| RenderError::io(target, bad_name()))?;
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}-{}.partial", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
        let temporary = target.with_file_name(hidden);
        let file = File::create(&temporary).map_err(|e| RenderError::io(target, e))?;
        Ok((Self { target: target.to_owned(), temporary, committed: false }, file))
    }

    pub fn target(&self) -> &Path {
        &self.target
    }

    pub fn temporary(&self) -> &Path {
        &self.temporary
    }

    /// Moves the finished file to its place.
    pub fn commit(mut self) -> Result<(), RenderError> {
        std::fs::rename(&self.temporary, &self.target).map_err(|e| RenderError::io(&self.target, e))?;
        self.committed = true;
        Ok(())
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if !self.committed {
            // Best effort: an error here has no receiver.
            let _ = std::fs::remove_file(&self.temporary);
        }
    }
}
