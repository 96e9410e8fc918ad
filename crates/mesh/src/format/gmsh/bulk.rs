//! Blocks of binary nodes and elements of MSH 4.1, decoded by all threads: most of the bytes of a large file.

use super::data::Data;
use super::tables::{Key, Tables};
use super::tags::NodeTags;
use super::types::ElementType;
use crate::format::ReadError;
use crate::format::assembly::{Kind, Span};
use crate::format::cursor::{Order, Scalar};
use crate::format::shape::Shape;
use crate::vector::is_finite;
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of a tag or a coordinate.
const WORD: usize = 8;

/// Reads a block of `count` nodes: tags, then positions, each with its `parameters`.
pub(super) fn nodes(
    data: &mut Data<'_>,
    tables: &mut Tables<'_>,
    order: Order,
    count: u64,
    parameters: u8,
) -> Result<(), ReadError> {
    let count = usize::try_from(count).map_err(|_| ReadError::TooLarge)?;
    let row = WORD * (3 + usize::from(parameters));
    let tags = data.take(count.saturating_mul(WORD), "the tags of nodes")?;
    let rows = data.take(count.saturating_mul(row), "the positions of nodes")?;
    push_tags(&mut tables.nodes, tags, order);
    let first = tables.cells.vertices.len();
    let vertices = &mut tables.cells.vertices;
    vertices.reserve_exact(count);
    vertices.par_extend(rows.par_chunks_exact(row).map(|row| coordinates(row, order)));
    match vertices[first..].par_iter().position_first(|&p| !is_finite(p)) {
        Some(at) => Err(data.error(format!("node {at} of a block is at {:?}", vertices[first + at]))),
        None => Ok(()),
    }
}

fn coordinates(row: &[u8], order: Order) -> [f64; 3] {
    std::array::from_fn(|k| f64::decode(&row[k * WORD..], order))
}

fn push_tags(nodes: &mut NodeTags, bytes: &[u8], order: Order) {
    let Some(first) = bytes.get(..WORD).map(|word| u64::decode(word, order)) else { return };
    let tag = |word: &[u8]| u64::decode(word, order);
    let counted = bytes
        .par_chunks_exact(WORD)
        .enumerate()
        .with_min_len(4096)
        .all(|(i, word)| tag(word) == first.wrapping_add(i as u64));
    // The caller keeps the number of vertices below 2^32.
    if !(counted && nodes.push_run(first, (bytes.len() / WORD) as u32)) {
        bytes.chunks_exact(WORD).for_each(|word| nodes.push(tag(word)));
    }
}

/// Reads a block of linear tets or triangles; tells if it did, since other types are left to the caller.
pub(super) fn elements(
    data: &mut Data<'_>,
    tables: &mut Tables<'_>,
    order: Order,
    (kind, count, key): (ElementType, u64, Key),
) -> Result<bool, ReadError> {
    if kind.nodes != kind.corners || !matches!(kind.shape, Shape::Tet | Shape::Triangle) {
        return Ok(false);
    }
    let count = usize::try_from(count).map_err(|_| ReadError::TooLarge)?;
    let rows = data.take(count.saturating_mul(WORD * (1 + kind.nodes)), "elements")?;
    let (nodes, cells) = (&tables.nodes, &mut tables.cells);
    let (kind, range, unknown) = if kind.shape == Shape::Tet {
        let start = cells.tets.len();
        let unknown = connect(nodes, &mut cells.tets, rows, order);
        (Kind::Tet, start..cells.tets.len(), unknown)
    } else {
        let start = cells.triangles.len();
        let unknown = connect(nodes, &mut cells.triangles, rows, order);
        (Kind::Triangle, start..cells.triangles.len(), unknown)
    };
    if let Some(tag) = unknown {
        return Err(super::undefined(data, tag));
    }
    let index = |n: usize| u32::try_from(n).map_err(|_| ReadError::TooLarge);
    tables.mark(key, Span { kind, range: index(range.start)?..index(range.end)? });
    Ok(true)
}

/// Appends elements from rows of a tag and `N` node tags. Returns the first node tag without a node.
fn connect<const N: usize>(
    nodes: &NodeTags,
    elements: &mut Vec<[u32; N]>,
    rows: &[u8],
    order: Order,
) -> Option<u64> {
    let row = WORD * (1 + N);
    let tag = |bytes: &[u8], k: usize| u64::decode(&bytes[(1 + k) * WORD..], order);
    let bad = AtomicUsize::new(usize::MAX);
    elements.reserve_exact(rows.len() / row);
    elements.par_extend(rows.par_chunks_exact(row).enumerate().with_min_len(4096).map(|(i, bytes)| {
        std::array::from_fn(|k| {
            nodes.find(tag(bytes, k)).unwrap_or_else(|| {
                bad.fetch_min(i, Ordering::Relaxed);
                u32::MAX
            })
        })
    }));
    let bytes = rows.chunks_exact(row).nth(bad.into_inner())?;
    (0..N).map(|k| tag(bytes, k)).find(|&tag| nodes.find(tag).is_none())
}
