//! Files cut at every byte, random and damaged input.

use super::*;
use crate::table::{FAMILIES, family_of};
use proptest::prelude::*;
use std::sync::OnceLock;

/// Small files of ours, and of other programs with what only they write.
fn corpus() -> Vec<Vec<u8>> {
    let texts = [obj::tests::QUAD, stl::tests::TWO, ply::tests::ASCII, medit::tests::TETS];
    let mut files: Vec<Vec<u8>> = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
    files.push(gltf::tests::scene().into_bytes());
    files.push(b"COFF # c\n3 2 0\n0 0 0 1 1 1\n1 0 0 1 1 1\n0 1 0 1 1 1\n3 0 1 2 9 9\n4 0 1 2 0\n".to_vec());
    let mut strips = b"ply\r\nformat binary_big_endian 1.0\r\nelement vertex 3\r\nproperty float x\r\nproperty float y\r\n\
        property float z\r\nelement tristrips 1\r\nproperty list uchar short vertex_index\r\nend_header\r\n"
        .to_vec();
    strips.extend([0; 36]);
    strips.extend([5, 0, 0, 0, 1, 0, 2, 255, 255, 0, 1]);
    files.push(strips);
    files.extend(small_files().iter().map(|(_, file)| file.clone()));
    files
}

/// Files of all formats that are small and have everything in them, with the ending of the format.
fn small_files() -> &'static [(&'static str, Vec<u8>)] {
    static FILES: OnceLock<Vec<(&str, Vec<u8>)>> = OnceLock::new();
    FILES.get_or_init(|| {
        let folder = Folder::new("small");
        let mesh = Mesh::Tri(small_mesh());
        let surfaces = SURFACES.iter().filter(|(name, _)| *name != "tetgen").map(|&(name, ending)| {
            let path = folder.0.join(format!("{name}.{ending}"));
            write_mesh(&path, &mesh, Some(format(name))).unwrap();
            (ending, fs::read(path).unwrap())
        });
        surfaces.collect()
    })
}

fn small_mesh() -> TriMesh {
    let mut mesh = pliant_mesh::cloth([0.125, 1.0], 1).unwrap();
    let group = |vertices: &[u32], elements: &[u32]| Group {
        vertices: vertices.to_vec(),
        elements: elements.to_vec(),
    };
    mesh.groups =
        [("two words", group(&[0, 2], &[0, 1])), ("ü", group(&[0, 1, 4], &[0])), ("p", group(&[3], &[]))]
            .map(|(name, group)| (name.to_string(), group))
            .into();
    mesh.vertices[1][2] = -12.5;
    mesh
}

fn read_as(ending: &str, bytes: &[u8]) -> Result<Contents, ReadError> {
    let family = family_of(ending).unwrap();
    (family.read)(&Source::from_bytes(bytes.to_vec(), Some(&format!("small.{ending}"))))
}

#[test]
fn a_file_cut_at_any_byte_is_an_error() {
    // OBJ has no end, and ASCII STL an end for each of its solids.
    let has_end = |(ending, bytes): &&(&str, Vec<u8>)| *ending != "obj" && !bytes.starts_with(b"solid");
    for (ending, bytes) in small_files().iter().filter(has_end) {
        let whole = read_as(ending, bytes).unwrap();
        // Text may lack its last line end.
        let tail = usize::from(bytes.ends_with(b"\n"));
        for cut in 0..bytes.len() {
            match read_as(ending, &bytes[..cut]) {
                Err(error) => assert_eq!(error.to_string().lines().count(), 1, "{error}"),
                Ok(contents) => {
                    assert!(cut + tail >= bytes.len(), "{} cut at {cut}", whole.format);
                    assert_eq!(contents, whole);
                }
            }
        }
    }
}

#[test]
fn tetgen_files_cut_at_any_byte_are_an_error() {
    let folder = Folder::new("cut");
    let path = folder.0.join("a.node");
    write_mesh(&path, &Mesh::Tet(tricky_volume()), None).unwrap();
    for ending in ["node", "ele", "face"] {
        let part = path.with_extension(ending);
        let bytes = fs::read(&part).unwrap();
        // The last line end may be missing.
        for cut in 0..bytes.len() - 1 {
            fs::write(&part, &bytes[..cut]).unwrap();
            assert!(read_contents(&path).is_err(), "{ending} cut at {cut}");
        }
        fs::write(&part, &bytes).unwrap();
        assert!(read_contents(&part).is_ok());
    }
}

/// Whatever a reader accepts must have indices in range: the rest of the crate relies on it.
fn check_any(bytes: &[u8]) {
    for family in FAMILIES {
        let source = Source::from_bytes(bytes.to_vec(), None);
        let Ok(contents) = (family.read)(&source) else { continue };
        let mesh = contents.mesh;
        assert!(mesh.element_count() > 0);
        let count = mesh.vertices().len();
        let in_range = |list: &[u32], count: usize| {
            list.iter().all(|&i| (i as usize) < count) && list.is_sorted_by(|a, b| a < b)
        };
        assert!(mesh.surface_triangles().iter().flatten().all(|&i| (i as usize) < count));
        assert!(mesh.groups().values().all(|g| in_range(&g.vertices, count)));
        assert!(mesh.groups().values().all(|g| in_range(&g.elements, mesh.element_count())));
        assert!(mesh.vertices().iter().all(|p| p.is_finite()));
        let _ = mesh.validate();
    }
}

proptest! {
    #[test]
    fn random_bytes_never_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..300),
        kept in any::<prop::sample::Index>(),
    ) {
        check_any(&bytes);
        for file in corpus() {
            let mut start = file[..kept.index(file.len())].to_vec();
            start.extend(&bytes);
            check_any(&start);
        }
    }

    #[test]
    fn damaged_files_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..5),
        removed in any::<prop::sample::Index>(),
        kept in any::<bool>(),
    ) {
        for file in corpus() {
            let mut bytes = file;
            let length = bytes.len();
            for (at, value) in &changes {
                bytes[at.index(length)] = *value;
            }
            if !kept {
                bytes.remove(removed.index(length));
            }
            check_any(&bytes);
        }
    }

    #[test]
    fn words_in_any_place_never_panic(
        swaps in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..6),
        huge in any::<prop::sample::Index>(),
        number in prop::sample::select(vec!["18446744073709551615", "4294967296", "-1", "0", "1e400", "0.5"]),
    ) {
        for file in corpus() {
            let mut words: Vec<&[u8]> =
                file.split_inclusive(|b| b.is_ascii_whitespace() || b",:{}[]".contains(b)).collect();
            let count = words.len();
            for (a, b) in &swaps {
                words.swap(a.index(count), b.index(count));
            }
            check_any(&words.concat());
            words[huge.index(count)] = number.as_bytes();
            check_any(&words.concat());
        }
    }
}
