//! MEDIT `.mesh`, ASCII: vertices, triangles and tets, each with an integer reference.
//!
//! Sections have counts and the file ends with `End`; a file without it is refused, because more sections may
//! have followed. References become groups, and groups references, without their names.

mod read;
mod write;

use super::{Contents, Family, Format, ReadError, Source};

pub(super) const FAMILY: Family = Family {
    endings: &["mesh", "meshb"],
    recognises: |text| text.starts_with(b"MeshVersionFormatted") || is_binary(text),
    read,
    formats: &[Format {
        name: write::NAME,
        about: "MEDIT .mesh, ASCII: volume or surface; groups as numbered references, doubles exact",
        volumes: true,
        write: write::write,
    }],
};

/// Whether the file starts as `.meshb` does: the number one, a version, and the code of the dimension.
fn is_binary(bytes: &[u8]) -> bool {
    let number = |k: usize| bytes.get(4 * k..4 * k + 4).and_then(|b| <[u8; 4]>::try_from(b).ok());
    [u32::from_le_bytes as fn([u8; 4]) -> u32, u32::from_be_bytes].into_iter().any(|decode| {
        let numbers = [0, 1, 2].map(|k| number(k).map(decode));
        matches!(numbers, [Some(1), Some(1..=4), Some(3)])
    })
}

fn read(source: &Source) -> Result<Contents, ReadError> {
    let bytes = source.bytes();
    if is_binary(bytes) {
        return Err(ReadError::Unsupported {
            what: "binary MEDIT (.meshb)".to_string(),
            remedy: "convert it to ASCII: transmesh in.meshb out.mesh",
        });
    }
    read::read_ascii(super::without_mark(bytes))
}

#[cfg(test)]
pub(super) mod tests;
