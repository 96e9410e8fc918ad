//! Gmsh MSH 4.1 ASCII: from text to tables. `build` makes the mesh from them.

mod build;

use super::scan::{DAMAGED, Scanner, shown};
use super::{Contents, Family, ReadError, Source, without_mark};
use crate::Mesh;
use build::{Element, EntityKey, Tables};

pub(super) const FAMILY: Family = Family { endings: &["msh"], recognises, read, formats: &[] };

fn recognises(text: &[u8]) -> bool {
    // `$NOD` starts version 1 of the format.
    [&b"$MeshFormat"[..], b"$Comments", b"$NOD"].iter().any(|start| text.starts_with(start))
}

fn read(source: &Source) -> Result<Contents, ReadError> {
    let mesh = read_gmsh(source.bytes())?;
    Ok(Contents { mesh, format: "Gmsh MSH 4.1 ASCII".to_string(), notes: Vec::new() })
}

/// An element belongs to no more physical groups than this. A bound is needed because elements times
/// groups would outgrow the file.
const MAX_GROUPS: usize = 16;

/// Reads a Gmsh MSH 4.1 ASCII file from memory.
///
/// With tets the result is a [`Mesh::Tet`] (triangles, lines and points then only give groups), else a
/// [`Mesh::Tri`]. Physical groups become groups; one without a name is called `volume_1`, `surface_1`,
/// `curve_1` or `point_1` after its tag. Nodes are ordered as in the file; nodes that no element uses are
/// dropped. If all tets are inverted they are flipped; if only some are, that is an error.
pub(crate) fn read_gmsh(bytes: &[u8]) -> Result<Mesh, ReadError> {
    let mut scan = Scanner::new(without_mark(bytes));
    let mut tables = Tables::default();
    let mut format_seen = false;
    while let Some(word) = scan.word() {
        let Some(section) = word.strip_prefix(b"$") else {
            return Err(outside(&scan, word, format_seen));
        };
        if section == b"NOD" {
            return Err(ReadError::GmshVersion { version: "1".to_string() });
        }
        if !format_seen && section != b"MeshFormat" && section != b"Comments" {
            return Err(scan.error("the file does not start with $MeshFormat".to_string()));
        }
        match section {
            b"MeshFormat" => {
                format(&mut scan)?;
                format_seen = true;
            }
            b"PhysicalNames" => physical_names(&mut scan, &mut tables)?,
            b"Entities" => entities(&mut scan, &mut tables)?,
            b"Nodes" => nodes(&mut scan, &mut tables)?,
            b"Elements" => elements(&mut scan, &mut tables)?,
            b"PartitionedEntities" => return Err(partitioned(&scan)),
            _ => {
                skip(&mut scan, section)?;
                continue;
            }
        }
        end(&mut scan, section)?;
    }
    if !format_seen {
        return Err(scan.error("there is no $MeshFormat".to_string()));
    }
    tables.build()
}

fn outside(scan: &Scanner<'_>, word: &[u8], format_seen: bool) -> ReadError {
    let cause = format!("expected a section such as $Nodes, found `{}`", shown(word));
    let remedy = if format_seen { DAMAGED } else { "this is not a Gmsh file, check its ending" };
    ReadError::At { line: scan.line(), cause, remedy }
}

fn partitioned(scan: &Scanner<'_>) -> ReadError {
    ReadError::At {
        line: scan.line(),
        cause: "partitioned meshes are not supported".to_string(),
        remedy: "save the mesh without partitions",
    }
}

/// The section must end here: fewer or more entries than announced show up as another word.
fn end(scan: &mut Scanner<'_>, section: &[u8]) -> Result<(), ReadError> {
    let name = shown(section);
    match scan.word() {
        Some(word) if word.strip_prefix(b"$End") == Some(section) => Ok(()),
        Some(word) => Err(scan.error(format!("expected $End{name}, found `{}`", shown(word)))),
        None => Err(scan.error(format!("the file ends before $End{name}"))),
    }
}

/// Skips a section that has nothing to say here, such as post-processing data.
fn skip(scan: &mut Scanner<'_>, section: &[u8]) -> Result<(), ReadError> {
    let start = scan.line();
    while let Some(word) = scan.word() {
        if word.strip_prefix(b"$End") == Some(section) {
            return Ok(());
        }
    }
    let cause = format!("section ${} has no end", shown(section));
    Err(ReadError::At { line: start, cause, remedy: DAMAGED })
}

fn format(scan: &mut Scanner<'_>) -> Result<(), ReadError> {
    let version = scan.word().map(shown).unwrap_or_default();
    if version != "4.1" {
        return Err(ReadError::GmshVersion { version });
    }
    let binary: u32 = scan.number("0 for ASCII or 1 for binary")?;
    if binary != 0 {
        return Err(ReadError::GmshBinary);
    }
    scan.number::<u32>("the data size")?;
    Ok(())
}

fn dimension(scan: &mut Scanner<'_>) -> Result<u8, ReadError> {
    let value: u8 = scan.number("a dimension from 0 to 3")?;
    if value <= 3 { Ok(value) } else { Err(scan.error(format!("dimension {value} is not 0 to 3"))) }
}

fn physical_names(scan: &mut Scanner<'_>, tables: &mut Tables) -> Result<(), ReadError> {
    let count: u64 = scan.number("the number of physical names")?;
    for _ in 0..count {
        let dimension = dimension(scan)?;
        let tag: i64 = scan.number("a physical tag")?;
        let text = scan.rest_of_line();
        let name = text.strip_prefix(b"\"").and_then(|t| t.strip_suffix(b"\""));
        let Some(name) = name.filter(|n| !n.is_empty()) else {
            return Err(scan.error(format!("expected a name in quotes, found `{}`", shown(text))));
        };
        let name = String::from_utf8_lossy(name).into_owned();
        tables.names.insert((dimension, tag.unsigned_abs()), name);
    }
    Ok(())
}

fn entities(scan: &mut Scanner<'_>, tables: &mut Tables) -> Result<(), ReadError> {
    let mut counts = [0u64; 4];
    for count in &mut counts {
        *count = scan.number("a number of entities")?;
    }
    for (dimension, count) in (0u8..).zip(counts) {
        for _ in 0..count {
            let tag: i64 = scan.number("an entity tag")?;
            // A point has a position, the others have two corners of a box; neither is needed.
            for _ in 0..if dimension == 0 { 3 } else { 6 } {
                scan.number::<f64>("a coordinate of an entity")?;
            }
            let groups = physical_tags(scan)?;
            if !groups.is_empty() {
                tables.entities.insert(EntityKey { dimension, tag }, groups);
            }
            if dimension > 0 {
                let bounding: u64 = scan.number("a number of bounding entities")?;
                for _ in 0..bounding {
                    scan.number::<i64>("the tag of a bounding entity")?;
                }
            }
        }
    }
    Ok(())
}

fn physical_tags(scan: &mut Scanner<'_>) -> Result<Vec<u64>, ReadError> {
    let count: u64 = scan.number("a number of physical tags")?;
    if count > MAX_GROUPS as u64 {
        return Err(ReadError::At {
            line: scan.line(),
            cause: format!("an entity belongs to {count} physical groups, more than {MAX_GROUPS}"),
            remedy: "put it in fewer groups",
        });
    }
    // The sign of a tag is an orientation.
    let tags: Result<Vec<u64>, _> =
        (0..count).map(|_| scan.number::<i64>("a physical tag").map(i64::unsigned_abs)).collect();
    let mut tags = tags?;
    tags.sort_unstable();
    tags.dedup();
    Ok(tags)
}

/// The four numbers that start $Nodes and $Elements; only the number of blocks matters.
fn blocks(scan: &mut Scanner<'_>) -> Result<u64, ReadError> {
    let blocks = scan.number("the number of entity blocks")?;
    for what in ["the total count", "the smallest tag", "the largest tag"] {
        scan.number::<u64>(what)?;
    }
    Ok(blocks)
}

fn nodes(scan: &mut Scanner<'_>, tables: &mut Tables) -> Result<(), ReadError> {
    let mut tags: Vec<(u64, u32)> = Vec::new();
    for _ in 0..blocks(scan)? {
        let dimension = dimension(scan)?;
        scan.number::<i64>("an entity tag")?;
        let parametric: u8 = scan.number("0 or 1 for parametric nodes")?;
        let count: u64 = scan.number("the number of nodes in the block")?;
        let first = tables.vertices.len();
        // Each tag takes two bytes at least.
        tags.reserve(usize::try_from(count).unwrap_or(usize::MAX).min(scan.remaining() / 2));
        for k in 0..count {
            let tag = scan.number("a node tag")?;
            let index = u32::try_from(first as u64 + k).map_err(|_| ReadError::TooLarge)?;
            tags.push((tag, index));
        }
        for _ in 0..count {
            tables.vertices.push([scan.finite("x")?, scan.finite("y")?, scan.finite("z")?]);
            for _ in 0..if parametric == 0 { 0 } else { dimension } {
                scan.number::<f64>("a parametric coordinate")?;
            }
        }
    }
    tables.add_tags(tags).map_err(|tag| scan.error(format!("node tag {tag} is used twice")))
}

fn elements(scan: &mut Scanner<'_>, tables: &mut Tables) -> Result<(), ReadError> {
    for _ in 0..blocks(scan)? {
        let entity = EntityKey { dimension: dimension(scan)?, tag: scan.number("an entity tag")? };
        let kind: u32 = scan.number("an element type")?;
        let block_line = scan.line();
        let count: u64 = scan.number("the number of elements in the block")?;
        for _ in 0..count {
            scan.number::<u64>("an element tag")?;
            let line = scan.line();
            match kind {
                2 => tables.triangles.push(Element { nodes: corners(scan, tables)?, line, entity }),
                4 => tables.tets.push(Element { nodes: corners(scan, tables)?, line, entity }),
                1 => {
                    let ends = corners::<2>(scan, tables)?;
                    tables.marks.extend(ends.map(|node| (entity, node)));
                }
                15 => {
                    let [node] = corners(scan, tables)?;
                    tables.marks.push((entity, node));
                }
                _ => return Err(unsupported(kind, block_line)),
            }
        }
    }
    Ok(())
}

fn unsupported(kind: u32, line: usize) -> ReadError {
    let (what, remedy) = match kind {
        8..=14 | 20..=31 => ("of second or higher order", "mesh with linear elements: gmsh -order 1"),
        3 | 5 | 6 | 7 => {
            ("quads, hexahedra, prisms or pyramids", "mesh with triangles and tets only (no recombination)")
        }
        _ => ("unknown", "mesh with triangles and tets only"),
    };
    ReadError::At { line, cause: format!("elements of type {kind} ({what}) are not supported"), remedy }
}

fn corners<const N: usize>(scan: &mut Scanner<'_>, tables: &Tables) -> Result<[u32; N], ReadError> {
    let mut nodes = [0; N];
    for node in &mut nodes {
        let tag: u64 = scan.number("a node tag")?;
        *node = tables
            .node(tag)
            .ok_or_else(|| scan.error(format!("an element uses node {tag}, which $Nodes does not define")))?;
    }
    Ok(nodes)
}
