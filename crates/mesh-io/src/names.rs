//! Names of groups in formats that cannot hold every character: the others become `%` and two hex digits a byte.

/// The name with its `special` characters, control characters and blanks at the ends encoded. A `%` that would be
/// taken for a code is encoded too.
pub(super) fn encode(name: &str, special: impl Fn(char) -> bool) -> String {
    let mut encoded = String::with_capacity(name.len());
    for (at, c) in name.char_indices() {
        let rest = &name.as_bytes()[at..];
        let is_end = at == 0 || rest.len() == c.len_utf8();
        if special(c) || c.is_control() || is_end && c.is_whitespace() || code(rest).is_some() {
            let mut bytes = [0; 4];
            encoded.extend(c.encode_utf8(&mut bytes).bytes().map(|b| format!("%{b:02X}")));
        } else {
            encoded.push(c);
        }
    }
    encoded
}

/// The name behind [`encode`]. What is no UTF-8 is replaced.
pub(super) fn decode(encoded: &[u8]) -> String {
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded;
    while let [first, tail @ ..] = rest {
        match code(rest) {
            Some(byte) => {
                bytes.push(byte);
                rest = &rest[3..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    // A valid name is not copied.
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// The byte that a code at the start stands for.
fn code(bytes: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = *bytes else { return None };
    let digit = |b: u8| char::from(b).to_digit(16);
    Some((digit(high)? * 16 + digit(low)?) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_survive() {
        let names =
            ["", "plain", " b ", "a \"b\" c", "50 %", "100%", "%41", "%%41", "%4\n", "tür\n", "\u{7f}"];
        for name in names.into_iter().chain(["ü日本", "\u{3000}", "a  b", "\u{1F600}%"]) {
            let tests: [fn(char) -> bool; 4] =
                [|_| false, |c| c == '"', |c| !c.is_ascii_graphic(), char::is_whitespace];
            for special in tests {
                let encoded = encode(name, special);
                assert!(!encoded.contains(special) && !encoded.contains(char::is_control), "{encoded:?}");
                assert_eq!(encoded.trim(), encoded);
                assert_eq!(decode(encoded.as_bytes()), name);
            }
        }
        assert_eq!(encode("bottom side", |c| !c.is_ascii_graphic()), "bottom%20side");
        assert_eq!(encode("50 %", |_| false), "50 %");
    }
}
