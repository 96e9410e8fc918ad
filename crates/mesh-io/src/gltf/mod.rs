//! glTF 2.0, as JSON (`.gltf`) and binary (`.glb`): the triangles of the default scene at rest.
//!
//! The length in a `.glb` header and the braces of JSON show a cut. Coordinates are in single precision.
//! Groups are in the `extras` of the mesh, where other programs keep but do not use them.

mod accessor;
mod animation;
mod buffer;
mod document;
mod plan;
mod scene;
mod transform;
mod write;

use super::scan::DAMAGED;
use super::{Contents, Family, Format, ReadError, Source, without_mark};

pub(super) const FAMILY: Family = Family {
    endings: &["glb", "gltf"],
    recognises: |text| text.starts_with(MAGIC) || is_json(text),
    read,
    formats: &[
        Format {
            name: write::BINARY,
            about: "binary glTF 2.0: surface, single precision; groups kept",
            volumes: false,
            write: write::write_binary,
        },
        Format {
            name: write::JSON,
            about: "glTF 2.0 as JSON in one file: surface, single precision; groups kept",
            volumes: false,
            write: write::write_json,
        },
    ],
};

/// How a `.glb` file starts.
const MAGIC: &[u8] = b"glTF";

/// Types of the chunks of a `.glb` file.
const CHUNK_JSON: &[u8; 4] = b"JSON";
const CHUNK_BINARY: &[u8; 4] = b"BIN\0";

/// Whether a text looks like JSON with the one thing that every glTF file has.
fn is_json(text: &[u8]) -> bool {
    let has = |word: &[u8]| text.windows(word.len()).any(|w| w == word);
    text.starts_with(b"{") && has(b"\"asset\"") && has(b"\"version\"")
}

pub(super) use animation::read_animation;

fn read(source: &Source) -> Result<Contents, ReadError> {
    let (json, binary) = parts(source)?;
    let format = if source.bytes().starts_with(MAGIC) { "glTF binary" } else { "glTF" };
    scene::read_scene(source, json, binary, format)
}

/// The JSON of a file, and the binary data in it.
fn parts(source: &Source) -> Result<(&[u8], Option<&[u8]>), ReadError> {
    let bytes = source.bytes();
    if bytes.starts_with(MAGIC) { chunks(bytes) } else { Ok((without_mark(bytes), None)) }
}

/// The JSON and the binary chunk of a `.glb` file.
fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), ReadError> {
    let number = |at: usize| bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes);
    let cut =
        |cause: &str| ReadError::AtByte { offset: bytes.len(), cause: cause.to_string(), remedy: DAMAGED };
    let (version, length) = number(4).zip(number(8)).ok_or_else(|| cut("the file ends within its header"))?;
    if version != 2 {
        return Err(ReadError::Unsupported {
            what: format!("version {version} of binary glTF"),
            remedy: "export it as glTF 2.0",
        });
    }
    if bytes.len() < length as usize {
        return Err(cut(&format!("the file ends before its {length} bytes")));
    }
    let mut at = 12;
    let mut found = [None; 2];
    while at + 8 <= length as usize {
        let size = number(at).unwrap_or(0) as usize;
        let chunk = bytes.get(at + 8..).and_then(|rest| rest.get(..size));
        let chunk = chunk.ok_or_else(|| cut("a chunk is longer than the file"))?;
        for (slot, kind) in found.iter_mut().zip([CHUNK_JSON, CHUNK_BINARY]) {
            if &bytes[at + 4..at + 8] == kind {
                slot.get_or_insert(chunk);
            }
        }
        at += 8 + size;
    }
    let [json, binary] = found;
    Ok((json.ok_or_else(|| cut("there is no chunk with JSON"))?, binary))
}

#[cfg(test)]
pub(super) mod tests;
