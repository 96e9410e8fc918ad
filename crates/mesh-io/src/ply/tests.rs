//! Tests of PLY: encodings, number types, strips, errors.

use super::*;
use crate::{Contents, ReadError, Source};
use pliant_mesh::{DVec3, Mesh, TriMesh};

fn read_bytes(bytes: &[u8]) -> Result<Contents, ReadError> {
    (FAMILY.read)(&Source::from_bytes(bytes.to_vec(), None))
}

fn mesh(bytes: &[u8]) -> TriMesh {
    match read_bytes(bytes).unwrap().mesh {
        Mesh::Tri(mesh) => mesh,
        Mesh::Tet(_) => panic!("expected triangles"),
    }
}

pub(crate) const ASCII: &str = "ply
format ascii 1.0
comment made by hand
obj_info nothing
element camera 1
property list int float view
element vertex 4
property float nx
property double x
property int y
property uchar red
property float32 z
element face 3
property list uchar short texcoord
property list uchar int vertex_index
property float quality
element empty 99999999999
end_header
2 0.5 1
0 0.25 0 255 -1e-3
0 1 0 255 0
0 1 1 255 0
0 0 1 255 0
0 3 0 1 2 0.5
2 7 7 4 0 1 2 3 1
0 2 0 1 0
";

#[test]
fn ascii_with_foreign_elements_and_properties() {
    let contents = read_bytes(ASCII.as_bytes()).unwrap();
    assert_eq!(contents.format, "PLY ASCII");
    assert_eq!(
        contents.notes,
        [
            "element `camera` left out",
            "properties of vertices left out: nx, red",
            "properties of faces left out: texcoord, quality",
            "element `empty` left out",
            "1 polygon cut into triangles",
            "1 face with fewer than three corners left out",
        ]
    );
    let mesh = self::mesh(ASCII.as_bytes());
    assert_eq!(mesh.vertices[0], DVec3::new(0.25, 0.0, -1e-3));
    assert_eq!(mesh.triangles, vec![[0, 1, 2], [0, 1, 2], [0, 2, 3]]);
    for end in ["\r\n", "\r"] {
        assert_eq!(self::mesh(ASCII.replace('\n', end).as_bytes()), mesh);
    }
    assert_eq!(self::mesh(ASCII.trim_end().as_bytes()), mesh);
}

/// The same mesh in every number type and both byte orders.
#[test]
fn binary_number_types() {
    type Encode = fn(i64) -> Vec<u8>;
    let types: [(&str, Encode); 10] = [
        ("char", |v| (v as i8).to_be_bytes().to_vec()),
        ("uint8", |v| (v as u8).to_be_bytes().to_vec()),
        ("short", |v| (v as i16).to_be_bytes().to_vec()),
        ("uint16", |v| (v as u16).to_be_bytes().to_vec()),
        ("int", |v| (v as i32).to_be_bytes().to_vec()),
        ("uint32", |v| (v as u32).to_be_bytes().to_vec()),
        ("int64", |v| v.to_be_bytes().to_vec()),
        ("uint64", |v| (v as u64).to_be_bytes().to_vec()),
        ("float", |v| (v as f32).to_be_bytes().to_vec()),
        ("double", |v| (v as f64).to_be_bytes().to_vec()),
    ];
    for (order, big) in [("big", true), ("little", false)] {
        for (name, encode) in &types {
            for (count_name, count_encode) in &types {
                let mut bytes = format!(
                    "ply\nformat binary_{order}_endian 1.0\nelement vertex 3\nproperty {name} x\nproperty {name} y\n\
                     property list {count_name} {name} junk\nproperty {name} z\nelement face 1\n\
                     property list {count_name} {name} vertex_indices\nend_header\n"
                )
                .into_bytes();
                let mut put = |encode: &Encode, value: i64| {
                    let mut number = encode(value);
                    if !big {
                        number.reverse();
                    }
                    bytes.extend(number);
                };
                for [x, y, z] in [[1, 2, 3], [4, 5, 6], [7, 8, 10]] {
                    put(encode, x);
                    put(encode, y);
                    put(count_encode, 2);
                    put(encode, 99);
                    put(encode, 98);
                    put(encode, z);
                }
                put(count_encode, 3);
                (0..3).for_each(|i| put(encode, i));
                let mesh = self::mesh(&bytes);
                assert_eq!(
                    mesh.vertices,
                    [DVec3::new(1.0, 2.0, 3.0), DVec3::new(4.0, 5.0, 6.0), DVec3::new(7.0, 8.0, 10.0)]
                );
                assert_eq!(mesh.triangles, [[0, 1, 2]]);
                for cut in 0..bytes.len() {
                    assert!(read_bytes(&bytes[..cut]).is_err(), "{name} {count_name} {cut}");
                }
                bytes.push(0);
                let notes = read_bytes(&bytes).unwrap().notes;
                assert!(notes[1].starts_with("the file continues after the last element"), "{notes:?}");
            }
        }
    }
}

#[test]
fn strips_are_unrolled() {
    let text = "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\n\
                element tristrips 1\nproperty list int int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n\
                2 2 0\n10 0 1 2 3 3 4 -1 2 1 0\n";
    let contents = read_bytes(text.as_bytes()).unwrap();
    assert_eq!(contents.notes, ["2 triangles that only join strips left out"]);
    assert_eq!(mesh(text.as_bytes()).triangles, [[0, 1, 2], [2, 1, 3], [2, 1, 0]]);
}

#[test]
fn errors_name_place_and_remedy() {
    for (from, to, expected) in [
        (
            "format ascii 1.0",
            "format ascii 2.0",
            "line 2: PLY format `ascii 2.0` is not known; export it as PLY 1.0",
        ),
        ("format ascii 1.0\n", "", "line 17: the header names no format"),
        ("element vertex 4", "element vertex four", "line 7: expected a number of elements, found `four`"),
        ("property int y", "property long y", "line 10: cannot make sense of `property long y`"),
        ("property int y", "property int u", "vertices have no property `y`"),
        ("vertex_index", "corners", "faces have no list `vertex_indices`"),
        ("end_header", "hello", "line 18: cannot make sense of `hello`"),
        ("0.25", "nan", "line 20: x is NaN"),
        ("0.25", "one", "line 20: expected x, found `one`"),
        ("4 0 1 2 3", "4 0 1 2 4", "line 25: a face uses vertex 4, there are 4"),
        ("4 0 1 2 3", "4 0 1 2 -1", "line 25: a face uses vertex -1"),
        ("4 0 1 2 3", "4 0 1 2 0.5", "line 25: expected a vertex index, found `0.5`"),
        ("4 0 1 2 3", "-4 0 1 2 3", "line 25: a list has -4 numbers"),
        ("4 0 1 2 3", "99999 0 1 2 3", "line 27: the file ends where a vertex index is expected"),
        (
            "element vertex 4",
            "element vertex 999999999999999",
            "line 27: the file ends where a number is expected",
        ),
    ] {
        assert!(ASCII.contains(from), "{from}");
        let error = read_bytes(ASCII.replacen(from, to, 1).as_bytes()).unwrap_err().to_string();
        assert!(error.contains(expected), "{from} -> {to}: {error}");
        assert_eq!(error.lines().count(), 1);
    }
    let points = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n\
                  end_header\n0 0 0\n";
    let error = read_bytes(points.as_bytes()).unwrap_err().to_string();
    assert!(error.ends_with("export the faces; a point cloud is no surface"), "{error}");
    let many = format!("ply\nformat ascii 1.0\n{}end_header\n", "element a 1\n".repeat(2000));
    assert!(read_bytes(many.as_bytes()).unwrap_err().to_string().contains("declares more than 1024"));
}
