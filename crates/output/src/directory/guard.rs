//! What is checked before anything is written to the directory of a run: that nobody else writes there, and that every file ends
//! up in it.

use crate::error::Error;
use std::fs::{self, File, TryLockError};
use std::path::Path;

/// How deep the folders of exports are.
const DEPTH: usize = 4;

/// The right to write to a directory, until it is dropped or the process ends, however that happens.
#[derive(Debug)]
pub(super) struct Claim {
    /// The directory itself is locked: nothing is left behind that could block the next run.
    _locked: Option<File>,
}

impl Claim {
    /// Claims a directory that exists.
    ///
    /// # Errors
    /// If another run writes there.
    pub(super) fn on(directory: &Path) -> Result<Claim, Error> {
        // Where a folder cannot be opened or locked, runs are not kept apart.
        let Ok(folder) = File::open(directory) else { return Ok(Claim { _locked: None }) };
        match folder.try_lock() {
            Ok(()) => Ok(Claim { _locked: Some(folder) }),
            Err(TryLockError::WouldBlock) => Err(Error::Busy { directory: directory.to_path_buf() }),
            Err(TryLockError::Error(_)) => Ok(Claim { _locked: None }),
        }
    }
}

/// Refuses links that lead out of a directory, and pipes and devices in it: files of a run would end up there.
///
/// # Errors
/// If there is one, or the directory cannot be read.
pub(super) fn check_entries(directory: &Path) -> Result<(), Error> {
    let home = directory.canonicalize().map_err(Error::write(directory))?;
    check_folder(directory, &home, DEPTH)
}

fn check_folder(folder: &Path, home: &Path, depth: usize) -> Result<(), Error> {
    for entry in fs::read_dir(folder).map_err(Error::write(folder))? {
        let entry = entry.map_err(Error::write(folder))?;
        let (path, kind) = (entry.path(), entry.file_type().map_err(Error::write(entry.path()))?);
        if kind.is_symlink() {
            // A link to nowhere leads out as soon as something is written through it.
            if !path.canonicalize().is_ok_and(|target| target.starts_with(home)) {
                return Err(Error::LeadsOut { path });
            }
        } else if kind.is_dir() {
            if depth > 1 {
                check_folder(&path, home, depth - 1)?;
            }
        } else if !kind.is_file() {
            return Err(Error::NotAFile { path });
        }
    }
    Ok(())
}
