//! Data of points and cells in VTK legacy files: those that describe groups are kept, the others passed over.

use super::data::{Data, DataType};
use super::grid::{Grid, Meaning};
use crate::ReadError;
use crate::names::decode;
use crate::numbers::NumberType;
use crate::scan::shown;

/// Whose data are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// The file as a whole.
    File,
    Points(usize),
    Cells(usize),
}

impl Owner {
    /// How many entries each array has.
    fn count(self) -> usize {
        match self {
            Self::File => 0,
            Self::Points(count) | Self::Cells(count) => count,
        }
    }
}

/// Reads the data that a keyword starts; returns whether there are such data.
pub(super) fn read(
    keyword: &[u8],
    data: &mut Data<'_>,
    grid: &mut Grid,
    owner: Owner,
) -> Result<bool, ReadError> {
    let columns = match keyword {
        b"FIELD" => {
            field(data, grid, owner)?;
            return Ok(true);
        }
        b"SCALARS" => {
            scalars(data, grid, owner)?;
            return Ok(true);
        }
        b"LOOKUP_TABLE" => {
            lookup_table(data)?;
            return Ok(true);
        }
        b"COLOR_SCALARS" => {
            color_scalars(data, grid, owner)?;
            return Ok(true);
        }
        b"TEXTURE_COORDINATES" => None,
        b"VECTORS" | b"NORMALS" => Some(3),
        b"TENSORS" => Some(9),
        b"TENSORS6" => Some(6),
        b"GLOBAL_IDS" | b"PEDIGREE_IDS" | b"EDGE_FLAGS" => Some(1),
        _ => return Ok(false),
    };
    let name = data.word("the name of data")?;
    let columns = match columns {
        Some(columns) => columns,
        None => data.count("a number of components")?,
    };
    let kind = data.data_type()?;
    array(data, grid, owner, (name, kind, columns))?;
    Ok(true)
}

/// An array with as many entries as its owner.
fn array(
    data: &mut Data<'_>,
    grid: &mut Grid,
    owner: Owner,
    (name, kind, columns): (&[u8], DataType, usize),
) -> Result<(), ReadError> {
    let count = owner.count();
    let meaning = Meaning::of(&String::from_utf8_lossy(name), matches!(owner, Owner::Cells(_)));
    match (meaning, kind) {
        (Some(meaning), DataType::Number(number)) if columns == 1 && owner != Owner::File => {
            let values = data.numbers(count, columns, number)?;
            let marked = match owner {
                Owner::Cells(_) => grid.mark_cells(&meaning, &values),
                _ => grid.mark_points(&meaning, &values),
            };
            marked.map_err(|fault| data.fault(fault.within(&format!("the data `{}`", shown(name)))))
        }
        _ => {
            grid.skip(&decode(name));
            data.skip(count, columns, kind)
        }
    }
}

fn field(data: &mut Data<'_>, grid: &mut Grid, owner: Owner) -> Result<(), ReadError> {
    data.word("the name of a field")?;
    for _ in 0..data.count("a number of arrays")? {
        let mut name = data.word("the name of an array")?;
        if name.eq_ignore_ascii_case(b"METADATA") {
            metadata(data);
            name = data.word("the name of an array")?;
        }
        if name == b"NULL_ARRAY" {
            continue;
        }
        let columns = data.count("a number of components")?;
        let rows = data.count("a number of entries")?;
        let kind = data.data_type()?;
        if owner != Owner::File && rows == owner.count() {
            array(data, grid, owner, (name, kind, columns))?;
        } else {
            grid.skip(&decode(name));
            data.skip(rows, columns, kind)?;
        }
    }
    Ok(())
}

/// `SCALARS name type [components]`, then usually `LOOKUP_TABLE name`.
fn scalars(data: &mut Data<'_>, grid: &mut Grid, owner: Owner) -> Result<(), ReadError> {
    let name = data.word("the name of data")?;
    let kind = data.data_type()?;
    let rest = String::from_utf8_lossy(data.scan.rest_of_line()).into_owned();
    let columns = match rest.trim() {
        "" => 1,
        text => text.parse().map_err(|_| data.error(format!("`{}` is no number", shown(text.as_bytes()))))?,
    };
    if data.scan.peek_word().is_some_and(|word| word.eq_ignore_ascii_case(b"LOOKUP_TABLE")) {
        data.scan.word();
        data.word("the name of a table")?;
    }
    array(data, grid, owner, (name, kind, columns))
}

/// Colours of a table: four numbers each, bytes in binary files.
fn lookup_table(data: &mut Data<'_>) -> Result<(), ReadError> {
    data.word("the name of a table")?;
    let count = data.count("the size of a table")?;
    data.skip(count, 4, DataType::Number(NumberType::U8))
}

fn color_scalars(data: &mut Data<'_>, grid: &mut Grid, owner: Owner) -> Result<(), ReadError> {
    let name = data.word("the name of data")?;
    grid.skip(&decode(name));
    let columns = data.count("a number of components")?;
    data.skip(owner.count(), columns, DataType::Number(NumberType::U8))
}

/// Passes over a block of metadata, which ends with an empty line.
pub(super) fn metadata(data: &mut Data<'_>) {
    data.scan.skip_line();
    while data.scan.remaining() > 0 {
        let empty = data.scan.rest_of_line().is_empty();
        data.scan.skip_line();
        if empty {
            break;
        }
    }
}
