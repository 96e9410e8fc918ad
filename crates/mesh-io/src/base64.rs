//! Base64 in pieces: XML files have several streams one after the other, and blanks between them.

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::write::EncoderWriter;
use std::io::{self, Write};

/// Writers pad; readers need not insist on it.
const ENGINE: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Encodes the bytes that `write` gives.
pub(crate) fn encode<W: Write>(
    out: W,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut encoder = EncoderWriter::new(out, &ENGINE);
    write(&mut encoder)?;
    encoder.finish().map(drop)
}

/// All bytes of a text without blanks, with or without padding; `None` if it is something else.
pub(crate) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    ENGINE.decode(text).ok()
}

/// Decodes a stream of base64, or several one after the other, each with its padding. Blanks do not matter.
pub(crate) struct Decoder<'a> {
    text: &'a [u8],
    /// Bytes of the last group that were not asked for yet.
    pending: Vec<u8>,
}

impl<'a> Decoder<'a> {
    pub fn new(text: &'a [u8]) -> Self {
        Self { text, pending: Vec::new() }
    }

    /// Whether there is nothing but blanks.
    pub fn is_empty(&self) -> bool {
        self.pending.is_empty() && self.text.trim_ascii_start().is_empty()
    }

    /// The most bytes that can follow.
    pub fn remaining(&self) -> usize {
        self.pending.len() + self.text.len() / 4 * 3 + 3
    }

    /// The next `count` bytes; `None` if there are fewer or the text is no base64.
    pub fn read(&mut self, count: usize) -> Option<Vec<u8>> {
        // The last group may give two bytes too many.
        let mut bytes = Vec::with_capacity(count + 2);
        bytes.append(&mut self.pending);
        while bytes.len() < count {
            self.decode_run(count - bytes.len(), &mut bytes)?;
        }
        self.pending.extend(bytes.drain(count..));
        Some(bytes)
    }

    /// Appends the bytes of the next groups, at most the group in which `missing` is reached.
    fn decode_run(&mut self, missing: usize, bytes: &mut Vec<u8>) -> Option<()> {
        self.text = self.text.trim_ascii_start();
        let most = self.text.len().min(missing.div_ceil(3).checked_mul(4)?);
        let is_end = |b: &u8| *b == b'=' || b.is_ascii_whitespace();
        let run = self.text[..most].iter().position(is_end).unwrap_or(most) / 4 * 4;
        if run > 0 {
            let (groups, rest) = self.text.split_at(run);
            self.text = rest;
            return ENGINE.decode_vec(groups, bytes).ok();
        }
        // A group with padding, or with blanks inside.
        let mut group = [0; 4];
        for digit in &mut group {
            let (&byte, rest) = self.text.trim_ascii_start().split_first()?;
            (*digit, self.text) = (byte, rest);
        }
        ENGINE.decode_vec(group, bytes).ok()
    }
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
            encode(&mut out, |out| plain.bytes().try_for_each(|byte| out.write_all(&[byte]))).unwrap();
            assert_eq!(out, coded.as_bytes());
            assert_eq!(decode(coded.as_bytes()).unwrap(), plain.as_bytes());
            assert_eq!(decode(coded.trim_end_matches('=').as_bytes()).unwrap(), plain.as_bytes());
        }
        assert!(decode(b"Zm9vY").is_none() && decode(b"Zm 9v").is_none() && decode(b"Zm9*Zm9v").is_none());
    }

    #[test]
    fn pieces_of_any_size_are_those_of_the_stream() {
        let plain: Vec<u8> = (0..10_000u32).map(|i| ((i * i) >> 3) as u8).collect();
        for size in [1, 2, 3, 7, 4096, 10_000] {
            let mut text = Vec::new();
            encode(&mut text, |out| plain.chunks(size).try_for_each(|part| out.write_all(part))).unwrap();
            let mut decoder = Decoder::new(&text);
            for part in plain.chunks(size) {
                assert!(decoder.remaining() >= part.len());
                assert_eq!(decoder.read(part.len()).unwrap(), part);
            }
            assert!(decoder.is_empty() && decoder.read(1).is_none());
        }
    }

    #[test]
    fn blanks_and_inner_padding() {
        // Header and data of VTU files may be two streams.
        assert_eq!(Decoder::new(b" Zg==\n Zm9\tvYmFy ").read(7).unwrap(), b"ffoobar");
        assert_eq!(Decoder::new(b"Zm9vZg==Zm9v").read(7).unwrap(), b"fooffoo");
        for bad in [&b"Zg=a"[..], b"Z", b"Zg=", b"====", b"Zm9*"] {
            assert!(Decoder::new(bad).read(1).is_none(), "{bad:?}");
        }
        assert!(Decoder::new(b"").read(0).unwrap().is_empty());
    }
}
