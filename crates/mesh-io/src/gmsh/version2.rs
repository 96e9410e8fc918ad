//! Gmsh MSH 1 and 2: one line, or record, for each node and each element.

use super::data::Data;
use super::tables::Tables;
use super::types::ElementType;
use crate::ReadError;

/// `$Nodes`, or `$NOD` of version 1.
pub(super) fn nodes(data: &mut Data<'_>, tables: &mut Tables<'_>) -> Result<(), ReadError> {
    let count: u64 = data.scan.number("the number of nodes")?;
    data.start_binary();
    tables.cells.vertices.reserve_exact(data.capacity(count, 8, 28));
    for _ in 0..count {
        if tables.cells.vertices.len() >= u32::MAX as usize {
            return Err(ReadError::TooLarge);
        }
        tables.nodes.push(node_tag(data)?);
        let position = data.position()?;
        tables.cells.vertices.push(position);
    }
    tables.nodes.seal().map_err(|tag| data.error(format!("node tag {tag} is used twice")))
}

/// Node tags are 32-bit integers here, also in binary files.
fn node_tag(data: &mut Data<'_>) -> Result<u64, ReadError> {
    let tag = data.int("a node tag")?;
    u64::try_from(tag).map_err(|_| data.error(format!("a node has the tag {tag}")))
}

/// `$Elements`.
pub(super) fn elements(data: &mut Data<'_>, tables: &mut Tables<'_>) -> Result<(), ReadError> {
    let count: u64 = data.scan.number("the number of elements")?;
    data.start_binary();
    if data.binary.is_some() {
        return element_blocks(data, tables, count);
    }
    for _ in 0..count {
        data.int("an element number")?;
        let kind = element_type(data)?;
        let labels = label_count(data)?;
        element(data, tables, kind, labels)?;
    }
    Ok(())
}

/// Binary elements come in blocks of one type.
fn element_blocks(data: &mut Data<'_>, tables: &mut Tables<'_>, count: u64) -> Result<(), ReadError> {
    let mut left = count;
    while left > 0 {
        let kind = element_type(data)?;
        let size = data.int("the number of elements in a block")?;
        let labels = label_count(data)?;
        let within = u64::try_from(size).ok().filter(|size| (1..=left).contains(size));
        let Some(size) = within else {
            return Err(data.error(format!("a block has {size} elements, {left} are left")));
        };
        for _ in 0..size {
            data.int("an element number")?;
            element(data, tables, kind, labels)?;
        }
        left -= size;
    }
    Ok(())
}

/// `$ELM` of version 1.
pub(super) fn old_elements(data: &mut Data<'_>, tables: &mut Tables<'_>) -> Result<(), ReadError> {
    let count: u64 = data.scan.number("the number of elements")?;
    for _ in 0..count {
        data.int("an element number")?;
        let kind = element_type(data)?;
        let group = data.label("a physical group")?;
        data.int("an elementary region")?;
        let nodes = data.int("the number of nodes of an element")?;
        if usize::try_from(nodes) != Ok(kind.nodes) {
            let cause = format!("{} has {nodes} nodes, not {}", kind.shape.counted(1), kind.nodes);
            return Err(data.error(cause));
        }
        connect(data, tables, kind, group)?;
    }
    Ok(())
}

/// The labels and nodes of an element. The first label is the physical group, the second the entity; others
/// describe partitions.
fn element(
    data: &mut Data<'_>,
    tables: &mut Tables<'_>,
    kind: ElementType,
    labels: i64,
) -> Result<(), ReadError> {
    let mut group = 0;
    for label in 0..labels {
        let value = data.label("a label of an element")?;
        if label == 0 {
            group = value;
        }
    }
    connect(data, tables, kind, group)
}

fn connect(
    data: &mut Data<'_>,
    tables: &mut Tables<'_>,
    kind: ElementType,
    group: u32,
) -> Result<(), ReadError> {
    let mut corners = [0; 8];
    for k in 0..kind.nodes {
        let tag = node_tag(data)?;
        if let Some(corner) = corners[..kind.corners].get_mut(k) {
            *corner = tables.nodes.find(tag).ok_or_else(|| super::undefined(data, tag))?;
        }
    }
    tables.push_grouped(kind, &corners[..kind.corners], group)
}

fn element_type(data: &mut Data<'_>) -> Result<ElementType, ReadError> {
    let number = data.int("an element type")?;
    ElementType::of(number).ok_or_else(|| super::unknown_type(data, number))
}

fn label_count(data: &mut Data<'_>) -> Result<i64, ReadError> {
    let count = data.int("the number of labels of an element")?;
    if count >= 0 { Ok(count) } else { Err(data.error(format!("an element has {count} labels"))) }
}
