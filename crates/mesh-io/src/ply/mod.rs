//! Stanford PLY, ASCII and binary.
//!
//! Counts tell where the file ends. In ASCII files of other programs a last number that was cut short cannot be
//! noticed; those written here must end with a line end. Groups are carried by comments (see `remarks`), which
//! every program skips; extra properties are not read by all.

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
            about: "binary PLY: surface; groups in comments, doubles exact",
            volumes: false,
            write: write::write_binary,
        },
        Format {
            name: write::ASCII,
            about: "ASCII PLY: surface; groups in comments, doubles exact",
            volumes: false,
            write: write::write_ascii,
        },
    ],
};

#[cfg(test)]
pub(super) mod tests;
