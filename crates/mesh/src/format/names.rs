//! Names of groups in formats that cannot hold every character: the others become `%` and two hex digits.

/// The name with its `special` bytes encoded. A `%` that would be taken for a code is encoded too.
pub(super) fn encode(name: &str, special: impl Fn(u8) -> bool) -> String {
    let bytes = name.as_bytes();
    let mut encoded = Vec::with_capacity(bytes.len());
    for (at, &byte) in bytes.iter().enumerate() {
        if special(byte) || code(&bytes[at..]).is_some() {
            encoded.extend(format!("%{byte:02X}").bytes());
        } else {
            encoded.push(byte);
        }
    }
    // Only whole characters are kept or encoded unless `special` takes them apart, which leaves ASCII.
    String::from_utf8_lossy(&encoded).into_owned()
}

/// The name behind [`encode`]. What is no UTF-8 is replaced.
pub(super) fn decode(encoded: &[u8]) -> String {
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded;
    while let Some((&first, tail)) = rest.split_first() {
        match code(rest) {
            Some(byte) => {
                bytes.push(byte);
                rest = &rest[3..];
            }
            None => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
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
        for name in ["", "plain", "bottom side", "a \"b\" c", "50 %", "%41", "%%41", "tür\n", "\u{1F600}%"] {
            for special in [|b: u8| b == b'"' || b.is_ascii_control(), |b: u8| !b.is_ascii_graphic()] {
                let encoded = encode(name, special);
                assert!(!encoded.bytes().any(special), "{encoded}");
                assert_eq!(decode(encoded.as_bytes()), name);
            }
        }
        assert_eq!(encode("bottom side", |b| !b.is_ascii_graphic()), "bottom%20side");
        assert_eq!(encode("50 %", |_| false), "50 %");
    }
}
