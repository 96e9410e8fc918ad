//! Base64 with padding, as XML files need to carry binary data.

use std::io::{self, Write};

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Encodes a stream of bytes; call [`finish`](Self::finish) for the last group and the padding.
pub(super) struct Encoder<W> {
    out: W,
    pending: [u8; 3],
    filled: usize,
}

impl<W: Write> Encoder<W> {
    pub fn new(out: W) -> Self {
        Self { out, pending: [0; 3], filled: 0 }
    }

    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        for &byte in bytes {
            self.pending[self.filled] = byte;
            self.filled += 1;
            if self.filled == 3 {
                self.out.write_all(&encode(self.pending))?;
                self.filled = 0;
            }
        }
        Ok(())
    }

    pub fn finish(mut self) -> io::Result<()> {
        if self.filled > 0 {
            self.pending[self.filled..].fill(0);
            let mut group = encode(self.pending);
            group[self.filled + 1..].fill(b'=');
            self.out.write_all(&group)?;
        }
        Ok(())
    }
}

fn encode([a, b, c]: [u8; 3]) -> [u8; 4] {
    let bits = u32::from_be_bytes([0, a, b, c]);
    [18, 12, 6, 0].map(|shift| ALPHABET[(bits >> shift) as usize & 63])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_words() {
        for (plain, coded) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            let mut out = Vec::new();
            let mut encoder = Encoder::new(&mut out);
            for byte in plain.bytes() {
                encoder.write(&[byte]).unwrap();
            }
            encoder.finish().unwrap();
            assert_eq!(out, coded.as_bytes());
        }
    }
}
