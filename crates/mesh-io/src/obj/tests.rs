//! Tests of OBJ: dialects and errors. Round trips, cuts and random input are tested for all formats together.

use crate::{Contents, ReadError, Source};
use pliant_mesh::{DVec3, Mesh, TriMesh};

pub(crate) const QUAD: &str = "# a quad and a triangle
mtllib none.mtl
o cloth
v 0 0 0
v 1 0 0
v 1 1 0 1.0
v 0 1 0
v 7 7 7
vt 0 0
vn 0 0 1
l 1 2
g left
f 1/1/1 2//1 3/1 \\
 4
g right
v 2 0 0
f -5 -1 -4
";

fn read(text: &str) -> Result<Contents, ReadError> {
    Source::from_bytes(text.as_bytes().to_vec(), Some("a.obj")).read()
}

fn mesh(text: &str) -> TriMesh {
    match read(text).unwrap().mesh {
        Mesh::Tri(mesh) => mesh,
        Mesh::Tet(_) => panic!("expected triangles"),
    }
}

#[test]
fn polygons_groups_and_relative_indices() {
    let contents = read(QUAD).unwrap();
    assert_eq!(
        contents.notes,
        ["1 polygon cut into triangles", "1 polyline left out", "normals, texture coordinates left out"]
    );
    let mesh = mesh(QUAD);
    assert_eq!(mesh.vertices.len(), 6);
    assert_eq!(mesh.vertices[4], DVec3::splat(7.0));
    assert_eq!(mesh.triangles, vec![[0, 1, 2], [0, 2, 3], [1, 5, 2]]);
    assert_eq!(mesh.groups["cloth"].elements, vec![0, 1, 2]);
    assert_eq!(mesh.groups["left"].elements, vec![0, 1]);
    assert_eq!(mesh.groups["left"].vertices, vec![0, 1, 2, 3]);
    assert_eq!(mesh.groups["right"].vertices, vec![1, 2, 5]);
    for ending in ["\n\0", "\x1a", "f \\\n1 2 3 \\"] {
        assert!(read(&format!("{QUAD}{ending}")).is_ok(), "{ending:?}");
    }
    assert_eq!(self::mesh(&QUAD.replace('\n', "\r\n")), mesh);
    assert_eq!(self::mesh(&format!("\u{feff}{QUAD}")), mesh);
}

#[test]
fn a_face_may_be_in_several_groups_and_come_before_its_vertices() {
    let mesh = mesh("g a b a\nf 1 2 3\ng\nf 1 3 2\ng b%20c\nf 1 1 2\nv 0 0 0\nv 1 0 0\nv 0 1 0\n");
    assert_eq!(mesh.groups["a"], mesh.groups["b"]);
    assert_eq!(mesh.groups["a"].elements, vec![0]);
    assert_eq!(mesh.groups["b c"].elements, vec![2]);
    assert_eq!(mesh.groups.len(), 3);
    // Concave polygons are cut when all vertices are known.
    let dart = self::mesh("f 1 2 3 4\nv 0 0 0\nv 2 0 0\nv 0.5 0.5 0\nv 0 2 0\n");
    assert_eq!(dart.triangles, vec![[0, 1, 2], [0, 2, 3]]);
    let dart = self::mesh("f 2 3 4 1\nv 0 0 0\nv 2 0 0\nv 0.5 0.5 0\nv 0 2 0\n");
    assert_eq!(dart.triangles, vec![[0, 1, 2], [2, 3, 0]]);
}

#[test]
fn errors_name_line_and_remedy() {
    for (text, expected) in [
        ("v 0 0 0\n", "the file has no tets and no triangles"),
        ("v 0 0\n", "line 1: expected a finite z coordinate, found ``"),
        ("v 0 inf 0\n", "line 1: expected a finite y coordinate, found `inf`"),
        ("v 0 0 0\nf 1 1\n", "line 2: a face has 2 corners"),
        ("v 0 0 0\nf 1 1 9\n", "line 2: a face uses vertex 9, but there are 1"),
        ("v 0 0 0\nf 1 1 0\n", "line 2: a face uses vertex 0"),
        ("v 0 0 0\nf 1 1 -2\n", "line 2: a face uses vertex -2"),
        ("v 0 0 0\nf 1 1 -9223372036854775808\n", "line 2: a face uses vertex -9223372036854775808"),
        ("v 0 0 0\nf 1 1 99999999999\n", "line 2: a face uses vertex 99999999999"),
        ("f 1 x 2\n", "line 1: expected a vertex number, found `x`"),
        ("\n\ncurv 1 2\n", "line 3: `curv` is not a known OBJ statement"),
    ] {
        let error = read(text).unwrap_err().to_string();
        assert!(error.contains(expected), "{text:?}: {error}");
        assert_eq!(error.lines().count(), 1);
    }
}

#[test]
fn groups_that_outgrow_the_file_are_refused() {
    let names: Vec<String> = (0..3000).map(|k| k.to_string()).collect();
    let mut text = format!("v 0 0 0\ng {}\n", names.join(" "));
    text.push_str(&"f 1 1 1\n".repeat(1000));
    assert!(matches!(read(&text), Err(ReadError::OutOfProportion)));
}

#[test]
fn content_tells_obj() {
    let by_content = |text: &str| super::recognises(text.as_bytes());
    assert!(by_content(QUAD));
    assert!(by_content("# Blender\nmtllib a.mtl\no Cube\nv 1.0 1.0 -1.0\n"));
    for text in ["", "g a\n", "f 1 2 3\n", "v 1 2\n", "v a b c\n", "vertices 3\n", "v 0 0 0\nhello\n"] {
        assert!(!by_content(text), "{text}");
    }
}
