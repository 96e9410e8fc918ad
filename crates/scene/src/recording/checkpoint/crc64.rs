//! CRC-64 with the polynomial of ECMA-182, as in .xz files: finds every change within eight neighbouring bytes, and all
//! but one in 2^64 of any other.

use crc::{CRC_64_XZ, Crc, Digest, Table};

/// Sixteen bytes are taken in together.
static CRC: Crc<u64, Table<16>> = Crc::<u64, Table<16>>::new(&CRC_64_XZ);

/// A checksum that takes in bytes piece by piece.
#[derive(Clone)]
pub(crate) struct Crc64(Digest<'static, u64, Table<16>>);

impl Crc64 {
    pub(crate) fn new() -> Crc64 {
        Crc64(CRC.digest())
    }

    /// Takes in more bytes.
    pub(crate) fn add(mut self, bytes: &[u8]) -> Crc64 {
        self.0.update(bytes);
        self
    }

    pub(crate) fn value(self) -> u64 {
        self.0.finalize()
    }
}

/// Text that is formatted into it is taken in without being kept.
impl std::fmt::Write for Crc64 {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_checksum_of_the_standard() {
        // The check value of CRC-64/XZ in catalogues of checksums.
        assert_eq!(Crc64::new().add(b"1234").add(b"56789").value(), 0x995d_c9bb_df19_39fa);
        assert_eq!(Crc64::new().add(b"").value(), 0);
    }
}
