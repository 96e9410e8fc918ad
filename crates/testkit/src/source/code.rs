//! Rust code as text: what is code and what is a comment or a literal, and where functions begin and end.

/// The same text with comments and the contents of literals replaced by blanks; lines stay where they are.
pub fn blank_comments_and_literals(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut i = 0;
    while i < bytes.len() {
        let end = match bytes[i] {
            b'/' if bytes[i..].starts_with(b"//") => line_end(bytes, i),
            b'/' if bytes[i..].starts_with(b"/*") => block_comment_end(bytes, i),
            b'"' => string_end(bytes, i),
            b'r' if !is_word(bytes, i) => raw_string_end(bytes, i),
            b'\'' => char_end(bytes, i),
            _ => None,
        };
        match end {
            Some(end) => {
                blank(&mut out[i..end]);
                i = end;
            }
            None => i += 1,
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn blank(bytes: &mut [u8]) {
    bytes.iter_mut().filter(|b| **b != b'\n').for_each(|b| *b = b' ');
}

/// Whether the byte before belongs to a word: then `r` does not start a literal.
fn is_word(bytes: &[u8], i: usize) -> bool {
    i > 0 && (bytes[i - 1].is_ascii_alphanumeric() || bytes[i - 1] == b'_')
}

fn line_end(bytes: &[u8], i: usize) -> Option<usize> {
    Some(bytes[i..].iter().position(|&b| b == b'\n').map_or(bytes.len(), |n| i + n))
}

/// Block comments nest.
fn block_comment_end(bytes: &[u8], start: usize) -> Option<usize> {
    let (mut depth, mut i) = (0, start);
    while i < bytes.len() {
        if bytes[i..].starts_with(b"/*") {
            depth += 1;
            i += 2;
        } else if bytes[i..].starts_with(b"*/") {
            depth -= 1;
            i += 2;
            if depth == 0 {
                return Some(i);
            }
        } else {
            i += 1;
        }
    }
    Some(bytes.len())
}

fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut i = start + 1;
    while i < bytes.len() {
        match bytes[i] {
            b'\\' => i += 2,
            b'"' => return Some(i + 1),
            _ => i += 1,
        }
    }
    Some(bytes.len())
}

fn raw_string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let hashes = bytes[start + 1..].iter().take_while(|b| **b == b'#').count();
    let open = start + 1 + hashes;
    if bytes.get(open) != Some(&b'"') {
        return None;
    }
    let close: Vec<u8> = std::iter::once(b'"').chain(std::iter::repeat_n(b'#', hashes)).collect();
    let found = bytes[open + 1..].windows(close.len()).position(|w| w == close);
    Some(found.map_or(bytes.len(), |n| open + 1 + n + close.len()))
}

/// A character, not a lifetime: `'a'`, `'\n'`, `'é'`.
fn char_end(bytes: &[u8], start: usize) -> Option<usize> {
    if bytes.get(start + 1) == Some(&b'\\') {
        let close = bytes[start + 3..].iter().position(|&b| b == b'\'')?;
        return Some(start + 4 + close);
    }
    // A character has up to four bytes.
    (2..=5)
        .map(|n| start + n)
        .find(|&i| bytes.get(i) == Some(&b'\''))
        .filter(|&i| {
            let inside = &bytes[start + 1..i];
            std::str::from_utf8(inside).is_ok_and(|s| s.chars().count() == 1)
        })
        .map(|i| i + 1)
}

/// A function and how long it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Line of its `fn`, from 1.
    pub line: usize,
    /// Lines from `fn` to its last brace.
    pub lines: usize,
}

/// The functions with a body in code whose comments and literals are blank, also those inside of others.
pub fn functions(code: &str) -> Vec<Function> {
    let bytes = code.as_bytes();
    let starts = code.match_indices("fn ").map(|(i, _)| i).filter(|&i| !is_word(bytes, i));
    starts.filter_map(|start| function_at(code, start)).collect()
}

fn function_at(code: &str, start: usize) -> Option<Function> {
    let name: String = code[start + 3..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    if name.is_empty() {
        return None; // a type such as `fn (usize)`
    }
    // The body starts at the first brace outside of parentheses and brackets; a semicolon there ends a declaration.
    let (mut nesting, mut depth) = (0i32, 0i32);
    for (i, b) in code.bytes().enumerate().skip(start) {
        match b {
            b'(' | b'[' => nesting += 1,
            b')' | b']' => nesting -= 1,
            b';' if nesting == 0 && depth == 0 => return None,
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 && nesting == 0 {
                    let count = |text: &str| text.bytes().filter(|b| *b == b'\n').count();
                    let (line, lines) = (1 + count(&code[..start]), 1 + count(&code[start..i]));
                    return Some(Function { name, line, lines });
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blank_and_code_stays() {
        let text =
            "let a = \"fn x() {\"; // fn y()\n/* { /* } */ */ let b = '{'; let c: &'a str = r#\"\"{\"#;";
        let code = blank_comments_and_literals(text);
        assert_eq!(code.lines().count(), 2);
        assert!(!code.contains(['{', '}']) && !code.contains("fn"), "{code}");
        for kept in ["let a =", "let b =", "let c: &'a str ="] {
            assert!(code.contains(kept), "{code}");
        }
    }

    #[test]
    fn functions_are_measured() {
        let code = "trait T { fn declared(&self); }\npub fn one() {}\nfn two(x: [u8; 3]) {\n if x[0] == 0 {\n }\n}\n";
        let found: Vec<_> = functions(code).into_iter().map(|f| (f.name, f.line, f.lines)).collect();
        assert_eq!(found, [("one".to_string(), 2, 1), ("two".to_string(), 3, 4)]);
    }
}
