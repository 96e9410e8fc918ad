//! MEDIT `.mesh`.

use super::{Contents, Family, ReadError, Source};

pub(super) const FAMILY: Family = Family {
    endings: &["mesh"],
    recognises: |text| text.starts_with(b"MeshVersionFormatted"),
    read,
    formats: &[],
};

fn read(_source: &Source) -> Result<Contents, ReadError> {
    Err(ReadError::UnknownFormat)
}
