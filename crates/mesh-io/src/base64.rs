//! Base64, in which XML and JSON files carry binary data.

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

impl<W: Write> Write for Encoder<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = bytes;
        while self.filled > 0 && self.filled < 3 {
            let Some((&byte, tail)) = rest.split_first() else { return Ok(bytes.len()) };
            self.pending[self.filled] = byte;
            self.filled += 1;
            rest = tail;
        }
        if self.filled == 3 {
            self.out.write_all(&encode(self.pending))?;
            self.filled = 0;
        }
        let (groups, tail) = rest.as_chunks::<3>();
        let mut text = [0; 4096];
        for part in groups.chunks(text.len() / 4) {
            for (coded, group) in text.as_chunks_mut::<4>().0.iter_mut().zip(part) {
                *coded = encode(*group);
            }
            self.out.write_all(&text[..4 * part.len()])?;
        }
        self.pending[..tail.len()].copy_from_slice(tail);
        self.filled = tail.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn encode([a, b, c]: [u8; 3]) -> [u8; 4] {
    let bits = u32::from_be_bytes([0, a, b, c]);
    [18, 12, 6, 0].map(|shift| ALPHABET[(bits >> shift) as usize & 63])
}

/// What a byte of base64 stands for: up to 63, or what it is instead.
const VALUES: [u8; 256] = {
    let mut values = [NONE; 256];
    let mut digit = 0;
    while digit < 64 {
        values[ALPHABET[digit] as usize] = digit as u8;
        digit += 1;
    }
    // The alphabet for URLs.
    values[b'-' as usize] = 62;
    values[b'_' as usize] = 63;
    values
};

const NONE: u8 = 0xff;

/// All bytes of a text without blanks, with or without padding; `None` if it is something else.
pub(super) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let end = text.iter().rposition(|&b| b != b'=').map_or(0, |last| last + 1);
    let mut bytes = Vec::with_capacity(end / 4 * 3 + 3);
    let mut decoder = Decoder::new(&text[..end]);
    decoder.whole_groups(usize::MAX, &mut bytes);
    let rest = decoder.text;
    let mut digits = [0; 4];
    for (digit, &byte) in digits.iter_mut().zip(rest) {
        *digit = VALUES[usize::from(byte)];
        if *digit == NONE {
            return None;
        }
    }
    let [_, group @ ..] = join(digits).to_be_bytes();
    match rest.len() {
        0 => {}
        2 | 3 => bytes.extend_from_slice(&group[..rest.len() - 1]),
        _ => return None,
    }
    Some(bytes)
}

/// Decodes a stream of base64, or several one behind the other, each with its padding. Blanks do not matter.
pub(super) struct Decoder<'a> {
    text: &'a [u8],
    /// Bytes of the last group that were not asked for yet, and where they start.
    group: [u8; 3],
    at: usize,
    end: usize,
}

impl<'a> Decoder<'a> {
    pub fn new(text: &'a [u8]) -> Self {
        Self { text, group: [0; 3], at: 0, end: 0 }
    }

    /// Whether there is nothing but blanks.
    pub fn is_empty(&self) -> bool {
        self.at == self.end && self.text.trim_ascii_start().is_empty()
    }

    /// The most bytes that can follow.
    pub fn remaining(&self) -> usize {
        self.end - self.at + self.text.len() / 4 * 3 + 3
    }

    /// Appends the next `count` bytes; `None` if there are fewer or the text is no base64.
    pub fn read(&mut self, count: usize, bytes: &mut Vec<u8>) -> Option<()> {
        let mut missing = count;
        while missing > 0 {
            if self.at == self.end {
                if missing >= 3 {
                    missing -= self.whole_groups(missing, bytes);
                }
                if missing == 0 {
                    break;
                }
                self.next_group()?;
            }
            let part = missing.min(self.end - self.at);
            bytes.extend_from_slice(&self.group[self.at..self.at + part]);
            self.at += part;
            missing -= part;
        }
        Some(())
    }

    /// Decodes groups without blanks and padding; returns how many bytes.
    fn whole_groups(&mut self, count: usize, bytes: &mut Vec<u8>) -> usize {
        let before = bytes.len();
        let (groups, _) = self.text.as_chunks::<4>();
        let mut used = 0;
        for group in &groups[..groups.len().min(count / 3)] {
            let [a, b, c, d] = group.map(|byte| VALUES[usize::from(byte)]);
            if (a | b | c | d) & 0xc0 != 0 {
                break;
            }
            let [_, bytes_of_group @ ..] = join([a, b, c, d]).to_be_bytes();
            bytes.extend_from_slice(&bytes_of_group);
            used += 4;
        }
        self.text = &self.text[used..];
        bytes.len() - before
    }

    fn next_group(&mut self) -> Option<()> {
        let mut digits = [0; 4];
        let mut padding = 0;
        for digit in &mut digits {
            self.text = self.text.trim_ascii_start();
            let (&byte, rest) = self.text.split_first()?;
            self.text = rest;
            if byte == b'=' {
                padding += 1;
                continue;
            }
            *digit = VALUES[usize::from(byte)];
            if *digit == NONE || padding > 0 {
                return None;
            }
        }
        let [_, group @ ..] = join(digits).to_be_bytes();
        self.group = group;
        self.at = 0;
        self.end = 3usize.checked_sub(padding).filter(|&end| end > 0)?;
        Some(())
    }
}

fn join([a, b, c, d]: [u8; 4]) -> u32 {
    u32::from(a) << 18 | u32::from(b) << 12 | u32::from(c) << 6 | u32::from(d)
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
                encoder.write_all(&[byte]).unwrap();
            }
            encoder.finish().unwrap();
            assert_eq!(out, coded.as_bytes());
            assert_eq!(decode(coded.as_bytes()).unwrap(), plain.as_bytes());
            assert_eq!(decode(coded.trim_end_matches('=').as_bytes()).unwrap(), plain.as_bytes());
        }
        assert_eq!(decode(b"-_+/").unwrap(), [0xfb, 0xff, 0xbf]);
        assert!(decode(b"Zm9vY").is_none() && decode(b"Zm 9v").is_none() && decode(b"Zm9*Zm9v").is_none());
    }

    #[test]
    fn streams_survive() {
        let plain: Vec<u8> = (0..10_000u32).map(|i| ((i * i) >> 3) as u8).collect();
        for size in [1, 2, 3, 7, 4096, 10_000] {
            let mut text = Vec::new();
            let mut encoder = Encoder::new(&mut text);
            plain.chunks(size).for_each(|part| encoder.write_all(part).unwrap());
            encoder.finish().unwrap();
            let mut decoder = Decoder::new(&text);
            let mut bytes = Vec::new();
            for part in plain.chunks(size) {
                assert!(decoder.remaining() >= part.len());
                decoder.read(part.len(), &mut bytes).unwrap();
            }
            assert_eq!(bytes, plain);
            assert!(decoder.read(1, &mut bytes).is_none());
        }
    }

    #[test]
    fn blanks_and_inner_padding() {
        let mut bytes = Vec::new();
        // Header and data of VTU files may be two streams.
        Decoder::new(b" Zg==\n Zm9\tvYmFy ").read(7, &mut bytes).unwrap();
        assert_eq!(bytes, b"ffoobar");
        for bad in [&b"Zg=a"[..], b"Z", b"Zg=", b"====", b"Zm9*"] {
            assert!(Decoder::new(bad).read(1, &mut Vec::new()).is_none(), "{bad:?}");
        }
        assert!(Decoder::new(b"").read(0, &mut bytes).is_some());
    }
}
