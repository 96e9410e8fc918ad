//! Gmsh MSH, versions 1, 2 and 4, text and binary: the sections of a file. `version2` and `version4` read
//! them, `tables` makes the mesh.

mod bulk;
mod data;
mod outline;
mod partition;
mod sink;
mod tables;
mod tags;
mod types;
mod version2;
mod version4;
mod write2;
mod write4;

pub(super) use outline::outline;

use super::cursor::{Order, Scalar};
use super::scan::{DAMAGED, shown};
use super::{Contents, Family, Format, ReadError, Source};
use data::{Data, Layout, is_end};
use tables::Tables;
use version4::Minor;

pub(super) const FAMILY: Family = Family { endings: &["msh"], recognises, read, formats: &FORMATS };

const FORMATS: [Format; 4] = [
    Format {
        name: "gmsh41",
        about: "Gmsh MSH 4.1, binary",
        volumes: true,
        write: |mesh, path| write4::write(mesh, path, true).map(|()| Vec::new()),
    },
    Format {
        name: "gmsh41-ascii",
        about: "Gmsh MSH 4.1, text",
        volumes: true,
        write: |mesh, path| write4::write(mesh, path, false).map(|()| Vec::new()),
    },
    Format {
        name: "gmsh22",
        about: "Gmsh MSH 2.2, binary",
        volumes: true,
        write: |mesh, path| write2::write(mesh, path, true).map(|()| Vec::new()),
    },
    Format {
        name: "gmsh22-ascii",
        about: "Gmsh MSH 2.2, text",
        volumes: true,
        write: |mesh, path| write2::write(mesh, path, false).map(|()| Vec::new()),
    },
];

fn recognises(text: &[u8]) -> bool {
    // `$NOD` starts version 1 of the format.
    [&b"$MeshFormat"[..], b"$Comments", b"$NOD"].iter().any(|start| text.starts_with(start))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    One,
    Two,
    Four(Minor),
}

/// Reads a Gmsh file of version 1, 2 or 4.
///
/// With tets the result is a volume (triangles, lines and points then only give groups), else a surface.
/// Physical groups become groups, those of the same name in several dimensions become one; one without a name
/// is called `volume_1`, `surface_1`, `curve_1` or `point_1` after its tag. Vertices are ordered as the nodes
/// of the file.
fn read(source: &Source) -> Result<Contents, ReadError> {
    let mut data = Data::new(source);
    let mut tables = Tables::new(source.size());
    let mut version = None;
    while let Some(word) = data.scan.word() {
        let Some(section) = word.strip_prefix(b"$") else {
            return Err(outside(&data, word, version.is_some()));
        };
        read_section(&mut data, &mut tables, section, &mut version)?;
    }
    let Some(version) = version else {
        return Err(data.error("there is no $MeshFormat".to_string()));
    };
    tables.finish(describe(version, data.binary.is_some()))
}

fn describe(version: Version, binary: bool) -> String {
    let number = match version {
        Version::One => "1",
        Version::Two => "2.2",
        Version::Four(Minor::Zero) => "4.0",
        Version::Four(Minor::One) => "4.1",
    };
    format!("Gmsh MSH {number} {}", if binary { "binary" } else { "ASCII" })
}

fn read_section<'a>(
    data: &mut Data<'a>,
    tables: &mut Tables<'a>,
    section: &[u8],
    version: &mut Option<Version>,
) -> Result<(), ReadError> {
    match (section, *version) {
        (b"MeshFormat", _) => {
            let found = format(data)?;
            if matches!(found, Version::Four(_)) {
                tables.entities.get_or_insert_default();
            }
            *version = Some(found);
        }
        (b"Comments", None) => return skip(data, section),
        (b"NOD", None | Some(Version::One)) => {
            *version = Some(Version::One);
            version2::nodes(data, tables)?;
        }
        (b"ELM", Some(Version::One)) => version2::old_elements(data, tables)?,
        (_, None) => return Err(data.error("the file does not start with $MeshFormat".to_string())),
        (b"PhysicalNames", _) => physical_names(data, tables)?,
        (b"Nodes", Some(Version::Two)) => version2::nodes(data, tables)?,
        (b"Elements", Some(Version::Two)) => version2::elements(data, tables)?,
        (b"Entities", Some(Version::Four(minor))) => version4::entities(data, tables, minor)?,
        (b"Nodes", Some(Version::Four(minor))) => version4::nodes(data, tables, minor)?,
        (b"Elements", Some(Version::Four(minor))) => version4::elements(data, tables, minor)?,
        (b"PartitionedEntities", _) => {
            let cause = "partitioned meshes are not supported".to_string();
            return Err(data.error_with(cause, "save the mesh without partitions"));
        }
        (b"ParametricNodes", _) => {
            let cause = "nodes with parametric coordinates are not supported in this version".to_string();
            return Err(data.error_with(cause, "save as MSH 4.1: gmsh -format msh41 -save"));
        }
        _ => {
            skip(data, section)?;
            if section != b"Comments" {
                tables.notes.push(format!("section ${} left out", shown(section)));
            }
            return Ok(());
        }
    }
    data.end(section)
}

fn outside(data: &Data<'_>, word: &[u8], format_seen: bool) -> ReadError {
    let cause = format!("expected a section such as $Nodes, found `{}`", shown(word));
    let remedy = if format_seen { DAMAGED } else { "this is not a Gmsh file, check its ending" };
    data.error_with(cause, remedy)
}

/// Skips a section that has nothing to say here, such as post-processing data.
fn skip(data: &mut Data<'_>, section: &[u8]) -> Result<(), ReadError> {
    let no_end = data.error(format!("section ${} has no end", shown(section)));
    if data.binary.is_none() {
        while let Some(word) = data.scan.word() {
            if is_end(word, section) {
                return Ok(());
            }
        }
        return Err(no_end);
    }
    let end = [b"$End", section].concat();
    data.scan.skip_past(&end).ok_or(no_end)
}

/// The line with the version, the encoding and the size of counts.
fn format_line(version: &'static str, binary: bool) -> [&'static str; 3] {
    [version, if binary { "1" } else { "0" }, "8"]
}

fn format(data: &mut Data<'_>) -> Result<Version, ReadError> {
    let number = data.scan.word().map(shown).unwrap_or_default();
    let version = match number.as_str() {
        "2" | "2.0" | "2.1" | "2.2" => Version::Two,
        "4" | "4.0" => Version::Four(Minor::Zero),
        "4.1" => Version::Four(Minor::One),
        _ => return Err(ReadError::GmshVersion { version: number }),
    };
    let binary: u32 = data.scan.number("0 for ASCII or 1 for binary")?;
    let size: u32 = data.scan.number("the data size")?;
    if binary == 0 {
        return Ok(version);
    }
    data.scan.skip_line();
    let one = data.take(4, "the number one that shows the byte order")?;
    let order = match (i32::decode(one, Order::Little), i32::decode(one, Order::Big)) {
        (1, _) => Order::Little,
        (_, 1) => Order::Big,
        _ => return Err(data.error("the byte order is unknown".to_string())),
    };
    if !matches!(size, 4 | 8) {
        return Err(data.error(format!("the data size is {size}, not 4 or 8")));
    }
    data.binary = Some(Layout { order, wide: size == 8 });
    Ok(version)
}

/// Text in binary files too.
fn physical_names<'a>(data: &mut Data<'a>, tables: &mut Tables<'a>) -> Result<(), ReadError> {
    let scan = &mut data.scan;
    let count: u64 = scan.number("the number of physical names")?;
    for _ in 0..count {
        let dimension: u8 = scan.number("a dimension from 0 to 3")?;
        let tag: i32 = scan.number("a physical tag")?;
        let text = scan.rest_of_line();
        let Some(name) = text.strip_prefix(b"\"").and_then(|t| t.strip_suffix(b"\"")) else {
            return Err(scan.error(format!("expected a name in quotes, found `{}`", shown(text))));
        };
        if dimension > 3 {
            return Err(scan.error(format!("dimension {dimension} is not 0 to 3")));
        }
        tables.names.push(((dimension, tag.unsigned_abs()), name));
    }
    Ok(())
}

fn undefined(data: &Data<'_>, tag: u64) -> ReadError {
    data.error(format!("an element uses node {tag}, which $Nodes does not define"))
}

fn unknown_type(data: &Data<'_>, number: i64) -> ReadError {
    let cause = format!("elements of type {number} are not supported");
    data.error_with(cause, "mesh with tets, triangles, hexahedra, prisms, pyramids or quads only")
}

#[cfg(test)]
pub(super) mod tests;
