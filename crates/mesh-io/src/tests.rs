//! Tests of the readers: small files, each error, random and damaged input.

use super::gmsh::tests::{TWO_TETS, read_gmsh};
use super::*;
use crate::read::big_arrays;
use crate::table::detect;
use proptest::prelude::*;

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
    let mesh = read_mesh(&write("two.msh", TWO_TETS)).unwrap();
    mesh.validate().unwrap();
    assert_eq!((mesh.vertices().len(), mesh.element_count()), (5, 2));
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

#[test]
fn arrays_left_on_the_disk_are_read() {
    let folder = std::env::temp_dir().join(format!("pliant-mesh-outline-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut mesh = pliant_mesh::block([1.0, 2.0, 3.0], [3, 4, 5]).unwrap();
    mesh.groups.insert("some".into(), pliant_mesh::Group { vertices: vec![], elements: (0..40).collect() });
    let mesh = Mesh::Tet(mesh);
    for (name, outlined) in
        [("vtu", true), ("vtu-compressed", true), ("vtu-base64", false), ("gmsh41", true), ("gmsh22", false)]
    {
        let path = folder.join("mesh");
        let format = formats().find(|format| format.name == name);
        write_mesh(&path, &mesh, format).unwrap();
        let source = Source::open_outline(&path, big_arrays).unwrap();
        assert_eq!(source.left_out(0).is_some(), outlined, "{name}");
        assert_eq!(source.size(), std::fs::metadata(&path).unwrap().len() as usize);
        let contents = read_contents(&path).unwrap();
        assert_eq!(contents, Source::open(&path).unwrap().read().unwrap(), "{name}");
        assert_eq!(contents.mesh.groups()["some"].elements.len(), 40);
        // Every cut is noticed with or without an outline, and told alike.
        let bytes = std::fs::read(&path).unwrap();
        for cut in (0..bytes.len() - 1).step_by(97) {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            assert!(read_contents(&path).is_err(), "{name} cut at {cut}");
        }
    }
    // A node that does not exist is found on the disk too.
    let path = folder.join("mesh");
    write_mesh(&path, &mesh, formats().find(|format| format.name == "gmsh41")).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let end = bytes.len() - b"\n$EndElements\n".len();
    bytes[end - 1] = 0x7f;
    std::fs::write(&path, &bytes).unwrap();
    let error = read_contents(&path).unwrap_err().to_string();
    assert!(error.contains("which $Nodes does not define"), "{error}");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Whatever a reader accepts must have indices in range: the rest of the crate relies on it.
fn check_any(bytes: &[u8]) {
    let as_obj = Source::from_bytes(bytes.to_vec(), Some("a.obj"));
    let contents = [read_gmsh(bytes), (obj::FAMILY.read)(&as_obj)];
    for mesh in contents.into_iter().flatten().map(|contents| contents.mesh) {
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

#[test]
fn endings_tell_the_format_that_is_written() {
    let of = |name: &str| Format::of_path(Path::new(name)).map(|f| f.name);
    for (name, format) in [("a.msh", "gmsh41"), ("a.VTU.gz", "vtu"), ("a.glb", "glb"), ("a.gltf", "gltf")] {
        assert_eq!(of(name), Some(format));
    }
    // Others expect polygonal data and binary MEDIT there.
    for name in ["a.vtp", "a.meshb", "a.txt", "a"] {
        assert_eq!(of(name), None, "{name}");
    }
    for format in formats() {
        assert!(!format.endings().is_empty(), "{}", format.name);
        let default = format.endings().iter().any(|e| of(&format!("a.{e}")) == Some(format.name));
        assert_eq!(default, format.is_default());
    }
    let gltf = formats().find(|f| f.name == "gltf").map(Format::endings);
    assert_eq!(gltf, Some(vec!["gltf"]));
}
