//! Runs as files for other programs: VTU for ParaView, OBJ, PLY, glTF, USD and NPZ.
//!
//! Every format has a folder of its own. VTU, OBJ and PLY are files per frame; glTF, USD and NPZ are one file for the
//! whole run, which is made at its end from frames that wait in a temporary file. A file appears under its name only
//! when it is whole, so that a run may be killed at any time.

mod files;
mod names;
mod surfaces;
mod vtu;

use crate::error::{OutputError, quoted, suggest};
use crate::run::Run;
use std::fmt::Debug;
use std::fs;
use std::path::Path;
use std::str::FromStr;

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// VTK unstructured grids with an index, for ParaView.
    Vtu,
    /// Wavefront, surface only.
    Obj,
    /// Stanford, surface only.
    Ply,
}

impl Format {
    /// All formats, in the order in which they are told to users.
    pub const ALL: [Format; 3] = [Format::Vtu, Format::Obj, Format::Ply];

    /// Its name on the command line, which is that of its folder too.
    pub fn name(self) -> &'static str {
        match self {
            Format::Vtu => "vtu",
            Format::Obj => "obj",
            Format::Ply => "ply",
        }
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Format, String> {
        if let Some(format) = Format::ALL.into_iter().find(|f| f.name() == text) {
            return Ok(format);
        }
        let names = Format::ALL.map(Format::name);
        Err(match text {
            "csv" => format!(
                "`csv` is no format of frames: probes.csv, energies.csv and forces.csv are always in --out; \
                 use {} for frames",
                quoted(&names)
            ),
            _ => format!("unknown format `{text}`: {}", suggest(text, &names, "formats")),
        })
    }
}

/// What a format does with the frames of a run.
trait Writer: Debug {
    /// Takes in the present state as the next frame.
    fn frame(&mut self, run: &Run) -> Result<(), OutputError>;

    /// Completes the files. The notes tell users what the format could not hold.
    fn finish(&mut self, run: &Run) -> Result<Vec<String>, OutputError>;
}

/// Writes frames under a directory, in one folder per format.
#[derive(Debug)]
pub struct Exporter {
    writers: Vec<Box<dyn Writer>>,
}

impl Exporter {
    /// Creates the folders.
    pub fn create(directory: &Path, formats: &[Format], run: &Run) -> Result<Exporter, OutputError> {
        Exporter::resume(directory, formats, run, 0)
    }

    /// Goes on after `frames` frames that an exporter wrote to the same directory before. What it wrote beyond them is
    /// written again.
    pub fn resume(
        directory: &Path,
        formats: &[Format],
        run: &Run,
        frames: usize,
    ) -> Result<Exporter, OutputError> {
        let mut writers: Vec<Box<dyn Writer>> = Vec::new();
        for format in Format::ALL.into_iter().filter(|f| formats.contains(f)) {
            let folder = directory.join(format.name());
            fs::create_dir_all(&folder).map_err(OutputError::io(&folder))?;
            writers.push(match format {
                Format::Vtu => Box::new(vtu::Grids::open(folder, run, frames)?),
                Format::Obj => Box::new(surfaces::obj(folder, frames)),
                Format::Ply => Box::new(surfaces::ply(folder, frames)),
            });
        }
        Ok(Exporter { writers })
    }

    /// Writes the present state as the next frame.
    pub fn frame(&mut self, run: &Run) -> Result<(), OutputError> {
        self.writers.iter_mut().try_for_each(|writer| writer.frame(run))
    }

    /// Completes all files. The notes tell users what a format could not hold.
    pub fn finish(mut self, run: &Run) -> Result<Vec<String>, OutputError> {
        let mut notes = Vec::new();
        for writer in &mut self.writers {
            notes.extend(writer.finish(run)?);
        }
        Ok(notes)
    }
}
