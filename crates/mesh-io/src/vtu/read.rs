//! Reading the XML files of the Visualization Toolkit: unstructured grids (`.vtu`) and polygonal data (`.vtp`).

use super::array::{Appended, Compression, Storage};
use super::piece::Piece;
use super::xml::{Event, Tag, Xml};
use crate::cursor::Order;
use crate::scan::{DAMAGED, shown};
use crate::vtk::grid::{Fault, Grid};
use crate::{Contents, ReadError, Source, without_mark};
use std::cell::Cell;

const END: &[u8] = b"</VTKFile>";

/// Reads the file. Data named `group:NAME` become groups.
pub(super) fn read(source: &Source) -> Result<Contents, ReadError> {
    let bytes = without_mark(source.bytes());
    let (elements, appended) = split(source, bytes)?;
    let has_appended = appended.is_some();
    let mut xml = Xml::new(elements);
    let root = root(&mut xml)?;
    let storage = storage(&xml, root, appended, source.size())?;
    let mut grid = Grid::new(source.size());
    let mut closed = false;
    while let Some(event) = xml.next()? {
        match event {
            Event::Open(tag) if tag.name == b"Piece" => {
                let piece = Piece::read(&mut xml, tag, &mut grid)?;
                piece.place(&storage, &mut grid).map_err(|fault| at(&xml, fault))?;
            }
            Event::Open(tag) if tag.name == b"FieldData" => {
                xml.content(tag)?;
            }
            Event::Close(b"VTKFile") => closed = true,
            _ => {}
        }
    }
    if !closed && !has_appended {
        return Err(xml.error("the file ends before </VTKFile>".to_string()));
    }
    let kind = root.get("type").unwrap_or_default();
    grid.finish(format!("VTK XML {kind}, {}", describe(&storage)))
}

fn describe(storage: &Storage<'_>) -> String {
    let place = match storage.appended {
        Some(Appended::Base64(_)) => "appended base64",
        Some(_) => "appended",
        None => "inline",
    };
    format!("{place}{}", if storage.compression == Compression::None { "" } else { ", compressed" })
}

/// The elements and the appended data, which are no XML. The file must have its end.
fn split<'a>(source: &'a Source, bytes: &'a [u8]) -> Result<(&'a [u8], Option<Appended<'a>>), ReadError> {
    let start = b"<AppendedData";
    let Some(at) = bytes.windows(start.len()).position(|window| window == start) else {
        return Ok((bytes, None));
    };
    let mut xml = Xml::new(&bytes[at..]);
    let fault =
        |offset: usize, cause: &str| ReadError::AtByte { offset, cause: cause.to_string(), remedy: DAMAGED };
    let Some(Event::Open(tag)) = xml.next()? else {
        return Err(fault(at, "the tag of the appended data is damaged"));
    };
    let data = &bytes[at + xml.offset()..];
    let first = data.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(0);
    if data.get(first) != Some(&b'_') {
        return Err(fault(at, "appended data do not start with `_`"));
    }
    let data = &data[first + 1..];
    let end = b"</AppendedData>";
    let end = data.windows(end.len()).rposition(|window| window == end);
    let Some(end) = end.filter(|&end| data[end..].windows(END.len()).any(|window| window == END)) else {
        return Err(fault(bytes.len(), "the file ends before </VTKFile>"));
    };
    let data = &data[..end];
    let appended = if tag.get("encoding").is_some_and(|encoding| encoding == "base64") {
        Appended::Base64(data)
    } else {
        // The only array that the outline leaves out.
        Appended::Raw(source.left_out(0).map_or(data.into(), |(_, region)| region))
    };
    Ok((&bytes[..at], Some(appended)))
}

fn root<'a>(xml: &mut Xml<'a>) -> Result<Tag<'a>, ReadError> {
    loop {
        match xml.next()? {
            Some(Event::Open(tag)) if tag.name == b"VTKFile" => return Ok(tag),
            Some(Event::Text(text)) if text.trim_ascii().is_empty() => {}
            Some(_) | None => {
                let cause = "there is no <VTKFile>".to_string();
                let remedy = "this is not a VTK file, check its ending";
                return Err(ReadError::At { line: 1, cause, remedy });
            }
        }
    }
}

fn storage<'a>(
    xml: &Xml<'_>,
    root: Tag<'_>,
    appended: Option<Appended<'a>>,
    size: usize,
) -> Result<Storage<'a>, ReadError> {
    let kind = root.get("type").unwrap_or_default();
    if kind != "UnstructuredGrid" && kind != "PolyData" {
        let cause = format!("files of the type `{}` are not supported", shown(kind.as_bytes()));
        let remedy = "save an unstructured grid (.vtu) or polygonal data (.vtp)";
        return Err(ReadError::At { line: 1, cause, remedy });
    }
    let compression = match root.get("compressor").as_deref() {
        None | Some("") => Compression::None,
        Some("vtkZLibDataCompressor") => Compression::Zlib,
        Some("vtkLZ4DataCompressor") => Compression::Lz4,
        Some(_) => Compression::Unknown,
    };
    let order = match root.get("byte_order").as_deref() {
        Some("BigEndian") => Order::Big,
        _ => Order::Little,
    };
    let wide = match root.get("header_type").as_deref() {
        None | Some("UInt32") => false,
        Some("UInt64") => true,
        Some(other) => return Err(xml.error(format!("`{}` is no header type", shown(other.as_bytes())))),
    };
    let budget = Cell::new((64 << 20) + 20 * size);
    Ok(Storage { order, wide, compression, appended, budget })
}

/// A fault of what was read last.
fn at(xml: &Xml<'_>, Fault { cause, remedy }: Fault) -> ReadError {
    match xml.error(cause) {
        ReadError::At { line, cause, .. } => ReadError::At { line, cause, remedy },
        other => other,
    }
}
