//! Blocks of binary nodes and elements of MSH 4.1, decoded by all threads: most of the bytes of a large file.

use super::data::Data;
use super::tables::{Key, Tables};
use super::tags::NodeTags;
use super::types::ElementType;
use crate::ReadError;
use crate::assembly::{Kind, Span};
use crate::bulk::{find_row, read_rows};
use crate::cell::CellShape;
use crate::cursor::{Order, Scalar};
use crate::region::Region;
use pliant_mesh::DVec3;
use pliant_mesh::check::find_first;
use std::io;

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
    let tags = data.region(count.saturating_mul(WORD), "the tags of nodes")?;
    let rows = data.region(count.saturating_mul(row), "the positions of nodes")?;
    push_tags(&mut tables.nodes, tags, order).map_err(ReadError::Io)?;
    let first = tables.cells.vertices.len();
    let vertices = &mut tables.cells.vertices;
    read_rows(vertices, &rows, row, |row| position(row, order)).map_err(ReadError::Io)?;
    match find_first(count, |i| !vertices[first + i].is_finite()) {
        Some(at) => {
            Err(data.error(format!("node {at} of a block is at {:?}", vertices[first + at].to_array())))
        }
        None => Ok(()),
    }
}

fn position(row: &[u8], order: Order) -> DVec3 {
    let coordinate = |k: usize| f64::decode(&row[k * WORD..], order);
    DVec3::new(coordinate(0), coordinate(1), coordinate(2))
}

fn push_tags(nodes: &mut NodeTags, region: Region<'_>, order: Order) -> io::Result<()> {
    let count = region.len() / WORD;
    if count == 0 {
        return Ok(());
    }
    let tag = |word: &[u8]| u64::decode(word, order);
    let first = region.with(0..WORD, tag)?;
    let gap = find_row(&region, WORD, |i, word| tag(word) != first.wrapping_add(i as u64))?;
    // The caller keeps the number of vertices below 2^32.
    if gap.is_some() || !nodes.push_run(first, count as u32) {
        region.bytes()?.chunks_exact(WORD).for_each(|word| nodes.push(tag(word)));
    }
    Ok(())
}

/// Whether a block of these elements is read by [`elements`].
pub(super) fn is_bulk(kind: ElementType) -> bool {
    kind.nodes == kind.corners && matches!(kind.shape, CellShape::Tet | CellShape::Triangle)
}

/// Reads a block of linear tets or triangles; returns whether it did, since other types are left to the caller.
pub(super) fn elements(
    data: &mut Data<'_>,
    tables: &mut Tables<'_>,
    order: Order,
    (kind, count, key): (ElementType, u64, Key),
) -> Result<bool, ReadError> {
    if !is_bulk(kind) {
        return Ok(false);
    }
    let count = usize::try_from(count).map_err(|_| ReadError::TooLarge)?;
    let rows = data.region(count.saturating_mul(WORD * (1 + kind.nodes)), "elements")?;
    let (nodes, cells) = (&tables.nodes, &mut tables.cells);
    let (kind, range, unknown) = if kind.shape == CellShape::Tet {
        let start = cells.tets.len();
        let unknown = connect(nodes, &mut cells.tets, &rows, order);
        (Kind::Tet, start..cells.tets.len(), unknown)
    } else {
        let start = cells.triangles.len();
        let unknown = connect(nodes, &mut cells.triangles, &rows, order);
        (Kind::Triangle, start..cells.triangles.len(), unknown)
    };
    if let Some(tag) = unknown.map_err(ReadError::Io)? {
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
    rows: &Region<'_>,
    order: Order,
) -> io::Result<Option<u64>> {
    let row = WORD * (1 + N);
    let tag = |bytes: &[u8], k: usize| u64::decode(&bytes[(1 + k) * WORD..], order);
    let start = elements.len();
    read_rows(elements, rows, row, |bytes| {
        std::array::from_fn(|k| nodes.find(tag(bytes, k)).unwrap_or(u32::MAX))
    })?;
    // There are fewer than 2^32 nodes, so this index is none.
    let Some(bad) = find_first(rows.len() / row, |i| elements[start + i].contains(&u32::MAX)) else {
        return Ok(None);
    };
    rows.with(bad * row..(bad + 1) * row, |bytes| {
        (0..N).map(|k| tag(bytes, k)).find(|&tag| nodes.find(tag).is_none())
    })
}
