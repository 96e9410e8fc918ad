//! Runs as files for other programs: VTU for ParaView, OBJ, PLY, glTF, USD and NPZ.
//!
//! Every format has a folder of its own. VTU, OBJ and PLY are files per frame; glTF, USD and NPZ are one file for the
//! whole run, which is made at its end from frames that wait in a temporary file. A file appears under its name only
//! when it is whole, so that a run may be killed at any time.

mod files;
mod film;
mod gltf;
mod names;
mod npz;
mod surfaces;
mod usd;
mod vtu;

use crate::error::{OutputError, quoted, suggest};
use crate::running::Run;
use film::Films;
use std::fmt::{self, Debug};
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
    /// Binary glTF with an animation, for browsers and Blender.
    Gltf,
    /// Universal Scene Description as text, for film tools.
    Usd,
    /// Arrays for numpy.
    Npz,
}

impl Format {
    /// All formats, in the order in which users see them.
    pub const ALL: [Format; 6] =
        [Format::Vtu, Format::Obj, Format::Ply, Format::Gltf, Format::Usd, Format::Npz];

    /// Its name on the command line, which is that of its folder too.
    pub fn name(self) -> &'static str {
        match self {
            Format::Vtu => "vtu",
            Format::Obj => "obj",
            Format::Ply => "ply",
            Format::Gltf => "gltf",
            Format::Usd => "usd",
            Format::Npz => "npz",
        }
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Format, UnknownFormat> {
        let known = Format::ALL.into_iter().find(|f| f.name() == text);
        known.ok_or_else(|| UnknownFormat { name: text.to_string() })
    }
}

/// A name that no format has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFormat {
    /// The name.
    pub name: String,
}

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (name, names) = (&self.name, Format::ALL.map(Format::name));
        match name.as_str() {
            "csv" => write!(
                f,
                "`csv` is no format of frames: probes.csv, energies.csv and forces.csv are always in --out; \
                 use {} for frames",
                quoted(&names)
            ),
            _ => write!(f, "unknown format `{name}`: {}", suggest(name, &names, "formats")),
        }
    }
}

impl std::error::Error for UnknownFormat {}

/// The colours that formats with colours give to what is in a scene: sRGB, 0 to 1. Lists that are too short start again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Colors {
    /// Of the bodies.
    pub bodies: Vec<[f32; 3]>,
    /// Of the obstacles.
    pub obstacles: Vec<[f32; 3]>,
    /// Of cables and needles.
    pub lines: Vec<[f32; 3]>,
}

/// sRGB to linear light, in which glTF and USD give colours.
fn linear(c: f32) -> f32 {
    if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

/// What a format does with the frames of a run.
trait Writer: Debug {
    /// Takes in the present state as the next frame.
    fn frame(&mut self, run: &Run) -> Result<(), OutputError>;

    /// Completes the files. The notes say what the format could not hold.
    fn finish(&mut self, run: &Run, colors: &Colors) -> Result<Vec<String>, OutputError>;

    /// Removes what was needed only until the files were whole.
    fn clean_up(&mut self) {}
}

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
