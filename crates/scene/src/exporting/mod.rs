//! Runs as files for other programs: VTU for ParaView, OBJ, PLY, glTF, USD and NPZ.
//!
//! Every format has a folder of its own. VTU, OBJ and PLY are files per frame; glTF, USD and NPZ are one file for the
//! whole run, which is made at its end from frames that wait in a temporary file. A file appears under its name only
//! when it is whole, so that a run may be killed at any time.

mod color;
mod files;
mod film;
mod films;
mod format;
mod gltf;
mod names;
mod npz;
mod surfaces;
mod usd;
mod vtu;
mod writer;

use crate::error::OutputError;
use crate::running::Run;
pub use color::Colors;
use films::Films;
pub use format::{Format, UnknownFormat};
use std::fs;
use std::path::Path;
use writer::Writer;

/// Writes frames under a directory, in one folder per format.
#[derive(Debug)]
pub struct Exporter {
    writers: Vec<Box<dyn Writer>>,
}

impl Exporter {
    /// Creates the folders. What an earlier run left in them is removed, so that it is not taken for a part of this one.
    pub fn create(directory: &Path, formats: &[Format], run: &Run) -> Result<Exporter, OutputError> {
        Exporter::resume(directory, formats, run, 0)
    }

    /// Continues after `frames` frames that an exporter wrote to the same directory before. What it wrote beyond them is
    /// written again.
    pub fn resume(
        directory: &Path,
        formats: &[Format],
        run: &Run,
        frames: usize,
    ) -> Result<Exporter, OutputError> {
        let mut writers: Vec<Box<dyn Writer>> = Vec::new();
        let mut films = Vec::new();
        for format in Format::ALL.into_iter().filter(|f| formats.contains(f)) {
            let folder = directory.join(format.name());
            fs::create_dir_all(&folder).map_err(OutputError::io(&folder))?;
            if frames == 0 {
                files::remove_old(&folder)?;
            }
            match format {
                Format::Vtu => writers.push(Box::new(vtu::Grids::open(folder, run, frames)?)),
                Format::Obj => writers.push(Box::new(surfaces::obj(folder, frames))),
                Format::Ply => writers.push(Box::new(surfaces::ply(folder, frames))),
                Format::Gltf | Format::Usd | Format::Npz => films.push(format),
            }
        }
        if !films.is_empty() {
            writers.push(Box::new(Films::open(directory, films, run, frames)?));
        }
        Ok(Exporter { writers })
    }

    /// Writes the present state as the next frame.
    pub fn frame(&mut self, run: &Run) -> Result<(), OutputError> {
        self.writers.iter_mut().try_for_each(|writer| writer.frame(run))
    }

    /// Completes all files. The notes say what a format could not hold.
    pub fn finish(mut self, run: &Run, colors: &Colors) -> Result<Vec<String>, OutputError> {
        let notes = self.complete(run, colors)?;
        self.clean_up();
        Ok(notes)
    }

    /// Completes all files, but keeps what is needed to resume until [`clean_up`](Self::clean_up).
    pub fn complete(&mut self, run: &Run, colors: &Colors) -> Result<Vec<String>, OutputError> {
        let mut notes = Vec::new();
        for writer in &mut self.writers {
            notes.extend(writer.finish(run, colors)?);
        }
        Ok(notes)
    }

    /// Removes what only resuming would need.
    pub fn clean_up(mut self) {
        self.writers.iter_mut().for_each(|writer| writer.clean_up());
    }
}
