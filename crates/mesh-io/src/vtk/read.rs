//! Reading VTK legacy files: unstructured grids and polygonal data, versions 1 to 5.

use super::attributes::{self, Owner};
use super::data::Data;
use super::grid::{CellTable, CellTypes, Fault, Grid};
use super::types::{TET, TRIANGLE};
use super::write::{TITLE_END, TITLE_START};
use crate::numbers::{Array, NumberType};
use crate::scan::{Scanner, shown};
use crate::{Contents, ReadError, Source, without_mark};

/// Cells as a file lists them.
enum List<'a> {
    /// For each cell the number of its points, then the points: cells and numbers in all.
    Interleaved { cells: usize, total: usize, numbers: Array<'a> },
    /// Since version 5: where each cell ends, and all points.
    Table { cells: usize, offsets: Array<'a>, connectivity: Array<'a> },
}

impl List<'_> {
    fn cells(&self) -> usize {
        match self {
            Self::Interleaved { cells, .. } | Self::Table { cells, .. } => *cells,
        }
    }
}

struct Reader<'a> {
    data: Data<'a>,
    grid: Grid,
    /// Cells of which the types are not known yet.
    cells: Option<List<'a>>,
    /// Points, lines, polygons and strips of polygonal data, in the order in which their data come.
    parts: [Option<List<'a>>; 4],
    owner: Owner,
}

/// The parts of polygonal data and the types of their cells.
const PARTS: [(&[u8], u8); 4] = [(b"VERTICES", 2), (b"LINES", 4), (b"POLYGONS", 7), (b"TRIANGLE_STRIPS", 6)];

pub(super) fn read(source: &Source) -> Result<Contents, ReadError> {
    let bytes = without_mark(source.bytes());
    let mut scan = Scanner::new(bytes);
    scan.skip_line();
    let announced = announced(scan.rest_of_line());
    let mut data = Data { scan, binary: false };
    let encoding = data.word("ASCII or BINARY")?;
    let binary = encoding.eq_ignore_ascii_case(b"BINARY");
    if !binary && !encoding.eq_ignore_ascii_case(b"ASCII") {
        return Err(data.error(format!("expected ASCII or BINARY, found `{}`", shown(encoding))));
    }
    data.binary = binary;
    let grid = Grid::new(bytes.len());
    let mut reader = Reader { data, grid, cells: None, parts: [None, None, None, None], owner: Owner::File };
    while let Some(word) = reader.data.scan.word() {
        let keyword = word.to_ascii_uppercase();
        reader.section(&keyword)?;
    }
    reader.place_cells()?;
    if let Some(announced) = announced
        && announced != reader.grid.masks
    {
        let cause = format!("{} of {announced} data arrays are there", reader.grid.masks);
        return Err(reader.data.error(cause));
    }
    reader.grid.finish(format!("VTK legacy {}", if binary { "binary" } else { "ASCII" }))
}

/// How many masks of groups the title of our own files announces. The format has no end mark, so a file that was
/// cut between sections would go unnoticed otherwise.
fn announced(title: &[u8]) -> Option<usize> {
    let title = std::str::from_utf8(title).ok()?;
    title.strip_prefix(TITLE_START)?.strip_suffix(TITLE_END)?.parse().ok()
}

impl<'a> Reader<'a> {
    fn section(&mut self, keyword: &[u8]) -> Result<(), ReadError> {
        match keyword {
            b"DATASET" => self.dataset(),
            b"POINTS" => self.points(),
            b"CELLS" => {
                self.cells = Some(self.list()?);
                Ok(())
            }
            b"CELL_TYPES" => self.cell_types(),
            b"METADATA" => {
                attributes::metadata(&mut self.data);
                Ok(())
            }
            b"POINT_DATA" => {
                self.place_cells()?;
                self.owner = Owner::Points(self.data.count("the number of points")?);
                Ok(())
            }
            b"CELL_DATA" => {
                self.place_cells()?;
                self.owner = Owner::Cells(self.data.count("the number of cells")?);
                Ok(())
            }
            _ => self.part_or_data(keyword),
        }
    }

    fn part_or_data(&mut self, keyword: &[u8]) -> Result<(), ReadError> {
        if let Some(part) = PARTS.iter().position(|(name, _)| *name == keyword) {
            self.parts[part] = Some(self.list()?);
            return Ok(());
        }
        if attributes::read(keyword, &mut self.data, &mut self.grid, self.owner)? {
            return Ok(());
        }
        Err(self.data.error(format!("`{}` is no section of a VTK file", shown(keyword))))
    }

    fn dataset(&mut self) -> Result<(), ReadError> {
        let kind = self.data.word("the kind of data set")?;
        if [&b"UNSTRUCTURED_GRID"[..], b"POLYDATA"].iter().any(|known| kind.eq_ignore_ascii_case(known)) {
            return Ok(());
        }
        let cause = format!("data sets of the kind {} are not supported", shown(kind));
        Err(self.data.error_with(cause, "save an unstructured grid or polygonal data"))
    }

    fn points(&mut self) -> Result<(), ReadError> {
        let count = self.data.count("the number of points")?;
        let number = self.data.number_type()?;
        let points = self.data.whole_numbers(count, 3, number)?.points(count);
        let placed = points.map_err(Fault::from).and_then(|points| self.grid.start(points));
        placed.map_err(|fault| self.data.fault(fault))
    }

    /// The cells of a section, after its name.
    fn list(&mut self) -> Result<List<'a>, ReadError> {
        let data = &mut self.data;
        let first = data.count("a number of cells")?;
        let total = data.count("a number of points of cells")?;
        let next = data.scan.peek_word();
        if next.is_none_or(|word| !word.eq_ignore_ascii_case(b"OFFSETS")) {
            let numbers = data.whole_numbers(total, 1, NumberType::I32)?;
            return Ok(List::Interleaved { cells: first, total, numbers });
        }
        data.scan.word();
        let number = data.number_type()?;
        let offsets = data.whole_numbers(first, 1, number)?;
        let word = data.word("CONNECTIVITY")?;
        if !word.eq_ignore_ascii_case(b"CONNECTIVITY") {
            return Err(data.error(format!("expected CONNECTIVITY, found `{}`", shown(word))));
        }
        let number = data.number_type()?;
        let connectivity = data.whole_numbers(total, 1, number)?;
        // The first offset is zero: there is one more than there are cells.
        let (cells, offsets) = match first.checked_sub(1) {
            Some(cells) => (cells, data.after_first(offsets)?),
            None => (0, offsets),
        };
        Ok(List::Table { cells, offsets, connectivity })
    }

    fn cell_types(&mut self) -> Result<(), ReadError> {
        let count = self.data.count("the number of cells")?;
        let types = self.data.whole_numbers(count, 1, NumberType::I32)?;
        let Some(list) = self.cells.take() else {
            return Err(self.data.error("there is no CELLS before CELL_TYPES".to_string()));
        };
        if list.cells() != count {
            let cause = format!("there are {count} cell types for {} cells", list.cells());
            return Err(self.data.error(cause));
        }
        self.place(list, CellTypes::Each(types))
    }

    /// Adds the cells of polygonal data once all of them are known.
    fn place_cells(&mut self) -> Result<(), ReadError> {
        if self.cells.is_some() {
            return Err(self.data.error("there is no CELL_TYPES".to_string()));
        }
        for (part, (_, number)) in PARTS.iter().enumerate() {
            if let Some(list) = self.parts[part].take() {
                self.place(list, CellTypes::All(*number))?;
            }
        }
        Ok(())
    }

    fn place(&mut self, list: List<'a>, types: CellTypes<'a>) -> Result<(), ReadError> {
        let placed = match list {
            List::Table { cells, offsets, connectivity } => {
                self.grid.push_table(&CellTable { count: cells, connectivity, offsets, types })
            }
            List::Interleaved { cells, total, numbers } => {
                interleaved(&mut self.grid, (cells, total, numbers), &types)
            }
        };
        placed.map_err(|fault| self.data.fault(fault))
    }
}

/// Adds cells that are led by the number of their points.
fn interleaved(
    grid: &mut Grid,
    (cells, total, numbers): (usize, usize, Array<'_>),
    types: &CellTypes<'_>,
) -> Result<(), Fault> {
    let uniform = |corners: usize| cells > 0 && cells.checked_mul(corners + 1) == Some(total);
    if uniform(4)
        && types.all_are(cells, TET)
        && let Some(tets) = numbers.led_rows::<4, 5>(cells)?
    {
        return grid.push_tets(tets);
    }
    if uniform(3)
        && types.all_are(cells, TRIANGLE)
        && let Some(triangles) = numbers.led_rows::<3, 4>(cells)?
    {
        return grid.push_triangles(triangles);
    }
    let numbers: Vec<u32> = numbers.values(total)?;
    let types = types.numbers(cells)?;
    let mut rest = numbers.as_slice();
    for cell in 0..cells {
        let nodes = rest.split_first().and_then(|(&count, tail)| tail.split_at_checked(count as usize));
        let Some((nodes, tail)) = nodes else {
            return Err(format!("cell {cell} has more points than the section").into());
        };
        grid.push(types(cell), nodes).map_err(|fault| fault.within(&format!("cell {cell}")))?;
        rest = tail;
    }
    if rest.is_empty() { Ok(()) } else { Err(format!("{} numbers follow the last cell", rest.len()).into()) }
}
