//! The header of a PLY file: its elements and their properties.

use crate::ReadError;
use crate::numbers::NumberType;
use crate::scan::{DAMAGED, shown};
use crate::words::parse;

/// How the body is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Ascii,
    Little,
    Big,
}

/// The type of a number by its name.
fn number_type(word: &[u8]) -> Option<NumberType> {
    Some(match word {
        b"char" | b"int8" => NumberType::I8,
        b"uchar" | b"uint8" => NumberType::U8,
        b"short" | b"int16" => NumberType::I16,
        b"ushort" | b"uint16" => NumberType::U16,
        b"int" | b"int32" => NumberType::I32,
        b"uint" | b"uint32" => NumberType::U32,
        // Not in the standard, but written by some programs.
        b"int64" => NumberType::I64,
        b"uint64" => NumberType::U64,
        b"float" | b"float32" => NumberType::F32,
        b"double" | b"float64" => NumberType::F64,
        _ => return None,
    })
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    One(NumberType),
    List { count: NumberType, item: NumberType },
}

#[derive(Debug)]
pub(super) struct Property<'a> {
    pub name: &'a [u8],
    pub kind: Kind,
}

#[derive(Debug)]
pub(super) struct Element<'a> {
    pub name: &'a [u8],
    pub count: usize,
    pub properties: Vec<Property<'a>>,
}

impl Element<'_> {
    /// The fewest bytes that one of these takes.
    pub fn smallest(&self, encoding: Encoding) -> usize {
        let sizes = self.properties.iter().map(|property| match property.kind {
            // A digit and a blank.
            _ if encoding == Encoding::Ascii => 2,
            Kind::One(scalar) | Kind::List { count: scalar, .. } => scalar.size(),
        });
        sizes.sum()
    }
}

pub(super) struct Header<'a> {
    pub encoding: Encoding,
    pub elements: Vec<Element<'a>>,
    /// Where the body starts, in bytes, and its first line.
    pub body: (usize, usize),
}

/// Elements and properties of one header: nobody needs more.
const MOST_DECLARED: usize = 1024;

pub(super) fn parse_header(bytes: &[u8]) -> Result<Header<'_>, ReadError> {
    let mut lines = Lines::new(bytes);
    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    let mut declared = 0;
    // The first line is the one by which the format was known.
    lines.next();
    while let Some(text) = lines.next() {
        let line = lines.number;
        let bad = |cause: String| ReadError::At { line, cause, remedy: DAMAGED };
        let words: Vec<&[u8]> =
            text.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()).take(8).collect();
        match words[..] {
            [] | [b"comment" | b"obj_info", ..] => {}
            [b"format", name, version] => encoding = Some(parse_encoding(name, version, line)?),
            [b"element", name, count] => {
                let Some(count) = parse(count) else {
                    return Err(bad(format!("expected a number of elements, found `{}`", shown(count))));
                };
                elements.push(Element { name, count, properties: Vec::new() });
                declared += 1;
            }
            [b"property", .., name] => {
                let kind = parse_kind(&words[1..words.len() - 1]);
                let (Some(kind), Some(element)) = (kind, elements.last_mut()) else {
                    return Err(bad(format!("cannot make sense of `{}`", shown(text))));
                };
                element.properties.push(Property { name, kind });
                declared += 1;
            }
            [b"end_header"] if lines.ended => {
                let encoding = encoding.ok_or_else(|| bad("the header names no format".to_string()))?;
                return Ok(Header { encoding, elements, body: (lines.at, line + 1) });
            }
            _ => return Err(bad(format!("cannot make sense of `{}`", shown(text)))),
        }
        if declared > MOST_DECLARED {
            return Err(bad(format!("the header declares more than {MOST_DECLARED} properties")));
        }
    }
    let cause = "the file ends within the header".to_string();
    Err(ReadError::At { line: lines.number, cause, remedy: DAMAGED })
}

fn parse_encoding(name: &[u8], version: &[u8], line: usize) -> Result<Encoding, ReadError> {
    match (name, version) {
        (b"ascii", b"1.0") => Ok(Encoding::Ascii),
        (b"binary_little_endian", b"1.0") => Ok(Encoding::Little),
        (b"binary_big_endian", b"1.0") => Ok(Encoding::Big),
        _ => Err(ReadError::At {
            line,
            cause: format!("PLY format `{} {}` is not known", shown(name), shown(version)),
            remedy: "export it as PLY 1.0",
        }),
    }
}

/// The words between `property` and the name.
fn parse_kind(words: &[&[u8]]) -> Option<Kind> {
    match *words {
        [scalar] => Some(Kind::One(number_type(scalar)?)),
        [b"list", count, item] => Some(Kind::List { count: number_type(count)?, item: number_type(item)? }),
        _ => None,
    }
}

/// Lines of a header. The first line shows how they end, which matters for the first byte of a binary body.
struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The number of the last line, from one.
    number: usize,
    /// Whether the last line had a line end.
    ended: bool,
    end: &'static [u8],
}

impl<'a> Lines<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let end: &[u8] = match bytes.iter().position(|&b| b == b'\r' || b == b'\n') {
            Some(at) if bytes[at..].starts_with(b"\r\n") => b"\r\n",
            Some(at) if bytes[at] == b'\r' => b"\r",
            _ => b"\n",
        };
        Self { bytes, at: 0, number: 0, ended: true, end }
    }

    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        if rest.is_empty() {
            return None;
        }
        let found = rest.windows(self.end.len()).position(|w| w == self.end);
        let length = found.unwrap_or(rest.len());
        self.ended = found.is_some();
        self.at += length + if self.ended { self.end.len() } else { 0 };
        self.number += 1;
        Some(&rest[..length])
    }
}
