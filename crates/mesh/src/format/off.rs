//! OFF.

use super::{Contents, Family, ReadError, Source};

pub(super) const FAMILY: Family =
    Family { endings: &["off"], recognises: |text| text.starts_with(b"OFF"), read, formats: &[] };

fn read(_source: &Source) -> Result<Contents, ReadError> {
    Err(ReadError::UnknownFormat)
}
