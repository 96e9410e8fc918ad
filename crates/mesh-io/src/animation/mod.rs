//! Points over time: sequences of mesh files, arrays of numpy, animated glTF.

mod arrays;
mod sequence;

use crate::error::ReadError;
use crate::path::ending;
use crate::points::Animation;
use crate::source::Source;
use std::path::Path;

/// Reads an animation:
///
/// - a sequence of mesh files with the same vertices, whose numbers are a `*` or some `#` in the name: `walk_*.obj`;
/// - `.npz` or `.npy` of numpy with an array of frames x points x 3, which `array` names if there are several (`body/positions`);
///   `times`, and `surface` or `triangles`, are taken from arrays of these names;
/// - the first animation of a `.glb` or `.gltf` file.
///
/// `per_second` is the number of frames in a second where the file does not say, and of samples of glTF.
///
/// # Errors
/// If it cannot be read, or its frames do not belong together.
pub fn read_animation(path: &Path, per_second: f64, array: Option<&str>) -> Result<Animation, ReadError> {
    let in_file = |error: ReadError| match error {
        ReadError::InFile { .. } => error,
        _ => ReadError::InFile { path: path.to_path_buf(), error: Box::new(error) },
    };
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if name.contains(['*', '#']) {
        return sequence::read(path, &name, per_second).map_err(in_file);
    }
    let source = Source::open(path)?;
    let animation = match ending(path).as_deref() {
        Some("npz" | "npy") => arrays::read(source.bytes(), per_second, array),
        Some("glb" | "gltf") => crate::gltf::read_animation(&source, per_second),
        _ => Err(ReadError::Unsupported {
            what: "an animation of this format".into(),
            remedy: "use .npz, .npy, .glb, .gltf, or a sequence such as walk_*.obj",
        }),
    }
    .map_err(in_file)?;
    match animation.frames.iter().flatten().all(|p| p.is_finite()) {
        true => Ok(animation),
        false => Err(in_file(ReadError::In {
            place: "the animation".into(),
            cause: "it has points that are not finite".into(),
            remedy: "export it again",
        })),
    }
}

#[cfg(test)]
mod tests;
