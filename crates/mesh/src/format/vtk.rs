//! VTK legacy files.

use super::{Contents, Family, ReadError, Source};

pub(super) const FAMILY: Family =
    Family { endings: &["vtk"], recognises: |text| text.starts_with(b"# vtk DataFile"), read, formats: &[] };

fn read(_source: &Source) -> Result<Contents, ReadError> {
    Err(ReadError::UnknownFormat)
}
