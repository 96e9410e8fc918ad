//! Tests of the readers: small files, each error, random and damaged input.

use super::gmsh::read_gmsh;
use super::*;
use proptest::prelude::*;

/// Two tets over sparse node tags, with named volume and surface, an unnamed curve group and an unused node.
const TWO_TETS: &str = "$MeshFormat
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

const QUAD: &str = "# a quad and a triangle
mtllib none.mtl
o cloth
v 0 0 0
v 1 0 0
v 1 1 0 1.0
v 0 1 0
v 7 7 7
vt 0 0
vn 0 0 1
g left
f 1/1/1 2//1 3/1 \\
 4
g right
v 2 0 0
f -5 -1 -4
";

fn tet(text: &str) -> crate::TetMesh {
    match read_gmsh(text.as_bytes()).unwrap() {
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
fn gmsh_tets_with_groups() {
    let mesh = tet(TWO_TETS);
    mesh.validate().unwrap();
    assert_eq!(mesh.vertices.len(), 5);
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
fn gmsh_triangles_without_tets_make_a_surface() {
    let text = TWO_TETS.replace("3 1 4 2\n3 2 10 100 11\n4 10 100 11 12\n", "").replace("3 4 1 4", "2 2 1 2");
    let Mesh::Tri(mesh) = read_gmsh(text.as_bytes()).unwrap() else { panic!("expected triangles") };
    mesh.validate().unwrap();
    assert_eq!(mesh.triangles, vec![[0, 1, 2]]);
    assert_eq!(mesh.groups["bottom side"].elements, vec![0]);
    assert_eq!(mesh.groups["bottom side"].vertices, vec![0, 1, 2]);
}

#[test]
fn gmsh_orientation() {
    let all = TWO_TETS.replace("2 10 100 11\n", "10 2 100 11\n").replace("10 100 11 12", "100 10 11 12");
    assert!(tet(&all).tet_volumes().iter().all(|&v| v > 0.0));
    let error = gmsh_error("4 10 100 11 12", "4 100 10 11 12");
    assert!(error.starts_with("1 of 2 tets are inverted, the first at line 43"), "{error}");
}

#[test]
fn gmsh_errors_name_line_and_remedy() {
    for (from, to, expected) in [
        ("4.1 0 8", "2.2 0 8", "Gmsh format 2.2 is not supported; save as MSH 4.1 ASCII: gmsh -format msh41"),
        ("4.1 0 8", "4.1 1 8", "binary Gmsh files are not supported; save as MSH 4.1 ASCII"),
        ("$MeshFormat", "$Nodes", "line 1: the file does not start with $MeshFormat"),
        ("$MeshFormat", "hello", "line 1: expected a section such as $Nodes, found `hello`"),
        ("$EndNodes\n", "7\n$EndNodes\n", "line 34: expected $EndNodes, found `7`"),
        ("1 1 1\n9 9 9", "1 nan 1\n9 9 9", "line 32: y is NaN"),
        ("1 1 1\n9 9 9", "1 one 1\n9 9 9", "line 32: expected y, found `one`"),
        ("100\n0 0 0", "10\n0 0 0", "node tag 10 is used twice"),
        ("4 10 100 11 12", "4 10 100 11 13", "line 43: an element uses node 13"),
        ("3 1 4 2", "3 1 11 2", "line 41: elements of type 11 (of second or higher order)"),
        ("3 1 4 2", "3 1 5 2", "line 41: elements of type 5 (quads"),
        ("3 1 4 2", "9 1 4 2", "line 41: dimension 9 is not 0 to 3"),
        ("3 1 4 2", "3 1 4 3", "line 44: expected an element tag, found `$EndElements`"),
        ("2 3 1 3", "2 3 1 18446744073709551615", "expected a node tag"),
        ("\"body\"", "body", "line 10: expected a name in quotes"),
        ("1 -7 2", "99 -7 2", "an entity belongs to 99 physical groups"),
        ("$Comments", "$Other", "line 4: section $Other has no end"),
        ("$Entities", "$PartitionedEntities", "partitioned meshes are not supported"),
    ] {
        let error = gmsh_error(from, to);
        assert!(error.contains(expected), "{from} -> {to}: {error}");
    }
    let old = read_gmsh(b"$NOD\n1\n1 0 0 0\n$ENDNOD\n").unwrap_err();
    assert!(matches!(old, ReadError::GmshVersion { version } if version == "1"));
    let empty = read_gmsh(b"$MeshFormat\n4.1 0 8\n$EndMeshFormat\n").unwrap_err();
    assert!(matches!(empty, ReadError::Empty { .. }));
    assert!(read_gmsh(b"").is_err());
}

#[test]
fn files_are_recognised() {
    assert_eq!(detect(TWO_TETS.as_bytes(), Some("txt")).map(|f| f.endings[0]), Some("msh"));
    assert_eq!(detect(b"\xef\xbb\xbf \n$MeshFormat", None).map(|f| f.endings[0]), Some("msh"));
    assert_eq!(detect(QUAD.as_bytes(), Some("obj")).map(|f| f.endings[0]), Some("obj"));
    assert_eq!(detect(b"hello", Some("msh")).map(|f| f.endings[0]), Some("msh"));
    assert!(detect(b"hello", Some("xyz")).is_none());
    assert!(detect(b"", None).is_none());
}

#[test]
fn read_mesh_tells_the_file_name() {
    let folder = std::env::temp_dir().join(format!("pliant-mesh-read-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    assert_eq!(read_mesh(&write("two.msh", TWO_TETS)).unwrap(), Mesh::Tet(tet(TWO_TETS)));
    assert!(matches!(read_mesh(&write("quad.OBJ", QUAD)), Ok(Mesh::Tri(_))));
    for (path, expected) in [
        (folder.join("none.msh"), "none.msh: the file does not exist"),
        (write("a.xyz", "solid a"), "a.xyz: not a known mesh format"),
        (write("b.obj", "f 1 2 3"), "b.obj: line 1: a face uses vertex 3"),
        (folder.clone(), "cannot be read"),
    ] {
        let error = read_mesh(&path).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Whatever a reader accepts must have indices in range: the rest of the crate relies on it.
fn check_any(bytes: &[u8]) {
    let obj = (obj::FAMILY.read)(&Source::from_bytes(bytes.to_vec(), None)).map(|contents| contents.mesh);
    for mesh in [read_gmsh(bytes), obj].into_iter().flatten() {
        let count = mesh.vertices().len();
        assert!(mesh.surface_triangles().iter().flatten().all(|&i| (i as usize) < count));
        assert!(mesh.groups().values().flat_map(|g| &g.vertices).all(|&i| (i as usize) < count));
        let _ = mesh.validate();
    }
}

#[test]
fn truncated_files_never_panic() {
    for text in [TWO_TETS, QUAD] {
        (0..=text.len()).for_each(|end| check_any(&text.as_bytes()[..end]));
    }
    // A cut inside a section is an error, not a smaller mesh.
    let end = TWO_TETS.find("$EndElements").unwrap();
    assert!((0..end).all(|cut| read_gmsh(&TWO_TETS.as_bytes()[..cut]).is_err()));
}

proptest! {
    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        check_any(&bytes);
        let mut tail = TWO_TETS.as_bytes()[..30].to_vec();
        tail.extend(&bytes);
        check_any(&tail);
    }

    #[test]
    fn mutated_files_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..5),
        removed in any::<prop::sample::Index>(),
        kept in any::<bool>(),
    ) {
        for text in [TWO_TETS, QUAD] {
            let mut bytes = text.as_bytes().to_vec();
            for (at, value) in &changes {
                bytes[at.index(text.len())] = *value;
            }
            if !kept {
                bytes.remove(removed.index(text.len()));
            }
            check_any(&bytes);
        }
    }

    #[test]
    fn words_of_a_file_in_any_place_never_panic(
        swaps in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..6),
        huge in any::<prop::sample::Index>(),
    ) {
        for text in [TWO_TETS, QUAD] {
            let mut words: Vec<&str> = text.split_inclusive([' ', '\n']).collect();
            for (a, b) in &swaps {
                let count = words.len();
                words.swap(a.index(count), b.index(count));
            }
            check_any(words.concat().as_bytes());
            let at = huge.index(words.len());
            words[at] = "18446744073709551615 ";
            check_any(words.concat().as_bytes());
        }
    }
}
