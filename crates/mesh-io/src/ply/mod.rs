//! Stanford PLY, ASCII and binary.
//!
//! Counts say where the file ends; in ASCII files a last number that was cut short cannot be noticed. PLY has no place
//! for groups.

mod body;
mod header;
mod read;
mod write;

use super::{Family, Format};

pub(super) const FAMILY: Family = Family {
    endings: &["ply"],
    recognises: |text| text.starts_with(b"ply\n") || text.starts_with(b"ply\r"),
    read: read::read,
    formats: &[
        Format {
            name: write::BINARY,
            about: "binary PLY: surface; no groups, doubles exact",
            volumes: false,
            write: write::write_binary,
        },
        Format {
            name: write::ASCII,
            about: "ASCII PLY: surface; no groups, doubles exact",
            volumes: false,
            write: write::write_ascii,
        },
    ],
};

#[cfg(test)]
pub(super) mod tests;
