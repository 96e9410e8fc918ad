//! VTU: the XML file of the Visualization Toolkit for unstructured grids, with base64 data.

use super::base64::Encoder;
use super::{Contents, Family, ReadError, Source};
use crate::{Mesh, Point};
use std::io::{self, Write};

pub(super) const FAMILY: Family =
    Family { endings: &["vtu"], recognises: |text| text.starts_with(b"<VTKFile"), read, formats: &[] };

fn read(_source: &Source) -> Result<Contents, ReadError> {
    Err(ReadError::UnknownFormat)
}

/// The elements of a VTU file.
#[derive(Clone, Copy, Debug)]
pub enum Cells<'a> {
    /// Tetrahedra.
    Tet(&'a [[u32; 4]]),
    /// Triangles.
    Tri(&'a [[u32; 3]]),
}

impl<'a> From<&'a Mesh> for Cells<'a> {
    fn from(mesh: &'a Mesh) -> Self {
        match mesh {
            Mesh::Tet(m) => Self::Tet(&m.tets),
            Mesh::Tri(m) => Self::Tri(&m.triangles),
        }
    }
}

impl Cells<'_> {
    fn count(&self) -> usize {
        match self {
            Self::Tet(list) => list.len(),
            Self::Tri(list) => list.len(),
        }
    }

    /// Corners per cell, and the number by which VTK calls the type.
    fn shape(&self) -> (usize, u8) {
        match self {
            Self::Tet(_) => (4, 10),
            Self::Tri(_) => (3, 5),
        }
    }

    fn indices(&self) -> &[u32] {
        match self {
            Self::Tet(list) => list.as_flattened(),
            Self::Tri(list) => list.as_flattened(),
        }
    }
}

/// Writes positions in f64, the cells, and one vector per point for each entry of `point_data`.
///
/// An entry with another number of values than points, or an index without a point, is an `InvalidInput`
/// error before anything is written: viewers crash on such files.
pub fn write_vtu(
    mut out: impl Write,
    points: &[Point],
    cells: Cells<'_>,
    point_data: &[(&str, &[[f64; 3]])],
) -> io::Result<()> {
    check(points, cells, point_data)?;
    let (corners, vtk_type) = cells.shape();
    writeln!(
        out,
        "<?xml version=\"1.0\"?>\n\
         <VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" \
         header_type=\"UInt64\">\n<UnstructuredGrid>\n\
         <Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n<PointData>",
        points.len(),
        cells.count()
    )?;
    for (name, values) in point_data {
        vectors(&mut out, name, values)?;
    }
    writeln!(out, "</PointData>\n<Points>")?;
    vectors(&mut out, "Points", points)?;
    writeln!(out, "</Points>\n<Cells>")?;
    let connectivity = cells.indices().iter().map(|&i| i64::from(i).to_le_bytes());
    array(&mut out, "type=\"Int64\" Name=\"connectivity\"", connectivity)?;
    let offsets = (1..=cells.count()).map(|n| ((n * corners) as i64).to_le_bytes());
    array(&mut out, "type=\"Int64\" Name=\"offsets\"", offsets)?;
    array(&mut out, "type=\"UInt8\" Name=\"types\"", (0..cells.count()).map(|_| [vtk_type]))?;
    writeln!(out, "</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>")?;
    out.flush()
}

fn check(points: &[Point], cells: Cells<'_>, point_data: &[(&str, &[[f64; 3]])]) -> io::Result<()> {
    let bad = |text: String| Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    if let Some((name, values)) = point_data.iter().find(|(_, values)| values.len() != points.len()) {
        return bad(format!("point data `{name}` has {} values for {} points", values.len(), points.len()));
    }
    match cells.indices().iter().find(|&&i| i as usize >= points.len()) {
        Some(i) => bad(format!("a cell uses point {i}, but there are {} points", points.len())),
        None => Ok(()),
    }
}

fn vectors(out: &mut impl Write, name: &str, values: &[[f64; 3]]) -> io::Result<()> {
    let attributes = format!("type=\"Float64\" Name=\"{}\" NumberOfComponents=\"3\"", escape(name));
    array(out, &attributes, values.iter().flatten().map(|c| c.to_le_bytes()))
}

/// One array: its length in bytes, then the values, all in one base64 stream.
fn array<const N: usize>(
    out: &mut impl Write,
    attributes: &str,
    values: impl Iterator<Item = [u8; N]> + Clone,
) -> io::Result<()> {
    write!(out, "<DataArray {attributes} format=\"binary\">")?;
    let length = (N * values.clone().count()) as u64;
    let mut encoder = Encoder::new(&mut *out);
    encoder.write(&length.to_le_bytes())?;
    for value in values {
        encoder.write(&value)?;
    }
    encoder.finish()?;
    writeln!(out, "</DataArray>")
}

fn escape(name: &str) -> String {
    let mut escaped = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // XML 1.0 has no place for other control characters.
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_triangle_as_text() {
        let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let mut bytes = Vec::new();
        write_vtu(&mut bytes, &points, Cells::Tri(&[[0, 1, 2]]), &[("a<b\"", &points)]).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.contains("<Piece NumberOfPoints=\"3\" NumberOfCells=\"1\">"));
        assert!(text.contains("Name=\"a&lt;b&quot;\""));
        // Length 1 as a little-endian u64, then the type 5.
        assert!(text.contains("Name=\"types\" format=\"binary\">AQAAAAAAAAAF</DataArray>"));
        // Length 8, then the offset 3.
        assert!(text.contains("Name=\"offsets\" format=\"binary\">CAAAAAAAAAADAAAAAAAAAA==</DataArray>"));
    }

    #[test]
    fn mismatched_data_is_refused_before_writing() {
        let points = [[0.0; 3]; 3];
        let mut bytes = Vec::new();
        let error = write_vtu(&mut bytes, &points, Cells::Tri(&[[0, 1, 2]]), &[("v", &[])]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        assert!(write_vtu(&mut bytes, &points, Cells::Tri(&[[0, 1, 3]]), &[]).is_err());
        assert!(bytes.is_empty());
    }

    #[test]
    fn cells_of_a_mesh() {
        let mesh = Mesh::from(crate::block([1.0; 3], [1; 3]).unwrap());
        let cells = Cells::from(&mesh);
        assert_eq!((cells.count(), cells.shape()), (6, (4, 10)));
        let mut bytes = Vec::new();
        write_vtu(&mut bytes, mesh.vertices(), cells, &[]).unwrap();
        assert!(bytes.ends_with(b"</VTKFile>\n"));
    }
}
