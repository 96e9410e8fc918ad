//! CRC-64 with the polynomial of ECMA-182, as in .xz files: finds every change within eight neighbouring bytes, and all
//! but one in 2^64 of any other.

/// The polynomial, bits reversed.
const POLYNOMIAL: u64 = 0xc96c_5795_d787_0f42;

/// Bytes that are taken in together.
const TOGETHER: usize = 8;

/// `TABLES[k][b]` is the remainder of byte `b` followed by `k` zero bytes.
static TABLES: [[u64; 256]; TOGETHER] = tables();

const fn tables() -> [[u64; 256]; TOGETHER] {
    let mut tables = [[0; 256]; TOGETHER];
    let mut byte = 0;
    while byte < 256 {
        let (mut remainder, mut bit) = (byte as u64, 0);
        while bit < 8 {
            remainder = if remainder & 1 == 1 { remainder >> 1 ^ POLYNOMIAL } else { remainder >> 1 };
            bit += 1;
        }
        tables[0][byte] = remainder;
        byte += 1;
    }
    let mut k = 1;
    while k < TOGETHER {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[k - 1][byte];
            tables[k][byte] = tables[0][(before & 0xff) as usize] ^ before >> 8;
            byte += 1;
        }
        k += 1;
    }
    tables
}

/// A checksum that takes in bytes piece by piece.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crc64(u64);

impl Crc64 {
    pub(crate) fn new() -> Crc64 {
        Crc64(!0)
    }

    /// Takes in more bytes.
    pub(crate) fn add(mut self, bytes: &[u8]) -> Crc64 {
        let (blocks, rest) = bytes.as_chunks::<TOGETHER>();
        for block in blocks {
            let mixed = (self.0 ^ u64::from_le_bytes(*block)).to_le_bytes();
            let each = mixed.iter().zip(TABLES.iter().rev());
            self.0 = each.fold(0, |sum, (&byte, table)| sum ^ table[byte as usize]);
        }
        for &byte in rest {
            self.0 = TABLES[0][(self.0 as u8 ^ byte) as usize] ^ self.0 >> 8;
        }
        self
    }

    pub(crate) fn value(self) -> u64 {
        !self.0
    }
}

/// Text that is formatted into it is taken in without being kept.
impl std::fmt::Write for Crc64 {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        *self = self.add(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_checksum_of_the_standard() {
        // The check value of CRC-64/XZ in catalogues of checksums.
        assert_eq!(Crc64::new().add(b"123456789").value(), 0x995d_c9bb_df19_39fa);
        assert_eq!(Crc64::new().add(b"").value(), 0);
    }

    #[test]
    fn pieces_do_not_matter_and_every_byte_does() {
        let bytes: Vec<u8> = (0..100u8).map(|i| i.wrapping_mul(37)).collect();
        let whole = Crc64::new().add(&bytes).value();
        for cut in 0..bytes.len() {
            assert_eq!(Crc64::new().add(&bytes[..cut]).add(&bytes[cut..]).value(), whole);
            let mut changed = bytes.clone();
            changed[cut] ^= 1;
            assert_ne!(Crc64::new().add(&changed).value(), whole);
        }
    }
}
