//! Writing VTK legacy files.

use super::grid::GROUP_PREFIX;
use super::types::{TET, TRIANGLE};
use crate::WriteError;
use crate::bulk::{print_line, write_rows, write_text};
use crate::names::encode;
use crate::save::save;
use pliant_mesh::{DVec3, Mesh};
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;

/// The title, around the number of masks.
pub(super) const TITLE_START: &str = "Pliant mesh, ";
pub(super) const TITLE_END: &str = " data arrays follow the cells";

/// Writes an unstructured grid; groups become masks named `group:NAME` in the data of points and cells.
///
/// A file cut anywhere is noticed, though the format has no end mark: the title has the number of masks,
/// and a text file ends with their single digits or with the cell types, of which a part is that of a point.
pub(super) fn write(mesh: &Mesh, path: &Path, binary: bool) -> Result<(), WriteError> {
    if i32::try_from(mesh.vertices().len().max(5 * mesh.element_count())).is_err() {
        let cause = "it has too many vertices or elements for 32-bit integers; write VTU".to_string();
        return Err(WriteError::DoesNotFit { format: "VTK legacy", cause });
    }
    save(path, |out| {
        let encoding = if binary { "BINARY" } else { "ASCII" };
        let with_elements = mesh.groups().values().filter(|g| !g.elements.is_empty()).count();
        let masks = mesh.groups().len() + with_elements;
        writeln!(out, "# vtk DataFile Version 4.2\n{TITLE_START}{masks}{TITLE_END}\n{encoding}")?;
        writeln!(out, "DATASET UNSTRUCTURED_GRID")?;
        write_points(out, mesh, binary)?;
        write_cells(out, mesh, binary)?;
        write_groups(out, mesh, binary)
    })
}

fn write_points(out: &mut dyn Write, mesh: &Mesh, binary: bool) -> io::Result<()> {
    let points = mesh.vertices();
    writeln!(out, "POINTS {} double", points.len())?;
    if binary {
        write_rows(out, points.len(), |i| points[i].to_array().map(|c| c.to_bits().to_be()))?;
        return writeln!(out);
    }
    write_text(out, points.len(), |i, text| {
        let DVec3 { x, y, z } = points[i];
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{x:?} {y:?} {z:?}");
    })
}

fn write_cells(out: &mut dyn Write, mesh: &Mesh, binary: bool) -> io::Result<()> {
    let count = mesh.element_count();
    let (corners, number) = match mesh {
        Mesh::Tet(_) => (4, TET),
        Mesh::Tri(_) => (3, TRIANGLE),
    };
    writeln!(out, "CELLS {count} {}", (corners + 1) * count)?;
    match mesh {
        Mesh::Tet(m) if binary => write_rows(out, count, |i| {
            let [a, b, c, d] = m.tets[i];
            [4, a, b, c, d].map(u32::to_be)
        })?,
        Mesh::Tri(m) if binary => write_rows(out, count, |i| {
            let [a, b, c] = m.triangles[i];
            [3, a, b, c].map(u32::to_be)
        })?,
        Mesh::Tet(m) => write_text(out, count, |i, text| {
            print_line(text, std::iter::once(4).chain(m.tets[i]));
        })?,
        Mesh::Tri(m) => write_text(out, count, |i, text| {
            print_line(text, std::iter::once(3).chain(m.triangles[i]));
        })?,
    }
    writeln!(out, "{}CELL_TYPES {count}", if binary { "\n" } else { "" })?;
    if binary {
        write_rows(out, count, |_| u32::from(number).to_be())?;
        return writeln!(out);
    }
    write_text(out, count, |_, text| print_line(text, [number]))
}

fn write_groups(out: &mut dyn Write, mesh: &Mesh, binary: bool) -> io::Result<()> {
    let groups = mesh.groups();
    let of_points: Vec<_> = groups.iter().map(|(name, g)| (name.as_str(), g.vertices.as_slice())).collect();
    let of_cells: Vec<_> = groups
        .iter()
        .filter(|(_, g)| !g.elements.is_empty())
        .map(|(name, g)| (name.as_str(), g.elements.as_slice()))
        .collect();
    for (section, count, masks) in
        [("POINT_DATA", mesh.vertices().len(), of_points), ("CELL_DATA", mesh.element_count(), of_cells)]
    {
        if masks.is_empty() {
            continue;
        }
        writeln!(out, "{section} {count}\nFIELD FieldData {}", masks.len())?;
        for (name, members) in masks {
            // What VTK itself encodes in names.
            let name = encode(name, |c| !c.is_ascii_graphic() || matches!(c, '"' | '%'));
            writeln!(out, "{GROUP_PREFIX}{name} 1 {count} unsigned_char")?;
            write_mask(out, members, count, binary)?;
        }
    }
    Ok(())
}

fn write_mask(out: &mut dyn Write, members: &[u32], count: usize, binary: bool) -> io::Result<()> {
    let mut mask = vec![0u8; count];
    members.iter().for_each(|&i| mask[i as usize] = 1);
    if binary {
        out.write_all(&mask)?;
        return writeln!(out);
    }
    write_text(out, count, |i, text| text.push_str(if mask[i] == 0 { "0\n" } else { "1\n" }))
}
