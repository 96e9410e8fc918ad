//! glTF 2.0 and GLB, static geometry.

use super::{Contents, Family, ReadError, Source};

pub(super) const FAMILY: Family =
    Family { endings: &["glb", "gltf"], recognises: |text| text.starts_with(b"glTF"), read, formats: &[] };

fn read(_source: &Source) -> Result<Contents, ReadError> {
    Err(ReadError::UnknownFormat)
}
