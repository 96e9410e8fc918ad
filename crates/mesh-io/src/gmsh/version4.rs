//! Gmsh MSH 4: nodes and elements in blocks by the entity they belong to.

use super::bulk;
use super::data::Data;
use super::tables::{Key, Tables};
use super::types::ElementType;
use crate::ReadError;

/// Version 4.0 orders some numbers differently and has narrow tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Minor {
    Zero,
    One,
}

/// `$Entities`: which physical groups each entity belongs to.
pub(super) fn entities(data: &mut Data<'_>, tables: &mut Tables<'_>, minor: Minor) -> Result<(), ReadError> {
    data.start_binary();
    let mut counts = [0; 4];
    for count in &mut counts {
        *count = data.size("a number of entities")?;
    }
    for (dimension, count) in (0u8..).zip(counts) {
        for _ in 0..count {
            let tag = data.label("an entity tag")?;
            // A point has a position, the others have two corners of a box; neither is needed.
            for _ in 0..if dimension == 0 && minor == Minor::One { 3 } else { 6 } {
                data.real("a coordinate of an entity")?;
            }
            physical_tags(data, tables, (dimension, tag))?;
            if dimension > 0 {
                for _ in 0..data.size("a number of bounding entities")? {
                    data.int("the tag of a bounding entity")?;
                }
            }
        }
    }
    Ok(())
}

fn physical_tags(data: &mut Data<'_>, tables: &mut Tables<'_>, key: Key) -> Result<(), ReadError> {
    let start = tables.labels.len();
    for _ in 0..data.size("a number of physical tags")? {
        match data.label("a physical tag")? {
            0 => {}
            tag => tables.labels.push(tag),
        }
    }
    let index = |n: usize| u32::try_from(n).map_err(|_| ReadError::TooLarge);
    if tables.labels.len() > start {
        let range = index(start)?..index(tables.labels.len())?;
        tables.entities.get_or_insert_default().push((key, range));
    }
    Ok(())
}

/// The numbers that start `$Nodes` and `$Elements`; only the number of blocks matters.
fn blocks(data: &mut Data<'_>, minor: Minor) -> Result<u64, ReadError> {
    data.start_binary();
    let blocks = data.size("the number of entity blocks")?;
    data.size("the total count")?;
    if minor == Minor::One {
        data.size("the smallest tag")?;
        data.size("the largest tag")?;
    }
    Ok(blocks)
}

/// The entity that a block belongs to.
fn entity(data: &mut Data<'_>, minor: Minor) -> Result<Key, ReadError> {
    if minor == Minor::One {
        return Ok((data.dimension()?, data.label("an entity tag")?));
    }
    let tag = data.label("an entity tag")?;
    Ok((data.dimension()?, tag))
}

/// The tag of a node or an element.
fn tag(data: &mut Data<'_>, minor: Minor, what: &str) -> Result<u64, ReadError> {
    match minor {
        Minor::One => data.size(what),
        Minor::Zero => data.int(what).map(i64::unsigned_abs),
    }
}

pub(super) fn nodes(data: &mut Data<'_>, tables: &mut Tables<'_>, minor: Minor) -> Result<(), ReadError> {
    for _ in 0..blocks(data, minor)? {
        let (dimension, _) = entity(data, minor)?;
        let parametric = data.int("0 or 1 for parametric nodes")? != 0;
        let count = data.size("the number of nodes in the block")?;
        let room = u64::from(u32::MAX) - tables.cells.vertices.len() as u64;
        if count > room {
            return Err(data.error(format!("a block has {count} nodes")));
        }
        let parameters = if parametric { dimension } else { 0 };
        match (minor, data.binary) {
            (Minor::One, Some(layout)) if layout.wide => {
                bulk::nodes(data, tables, layout.order, count, parameters)?;
            }
            (Minor::One, _) => block_of_nodes(data, tables, count, parameters)?,
            (Minor::Zero, _) => {
                for _ in 0..count {
                    let tag = tag(data, minor, "a node tag")?;
                    tables.nodes.push(tag);
                    position(data, tables, parameters)?;
                }
            }
        }
    }
    tables.nodes.seal().map_err(|tag| data.error(format!("node tag {tag} is used twice")))
}

/// All tags of a block, then all positions.
fn block_of_nodes(
    data: &mut Data<'_>,
    tables: &mut Tables<'_>,
    count: u64,
    parameters: u8,
) -> Result<(), ReadError> {
    for _ in 0..count {
        let tag = data.size("a node tag")?;
        tables.nodes.push(tag);
    }
    tables.cells.vertices.reserve_exact(data.capacity(count, 6, 24));
    for _ in 0..count {
        position(data, tables, parameters)?;
    }
    Ok(())
}

fn position(data: &mut Data<'_>, tables: &mut Tables<'_>, parameters: u8) -> Result<(), ReadError> {
    let position = data.position()?;
    tables.cells.vertices.push(position);
    for _ in 0..parameters {
        data.real("a parametric coordinate")?;
    }
    Ok(())
}

pub(super) fn elements(data: &mut Data<'_>, tables: &mut Tables<'_>, minor: Minor) -> Result<(), ReadError> {
    for _ in 0..blocks(data, minor)? {
        let key = entity(data, minor)?;
        let number = data.int("an element type")?;
        let kind = ElementType::of(number).ok_or_else(|| super::unknown_type(data, number))?;
        let count = data.size("the number of elements in the block")?;
        let fast = match (minor, data.binary) {
            (Minor::One, Some(layout)) if layout.wide => {
                bulk::elements(data, tables, layout.order, (kind, count, key))?
            }
            _ => false,
        };
        if !fast {
            reserve(data, tables, kind, count);
            for _ in 0..count {
                tag(data, minor, "an element tag")?;
                element(data, tables, kind, (key, minor))?;
            }
        }
    }
    Ok(())
}

/// Makes room for the elements that the rest of the file can hold.
fn reserve(data: &Data<'_>, tables: &mut Tables<'_>, kind: ElementType, count: u64) {
    let capacity = data.capacity(count, 2 * (kind.nodes + 1), 4 * (kind.nodes + 1));
    match kind.corners {
        3 => tables.cells.triangles.reserve_exact(capacity),
        4 if kind.dimension() == 3 => tables.cells.tets.reserve_exact(capacity),
        _ => {}
    }
}

fn element(
    data: &mut Data<'_>,
    tables: &mut Tables<'_>,
    kind: ElementType,
    (key, minor): (Key, Minor),
) -> Result<(), ReadError> {
    let mut corners = [0; 8];
    for k in 0..kind.nodes {
        let tag = tag(data, minor, "a node tag")?;
        if let Some(corner) = corners[..kind.corners].get_mut(k) {
            *corner = tables.nodes.find(tag).ok_or_else(|| super::undefined(data, tag))?;
        }
    }
    tables.push(kind, &corners[..kind.corners], key)
}
