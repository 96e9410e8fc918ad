//! Frames as files for other programs: VTU with an index for ParaView, OBJ, PLY.

use crate::error::{OutputError, suggest};
use crate::run::Run;
use pliant_mesh::{Cells, Point, write_obj, write_ply, write_vtu};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// VTK unstructured grid with velocity and displacement.
    Vtu,
    /// Wavefront, surface only.
    Obj,
    /// Stanford, surface only.
    Ply,
}

impl Format {
    /// Its name on the command line.
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
        match text {
            "vtu" => Ok(Format::Vtu),
            "obj" => Ok(Format::Obj),
            "ply" => Ok(Format::Ply),
            "gltf" | "usd" | "npz" => {
                Err(format!("export to `{text}` comes in a later version: use `vtu`, `obj` or `ply`"))
            }
            _ => {
                Err(format!("unknown format `{text}`: {}", suggest(text, &["vtu", "obj", "ply"], "formats")))
            }
        }
    }
}

/// Writes frames under a directory: one folder per format, one file per body and frame.
#[derive(Debug)]
pub struct Exporter {
    directory: PathBuf,
    formats: Vec<Format>,
    stems: Vec<String>,
    /// Time and file of each written VTU.
    index: Vec<(f64, usize, String)>,
    frames: usize,
}

impl Exporter {
    /// Creates the folders.
    pub fn create(directory: &Path, formats: &[Format], run: &Run) -> Result<Exporter, OutputError> {
        for format in formats {
            let folder = directory.join(format.name());
            fs::create_dir_all(&folder).map_err(OutputError::io(folder))?;
        }
        let bodies = &run.world().model().bodies;
        Ok(Exporter {
            directory: directory.to_path_buf(),
            formats: formats.to_vec(),
            stems: bodies.iter().enumerate().map(|(i, b)| file_stem(i, &b.name)).collect(),
            index: Vec::new(),
            frames: 0,
        })
    }

    /// Goes on after `frames` frames that an exporter wrote to the same directory before.
    pub fn resume(
        directory: &Path,
        formats: &[Format],
        run: &Run,
        frames: usize,
    ) -> Result<Exporter, OutputError> {
        Ok(Exporter { frames, ..Exporter::create(directory, formats, run)? })
    }

    /// Writes the present state as the next frame.
    pub fn frame(&mut self, run: &Run) -> Result<(), OutputError> {
        for body in 0..self.stems.len() {
            for format in self.formats.clone() {
                let name = format!("{}_{:06}.{}", self.stems[body], self.frames, format.name());
                let path = self.directory.join(format.name()).join(&name);
                write(run, body, format, &path).map_err(OutputError::io(&path))?;
                if format == Format::Vtu {
                    self.index.push((run.world().state().time, body, name));
                }
            }
        }
        self.frames += 1;
        Ok(())
    }

    /// Writes the index of the VTU files.
    pub fn finish(self) -> Result<(), OutputError> {
        if !self.formats.contains(&Format::Vtu) {
            return Ok(());
        }
        let path = self.directory.join("vtu").join("scene.pvd");
        let write = || -> io::Result<()> {
            let mut out = BufWriter::new(File::create(&path)?);
            writeln!(
                out,
                "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n<Collection>"
            )?;
            for (time, body, file) in &self.index {
                writeln!(out, "<DataSet timestep=\"{time}\" part=\"{body}\" file=\"{file}\"/>")?;
            }
            writeln!(out, "</Collection>\n</VTKFile>")?;
            out.flush()
        };
        write().map_err(OutputError::io(&path))
    }
}

/// Writes one body: what is simulated of it, or in formats of surfaces what is shown.
fn write(run: &Run, body: usize, format: Format, path: &Path) -> io::Result<()> {
    let out = BufWriter::new(File::create(path)?);
    let (world, skin) = (run.world(), &run.setup().skins[body]);
    let positions = world.positions(body);
    match format {
        Format::Obj => write_obj(out, &skin.positions(positions), skin.triangles()),
        Format::Ply => write_ply(out, &skin.positions(positions), skin.triangles()),
        Format::Vtu => {
            let mesh = &world.model().bodies[body].mesh;
            let moved = |(x, rest): (&Point, &Point)| std::array::from_fn(|k| x[k] - rest[k]);
            let displacement: Vec<Point> = positions.iter().zip(mesh.vertices()).map(moved).collect();
            let data = [("velocity", world.velocities(body)), ("displacement", displacement.as_slice())];
            write_vtu(out, positions, Cells::from(mesh), &data)
        }
    }
}

/// A file name that no body name can turn into a path.
fn file_stem(index: usize, name: &str) -> String {
    let safe: String =
        name.chars().take(40).map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
    format!("{index}_{safe}")
}
