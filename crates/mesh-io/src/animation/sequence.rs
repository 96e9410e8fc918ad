//! Mesh files that are the frames of an animation, by the numbers in their names.

use crate::error::ReadError;
use crate::points::{Animation, check_size};
use crate::read::read_contents;
use std::path::{Path, PathBuf};

/// Reads the files that fit `name`, in the order of their numbers.
pub(super) fn read(path: &Path, name: &str, per_second: f64) -> Result<Animation, ReadError> {
    let files = files(path, name)?;
    let mut animation = Animation::default();
    for (k, file) in files.iter().enumerate() {
        let mesh = read_contents(file)?.mesh;
        let count = mesh.vertices().len();
        match animation.frames.first() {
            None => {
                check_size(files.len(), count)?;
                animation.triangles = mesh.surface_triangles().to_vec();
            }
            Some(first) if first.len() != count => {
                return Err(ReadError::In {
                    place: file.display().to_string(),
                    cause: format!("it has {count} vertices, the first file has {}", first.len()),
                    remedy: "export all frames with the same vertices",
                });
            }
            Some(_) => {}
        }
        animation.times.push(k as f64 / per_second);
        animation.frames.push(mesh.vertices().to_vec());
    }
    Ok(animation)
}

/// The files with a number where the pattern has a `*` or some `#`.
fn files(path: &Path, name: &str) -> Result<Vec<PathBuf>, ReadError> {
    let is_wild = |c: char| c == '*' || c == '#';
    let start = name.find(is_wild).unwrap_or(name.len());
    let end = start + name[start..].find(|c| !is_wild(c)).unwrap_or(name.len() - start);
    let (before, after) = (&name[..start], &name[end..]);
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut found: Vec<(u64, PathBuf)> = std::fs::read_dir(folder)
        .map_err(ReadError::Io)?
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let name = entry.file_name().into_string().ok()?;
            let number = name.strip_prefix(before)?.strip_suffix(after)?;
            Some((number.parse().ok()?, entry.path()))
        })
        .collect();
    found.sort();
    match found.is_empty() {
        true => Err(ReadError::Missing { base: "the scene file" }),
        false => Ok(found.into_iter().map(|(_, path)| path).collect()),
    }
}
