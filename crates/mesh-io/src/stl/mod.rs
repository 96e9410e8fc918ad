//! STL, ASCII and binary: triangles without shared vertices, which are welded where they are equal.
//!
//! A binary file is known by its size, 84 bytes and 50 for each triangle, even if it starts with `solid`. A cut
//! of an ASCII file shows by the missing `endsolid`, unless it is between two solids.

mod read;
mod weld;
mod write;

use super::{Contents, Family, Format, ReadError, Source};

pub(super) const FAMILY: Family = Family {
    endings: &["stl"],
    recognises,
    read,
    formats: &[
        Format {
            name: write::BINARY,
            about: "binary STL: surface, single precision; no groups",
            volumes: false,
            write: write::write_binary,
        },
        Format {
            name: write::ASCII,
            about: "ASCII STL: surface; groups as solids where they do not overlap, doubles exact",
            volumes: false,
            write: write::write_ascii,
        },
    ],
};

/// Bytes before the triangles of a binary file: a free text and the number of triangles.
const HEADER: usize = 84;

/// Bytes of a triangle of a binary file: normal, corners, and two that have no agreed meaning.
const TRIANGLE: usize = 50;

/// The number of triangles that a binary file announces.
fn announced(bytes: &[u8]) -> Option<usize> {
    let count = bytes.get(HEADER - 4..HEADER)?.try_into().ok()?;
    usize::try_from(u32::from_le_bytes(count)).ok()
}

/// Whether the size is the one that a binary file of as many triangles has.
fn has_binary_size(bytes: &[u8]) -> bool {
    announced(bytes).is_some_and(|count| bytes.len() as u64 == (HEADER + TRIANGLE * count) as u64)
}

/// Whether a text starts as ASCII STL does.
fn is_text(bytes: &[u8]) -> bool {
    const LOOKED_AT: usize = 512;
    let start = bytes[..bytes.len().min(LOOKED_AT)].trim_ascii_start();
    let after = start.get(5..).filter(|_| start[..5].eq_ignore_ascii_case(b"solid"));
    after.is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace) && !rest.contains(&0))
}

fn recognises(text: &[u8]) -> bool {
    let has = |word: &[u8]| text.windows(word.len()).take(1024).any(|w| w.eq_ignore_ascii_case(word));
    has_binary_size(text) || is_text(text) && (has(b"facet") || has(b"endsolid"))
}

fn read(source: &Source) -> Result<Contents, ReadError> {
    let bytes = source.bytes();
    let text = super::without_mark(bytes);
    if !has_binary_size(bytes) && is_text(text) { read::read_ascii(text) } else { read::read_binary(bytes) }
}

#[cfg(test)]
pub(super) mod tests;
