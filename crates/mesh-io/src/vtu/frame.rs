//! Writing a frame of a simulation with data on its points and cells.

use super::values::{Field, Values};
use super::write::{Cells, Document, Encoding};
use pliant_mesh::DVec3;
use std::io::{self, Write};

/// What a VTU file of a simulation holds.
#[derive(Clone, Copy, Debug)]
pub struct VtuGrid<'a> {
    /// Positions, which are written in f64.
    pub points: &'a [DVec3],
    /// Elements.
    pub cells: Cells<'a>,
    /// Names and values of what is given at points.
    pub point_data: &'a [(&'a str, VtuData<'a>)],
    /// Names and values of what is given in cells.
    pub cell_data: &'a [(&'a str, VtuData<'a>)],
}

/// Values at the points or in the cells of a VTU file.
#[derive(Clone, Copy, Debug)]
pub enum VtuData<'a> {
    /// A vector each, in double precision.
    Vectors(&'a [DVec3]),
    /// A number each, in single precision.
    Scalars(&'a [f32]),
    /// A vector each, in single precision.
    SingleVectors(&'a [[f32; 3]]),
    /// The rows of a 3x3 tensor each, in single precision.
    Tensors(&'a [[f32; 9]]),
    /// A whole number below 256 each.
    Codes(&'a [u8]),
    /// A whole number below 2^31 each.
    Numbers(&'a [u32]),
}

impl<'a> VtuData<'a> {
    fn values(self) -> Values<'a> {
        match self {
            Self::Vectors(list) => Values::Vectors(list),
            Self::Scalars(list) => Values::Singles { list, width: 1 },
            Self::SingleVectors(list) => Values::Singles { list: list.as_flattened(), width: 3 },
            Self::Tensors(list) => Values::Singles { list: list.as_flattened(), width: 9 },
            Self::Codes(list) => Values::Bytes(list),
            Self::Numbers(list) => Values::Indices { list, bound: 0 },
        }
    }

    fn len(self) -> usize {
        match self {
            Self::Vectors(list) => list.len(),
            Self::Scalars(list) => list.len(),
            Self::SingleVectors(list) => list.len(),
            Self::Tensors(list) => list.len(),
            Self::Codes(list) => list.len(),
            Self::Numbers(list) => list.len(),
        }
    }
}

/// Writes a frame as a VTU with base64 data. Wrap files in a [`std::io::BufWriter`].
///
/// Data with another number of values than points or cells, or an index without a point, is an `InvalidInput`
/// error before anything is written: viewers crash on such files.
pub fn write_vtu(mut out: impl Write, grid: &VtuGrid<'_>) -> io::Result<()> {
    check(grid)?;
    let document = Document {
        points: grid.points,
        cells: grid.cells,
        point_data: fields(grid.point_data),
        cell_data: fields(grid.cell_data),
    };
    document.write(&mut out, Encoding::Base64)
}

fn fields<'a>(data: &[(&str, VtuData<'a>)]) -> Vec<Field<'a>> {
    data.iter().map(|(name, data)| Field { name: name.to_string(), values: data.values() }).collect()
}

fn check(grid: &VtuGrid<'_>) -> io::Result<()> {
    let bad = |text: String| Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    let (points, cells) = (grid.points.len(), grid.cells.count());
    for (kind, data, count) in [("point", grid.point_data, points), ("cell", grid.cell_data, cells)] {
        if let Some((name, data)) = data.iter().find(|(_, data)| data.len() != count) {
            return bad(format!("{kind} data `{name}` has {} values for {count} {kind}s", data.len()));
        }
    }
    match grid.cells.indices().iter().find(|&&i| i as usize >= points) {
        Some(i) => bad(format!("a cell uses point {i}, but there are {points} points")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Source;
    use pliant_mesh::Mesh;

    #[test]
    fn one_triangle_as_text() {
        let points = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let mut bytes = Vec::new();
        let point_data = [("a<b\"", VtuData::Vectors(&points))];
        let cell_data = [("stress", VtuData::Tensors(&[[1.0; 9]])), ("body", VtuData::Codes(&[7]))];
        let grid = VtuGrid {
            points: &points,
            cells: Cells::Tri(&[[0, 1, 2]]),
            point_data: &point_data,
            cell_data: &cell_data,
        };
        write_vtu(&mut bytes, &grid).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.contains("<Piece NumberOfPoints=\"3\" NumberOfCells=\"1\">"));
        assert!(text.contains("Name=\"a&lt;b&quot;\""));
        // Length 1 as a little-endian u64, then the type 5.
        assert!(text.contains("Name=\"types\" format=\"binary\">AQAAAAAAAAAF</DataArray>"));
        // Length 36, then nine times 0x3F800000.
        let ones = "JAAAAAAAAAAAAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8=";
        assert!(text.contains(&format!(
            "type=\"Float32\" Name=\"stress\" NumberOfComponents=\"9\" format=\"binary\">{ones}<"
        )));
        assert!(text.contains("type=\"UInt8\" Name=\"body\" format=\"binary\">AQAAAAAAAAAH<"), "{text}");
        // Length 4, then the offset 3.
        assert!(text.contains("Name=\"offsets\" format=\"binary\">BAAAAAAAAAADAAAA</DataArray>"));
    }

    #[test]
    fn mismatched_data_is_refused_before_writing() {
        let points = [DVec3::ZERO; 3];
        let mut bytes = Vec::new();
        let one = Cells::Tri(&[[0, 1, 2]]);
        let mut refused = |cells, point_data: &[(&str, VtuData<'_>)], cell_data: &[(&str, VtuData<'_>)]| {
            let grid = VtuGrid { points: &points, cells, point_data, cell_data };
            let error = write_vtu(&mut bytes, &grid).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        };
        refused(one, &[("v", VtuData::Vectors(&[]))], &[]);
        refused(one, &[], &[("v", VtuData::Scalars(&[1.0; 3]))]);
        refused(Cells::Tri(&[[0, 1, 3]]), &[], &[]);
        assert!(bytes.is_empty());
    }

    #[test]
    fn a_frame_reads_back() {
        let mut mesh = pliant_mesh::block([1.0; 3], [1; 3]).unwrap();
        mesh.groups.clear();
        let mesh = Mesh::from(mesh);
        let mut bytes = Vec::new();
        let point_data = [("v", VtuData::Vectors(mesh.vertices()))];
        let (points, cells) = (mesh.vertices(), Cells::from(&mesh));
        write_vtu(&mut bytes, &VtuGrid { points, cells, point_data: &point_data, cell_data: &[] }).unwrap();
        assert!(bytes.ends_with(b"</VTKFile>\n"));
        let contents = Source::from_bytes(bytes, None).read().unwrap();
        assert_eq!(contents.mesh, mesh);
        assert_eq!(contents.notes, ["data left out: v"]);
    }
}
