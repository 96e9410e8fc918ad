//! Where the appended data of an XML file are.

use crate::outline::Walk;
use std::ops::Range;

/// The elements of a file of this kind fit into this many bytes, unless they hold the data themselves.
const HEAD: usize = 1 << 20;

/// What follows the appended data is shorter than this.
const TAIL: u64 = 4096;

/// The range of the appended bytes.
pub(crate) fn outline(mut walk: Walk<'_>) -> Option<Vec<Range<u64>>> {
    let head = walk.peek(HEAD)?;
    if !super::recognises(head.trim_ascii_start()) {
        return None;
    }
    let tag = find(&head, b"<AppendedData")?;
    let tag_end = tag + head[tag..].iter().position(|&b| b == b'>')? + 1;
    find(&head[tag..tag_end], b"raw")?;
    let mark = tag_end + head[tag_end..].iter().position(|b| !b.is_ascii_whitespace())?;
    if head[mark] != b'_' {
        return None;
    }
    let start = mark as u64 + 1;
    walk.at = walk.size.saturating_sub(TAIL).max(start);
    let tail_at = walk.at;
    let tail = walk.peek(TAIL as usize)?;
    let end = b"</AppendedData>";
    let end = tail.windows(end.len()).rposition(|window| window == end)?;
    Some(std::iter::once(start..tail_at + end as u64).collect())
}

fn find(bytes: &[u8], word: &[u8]) -> Option<usize> {
    bytes.windows(word.len()).position(|window| window == word)
}
