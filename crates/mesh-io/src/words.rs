//! Words of a text with `#` comments, for the formats that are lists of numbers.

use super::ReadError;
use super::scan::{DAMAGED, shown};
use pliant_mesh::DVec3;
use std::str::FromStr;

/// A cursor over a text. Words are separated by blanks, line ends and comments.
pub(super) struct Words<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Line of the cursor, from one.
    cursor_line: usize,
    /// Line of the last word.
    word_line: usize,
}

impl<'a> Words<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self::from_line(bytes, 1)
    }

    /// A text that starts at a line of a file.
    pub fn from_line(bytes: &'a [u8], line: usize) -> Self {
        Self { bytes, at: 0, cursor_line: line, word_line: line }
    }

    /// Line of the last word read.
    pub fn line(&self) -> usize {
        self.word_line
    }

    /// Bytes still to read: no honest count can be larger.
    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Number of words still to read, or a little more where there are comments.
    pub fn count_rest(&self) -> usize {
        count_words(&self.bytes[self.at..])
    }

    /// The next word.
    pub fn word(&mut self) -> Option<&'a [u8]> {
        loop {
            match *self.bytes.get(self.at)? {
                b'#' => self.skip_to_line_end(),
                b'\n' => {
                    self.cursor_line += 1;
                    self.at += 1;
                }
                b if b.is_ascii_whitespace() => self.at += 1,
                _ => break,
            }
        }
        self.word_line = self.cursor_line;
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|&b| b.is_ascii_whitespace() || b == b'#').unwrap_or(rest.len());
        self.at += length;
        Some(&rest[..length])
    }

    /// What is left of the current line, without a comment that follows; the cursor moves to the line's end.
    pub fn rest_of_line(&mut self) -> &'a [u8] {
        let start = self.at;
        self.skip_to_line_end();
        let rest = &self.bytes[start..self.at];
        let length = rest.iter().position(|&b| b == b'#').unwrap_or(rest.len());
        rest[..length].trim_ascii()
    }

    fn skip_to_line_end(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
    }

    /// The next word, which must be there; `what` says what it should be.
    pub fn expected(&mut self, what: &str) -> Result<&'a [u8], ReadError> {
        self.word().ok_or_else(|| {
            let cause = format!("the file ends where {what} is expected");
            ReadError::At { line: self.cursor_line, cause, remedy: DAMAGED }
        })
    }

    /// The next word as a number.
    pub fn number<T: FromStr>(&mut self, what: &str) -> Result<T, ReadError> {
        let word = self.expected(what)?;
        parse(word).ok_or_else(|| self.error(format!("expected {what}, found `{}`", shown(word))))
    }

    /// The next word as a finite number.
    pub fn finite(&mut self, what: &str) -> Result<f64, ReadError> {
        let word = self.expected(what)?;
        match parse_real(word) {
            Some(value) if value.is_finite() => Ok(value),
            Some(value) => Err(self.error(format!("{what} is {value}"))),
            None => Err(self.error(format!("expected {what}, found `{}`", shown(word)))),
        }
    }

    /// The next three words as a point.
    pub fn point(&mut self) -> Result<DVec3, ReadError> {
        Ok(DVec3::new(self.finite("x")?, self.finite("y")?, self.finite("z")?))
    }

    /// An error at the last word, for a damaged file.
    pub fn error(&self, cause: String) -> ReadError {
        ReadError::At { line: self.word_line, cause, remedy: DAMAGED }
    }
}

/// Number of words in a text.
pub(super) fn count_words(text: &[u8]) -> usize {
    let mut blank = true;
    let mut count = 0;
    for b in text {
        let now = b.is_ascii_whitespace();
        count += usize::from(blank && !now);
        blank = now;
    }
    count
}

/// A word as a number.
pub(super) fn parse<T: FromStr>(word: &[u8]) -> Option<T> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// A word as a real number, also with the exponent letter of Fortran: `1.5D-3`.
pub(super) fn parse_real(word: &[u8]) -> Option<f64> {
    parse(word).or_else(|| {
        let text = std::str::from_utf8(word).ok()?;
        text.contains(['d', 'D']).then(|| text.replace(['d', 'D'], "e").parse().ok())?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_skip_comments_and_know_their_lines() {
        let mut words = Words::new(b"# one\r\n a#two\n\n7 -1.5e-3 2D1 x y # z\n9");
        assert_eq!((words.word(), words.line()), (Some(&b"a"[..]), 2));
        assert_eq!(words.number::<u32>("a count").unwrap(), 7);
        assert_eq!(words.line(), 4);
        assert_eq!(words.count_rest(), 7);
        assert_eq!((words.finite("a").unwrap(), words.finite("b").unwrap()), (-1.5e-3, 20.0));
        assert_eq!(words.rest_of_line(), b"x y");
        assert_eq!(words.number::<u32>("a count").unwrap(), 9);
        assert!(words.word().is_none() && words.remaining() == 0);
        let error = words.finite("x").unwrap_err().to_string();
        assert_eq!(
            error,
            "line 5: the file ends where x is expected; the file is damaged or cut, export it again"
        );
    }

    #[test]
    fn non_finite_numbers_are_refused() {
        for text in ["nan", "inf", "-inf", "1e999", "1f", "d"] {
            assert!(Words::new(text.as_bytes()).finite("x").is_err(), "{text}");
        }
    }
}
