//! Reading the XML files of the Visualization Toolkit: unstructured grids (`.vtu`) and polygonal data (`.vtp`).

use super::array::{Appended, Compression, DataArray, Storage};
use super::xml::{Event, Tag, Xml};
use crate::format::cursor::Order;
use crate::format::numbers::Array;
use crate::format::scan::{DAMAGED, shown};
use crate::format::vtk::grid::{CellTable, CellTypes, Fault, Grid, Meaning};
use crate::format::{Contents, ReadError, Source, without_mark};
use std::cell::Cell;

const END: &[u8] = b"</VTKFile>";

/// A part of a piece that lists cells.
struct Part<'a> {
    /// How many cells, and their type if it is one for all.
    count: usize,
    number: Option<u8>,
    /// Those of [`ARRAYS`].
    arrays: [Option<DataArray<'a>>; 3],
}

/// The arrays that describe cells.
const ARRAYS: [&str; 3] = ["connectivity", "offsets", "types"];

/// The parts of polygonal data: element, attribute with the count, type of the cells. In the order in which data
/// of cells come.
const PARTS: [(&[u8], &str, u8); 4] = [
    (b"Verts", "NumberOfVerts", 2),
    (b"Lines", "NumberOfLines", 4),
    (b"Polys", "NumberOfPolys", 7),
    (b"Strips", "NumberOfStrips", 6),
];

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
            Event::Open(tag) if tag.name == b"Piece" => piece(&mut xml, tag, &storage, &mut grid)?,
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

fn piece<'a>(
    xml: &mut Xml<'a>,
    tag: Tag<'a>,
    storage: &Storage<'a>,
    grid: &mut Grid,
) -> Result<(), ReadError> {
    let mut points = None;
    let mut parts: Vec<(usize, Part<'a>)> = Vec::new();
    let mut masks: Vec<(Meaning, DataArray<'a>, bool)> = Vec::new();
    let mut open = !tag.empty;
    while open {
        match xml.next()? {
            Some(Event::Open(inner)) => match inner.name {
                b"Points" => each_array(xml, inner, |array| points = points.or(Some(array)))?,
                b"PointData" | b"CellData" => {
                    let of_cells = inner.name == b"CellData";
                    each_array(xml, inner, |array| {
                        if let Some(meaning) = meaning(&array, of_cells, grid) {
                            masks.push((meaning, array, of_cells));
                        }
                    })?;
                }
                _ => match part(xml, tag, inner)? {
                    Some(part) => parts.push(part),
                    None => {
                        xml.content(inner)?;
                    }
                },
            },
            Some(Event::Close(name)) => {
                xml.check_close(tag, name)?;
                open = false;
            }
            Some(Event::Text(_)) => {}
            None => return Err(xml.error("the file ends within <Piece>".to_string())),
        }
    }
    parts.sort_by_key(|(place, _)| *place);
    let placed = place(tag, storage, grid, (points, &parts, &masks));
    placed.map_err(|Fault { cause, remedy }| match xml.error(cause) {
        ReadError::At { line, cause, .. } => ReadError::At { line, cause, remedy },
        other => other,
    })
}

/// What an array says about groups, if anything; others are noted.
fn meaning(array: &DataArray<'_>, of_cells: bool, grid: &mut Grid) -> Option<Meaning> {
    let name = array.tag.get("Name").unwrap_or_default();
    let meaning = Meaning::of(&name, of_cells).filter(|_| array.components() == 1);
    if meaning.is_none() {
        grid.skip(&name);
    }
    meaning
}

/// Goes through the arrays in an element.
fn each_array<'a>(
    xml: &mut Xml<'a>,
    tag: Tag<'a>,
    mut visit: impl FnMut(DataArray<'a>),
) -> Result<(), ReadError> {
    let mut open = !tag.empty;
    while open {
        match xml.next()? {
            Some(Event::Open(inner)) => {
                let text = xml.content(inner)?;
                if inner.name == b"DataArray" {
                    visit(DataArray { tag: inner, text });
                }
            }
            Some(Event::Close(name)) => {
                xml.check_close(tag, name)?;
                open = false;
            }
            Some(Event::Text(_)) => {}
            None => return Err(xml.error(format!("the file ends within <{}>", shown(tag.name)))),
        }
    }
    Ok(())
}

/// The cells that an element of a piece lists, with their place in the order of data; `None` if it lists none.
fn part<'a>(xml: &mut Xml<'a>, piece: Tag<'a>, tag: Tag<'a>) -> Result<Option<(usize, Part<'a>)>, ReadError> {
    let known = PARTS.iter().position(|(name, ..)| *name == tag.name);
    let (place, attribute, number) = match known {
        Some(place) => (place, PARTS[place].1, Some(PARTS[place].2)),
        None if tag.name == b"Cells" => (0, "NumberOfCells", None),
        None => return Ok(None),
    };
    let Some(count) = piece.number(attribute) else {
        return Err(xml.error(format!("<Piece> has no {attribute}")));
    };
    let mut arrays = [None; 3];
    each_array(xml, tag, |array| {
        let name = array.tag.get("Name").unwrap_or_default();
        if let Some(at) = ARRAYS.iter().position(|known| *known == name) {
            arrays[at] = Some(array);
        }
    })?;
    Ok(Some((place, Part { count, number, arrays })))
}

/// The points of a piece, its parts by place, and its masks with whether they are of points.
type Found<'a, 'f> = (Option<DataArray<'a>>, &'f [(usize, Part<'a>)], &'f [(Meaning, DataArray<'a>, bool)]);

/// Adds the points, cells and groups of a piece.
fn place<'a>(
    tag: Tag<'a>,
    storage: &Storage<'a>,
    grid: &mut Grid,
    (points, parts, masks): Found<'a, '_>,
) -> Result<(), Fault> {
    let Some(count) = tag.number("NumberOfPoints") else {
        return Err("<Piece> has no NumberOfPoints".to_string().into());
    };
    let points = match points {
        Some(array) => storage.decode(&array).and_then(|values| {
            if array.components() == 3 {
                values.rows(count).map_err(Fault::from)
            } else {
                Err("points need three components".to_string().into())
            }
        }),
        None if count == 0 => Ok(Vec::new()),
        None => Err("there is no array".to_string().into()),
    };
    grid.start(points.map_err(|fault| fault.within("the points"))?)?;
    for (_, part) in parts.iter().filter(|(_, part)| part.count > 0) {
        grid.push_table(&table(storage, part)?)?;
    }
    for (meaning, array, of_cells) in masks {
        let marked = storage.decode(array).and_then(|values| match of_cells {
            true => grid.mark_cells(meaning, &values),
            false => grid.mark_points(meaning, &values),
        });
        marked.map_err(|fault| fault.within(&format!("the data `{}`", array.name())))?;
    }
    Ok(())
}

fn table<'a>(storage: &Storage<'a>, part: &Part<'a>) -> Result<CellTable<'a>, Fault> {
    let decode = |at: usize| -> Result<Array<'a>, Fault> {
        let name = ARRAYS[at];
        let Some(array) = &part.arrays[at] else {
            return Err(format!("the cells have no array `{name}`").into());
        };
        storage.decode(array).map_err(|fault| fault.within(&format!("the array `{name}`")))
    };
    let types = match part.number {
        Some(number) => CellTypes::All(number),
        None => CellTypes::Each(decode(2)?),
    };
    Ok(CellTable { count: part.count, connectivity: decode(0)?, offsets: decode(1)?, types })
}
