//! A piece of an XML file: points, cells and data.

use super::array::{DataArray, Storage};
use super::xml::{Event, Tag, Xml};
use crate::ReadError;
use crate::numbers::Array;
use crate::scan::shown;
use crate::vtk::grid::{CellTable, CellTypes, Fault, Grid, Meaning};
use pliant_mesh::DVec3;

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

/// Data that describe groups.
struct Mask<'a> {
    meaning: Meaning,
    array: DataArray<'a>,
    of_cells: bool,
}

pub(super) struct Piece<'a> {
    tag: Tag<'a>,
    points: Option<DataArray<'a>>,
    /// Cells, with their place in the order of data.
    parts: Vec<(usize, Part<'a>)>,
    masks: Vec<Mask<'a>>,
}

impl<'a> Piece<'a> {
    /// Reads the piece that starts with `tag`, up to its end. Data that say nothing here are noted.
    pub fn read(xml: &mut Xml<'a>, tag: Tag<'a>, grid: &mut Grid) -> Result<Self, ReadError> {
        let mut piece = Self { tag, points: None, parts: Vec::new(), masks: Vec::new() };
        let mut open = !tag.empty;
        while open {
            match xml.next()? {
                Some(Event::Open(inner)) => piece.element(xml, inner, grid)?,
                Some(Event::Close(name)) => {
                    xml.check_close(tag, name)?;
                    open = false;
                }
                Some(Event::Text(_)) => {}
                None => return Err(xml.error("the file ends within <Piece>".to_string())),
            }
        }
        piece.parts.sort_by_key(|(place, _)| *place);
        Ok(piece)
    }

    fn element(&mut self, xml: &mut Xml<'a>, inner: Tag<'a>, grid: &mut Grid) -> Result<(), ReadError> {
        match inner.name {
            b"Points" => each_array(xml, inner, |array| self.points = self.points.or(Some(array))),
            b"PointData" | b"CellData" => {
                let of_cells = inner.name == b"CellData";
                each_array(xml, inner, |array| {
                    let name = array.tag.get("Name").unwrap_or_default();
                    match Meaning::of(&name, of_cells).filter(|_| array.components() == 1) {
                        Some(meaning) => self.masks.push(Mask { meaning, array, of_cells }),
                        None => grid.skip(&name),
                    }
                })
            }
            _ => match part(xml, self.tag, inner)? {
                Some(part) => {
                    self.parts.push(part);
                    Ok(())
                }
                None => xml.content(inner).map(|_| ()),
            },
        }
    }

    /// Adds the points, cells and groups.
    pub fn place(&self, storage: &Storage<'a>, grid: &mut Grid) -> Result<(), Fault> {
        let points = self.positions(storage).map_err(|fault| fault.within("the points"))?;
        grid.start(points)?;
        for (_, part) in self.parts.iter().filter(|(_, part)| part.count > 0) {
            grid.push_table(&part.table(storage)?)?;
        }
        for Mask { meaning, array, of_cells } in &self.masks {
            let marked = storage.decode(array).and_then(|values| match of_cells {
                true => grid.mark_cells(meaning, &values),
                false => grid.mark_points(meaning, &values),
            });
            marked.map_err(|fault| fault.within(&format!("the data `{}`", array.name())))?;
        }
        Ok(())
    }

    fn positions(&self, storage: &Storage<'a>) -> Result<Vec<DVec3>, Fault> {
        let Some(count) = self.tag.number("NumberOfPoints") else {
            return Err("<Piece> has no NumberOfPoints".to_string().into());
        };
        match &self.points {
            Some(array) if array.components() != 3 => Err("they need three components".to_string().into()),
            Some(array) => Ok(storage.decode(array)?.points(count)?),
            None if count == 0 => Ok(Vec::new()),
            None => Err("there is no array".to_string().into()),
        }
    }
}

impl<'a> Part<'a> {
    fn table(&self, storage: &Storage<'a>) -> Result<CellTable<'a>, Fault> {
        let decode = |at: usize| -> Result<Array<'a>, Fault> {
            let name = ARRAYS[at];
            let Some(array) = &self.arrays[at] else {
                return Err(format!("the cells have no array `{name}`").into());
            };
            storage.decode(array).map_err(|fault| fault.within(&format!("the array `{name}`")))
        };
        let types = match self.number {
            Some(number) => CellTypes::All(number),
            None => CellTypes::Each(decode(2)?),
        };
        Ok(CellTable { count: self.count, connectivity: decode(0)?, offsets: decode(1)?, types })
    }
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
