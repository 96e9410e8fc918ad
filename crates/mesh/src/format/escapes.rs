//! Names of groups in text files, with escapes for what a line or a word cannot hold.

/// A name for a text file: control characters, `%`, blanks at the ends and what else is asked for become
/// `%` with two digits for each byte.
pub(super) fn escape(name: &str, special: impl Fn(char) -> bool) -> String {
    let last = name.chars().count().saturating_sub(1);
    let mut escaped = String::new();
    for (k, c) in name.chars().enumerate() {
        let at_end = (k == 0 || k == last) && c.is_whitespace();
        if c == '%' || c.is_control() || at_end || special(c) {
            let mut bytes = [0; 4];
            escaped.extend(c.encode_utf8(&mut bytes).bytes().map(|b| format!("%{b:02X}")));
        } else {
            escaped.push(c);
        }
    }
    escaped
}

/// Undoes [`escape`].
pub(super) fn unescape(text: &[u8]) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, tail @ ..] = rest {
        let digit = |b: &u8| char::from(*b).to_digit(16);
        let code = match (first, tail) {
            (b'%', [a, b, ..]) => digit(a).zip(digit(b)).map(|(a, b)| (16 * a + b) as u8),
            _ => None,
        };
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &tail[2..] } else { tail };
    }
    match String::from_utf8(bytes) {
        Ok(name) => name,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        for name in ["", "a", " b ", "100%", "%41", "\n\t\u{7f}", "ü日本", "\u{3000}", "a  b"] {
            for special in [|_| false, |c: char| !c.is_ascii(), char::is_whitespace] {
                let escaped = escape(name, special);
                assert_eq!(unescape(escaped.as_bytes()), name);
                assert!(!escaped.contains(char::is_control) && escaped.trim() == escaped, "{escaped:?}");
            }
        }
    }
}
