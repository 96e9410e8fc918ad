//! Tests of the reader of VTK legacy files: versions, kinds of cells and data, each error.

use crate::{Contents, ReadError, Source};
use pliant_mesh::{Mesh, TetMesh};

fn read(text: &str) -> Result<Contents, ReadError> {
    read_bytes(text.as_bytes())
}

fn read_bytes(bytes: &[u8]) -> Result<Contents, ReadError> {
    Source::from_bytes(bytes.to_vec(), None).read()
}

fn tets(contents: Contents) -> TetMesh {
    match contents.mesh {
        Mesh::Tet(mesh) => mesh,
        other => panic!("{other:?}"),
    }
}

/// Two tets and a triangle, with data of every kind around masks of groups.
const TWO_TETS: &str = "# vtk DataFile Version 3.0
a title
ASCII
DATASET UNSTRUCTURED_GRID
FIELD FieldData 1
TIME 1 1 double
0.5
POINTS 5 float
0 0 0 1 0 0
0 1 0 0 0 1 1 1 1
CELLS 3 14
4 0 1 2 3
4 1 2 3 4
3 0 1 2
CELL_TYPES 3
10 10 5
CELL_DATA 3
SCALARS material int
LOOKUP_TABLE default
1 2 3
SCALARS group:left char 1
LOOKUP_TABLE default
1 0 1
LOOKUP_TABLE default 1
0 0 0 1
FIELD FieldData 2
gmsh:physical 1 3 int
7 7 0
METADATA
INFORMATION 1
NAME L2_NORM_RANGE LOCATION vtkDataArray
DATA 2 1 2

names 1 3 string
a%20b
c
d
POINT_DATA 5
VECTORS velocity double
0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
group:top%20side 1 5 unsigned_char
";

fn two_tets() -> String {
    TWO_TETS.replace("group:top%20side 1", "FIELD FieldData 1\ngroup:top%20side 1") + "0 0 0 1 1\n"
}

#[test]
fn tets_with_groups() {
    let contents = read(&two_tets()).unwrap();
    assert_eq!(contents.format, "VTK legacy ASCII");
    assert_eq!(contents.notes, ["data left out: TIME, material, names, velocity"]);
    let mesh = tets(contents);
    mesh.validate().unwrap();
    assert_eq!(mesh.tets, [[0, 1, 2, 3], [1, 2, 3, 4]]);
    assert_eq!(mesh.groups.keys().collect::<Vec<_>>(), ["7", "left", "top side"]);
    assert_eq!(mesh.groups["7"].elements, [0, 1]);
    assert_eq!((&mesh.groups["left"].elements, mesh.groups["left"].vertices.len()), (&vec![0], 4));
    assert_eq!(mesh.groups["top side"].vertices, [3, 4]);
    assert_eq!(tets(read(&two_tets().replace('\n', "\r\n")).unwrap()), mesh);
}

#[test]
fn version_5_has_offsets() {
    let cells = "CELLS 3 8\nOFFSETS vtktypeint64\n0 4 8\nCONNECTIVITY vtktypeint64\n0 1 2 3 1 2 3 4\n\
                 CELL_TYPES 2\n10 10\n";
    let start = two_tets();
    let text = format!("{}{cells}", &start[..start.find("CELLS").unwrap()]);
    assert_eq!(tets(read(&text).unwrap()).tets, [[0, 1, 2, 3], [1, 2, 3, 4]]);
    for (from, to, expected) in [
        ("0 4 8", "0 5 8", "a cell of type 10 has 5 points, not 4"),
        ("0 4 8", "1 4 8", "the first offset is not zero"),
        ("0 4 8", "0 8 4", "the array `connectivity`: `1` follows 4 numbers"),
        ("CELL_TYPES 2\n10 10", "CELL_TYPES 1\n10", "there are 1 cell types for 2 cells"),
        ("2 3 4", "2 3 5", "cell 1: it uses point 5, but there are 5 points"),
        ("2 3 4", "2 3 -1", "the array `connectivity`: expected a number, found `-1`"),
    ] {
        let error = read(&text.replace(from, to)).unwrap_err().to_string();
        assert!(error.contains(expected), "{from} -> {to}: {error}");
    }
}

#[test]
fn binary_with_data_of_every_kind() {
    let mut bytes = b"# vtk DataFile Version 2.0\n\nBINARY\nDATASET POLYDATA\nPOINTS 4 float\n".to_vec();
    let mut section = |head: &str, numbers: &[u8]| {
        bytes.extend(head.as_bytes());
        bytes.extend(numbers);
        bytes.push(b'\n');
    };
    let reals = |list: &[f32]| list.iter().flat_map(|c| c.to_be_bytes()).collect::<Vec<u8>>();
    let ints = |list: &[i32]| list.iter().flat_map(|c| c.to_be_bytes()).collect::<Vec<u8>>();
    section("", &reals(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0]));
    section("POLYGONS 1 5\n", &ints(&[4, 0, 1, 2, 3]));
    section("VERTICES 1 2\n", &ints(&[1, 3]));
    section("CELL_DATA 2\nSCALARS group:a bit 1\nLOOKUP_TABLE default\n", &[0b0100_0000]);
    section("FIELD f 2\nnames 1 2 string\n", b"\xc3abc\x80\x01x");
    section("group:b 1 2 unsigned_char\n", &[0, 1]);
    section("POINT_DATA 4\nCOLOR_SCALARS c 3\n", &[9; 12]);
    section("TEXTURE_COORDINATES t 2 float\n", &[0; 32]);
    section("GLOBAL_IDS ids vtkIdType\n", &[0; 16]);
    section("TENSORS t double\n", &[0; 288]);
    let contents = read_bytes(&bytes).unwrap();
    assert_eq!(contents.format, "VTK legacy binary");
    assert_eq!(
        contents.notes,
        [
            "1 quad cut into triangles",
            "1 point in no group left out",
            "data left out: group:a, names, c, t, ids, t"
        ]
    );
    let Mesh::Tri(mesh) = contents.mesh else { panic!("expected triangles") };
    mesh.validate().unwrap();
    assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(mesh.groups["b"].elements, [0, 1]);
}

#[test]
fn other_cells_are_cut_or_refused() {
    let head = "# vtk DataFile Version 1.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 8 double\n0 0 0 1 0 0\n\
                0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1\n";
    let voxel = read(&format!("{head}CELLS 1 9\n8 0 1 2 3 4 5 6 7\nCELL_TYPES 1\n11\n")).unwrap();
    assert_eq!(voxel.notes, ["1 hexahedron cut into tets"]);
    let mesh = tets(voxel);
    mesh.validate().unwrap();
    assert!((mesh.volume() - 1.0).abs() < 1e-15);
    let strip = read(&format!("{head}CELLS 1 6\n5 0 1 2 3 4\nCELL_TYPES 1\n6\n")).unwrap();
    assert_eq!(
        (strip.mesh.element_count(), strip.notes[0].as_str()),
        (3, "1 triangle strip cut into triangles")
    );
    let curved = format!("{head}CELLS 1 11\n10 0 1 2 4 3 3 3 3 3 3\nCELL_TYPES 1\n24\n");
    let curved = read(&curved).unwrap();
    assert_eq!(curved.notes, ["1 element of second or higher order taken by its corners"]);
    let error = read(&format!("{head}CELLS 1 2\n1 0\nCELL_TYPES 1\n42\n")).unwrap_err().to_string();
    assert!(error.contains("cell 0: polyhedra are not supported; cut the cells first"), "{error}");
}

#[test]
fn errors_name_line_and_remedy() {
    let good = two_tets();
    for (from, to, expected) in [
        ("ASCII", "text", "line 3: expected ASCII or BINARY, found `text`"),
        (
            "UNSTRUCTURED_GRID",
            "STRUCTURED_POINTS",
            "data sets of the kind STRUCTURED_POINTS are not supported",
        ),
        ("POINTS 5 float", "POINTS 5 floaty", "line 8: `floaty` is no data type"),
        ("POINTS 5 float", "POINTS 99999999999999999999 float", "expected the number of points"),
        ("POINTS 5 float", "POINTS 9999999999999999999 float", "an array is larger than any file"),
        ("POINTS 5 float", "POINTS 4 float", "`1` is no section of a VTK file"),
        ("0 0 1 1 1 1", "0 0 nan 1 1 1", "point 3 is at [0.0, 0.0, NaN]"),
        ("4 1 2 3 4\n", "4 1 2 3 9\n", "cell 1: it uses point 9, but there are 5 points"),
        ("4 1 2 3 4\n", "9 1 2 3 4\n", "cell 1 has more points than the section"),
        ("CELLS 3 14", "CELLS 2 14", "there are 3 cell types for 2 cells"),
        ("CELL_TYPES 3\n10 10 5\n", "", "there is no CELL_TYPES"),
        ("gmsh:physical 1 3 int\n7 7 0", "gmsh:physical 1 3 int\n7 7 x", "the data `gmsh:physical`"),
    ] {
        assert!(good.contains(from), "{from}");
        let error = read(&good.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(error.contains(expected), "{from} -> {to}: {error}");
        assert_eq!(error.lines().count(), 1);
    }
    let polygons = "# vtk DataFile Version 2.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n0 0 0 1 0 0 0 1 0 1 1 1\n\
                    POLYGONS 1 4\n3 0 1 2\n";
    assert_eq!(read(polygons).unwrap().mesh.element_count(), 1);
    let error = read(polygons.trim_end()).unwrap_err().to_string();
    assert!(error.contains("add a line end if it is whole"), "{error}");
}

#[test]
fn files_of_our_own_say_how_many_groups_follow() {
    let own = two_tets().replace("a title", "Pliant mesh, 3 data arrays follow the cells");
    let error = read(&own).unwrap_err().to_string();
    assert!(error.contains("2 of 3 data arrays are there"), "{error}");
    assert!(read(&own.replace(", 3 data", ", 2 data")).is_ok());
}
