//! Lines of an OBJ file: comments go, lines that end with a backslash are joined with the next.

use crate::words::count_words;
use std::borrow::Cow;

/// Iterates over statements with the numbers of their first lines.
pub(super) struct Statements<'a> {
    text: &'a [u8],
    at: usize,
    line: usize,
}

impl<'a> Statements<'a> {
    pub fn new(text: &'a [u8]) -> Self {
        Self { text: without_tail(text), at: 0, line: 0 }
    }

    /// What is left to read.
    pub fn rest(&self) -> &'a [u8] {
        &self.text[self.at..]
    }

    /// The next line as it is.
    fn next_line(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest();
        if rest.is_empty() {
            return None;
        }
        let length = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        self.at = (self.at + length + 1).min(self.text.len());
        self.line += 1;
        Some(&rest[..length])
    }
}

impl<'a> Iterator for Statements<'a> {
    type Item = (usize, Cow<'a, [u8]>);

    fn next(&mut self) -> Option<Self::Item> {
        let first = without_comment(self.next_line()?);
        let number = self.line;
        let Some(part) = first.strip_suffix(b"\\") else {
            return Some((number, Cow::Borrowed(first)));
        };
        let mut joined = part.to_vec();
        while let Some(line) = self.next_line() {
            let line = without_comment(line);
            let part = line.strip_suffix(b"\\");
            joined.push(b' ');
            joined.extend_from_slice(part.unwrap_or(line));
            if part.is_none() {
                break;
            }
        }
        Some((number, Cow::Owned(joined)))
    }
}

/// No less than the number of vertices in a text: lines that start with `v`.
pub(super) fn bound_vertices(text: &[u8]) -> usize {
    let is_vertex = |line: &&[u8]| {
        let line = line.trim_ascii_start();
        line.first() == Some(&b'v') && !line.get(1).is_some_and(u8::is_ascii_alphanumeric)
    };
    const SHORTEST: usize = "v 0 0 0\n".len();
    text.split(|&b| b == b'\n').filter(is_vertex).count().min(text.len() / SHORTEST + 1)
}

/// The number of triangles of the faces in a text.
pub(super) fn count_triangles(text: &[u8]) -> usize {
    let mut count = 0;
    // Words of the statement so far, if it is a face.
    let mut words = None;
    let mut continued = false;
    for line in text.split(|&b| b == b'\n') {
        let line = without_comment(line);
        if !continued {
            words = (line.trim_ascii_start().first() == Some(&b'f')).then_some(0);
        }
        continued = line.ends_with(b"\\");
        if let Some(words) = &mut words {
            *words += count_words(line.strip_suffix(b"\\").unwrap_or(line));
            // The statement's first word, and two corners less.
            count += if continued { 0 } else { words.saturating_sub(3) };
        }
    }
    // The last statement may end with a backslash.
    count + words.filter(|_| continued).map_or(0, |words: usize| words.saturating_sub(3))
}

fn without_comment(line: &[u8]) -> &[u8] {
    let length = line.iter().position(|&b| b == b'#').unwrap_or(line.len());
    line[..length].trim_ascii_end()
}

/// The bytes without the zeros or control-Z with which some old programs end a text.
fn without_tail(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|b| !matches!(b, 0 | 0x1a) && !b.is_ascii_whitespace());
    &bytes[..end.map_or(0, |last| last + 1)]
}
