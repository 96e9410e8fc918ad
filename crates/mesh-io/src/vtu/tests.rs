//! Tests of the reader of XML files: storage, pieces, polygonal data, each error.

use crate::{Contents, ReadError, Source};
use pliant_mesh::{DVec3, Mesh, TetMesh};

fn read(text: &str) -> Result<Contents, ReadError> {
    Source::from_bytes(text.as_bytes().to_vec(), None).read()
}

fn tets(contents: Contents) -> TetMesh {
    match contents.mesh {
        Mesh::Tet(mesh) => mesh,
        other => panic!("{other:?}"),
    }
}

const TWO_PIECES: &str = r#"<?xml version="1.0"?>
<!-- made by hand -->
<VTKFile type="UnstructuredGrid" version="0.1" byte_order="BigEndian">
  <UnstructuredGrid>
    <FieldData><DataArray type="Float64" Name="TIME" format="ascii">1</DataArray></FieldData>
    <Piece NumberOfPoints="4" NumberOfCells="1">
      <PointData Scalars="t">
        <DataArray type="Float64" Name="t" format="ascii">1 2 3 4</DataArray>
        <DataArray type="Int8" Name="group:a &amp; b" format="ascii">0 0 0 1</DataArray>
      </PointData>
      <CellData></CellData>
      <Points>
        <DataArray type="Float32" NumberOfComponents="3" format="ascii">
          0 0 0 1 0 0 0 1 0 0 0 1
          <InformationKey name="L2_NORM_RANGE" location="vtkDataArray" length="2">
            <Value index="0">0</Value>
          </InformationKey>
        </DataArray>
      </Points>
      <Cells>
        <DataArray type="Int32" Name="connectivity" format="ascii">0 1 2 3</DataArray>
        <DataArray type="Int32" Name="offsets" format="ascii">4</DataArray>
        <DataArray type="UInt8" Name="types" format="ascii">10</DataArray>
      </Cells>
    </Piece>
    <Piece NumberOfPoints="4" NumberOfCells="2">
      <Points>
        <DataArray type="Float32" NumberOfComponents="3" format="binary">MAAAAEAAAAAAAAAAAAAAAEBAAAAAAAAAAAAAAEAAAAA/gAAAAAAAAEAAAAAAAAAAP4AAAA==</DataArray>
      </Points>
      <Cells>
        <DataArray type="Int64" Name="connectivity" format="ascii">0 1 2 3 0 1 2</DataArray>
        <DataArray type="Int64" Name="offsets" format="ascii">4 7</DataArray>
        <DataArray type="UInt8" Name="types" format="ascii">10 5</DataArray>
      </Cells>
      <CellData>
        <DataArray type="Int64" Name="CellEntityIds" format="ascii">3 0</DataArray>
        <DataArray type="UInt8" Name="group:a &amp; b" format="ascii">1 0</DataArray>
      </CellData>
    </Piece>
  </UnstructuredGrid>
</VTKFile>
"#;

/// The length of the base64 array in the byte order of the file.
fn two_pieces() -> String {
    TWO_PIECES.replace("MAAAAE", "AAAAME")
}

#[test]
fn pieces_are_joined() {
    let contents = read(&two_pieces()).unwrap();
    assert_eq!(contents.format, "VTK XML UnstructuredGrid, inline");
    assert_eq!(contents.notes, ["1 triangle in no group left out", "data left out: t"]);
    let mesh = tets(contents);
    mesh.validate().unwrap();
    assert_eq!(mesh.tets, [[0, 1, 2, 3], [4, 5, 6, 7]]);
    assert_eq!(mesh.vertices[5], DVec3::new(3.0, 0.0, 0.0));
    assert_eq!(mesh.groups.keys().collect::<Vec<_>>(), ["3", "a & b"]);
    assert_eq!(mesh.groups["a & b"].vertices, [3, 4, 5, 6, 7]);
    assert_eq!((&mesh.groups["a & b"].elements, &mesh.groups["3"].elements), (&vec![1], &vec![1]));
}

#[test]
fn errors_name_the_array() {
    let good = two_pieces();
    for (from, to, expected) in [
        (
            "type=\"UnstructuredGrid\"",
            "type=\"ImageData\"",
            "files of the type `ImageData` are not supported",
        ),
        ("byte_order", "header_type=\"Int7\" byte_order", "`Int7` is no header type"),
        (
            "NumberOfPoints=\"4\"",
            "NumberOfPoints=\"5\"",
            "the points: the file ends where a number is expected",
        ),
        ("NumberOfPoints=\"4\"", "NumberOfPoints=\"3\"", "the points: `0` follows 9 numbers"),
        ("NumberOfPoints=\"4\"", "", "<Piece> has no NumberOfPoints"),
        ("NumberOfCells=\"1\"", "", "<Piece> has no NumberOfCells"),
        ("Name=\"types\"", "Name=\"kinds\"", "the cells have no array `types`"),
        ("0 1 2 3</D", "0 1 2 4</D", "cell 0: it uses point 4, but there are 4 points"),
        ("Float32", "Float16", "the points: `Float16` is no type"),
        ("NumberOfComponents=\"3\"", "", "the points: they need three components"),
        (
            "byte_order",
            "compressor=\"vtkLZMADataCompressor\" byte_order",
            "the points: its compression is not supported; save with zlib",
        ),
        ("AAAAMEAA", "AAAAMH/A", "point 0 is at [NaN"),
        ("AAAAME", "AAAB/E", "the points: it has fewer bytes than announced"),
        ("AAAAME", "AAAA*E", "the points: it has fewer bytes than announced"),
        ("0 0 0 1</D", "0 0 1</D", "the data `group:a & b`: the file ends where a number is expected"),
        ("</Piece>\n  </U", "</U", "<Piece> is closed by </UnstructuredGrid>"),
        ("</VTKFile>", "", "the file ends before </VTKFile>"),
        ("<VTKFile", "<VTKFiles", "there is no <VTKFile>"),
        (
            "format=\"ascii\">4<",
            "format=\"appended\">4<",
            "the array `offsets`: the file has no appended data",
        ),
        ("format=\"ascii\">4<", "format=\"ebcdic\">4<", "`ebcdic` is no format of data"),
    ] {
        assert!(good.contains(from), "{from}");
        let error = read(&good.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(error.contains(expected), "{from} -> {to}: {error}");
        assert_eq!(error.lines().count(), 1);
    }
}

#[test]
fn polygonal_data() {
    let text = r#"<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" header_type="UInt64">
<PolyData><Piece NumberOfPoints="4" NumberOfVerts="0" NumberOfLines="1" NumberOfStrips="0" NumberOfPolys="1">
<Points><DataArray type="Float64" NumberOfComponents="3" format="ascii">0 0 0 1 0 0 1 1 0 0 1 0</DataArray></Points>
<Verts/>
<Lines><DataArray type="Int64" Name="connectivity" format="ascii">0 1</DataArray>
<DataArray type="Int64" Name="offsets" format="ascii">2</DataArray></Lines>
<Polys><DataArray type="Int64" Name="connectivity" format="ascii">0 1 2 3</DataArray>
<DataArray type="Int64" Name="offsets" format="ascii">4</DataArray></Polys>
</Piece></PolyData></VTKFile>"#;
    let contents = read(text).unwrap();
    assert_eq!(contents.notes, ["1 quad cut into triangles", "1 line in no group left out"]);
    assert!(matches!(contents.mesh, Mesh::Tri(m) if m.triangles == [[0, 1, 2], [0, 2, 3]]));
}

/// One tet with all arrays appended; `arrays` makes the bytes behind the `_`.
fn appended(root: &str, encoding: &str, numbers: [&[u8]; 4], offsets: [usize; 4]) -> Vec<u8> {
    let [p, c, o, t] = offsets;
    let mut bytes = format!(
        "<VTKFile type=\"UnstructuredGrid\" {root}><UnstructuredGrid><Piece NumberOfPoints=\"4\" \
         NumberOfCells=\"1\"><Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"appended\" \
         offset=\"{p}\"/></Points><Cells><DataArray type=\"UInt16\" Name=\"connectivity\" format=\"appended\" \
         offset=\"{c}\"/><DataArray type=\"UInt8\" Name=\"offsets\" format=\"appended\" offset=\"{o}\"/>\
         <DataArray type=\"Int8\" Name=\"types\" format=\"appended\" offset=\"{t}\"/></Cells></Piece>\
         </UnstructuredGrid><AppendedData encoding=\"{encoding}\"> _"
    )
    .into_bytes();
    numbers.iter().for_each(|array| bytes.extend(*array));
    bytes.extend(b"\n</AppendedData></VTKFile>");
    bytes
}

#[test]
fn appended_base64_in_big_endian() {
    use crate::base64;
    let coded = |plain: &[u8]| {
        let mut text = Vec::new();
        base64::encode(&mut text, |out| {
            out.write_all(&(plain.len() as u32).to_be_bytes())?;
            out.write_all(plain)
        })
        .unwrap();
        text
    };
    let points = [0.0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let points: Vec<u8> = points.iter().flat_map(|c| c.to_be_bytes()).collect();
    let arrays = [coded(&points), coded(&[0, 0, 0, 1, 0, 2, 0, 3]), coded(&[4]), coded(&[10])];
    let mut offsets = [0; 4];
    for k in 1..4 {
        offsets[k] = offsets[k - 1] + arrays[k - 1].len();
    }
    let arrays = arrays.each_ref().map(Vec::as_slice);
    let bytes = appended("byte_order=\"BigEndian\"", "base64", arrays, offsets);
    let contents = Source::from_bytes(bytes.clone(), None).read().unwrap();
    assert_eq!(contents.format, "VTK XML UnstructuredGrid, appended base64");
    tets(contents).validate().unwrap();
    for cut in 20..bytes.len() {
        assert!(Source::from_bytes(bytes[..cut].to_vec(), Some("a.vtu")).read().is_err(), "{cut}");
    }
    let wrong = appended("byte_order=\"BigEndian\"", "base64", arrays, [0, 0, 0, 9999]);
    let error = Source::from_bytes(wrong, None).read().unwrap_err().to_string();
    assert!(error.contains("its offset is beyond the appended data"), "{error}");
}

#[test]
fn claims_of_compressed_blocks_are_checked() {
    let root = "header_type=\"UInt32\" compressor=\"vtkZLibDataCompressor\"";
    let words = |list: &[u32]| list.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>();
    for (head, expected) in [
        (words(&[1, 48, 0, 4_000_000_000]), "it has fewer bytes than announced"),
        (words(&[4_000_000_000, 48, 0, 9]), "it has fewer bytes than announced"),
        (words(&[1, 4_000_000_000, 0, 9]), "its compressed data unpack to a suspicious size"),
        (words(&[1, 0, 0, 9]), "the sizes of its blocks are wrong"),
        (words(&[1, 48, 50, 9]), "the sizes of its blocks are wrong"),
        (words(&[1, 48, 0, 9]), "its compressed data are damaged"),
        (words(&[0, 48, 0, 9]), "it has 0 numbers, not 12"),
    ] {
        let bytes = appended(root, "raw", [&head, b"123456789", b"", b""], [0; 4]);
        let error = Source::from_bytes(bytes, None).read().unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
