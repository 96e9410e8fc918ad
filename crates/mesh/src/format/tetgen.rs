//! TetGen: `.node` with `.ele` or `.face` beside it.

use super::{Contents, Family, ReadError, Source};

pub(super) const FAMILY: Family = Family {
    endings: &["node", "ele", "face"],
    recognises: |text| {
        let _ = text;
        false
    },
    read,
    formats: &[],
};

fn read(_source: &Source) -> Result<Contents, ReadError> {
    Err(ReadError::UnknownFormat)
}
