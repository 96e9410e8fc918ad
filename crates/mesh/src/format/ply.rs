//! Stanford PLY.

use super::{Contents, Family, ReadError, Source};

pub(super) const FAMILY: Family = Family {
    endings: &["ply"],
    recognises: |text| text.starts_with(b"ply\n") || text.starts_with(b"ply\r"),
    read,
    formats: &[],
};

fn read(_source: &Source) -> Result<Contents, ReadError> {
    Err(ReadError::UnknownFormat)
}
