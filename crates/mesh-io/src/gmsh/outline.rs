//! Where the big arrays of a binary MSH 4.1 file are.

use super::types::ElementType;
use super::{bulk, format_line};
use crate::cursor::{Order, Scalar};
use crate::outline::{BIG, Walk};
use std::ops::Range;

/// A file with more blocks than this has no big ones, or few.
const MOST_BLOCKS: u64 = 10_000;

/// The ranges of the nodes and elements that [`bulk`] reads.
pub(crate) fn outline(mut walk: Walk<'_>) -> Option<Vec<Range<u64>>> {
    let order = header(&mut walk)?;
    let mut ranges = Vec::new();
    while walk.at < walk.size {
        let line = next_line(&mut walk)?;
        match line.as_slice() {
            b"" => {}
            b"$Nodes" => {
                for _ in 0..block_count(&mut walk, order)? {
                    nodes(&mut walk, order, &mut ranges)?;
                }
            }
            b"$Elements" => {
                for _ in 0..block_count(&mut walk, order)? {
                    elements(&mut walk, order, &mut ranges)?;
                }
            }
            section if section.starts_with(b"$End") => {}
            section => skip_section(&mut walk, section.strip_prefix(b"$")?)?,
        }
    }
    Some(ranges)
}

fn header(walk: &mut Walk<'_>) -> Option<Order> {
    if next_line(walk)? != b"$MeshFormat" {
        return None;
    }
    let line = next_line(walk)?;
    let words: Vec<&[u8]> = line.split(|b| *b == b' ').filter(|word| !word.is_empty()).collect();
    if words != format_line("4.1", true).map(str::as_bytes) {
        return None;
    }
    let one = walk.take(4)?;
    [Order::Little, Order::Big].into_iter().find(|&order| i32::decode(&one, order) == 1)
}

/// The rest of the line; lines that matter are short.
fn next_line(walk: &mut Walk<'_>) -> Option<Vec<u8>> {
    let bytes = walk.peek(80)?;
    let length = bytes.iter().position(|&b| b == b'\n')?;
    walk.skip(length as u64 + 1)?;
    Some(bytes[..length].trim_ascii().to_vec())
}

fn block_count(walk: &mut Walk<'_>, order: Order) -> Option<u64> {
    let count = u64::decode(&walk.take(32)?, order);
    (count <= MOST_BLOCKS).then_some(count)
}

/// Three integers and a count.
fn block(walk: &mut Walk<'_>, order: Order) -> Option<([i32; 3], u64)> {
    let bytes = walk.take(20)?;
    Some((std::array::from_fn(|k| i32::decode(&bytes[4 * k..], order)), u64::decode(&bytes[12..], order)))
}

fn nodes(walk: &mut Walk<'_>, order: Order, ranges: &mut Vec<Range<u64>>) -> Option<()> {
    let ([dimension, _, parametric], count) = block(walk, order)?;
    let parameters = if parametric == 0 { 0 } else { u64::try_from(dimension).ok().filter(|d| *d <= 3)? };
    for words in [1, 3 + parameters] {
        push(ranges, walk.skip(count.checked_mul(8 * words)?)?);
    }
    Some(())
}

fn elements(walk: &mut Walk<'_>, order: Order, ranges: &mut Vec<Range<u64>>) -> Option<()> {
    let ([_, _, number], count) = block(walk, order)?;
    let kind = ElementType::of(i64::from(number))?;
    let range = walk.skip(count.checked_mul(8 * (1 + kind.nodes as u64))?)?;
    if bulk::is_bulk(kind) {
        push(ranges, range);
    }
    Some(())
}

fn push(ranges: &mut Vec<Range<u64>>, range: Range<u64>) {
    if range.end - range.start >= BIG {
        ranges.push(range);
    }
}

/// Passes over a section of unknown content, up to the line that ends it.
fn skip_section(walk: &mut Walk<'_>, name: &[u8]) -> Option<()> {
    const WINDOW: usize = 1 << 16;
    let end = [b"$End", name].concat();
    loop {
        let bytes = walk.peek(WINDOW)?;
        if let Some(at) = bytes.windows(end.len()).position(|window| window == end) {
            walk.skip(at as u64)?;
            return Some(());
        }
        // The end may lie across two windows.
        walk.skip(bytes.len().checked_sub(end.len()).filter(|&n| n > 0)? as u64)?;
    }
}
