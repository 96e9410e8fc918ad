//! Writing a frame of a simulation with vectors on its points.

use super::values::{Field, Values};
use super::write::{Cells, Document, Encoding};
use crate::Point;
use std::io::{self, Write};

/// Writes positions in f64, the cells, and one vector per point for each entry of `point_data`, as a VTU with
/// base64 data. Wrap files in a [`std::io::BufWriter`].
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
    let point_data = point_data
        .iter()
        .map(|(name, values)| Field { name: name.to_string(), values: Values::Vectors(values) })
        .collect();
    let document = Document { points, cells, point_data, cell_data: Vec::new() };
    document.write(&mut out, Encoding::Base64)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mesh;
    use crate::format::Source;

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
        // Length 4, then the offset 3.
        assert!(text.contains("Name=\"offsets\" format=\"binary\">BAAAAAAAAAADAAAA</DataArray>"));
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
    fn a_frame_reads_back() {
        let mut mesh = crate::block([1.0; 3], [1; 3]).unwrap();
        mesh.groups.clear();
        let mesh = Mesh::from(mesh);
        let mut bytes = Vec::new();
        write_vtu(&mut bytes, mesh.vertices(), Cells::from(&mesh), &[("v", mesh.vertices())]).unwrap();
        assert!(bytes.ends_with(b"</VTKFile>\n"));
        let contents = Source::from_bytes(bytes, None).read().unwrap();
        assert_eq!(contents.mesh, mesh);
        assert_eq!(contents.notes, ["data left out: v"]);
    }
}
