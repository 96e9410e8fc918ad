//! Tests of STL: dialects, errors, welding.

use super::*;
use pliant_mesh::{DVec3, Mesh, TriMesh};

pub(crate) const TWO: &str = "solid left part
  facet normal 0 0 1
    outer loop
      vertex 0 0 0
      vertex 1 0 0
      vertex 0 1 0
    endloop
  endfacet
endsolid left part
SOLID
FACET NORMAL nan nan nan
OUTER LOOP
VERTEX 1 0 -0
VERTEX 1.5E0 1 0
VERTEX 0 1 0
ENDLOOP
ENDFACET
ENDSOLID";

fn read_bytes(bytes: &[u8]) -> Result<Contents, ReadError> {
    read(&Source::from_bytes(bytes.to_vec(), None))
}

fn triangles(bytes: &[u8]) -> TriMesh {
    match read_bytes(bytes).unwrap().mesh {
        Mesh::Tri(mesh) => mesh,
        Mesh::Tet(_) => panic!("expected triangles"),
    }
}

fn binary(header: &[u8], corners: &[[f32; 3]]) -> Vec<u8> {
    let mut bytes = header.to_vec();
    bytes.resize(80, b' ');
    bytes.extend((corners.len() as u32 / 3).to_le_bytes());
    for triangle in corners.chunks(3) {
        bytes.extend([0; 12]);
        bytes.extend(triangle.iter().flatten().flat_map(|c| c.to_le_bytes()));
        bytes.extend([7, 7]);
    }
    bytes
}

#[test]
fn ascii_solids_become_groups() {
    let contents = read_bytes(TWO.as_bytes()).unwrap();
    assert_eq!(contents.notes, ["6 corners welded into 4 vertices"]);
    assert_eq!(contents.format, "STL ASCII");
    let mesh = triangles(TWO.as_bytes());
    assert_eq!(mesh.triangles, vec![[0, 1, 2], [1, 3, 2]]);
    assert_eq!(mesh.groups.len(), 1);
    assert_eq!(mesh.groups["left part"].elements, vec![0]);
    assert_eq!(mesh.groups["left part"].vertices, vec![0, 1, 2]);
    assert_eq!(triangles(TWO.replace('\n', "\r\n").as_bytes()), mesh);
}

#[test]
fn a_binary_file_may_start_with_solid() {
    let corners =
        [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.5]];
    let bytes = binary(b"solid facet\nendsolid", &corners);
    assert!(recognises(&bytes));
    let mesh = triangles(&bytes);
    assert_eq!(mesh.triangles, vec![[0, 1, 2], [2, 1, 3]]);
    assert_eq!(mesh.vertices[3], DVec3::new(1.0, 1.0, 0.5));
    let mut longer = bytes.clone();
    longer.push(0);
    let contents = read_bytes(&longer).unwrap();
    assert_eq!(
        contents.notes,
        ["6 corners welded into 4 vertices", "1 byte after the last triangle left out"]
    );
}

#[test]
fn errors_name_place_and_remedy() {
    for (from, to, expected) in [
        ("vertex 1 0 0", "vertex 1 inf 0", "line 5: y is inf"),
        ("vertex 1 0 0", "vertex 1 0", "line 6: expected z, found `vertex`"),
        ("endloop", "vertex 1 1 1", "line 7: expected endloop, found `vertex`"),
        ("endsolid left part", "solid b", "line 9: expected facet or endsolid, found `solid`"),
        ("SOLID\n", "hello\n", "line 10: expected solid, found `hello`"),
        ("ENDSOLID", "", "the file ends where facet or endsolid is expected"),
    ] {
        let error = read_bytes(TWO.replacen(from, to, 1).as_bytes()).unwrap_err().to_string();
        assert!(error.contains(expected), "{from} -> {to}: {error}");
    }
    for (bytes, expected) in [
        (binary(b"", &[[0.0; 3]; 6])[..150].to_vec(), "byte 150: the file ends after 1 of 2 triangles"),
        (vec![0; 83], "byte 83: the file ends within the header"),
        (binary(b"", &[]), "the file has no tets and no triangles"),
        (binary(b"", &[[f32::NAN; 3]; 3]), "byte 84: a corner of triangle 0 is at [NaN, NaN, NaN]"),
        (b"solid a\nendsolid\n".to_vec(), "the file has no tets and no triangles"),
    ] {
        let error = read_bytes(&bytes).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn content_tells_stl() {
    assert!(recognises(TWO.as_bytes()));
    assert!(recognises(b"solid\nendsolid\n"));
    for text in ["", "solid", "solidity\nfacet", "solid a\nhello", "v 0 0 0\n"] {
        assert!(!recognises(text.as_bytes()), "{text}");
    }
}
