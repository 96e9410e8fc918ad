//! The little of XML that VTK files need. Nothing is copied, so that memory does not grow with the file.

use crate::ReadError;
use crate::scan::{DAMAGED, shown};
use std::borrow::Cow;

/// A part of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event<'a> {
    Open(Tag<'a>),
    Close(&'a [u8]),
    Text(&'a [u8]),
}

/// The start of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tag<'a> {
    pub name: &'a [u8],
    attributes: &'a [u8],
    /// The element has no content and no closing tag.
    pub empty: bool,
}

impl<'a> Tag<'a> {
    /// The value of an attribute.
    pub fn get(&self, name: &str) -> Option<Cow<'a, str>> {
        let mut rest = self.attributes.trim_ascii_start();
        while !rest.is_empty() {
            let equals = rest.iter().position(|&b| b == b'=')?;
            let key = rest[..equals].trim_ascii();
            let (&quote, value) = rest[equals + 1..].trim_ascii_start().split_first()?;
            let end = value.iter().position(|&b| b == quote)?;
            if key == name.as_bytes() {
                return Some(unescape(&value[..end]));
            }
            rest = value[end + 1..].trim_ascii_start();
        }
        None
    }

    /// The value of an attribute as a number.
    pub fn number<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.get(name)?.trim().parse().ok()
    }
}

fn unescape(text: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(text);
    if !text.contains('&') {
        return text;
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.as_ref();
    while let Some(at) = rest.find('&') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let entity = rest.find(';').and_then(|end| Some((entity(&rest[1..end])?, end)));
        match entity {
            Some((c, end)) => {
                plain.push(c);
                rest = &rest[end + 1..];
            }
            None => {
                plain.push('&');
                rest = &rest[1..];
            }
        }
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

fn entity(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}

/// Text made fit for the value of an attribute.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // XML 1.0 has no place for other control characters.
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

/// A cursor over a document.
pub(super) struct Xml<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Xml<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Offset of the next byte.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// The next part, or `None` at the end of the document. Comments and declarations are passed over.
    pub fn next(&mut self) -> Result<Option<Event<'a>>, ReadError> {
        loop {
            let rest = &self.bytes[self.at..];
            if rest.is_empty() {
                return Ok(None);
            }
            if rest[0] != b'<' {
                let end = rest.iter().position(|&b| b == b'<').unwrap_or(rest.len());
                self.at += end;
                return Ok(Some(Event::Text(&rest[..end])));
            }
            if rest.starts_with(b"<!--") {
                self.skip_past(b"-->")?;
            } else if rest.starts_with(b"<?") {
                self.skip_past(b"?>")?;
            } else if rest.starts_with(b"<!") {
                self.skip_past(b">")?;
            } else {
                return self.tag().map(Some);
            }
        }
    }

    fn skip_past(&mut self, end: &[u8]) -> Result<(), ReadError> {
        let rest = &self.bytes[self.at..];
        match rest.windows(end.len()).position(|window| window == end) {
            Some(at) => {
                self.at += at + end.len();
                Ok(())
            }
            None => Err(self.error(format!("there is no `{}`", shown(end)))),
        }
    }

    fn tag(&mut self) -> Result<Event<'a>, ReadError> {
        let rest = &self.bytes[self.at + 1..];
        let mut quote = None;
        let end = rest.iter().position(|&b| {
            match (quote, b) {
                (None, b'>') => return true,
                (None, b'"' | b'\'') => quote = Some(b),
                (Some(open), _) if open == b => quote = None,
                _ => {}
            }
            false
        });
        let Some(end) = end else {
            return Err(self.error("a tag has no end".to_string()));
        };
        self.at += end + 2;
        let inside = &rest[..end];
        if let Some(name) = inside.strip_prefix(b"/") {
            return Ok(Event::Close(name.trim_ascii()));
        }
        let empty = inside.ends_with(b"/");
        let inside = inside.strip_suffix(b"/").unwrap_or(inside);
        let length = inside.iter().position(u8::is_ascii_whitespace).unwrap_or(inside.len());
        let (name, attributes) = inside.split_at(length);
        Ok(Event::Open(Tag { name, attributes, empty }))
    }

    /// Passes over the content of an element up to its end. Returns its own text, the first that is not blank.
    pub fn content(&mut self, tag: Tag<'a>) -> Result<&'a [u8], ReadError> {
        let mut text: &[u8] = b"";
        let mut depth = usize::from(!tag.empty);
        while depth > 0 {
            match self.next()? {
                Some(Event::Open(inner)) => depth += usize::from(!inner.empty),
                Some(Event::Close(name)) => {
                    depth -= 1;
                    if depth == 0 {
                        self.check_close(tag, name)?;
                    }
                }
                Some(Event::Text(part)) if depth == 1 && text.is_empty() => text = part.trim_ascii(),
                Some(Event::Text(_)) => {}
                None => {
                    return Err(self.error(format!("the file ends within <{}>", shown(tag.name))));
                }
            }
        }
        Ok(text)
    }

    /// An element must be closed by its own name.
    pub fn check_close(&self, tag: Tag<'_>, name: &[u8]) -> Result<(), ReadError> {
        if name == tag.name {
            return Ok(());
        }
        Err(self.error(format!("<{}> is closed by </{}>", shown(tag.name), shown(name))))
    }

    /// An error at the cursor, for a damaged file.
    pub fn error(&self, cause: String) -> ReadError {
        let line = 1 + self.bytes[..self.at].iter().filter(|&&b| b == b'\n').count();
        ReadError::At { line, cause, remedy: DAMAGED }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(text: &str) -> Vec<Event<'_>> {
        let mut xml = Xml::new(text.as_bytes());
        std::iter::from_fn(|| xml.next().unwrap()).collect()
    }

    #[test]
    fn a_small_document() {
        let text = "<?xml version=\"1.0\"?><!DOCTYPE x><!-- <no> --><a b='1>2' c = \"&lt;&#65;&#x42;&nope;&amp;\">t<d/></a>";
        let found = events(text);
        let Event::Open(a) = found[0] else { panic!("{found:?}") };
        assert_eq!((a.name, a.empty), (&b"a"[..], false));
        assert_eq!(a.get("b").unwrap(), "1>2");
        assert_eq!(a.get("c").unwrap(), "<AB&nope;&");
        assert_eq!(a.get("d"), None);
        assert_eq!(found[1], Event::Text(b"t"));
        assert!(matches!(found[2], Event::Open(Tag { name: b"d", empty: true, .. })));
        assert_eq!(found[3], Event::Close(b"a"));
    }

    #[test]
    fn content_is_the_own_text() {
        let mut xml = Xml::new(b"<a> <b>x<c/></b> 1 2 <b>y</b></a>rest");
        let Ok(Some(Event::Open(a))) = xml.next() else { panic!("no tag") };
        assert_eq!(xml.content(a).unwrap(), b"1 2");
        assert_eq!(xml.next().unwrap(), Some(Event::Text(b"rest")));
    }

    #[test]
    fn open_ends_are_errors() {
        for text in ["<a", "<a b='>", "<!-- x", "<?x"] {
            assert!(Xml::new(text.as_bytes()).next().is_err(), "{text}");
        }
        let mut xml = Xml::new(b"<a>\n<b>");
        let Ok(Some(Event::Open(a))) = xml.next() else { panic!("no tag") };
        let error = xml.content(a).unwrap_err().to_string();
        assert!(error.starts_with("line 2: the file ends within <a>"), "{error}");
        // Attributes without a value are as good as none.
        let Ok(Some(Event::Open(a))) = Xml::new(b"<a b c>").next() else { panic!("no tag") };
        assert_eq!(a.get("b"), None);
    }

    #[test]
    fn escaped_text_survives() {
        let text = "<a & \"b\">'";
        assert_eq!(unescape(escape(text).as_bytes()), text);
    }
}
