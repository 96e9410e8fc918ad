//! Seeing through gzip, guarded against files that unpack to more than anyone wanted.

use super::ReadError;
use flate2::bufread::MultiGzDecoder;
use std::io::Read;

const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Small files may unpack to this size whatever their ratio.
const FREE: usize = 64 << 20;

/// Text of meshes packs about four times, regular binary data up to some ten times.
const LARGEST_RATIO: usize = 20;

/// The bytes unpacked, or `None` if they are not packed. Memory grows with what was really unpacked.
pub(super) fn unpack(bytes: &[u8]) -> Result<Option<Vec<u8>>, ReadError> {
    if !bytes.starts_with(&MAGIC) {
        return Ok(None);
    }
    unpack_up_to(bytes, FREE + LARGEST_RATIO * bytes.len()).map(Some)
}

fn unpack_up_to(bytes: &[u8], limit: usize) -> Result<Vec<u8>, ReadError> {
    let mut unpacked = Vec::new();
    MultiGzDecoder::new(bytes).take(limit as u64 + 1).read_to_end(&mut unpacked).map_err(ReadError::Gzip)?;
    if unpacked.len() > limit {
        return Err(ReadError::GzipTooLarge { packed: bytes.len(), limit });
    }
    Ok(unpacked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn one_or_several_members() {
        let mut bytes = packed(b"hello ");
        bytes.extend(packed(b"world"));
        assert_eq!(unpack(&bytes).unwrap().unwrap(), b"hello world");
        assert_eq!(unpack(b"plain").unwrap(), None);
    }

    #[test]
    fn a_cut_anywhere_is_an_error() {
        let bytes = packed(b"some text that is some text");
        for cut in 2..bytes.len() {
            assert!(matches!(unpack(&bytes[..cut]), Err(ReadError::Gzip(_))), "{cut}");
        }
    }

    #[test]
    fn a_bomb_is_refused() {
        let bytes = packed(&[0; 100_000]);
        assert_eq!(unpack_up_to(&bytes, 100_000).unwrap().len(), 100_000);
        let error = unpack_up_to(&bytes, 99_999).unwrap_err().to_string();
        assert!(error.contains("unpack it first"), "{error}");
    }
}
