//! Tests of MEDIT files: dialects, references, errors.

use super::*;
use pliant_mesh::{DVec3, Mesh};

pub(crate) const TETS: &str = "MeshVersionFormatted 1
# a comment
Dimension
3

Vertices 5
0 0 0 0
1 0 0 2
0 1 0 2
0 0 1 0
1.0D0 1 1 0.0
Corners
1
3
Edges 0
Triangles
2
1 2 3 7
2 3 4 0
Quadrilaterals 1
1 2 3 4 -7
Normals
1
0 0 1
NormalAtVertices 1
1 1
Tetrahedra
2
1 2 3 4 1
2 3 4 5 3
End
";

fn read_text(text: &str) -> Result<Contents, ReadError> {
    read(&Source::from_bytes(text.as_bytes().to_vec(), None))
}

#[test]
fn references_become_groups() {
    let contents = read_text(TETS).unwrap();
    assert_eq!(
        contents.notes,
        ["1 polygon cut into triangles", "sections left out: Corners, Normals, NormalAtVertices"]
    );
    let Mesh::Tet(mesh) = contents.mesh else { panic!("expected tets") };
    assert_eq!(mesh.vertices[4], DVec3::ONE);
    assert_eq!(mesh.tets, vec![[0, 1, 2, 3], [1, 2, 3, 4]]);
    let names: Vec<&str> = mesh.groups.keys().map(String::as_str).collect();
    assert_eq!(names, ["ref_-7", "ref_7", "region_1", "region_3", "vertex_ref_2"]);
    assert_eq!(mesh.groups["region_3"].elements, vec![1]);
    assert_eq!(mesh.groups["region_3"].vertices, vec![1, 2, 3, 4]);
    assert_eq!(mesh.groups["ref_7"].vertices, vec![0, 1, 2]);
    assert!(mesh.groups["ref_7"].elements.is_empty());
    assert_eq!(mesh.groups["ref_-7"].vertices, vec![0, 1, 2, 3]);
    assert_eq!(mesh.groups["vertex_ref_2"].vertices, vec![1, 2]);
}

#[test]
fn surfaces_in_space_and_in_the_plane() {
    let start = TETS.find("Tetrahedra").unwrap();
    let surface = format!("{}End", &TETS[..start]);
    let Mesh::Tri(mesh) = read_text(&surface).unwrap().mesh else { panic!("expected triangles") };
    assert_eq!(mesh.triangles.len(), 4);
    assert_eq!(mesh.groups["ref_-7"].elements, vec![2, 3]);
    let flat = "MeshVersionFormatted 2 Dimension 2 Vertices 3 0 0 0 1 0 0 0 1 0 Triangles 1 1 2 3 0 End";
    let Mesh::Tri(mesh) = read_text(flat).unwrap().mesh else { panic!("expected triangles") };
    assert_eq!(mesh.vertices[1], DVec3::X);
    assert!(mesh.groups.is_empty());
}

#[test]
fn many_references_are_a_field_and_no_groups() {
    let mut text = "MeshVersionFormatted 2\nDimension 3\nVertices\n2000\n".to_string();
    (0..2000).for_each(|k| text.push_str(&format!("0 0 0 {k}\n")));
    text.push_str("Triangles\n1\n1 2 3 0\nEnd\n");
    let contents = read_text(&text).unwrap();
    assert_eq!(contents.notes, ["vertices have more than 1000 references, left out"]);
    assert!(contents.mesh.groups().is_empty());
}

#[test]
fn errors_name_line_and_remedy() {
    for (from, to, expected) in [
        ("Formatted 1", "Formatted 9", "line 1: version 9 is not known"),
        ("Dimension\n3", "Dimension\n4", "line 4: dimension 4 is neither 2 nor 3"),
        ("\nEnd\n", "\n", "line 30: the file ends before `End`"),
        ("1 0 0 2", "1 x 0 2", "line 8: expected y, found `x`"),
        ("1 0 0 2", "1 0 0 2.5", "line 8: expected a reference, found `2.5`"),
        ("2 3 4 5 3", "2 3 4 6 3", "line 30: an element uses vertex 6, there are 5"),
        ("2 3 4 5 3", "2 3 4 0 3", "line 30: an element uses vertex 0"),
        ("1 2 3 7", "1 2 9 7", "line 18: an element uses vertex 9, there are 5"),
        ("Tetrahedra\n2", "Tetrahedra\n3", "line 31: expected a vertex number, found `End`"),
        ("Tetrahedra\n2", "Tetrahedra\n1", "line 30: expected a section such as Vertices, found `2`"),
        ("Edges 0", "Hexahedra 1", "a mesh with hexahedra is not supported; cut them into tetrahedra"),
    ] {
        assert!(TETS.contains(from), "{from}");
        let error = read_text(&TETS.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(error.contains(expected), "{from} -> {to}: {error}");
        assert_eq!(error.lines().count(), 1);
    }
    assert!(matches!(read_text("MeshVersionFormatted 2 End"), Err(ReadError::Empty { .. })));
    let binary: Vec<u8> = [1_u32, 2, 3, 20, 3].iter().flat_map(|n| n.to_le_bytes()).collect();
    assert!((FAMILY.recognises)(&binary));
    let error = read(&Source::from_bytes(binary, None)).unwrap_err().to_string();
    assert_eq!(
        error,
        "binary MEDIT (.meshb) is not supported; convert it to ASCII: transmesh in.meshb out.mesh"
    );
}
