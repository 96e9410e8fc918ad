//! Tests of the Gmsh reader: small files of each version, each error.

use crate::{Contents, ReadError, Source};
use pliant_mesh::{Mesh, TetMesh};

/// Two tets over sparse node tags, with named volume and surface, an unnamed curve group and an unused node.
pub(crate) const TWO_TETS: &str = "$MeshFormat
4.1 0 8
$EndMeshFormat
$Comments
$Nodes in a comment is no section
$EndComments
$PhysicalNames
2
2 7 \"bottom side\"
3 1 \"body\"
$EndPhysicalNames
$Entities
0 1 1 1
5 0 0 0 1 1 1 1 9 0
3 0 0 0 1 1 1 1 -7 2 1 -2
1 0 0 0 1 1 1 1 1 1 3
$EndEntities
$Nodes
2 6 2 100
2 3 1 3
2
10
100
0 0 0 0.5 0.5
1 0 0 0.5 0.5
0 1 0 0.5 0.5
3 1 0 3
11
12
50
0 0 1
1 1 1
9 9 9
$EndNodes
$Elements
3 4 1 4
1 5 1 1
1 2 10
2 3 2 1
2 2 10 100
3 1 4 2
3 2 10 100 11
4 10 100 11 12
$EndElements
";

pub(crate) fn read_gmsh(bytes: &[u8]) -> Result<Contents, ReadError> {
    Source::from_bytes(bytes.to_vec(), Some("test.msh")).read()
}

fn tet(text: &str) -> TetMesh {
    match read_gmsh(text.as_bytes()).unwrap().mesh {
        Mesh::Tet(mesh) => mesh,
        other => panic!("{other:?}"),
    }
}

fn gmsh_error(from: &str, to: &str) -> String {
    assert!(TWO_TETS.contains(from), "{from}");
    let error = read_gmsh(TWO_TETS.replacen(from, to, 1).as_bytes()).unwrap_err().to_string();
    assert_eq!(error.lines().count(), 1);
    error
}

#[test]
fn tets_with_groups() {
    let contents = read_gmsh(TWO_TETS.as_bytes()).unwrap();
    assert_eq!((contents.format.as_str(), contents.notes.len()), ("Gmsh MSH 4.1 ASCII", 0));
    let mesh = tet(TWO_TETS);
    assert_eq!(mesh.vertices.len(), 6);
    assert_eq!(mesh.tets, vec![[0, 1, 2, 3], [1, 2, 3, 4]]);
    let names: Vec<&str> = mesh.groups.keys().map(String::as_str).collect();
    assert_eq!(names, ["body", "bottom side", "curve_9"]);
    assert_eq!(mesh.groups["body"].elements, vec![0, 1]);
    assert_eq!(mesh.groups["body"].vertices, vec![0, 1, 2, 3, 4]);
    assert_eq!(mesh.groups["bottom side"].vertices, vec![0, 1, 2]);
    assert!(mesh.groups["bottom side"].elements.is_empty());
    assert_eq!(mesh.groups["curve_9"].vertices, vec![0, 1]);
    assert_eq!(tet(&TWO_TETS.replace('\n', "\r\n")), mesh);
    assert_eq!(tet(&format!("\u{feff}{TWO_TETS}")), mesh);
}

#[test]
fn triangles_without_tets_make_a_surface() {
    let text = TWO_TETS.replace("3 1 4 2\n3 2 10 100 11\n4 10 100 11 12\n", "").replace("3 4 1 4", "2 2 1 2");
    let Mesh::Tri(mesh) = read_gmsh(text.as_bytes()).unwrap().mesh else { panic!("expected triangles") };
    assert_eq!(mesh.triangles, vec![[0, 1, 2]]);
    assert_eq!(mesh.groups["bottom side"].elements, vec![0]);
    assert_eq!(mesh.groups["bottom side"].vertices, vec![0, 1, 2]);
    // A name without elements is an empty group.
    assert_eq!(mesh.groups["body"], pliant_mesh::Group::default());
}

#[test]
fn orientation_is_kept_until_tidied() {
    let text = TWO_TETS.replace("4 10 100 11 12", "4 100 10 11 12");
    let mut mesh = read_gmsh(text.as_bytes()).unwrap().mesh;
    assert!(matches!(&mesh, Mesh::Tet(m) if m.tets[1] == [2, 1, 3, 4]));
    assert_eq!(mesh.tidy(), ["1 tet turned", "1 unused vertex removed"]);
    mesh.validate().unwrap();
}

/// One tet twice for two groups, a triangle, a point in a group, a line without group, a partition label.
const VERSION_2: &str = "$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
2
3 1 \"a\"
0 4 \"a\"
$EndPhysicalNames
$Nodes
5
1 0 0 0
2 1 0 0
3 0 1 0
4 0 0 1
7 1 1 1
$EndNodes
$Elements
6
1 15 2 4 1 7
2 1 2 0 1 1 2
3 2 2 2 1 1 3 2
4 4 2 1 1 1 2 3 4
5 4 2 2 1 1 2 3 4
6 4 4 1 1 1 1 2 3 4 7
$EndElements
$NodeData
$EndNodeData
";

#[test]
fn version_2() {
    let contents = read_gmsh(VERSION_2.as_bytes()).unwrap();
    assert_eq!(contents.format, "Gmsh MSH 2.2 ASCII");
    assert_eq!(contents.notes, ["1 line in no group left out", "section $NodeData left out"]);
    let mesh = tet(VERSION_2);
    assert_eq!((mesh.vertices.len(), &mesh.tets), (5, &vec![[0, 1, 2, 3], [1, 2, 3, 4]]));
    assert_eq!(mesh.groups.keys().collect::<Vec<_>>(), ["a", "surface_2", "volume_2"]);
    assert_eq!((&mesh.groups["a"].elements, mesh.groups["a"].vertices.len()), (&vec![0, 1], 5));
    assert_eq!(mesh.groups["volume_2"].elements, [0]);
    assert_eq!(mesh.groups["surface_2"].vertices, [0, 1, 2]);
    // The same element twice in one group is a fault of the file that is not hidden.
    let twice = VERSION_2.replace("5 4 2 2 1", "5 4 2 1 1");
    assert_eq!(tet(&twice).tets.len(), 3);
}

#[test]
fn version_1() {
    let text = "$NOD\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$ENDNOD\n$ELM\n2\n1 1 5 1 2 1 2\n\
                2 4 3 1 4 1 2 3 4\n$ENDELM\n";
    assert_eq!(read_gmsh(text.as_bytes()).unwrap().format, "Gmsh MSH 1 ASCII");
    let mesh = tet(text);
    mesh.validate().unwrap();
    assert_eq!(mesh.groups["curve_5"].vertices, [0, 1]);
    assert_eq!(mesh.groups["volume_3"].elements, [0]);
    let wrong = read_gmsh(text.replace("3 1 4 1 2", "3 1 5 1 2").as_bytes()).unwrap_err().to_string();
    assert!(wrong.contains("1 tet has 5 nodes, not 4"), "{wrong}");
}

#[test]
fn version_4_0() {
    let text = "$MeshFormat\n4 0 8\n$EndMeshFormat\n$Entities\n1 0 0 1\n1 0 0 0 0 0 0 0 \n\
                1 0 0 0 1 1 1 1 6 0 \n$EndEntities\n$Nodes\n1 4\n1 3 0 4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n\
                4 0 0 1\n$EndNodes\n$Elements\n1 1\n1 3 4 1\n1 1 2 3 4 \n$EndElements\n";
    assert_eq!(read_gmsh(text.as_bytes()).unwrap().format, "Gmsh MSH 4.0 ASCII");
    let mesh = tet(text);
    mesh.validate().unwrap();
    assert_eq!(mesh.groups["volume_6"].elements, [0]);
}

#[test]
fn other_shapes_are_cut() {
    let second_order = VERSION_2.replace("6 4 4 1 1 1 1 2 3 4 7", "6 11 2 1 1 2 3 4 7 1 1 1 1 1 1");
    let contents = read_gmsh(second_order.as_bytes()).unwrap();
    assert!(contents.notes[0].starts_with("1 element of second or higher order"), "{:?}", contents.notes);
    assert_eq!(tet(&second_order), tet(VERSION_2));
    let pyramid = VERSION_2.replace("6 4 4 1 1 1 1 2 3 4 7", "6 7 2 1 1 1 2 3 4 7");
    assert_eq!(read_gmsh(pyramid.as_bytes()).unwrap().notes[0], "1 pyramid cut into tets");
    assert_eq!(tet(&pyramid).groups["a"].elements, [0, 1, 2]);
}

#[test]
fn errors_name_line_and_remedy() {
    for (from, to, expected) in [
        ("4.1 0 8", "3.0 0 8", "Gmsh format 3.0 is not supported; save as MSH 4.1: gmsh -format msh41"),
        ("$MeshFormat", "$Nodes", "line 1: the file does not start with $MeshFormat"),
        ("$MeshFormat", "hello", "line 1: expected a section such as $Nodes, found `hello`"),
        ("$EndNodes\n", "7\n$EndNodes\n", "line 34: expected the end of $Nodes, found `7`"),
        ("1 1 1\n9 9 9", "1 nan 1\n9 9 9", "line 32: y is NaN"),
        ("1 1 1\n9 9 9", "1 one 1\n9 9 9", "line 32: expected y, found `one`"),
        ("100\n0 0 0", "10\n0 0 0", "node tag 10 is used twice"),
        ("4 10 100 11 12", "4 10 100 11 13", "line 43: an element uses node 13"),
        ("3 1 4 2", "3 1 4711 2", "line 41: elements of type 4711 are not supported"),
        ("3 1 4 2", "9 1 4 2", "line 41: dimension 9 is not 0 to 3"),
        ("3 1 4 2", "3 1 4 3", "line 44: expected an element tag, found `$EndElements`"),
        ("2 3 1 3", "2 3 1 18446744073709551615", "a block has 18446744073709551615 nodes"),
        ("2 3 1 3", "2 3 1 4000000000", "expected a node tag"),
        ("\"body\"", "body", "line 10: expected a name in quotes"),
        ("1 -7 2", "99 -7 2", "expected a physical tag"),
        ("$Comments", "$Other", "line 4: section $Other has no end"),
        ("$Entities", "$PartitionedEntities", "partitioned meshes are not supported"),
    ] {
        let error = gmsh_error(from, to);
        assert!(error.contains(expected), "{from} -> {to}: {error}");
    }
    let empty = read_gmsh(b"$MeshFormat\n4.1 0 8\n$EndMeshFormat\n").unwrap_err();
    assert!(matches!(empty, ReadError::Empty { .. }));
    assert!(read_gmsh(b"").is_err());
}

#[test]
fn groups_stay_in_proportion_to_the_file() {
    // Each of a thousand physical groups would get all elements.
    let tags: String = (1..=1000).map(|t| format!("{t} ")).collect();
    let element = "1 2 10 100 11\n".repeat(1000);
    let text = TWO_TETS
        .replace("1 1 1 3\n$EndEntities", &format!("1000 {tags} 0\n$EndEntities"))
        .replace("3 1 4 2\n3 2 10 100 11\n4 10 100 11 12\n", &format!("3 1 4 1000\n{element}"));
    let error = read_gmsh(text.as_bytes()).unwrap_err();
    assert!(matches!(error, ReadError::TooManyGroups), "{error}");
}
