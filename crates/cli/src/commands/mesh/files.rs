//! Files of the mesh tools: what can go wrong with them is found before anything is computed.

use crate::args::mesh::{InputArgs, LengthArgs, PictureArgs, Unit, WriteArgs};
use crate::failure::Failure;
use pliant_mesh::{Mesh, Transform};
use pliant_mesh_io::{Contents, Format, WriteError, formats, read_contents, write_mesh};
use pliant_scene::suggest;
use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

/// Endings of files that hold one mesh together: writing one of them writes the others.
const TOGETHER: [&str; 3] = ["node", "ele", "face"];

/// Reads a mesh as it is in its file, with lengths in metres.
pub fn read(args: &InputArgs) -> Result<Contents, Failure> {
    read_path(&args.file, &args.lengths)
}

/// [`read`] for a path and a unit by themselves.
pub fn read_path(path: &Path, lengths: &LengthArgs) -> Result<Contents, Failure> {
    if path.is_dir() {
        return Err(Failure::input(format!("{}: this is a folder: name a mesh file in it", path.display())));
    }
    let mut contents = read_contents(path).map_err(|e| Failure::input(e.to_string()))?;
    if lengths.unit != Unit::M {
        Transform::scaling(lengths.unit.metres())
            .apply_all(contents.mesh.vertices_mut())
            .map_err(|e| Failure::input(format!("{}: {e}", path.display())))?;
        contents.notes.push(format!("lengths scaled from {} to metres", lengths.unit.name()));
    }
    Ok(contents)
}

/// A mesh file to be written.
#[derive(Debug)]
pub struct Target<'a> {
    /// Where.
    pub path: &'a Path,
    /// In which format.
    pub format: &'static Format,
}

impl<'a> Target<'a> {
    /// Checks that a file can be written at all, and that it does not replace the input by accident.
    pub fn new(path: &'a Path, how: &WriteArgs, input: Option<&Path>) -> Result<Self, Failure> {
        let named = how.format.as_deref().and_then(|name| formats().find(|f| f.name == name));
        let format = named.or_else(|| Format::of_path(path)).ok_or_else(|| unknown_ending(path))?;
        check_writable(path)?;
        match input {
            Some(input) if !how.force && is_same(input, path) => Err(Failure::input(format!(
                "{}: this would overwrite the input: name another file, or add --force",
                path.display()
            ))),
            _ => Ok(Target { path, format }),
        }
    }

    /// Refuses formats without tetrahedra; `remedy` says what else to do.
    pub fn check_volumes(&self, remedy: &str) -> Result<(), Failure> {
        if self.format.volumes {
            return Ok(());
        }
        Err(Failure::input(format!(
            "{}: {} holds surfaces only: {remedy}",
            self.path.display(),
            self.format.name
        )))
    }

    /// Writes the mesh. The notes say what the format could not keep.
    pub fn write(&self, mesh: &Mesh) -> Result<Vec<String>, Failure> {
        write_mesh(self.path, mesh, Some(self.format)).map_err(|e| match e {
            WriteError::Io { .. } => Failure::other(e.to_string()),
            _ => Failure::input(e.to_string()),
        })
    }

    /// Bytes written, those of files beside it included.
    pub fn bytes(&self) -> u64 {
        let size = |path: &Path| fs::metadata(path).map_or(0, |m| m.len());
        match together(self.path) {
            Some(stem) => TOGETHER.iter().map(|e| size(&stem.with_extension(e))).sum(),
            None => size(self.path),
        }
    }
}

/// Checks that a picture can be written.
pub fn check_picture(args: &PictureArgs) -> Result<(), Failure> {
    let Some(path) = &args.png else { return Ok(()) };
    if !path.extension().is_some_and(|e| e.eq_ignore_ascii_case("png")) {
        return Err(Failure::input(format!("--png {}: name a file that ends in .png", path.display())));
    }
    check_writable(path)
}

fn unknown_ending(path: &Path) -> Failure {
    let Some(ending) = path.extension().and_then(|e| e.to_str()) else {
        return Failure::input(format!(
            "{}: the name has no ending that names a format: add one, or give --format (see `pliant mesh formats`)",
            path.display()
        ));
    };
    let mut known: Vec<&str> = formats().flat_map(Format::endings).collect();
    known.dedup(); // Formats of one family stand together.
    Failure::input(format!(
        "{}: unknown mesh format `{ending}`: {}",
        path.display(),
        suggest(ending, &known, "known endings")
    ))
}

/// Checks that a file can be made at a path, by making one beside it for a moment.
fn check_writable(path: &Path) -> Result<(), Failure> {
    let bad = |cause: &str| Err(Failure::input(format!("{}: {cause}", path.display())));
    if path.is_dir() {
        return bad("this is a folder: name a file in it");
    }
    if path.exists() && !path.is_file() {
        return Ok(()); // A pipe or a device.
    }
    let Some(name) = path.file_name() else {
        return bad("the path does not end in a file name");
    };
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return bad(&format!("the folder {} does not exist: make it first", folder.display()));
    }
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}.check", std::process::id()));
    let trial = folder.join(hidden);
    match OpenOptions::new().write(true).create_new(true).open(&trial) {
        Ok(_) => {
            // It is empty and carries our process number: worth no error of its own.
            let _ = fs::remove_file(&trial);
            Ok(())
        }
        Err(e) => bad(&format!("no file can be written there ({e}): check the permissions of the folder")),
    }
}

/// Whether writing one path changes the file at the other.
fn is_same(a: &Path, b: &Path) -> bool {
    let real = |p: &Path| fs::canonicalize(p).ok();
    if let (Some(a), Some(b)) = (real(a), real(b))
        && a == b
    {
        return true;
    }
    match (together(a), together(b)) {
        (Some(a), Some(b)) => TOGETHER.iter().any(|e| {
            let (a, b) = (real(&a.with_extension(e)), real(&b.with_extension(e)));
            a.is_some() && a == b
        }),
        _ => false,
    }
}

/// The path with one of the endings of files that hold one mesh together.
fn together(path: &Path) -> Option<PathBuf> {
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    TOGETHER.contains(&ending.as_str()).then(|| path.to_path_buf())
}
