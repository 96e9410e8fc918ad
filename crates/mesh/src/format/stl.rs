//! STL, ASCII and binary.

use super::{Contents, Family, ReadError, Source};

pub(super) const FAMILY: Family =
    Family { endings: &["stl"], recognises: |text| text.starts_with(b"solid "), read, formats: &[] };

fn read(_source: &Source) -> Result<Contents, ReadError> {
    Err(ReadError::UnknownFormat)
}
