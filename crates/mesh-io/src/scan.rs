//! Words of a text with their line numbers.

use super::ReadError;
use pliant_mesh::DVec3;
use std::str::FromStr;

/// A cursor over bytes. Words are separated by blanks and line ends.
pub(super) struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Line of the cursor, from one.
    cursor_line: usize,
    /// Line of the last word.
    word_line: usize,
}

/// What to do about a file that is cut or damaged.
pub(super) const DAMAGED: &str = "the file is damaged or cut, export it again";

impl<'a> Scanner<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, cursor_line: 1, word_line: 1 }
    }

    /// Line of the last word read.
    pub fn line(&self) -> usize {
        self.word_line
    }

    /// Bytes still to read: no honest count can be larger.
    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// The next word.
    pub fn word(&mut self) -> Option<&'a [u8]> {
        while let Some(&b) = self.bytes.get(self.at) {
            if !b.is_ascii_whitespace() {
                break;
            }
            self.cursor_line += usize::from(b == b'\n');
            self.at += 1;
        }
        self.word_line = self.cursor_line;
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        self.at += length;
        (length > 0).then(|| &rest[..length])
    }

    /// Offset of the next byte.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// The next `count` bytes as they are, or `None` if there are fewer. Lines are not counted in them.
    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let bytes = self.bytes[self.at..].get(..count)?;
        self.at += count;
        Some(bytes)
    }

    /// The bytes from an offset to the cursor.
    pub fn since(&self, start: usize) -> &'a [u8] {
        &self.bytes[start..self.at]
    }

    /// The next word, which stays the next.
    pub fn peek_word(&self) -> Option<&'a [u8]> {
        let rest = self.bytes[self.at..].trim_ascii_start();
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        (length > 0).then(|| &rest[..length])
    }

    /// Moves the cursor behind the next place with these bytes, or says that there is none.
    pub fn skip_past(&mut self, bytes: &[u8]) -> Option<()> {
        let at = self.bytes[self.at..].windows(bytes.len().max(1)).position(|window| window == bytes)?;
        self.at += at + bytes.len();
        Some(())
    }

    /// Moves the cursor behind the end of the line.
    pub fn skip_line(&mut self) {
        self.rest_of_line();
        if self.at < self.bytes.len() {
            self.at += 1;
            self.cursor_line += 1;
        }
    }

    /// What is left of the current line; the cursor moves to the next line.
    pub fn rest_of_line(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        self.at += length;
        rest[..length].trim_ascii()
    }

    /// The next word as a number; `what` says what it should be.
    pub fn number<T: FromStr>(&mut self, what: &str) -> Result<T, ReadError> {
        let Some(word) = self.word() else {
            return Err(self.error(format!("the file ends where {what} is expected")));
        };
        match std::str::from_utf8(word).ok().and_then(|text| text.parse().ok()) {
            Some(value) => Ok(value),
            None => Err(self.error(format!("expected {what}, found `{}`", shown(word)))),
        }
    }

    /// The next word as a finite number.
    pub fn finite(&mut self, what: &str) -> Result<f64, ReadError> {
        let value: f64 = self.number(what)?;
        if value.is_finite() { Ok(value) } else { Err(self.error(format!("{what} is {value}"))) }
    }

    /// The next three words as a point.
    pub fn point(&mut self) -> Result<DVec3, ReadError> {
        Ok(DVec3::new(self.finite("x")?, self.finite("y")?, self.finite("z")?))
    }

    /// An error at the last word, for a damaged file.
    pub fn error(&self, cause: String) -> ReadError {
        ReadError::At { line: self.line(), cause, remedy: DAMAGED }
    }
}

/// A word made fit for a one-line message.
pub(super) fn shown(word: &[u8]) -> String {
    const LONGEST: usize = 32;
    let text: String = String::from_utf8_lossy(word)
        .chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .take(LONGEST)
        .collect();
    if text.chars().count() == LONGEST { text + "..." } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_know_their_lines() {
        let mut scan = Scanner::new(b" a\r\n\n b 7 x\ny");
        assert_eq!((scan.word(), scan.line()), (Some(&b"a"[..]), 1));
        assert_eq!((scan.word(), scan.line()), (Some(&b"b"[..]), 3));
        assert_eq!(scan.number::<u32>("a count").unwrap(), 7);
        assert_eq!(scan.rest_of_line(), b"x");
        let error = scan.number::<u32>("a tag").unwrap_err().to_string();
        assert!(error.starts_with("line 4: expected a tag, found `y`;"), "{error}");
        assert_eq!((scan.word(), scan.remaining()), (None, 0));
    }

    #[test]
    fn non_finite_numbers_are_refused() {
        for text in ["nan", "inf", "-inf", "1e999"] {
            assert!(Scanner::new(text.as_bytes()).finite("x").is_err(), "{text}");
        }
        assert_eq!(Scanner::new(b"-1.5e-3").finite("x").unwrap(), -1.5e-3);
    }

    #[test]
    fn long_or_binary_words_are_cut_for_messages() {
        assert_eq!(shown(b"ok"), "ok");
        assert!(shown(&[b'z'; 500]).len() < 40);
        assert!(!shown(b"a\x00\x1b[2J").contains('\x1b'));
    }
}
