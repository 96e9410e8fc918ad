//! Trials of the surface formats, TetGen and MEDIT together: round trips, files cut at every byte, random and
//! damaged input.

use super::*;
use crate::{Group, Groups, Point, TetMesh, TriMesh};
use proptest::prelude::*;
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

/// A folder that is removed with everything in it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pliant-mesh-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Names and endings of the formats on trial.
const SURFACES: [(&str, &str); 8] = [
    ("obj", "obj"),
    ("off", "off"),
    ("stl", "stl"),
    ("stl-ascii", "stl"),
    ("ply", "ply"),
    ("ply-ascii", "ply"),
    ("tetgen", "node"),
    ("medit", "mesh"),
];

const VOLUMES: [(&str, &str); 2] = [("tetgen", "ele"), ("medit", "mesh")];

fn format(name: &str) -> &'static Format {
    formats().find(|format| format.name == name).unwrap_or_else(|| panic!("no format {name}"))
}

/// Names that break careless escapes.
const NAMES: [&str; 12] = [
    "plain",
    "with space",
    "  blanks at the ends ",
    "\"quoted\" 'twice'",
    "ümläut 日本",
    "per%20cent%",
    "line\nbreak\ttab",
    "default",
    "# = : \\",
    "",
    "-",
    "\u{a0}nbsp\u{3000}",
];

/// Numbers that break careless decimals, an unused vertex, two vertices in one place, a repeated index.
fn tricky_points() -> Vec<Point> {
    vec![
        [-0.0, 1e-300, 0.1],
        [1e300, -1e-5, 1.0 / 3.0],
        [5e-324, f64::MAX, -123456789.125],
        [0.0, 1e16, 9007199254740993.0],
        [9.0, 9.0, 9.0],
        [9.0, 9.0, 9.0],
        [7.0, 7.0, 7.0],
    ]
}

fn tricky_groups(vertices: u32, elements: u32) -> Groups {
    let groups = NAMES.iter().zip(0_u32..).map(|(&name, k)| {
        let subset = |count: u32, step: u32| (0..count).filter(|i| (i + k) % step == 0).collect();
        let group = match k % 4 {
            // Elements with more vertices than their corners, vertices alone, elements alone, nothing.
            0 => Group { vertices: (0..vertices).collect(), elements: subset(elements, 2) },
            1 => Group { vertices: subset(vertices, 2), elements: Vec::new() },
            2 => Group { vertices: Vec::new(), elements: subset(elements, 2) },
            _ => Group::default(),
        };
        (name.to_string(), group)
    });
    groups.collect()
}

fn tricky_surface() -> TriMesh {
    let mut mesh = TriMesh {
        vertices: tricky_points(),
        triangles: vec![[0, 1, 2], [2, 1, 3], [0, 2, 4], [4, 4, 5]],
        groups: tricky_groups(7, 4),
    };
    mesh.groups.insert("follows".to_string(), Group { vertices: vec![0, 1, 2, 3], elements: vec![0, 1] });
    mesh
}

fn tricky_volume() -> TetMesh {
    let groups = tricky_groups(7, 3);
    TetMesh { vertices: tricky_points(), tets: vec![[0, 1, 2, 3], [1, 2, 4, 3], [4, 4, 5, 0]], groups }
}

fn bits(mesh: &Mesh) -> Vec<[u64; 3]> {
    mesh.vertices().iter().map(|p| p.map(f64::to_bits)).collect()
}

#[test]
fn text_and_doubles_come_back_to_the_bit_with_all_groups() {
    let folder = Folder::new("exact");
    for (volume, mesh, list) in [
        (false, Mesh::Tri(tricky_surface()), &SURFACES[..]),
        (true, Mesh::Tet(tricky_volume()), &VOLUMES[..]),
    ] {
        for (name, ending) in list.iter().filter(|(n, _)| !["stl", "stl-ascii", "glb", "gltf"].contains(n)) {
            let path = folder.0.join(format!("{name}-{volume}.1.{ending}"));
            let notes = write_mesh(&path, &mesh, Some(format(name))).unwrap();
            assert!(notes.is_empty(), "{name}: {notes:?}");
            let contents = read_contents(&path).unwrap();
            assert_eq!(contents.mesh, mesh, "{name}");
            assert_eq!(bits(&contents.mesh), bits(&mesh), "{name}");
            assert!(contents.notes.is_empty(), "{name}: {:?}", contents.notes);
        }
    }
}

/// The corners of all triangles: what STL keeps.
fn soup(mesh: &Mesh) -> Vec<[Point; 3]> {
    mesh.surface_triangles().iter().map(|t| t.map(|i| mesh.vertices()[i as usize])).collect()
}

#[test]
fn stl_keeps_the_triangles() {
    let folder = Folder::new("stl");
    let path = folder.0.join("a.stl");
    let mesh = Mesh::Tri(tricky_surface());
    let notes = write_mesh(&path, &mesh, Some(format("stl-ascii"))).unwrap();
    assert_eq!(
        notes,
        [
            "12 groups not kept: solids can neither overlap nor be empty",
            "1 group kept with the corners of its triangles instead of its own vertices"
        ]
    );
    assert_eq!(soup(&read_contents(&path).unwrap().mesh), soup(&mesh));
    let error = write_mesh(&path, &mesh, Some(format("stl"))).unwrap_err().to_string();
    assert_eq!(
        error,
        "stl cannot hold this mesh: a coordinate of 1e300 is beyond single precision; scale the mesh"
    );

    let mut ball = crate::sphere_surface(1.0 / 3.0, 1).unwrap();
    let half = ball.triangles.len() as u32 / 2;
    ball.groups.clear();
    let mut first = Group { vertices: Vec::new(), elements: (0..half).collect() };
    first.vertices =
        crate::boundary::sorted_unique(ball.triangles[..half as usize].iter().flatten().copied().collect());
    ball.groups.insert("first half".to_string(), first);
    let mesh = Mesh::Tri(ball);
    assert_eq!(write_mesh(&path, &mesh, Some(format("stl-ascii"))).unwrap(), Vec::<String>::new());
    let back = read_contents(&path).unwrap().mesh;
    assert_eq!(soup(&back), soup(&mesh));
    assert_eq!(back.vertices().len(), mesh.vertices().len());
    assert_eq!(back.groups()["first half"].elements, mesh.groups()["first half"].elements);

    let notes = write_mesh(&path, &mesh, None).unwrap();
    assert_eq!(
        notes,
        [
            "coordinates rounded to single precision, by 9.9e-9 at most",
            "1 group not kept: the format has no place for them"
        ]
    );
    let contents = read_contents(&path).unwrap();
    assert_eq!(contents.format, "STL binary");
    let rounded = soup(&mesh).into_iter().map(|t| t.map(|p| p.map(|c| f64::from(c as f32))));
    assert_eq!(soup(&contents.mesh), rounded.collect::<Vec<_>>());
}

#[test]
fn every_format_is_known_by_its_content() {
    let folder = Folder::new("content");
    let mesh = Mesh::Tri(crate::sphere_surface(1.0, 1).unwrap());
    for (name, _) in SURFACES.iter().filter(|(name, _)| *name != "tetgen") {
        let path = folder.0.join(format!("{name}.wrong"));
        write_mesh(&path, &mesh, Some(format(name))).unwrap();
        for ending in ["obj", "stl", "off", "msh"] {
            let wrong = path.with_extension(ending);
            fs::copy(&path, &wrong).unwrap();
            let contents = read_contents(&wrong).unwrap_or_else(|e| panic!("{name} as {ending}: {e}"));
            assert_eq!(contents.mesh.element_count(), mesh.element_count(), "{name} as {ending}");
        }
    }
}

#[test]
fn what_cannot_be_written_is_refused_and_leaves_no_file() {
    let folder = Folder::new("refused");
    let good = tricky_surface();
    type Change = fn(&mut TriMesh);
    let changes: [(&str, Change); 5] = [
        ("it has no elements", |m| m.triangles.clear()),
        ("vertex 1 is at [NaN, 0.0, 0.0]; repair it", |m| m.vertices[1] = [f64::NAN, 0.0, 0.0]),
        ("triangle 0 uses vertex 99", |m| m.triangles[0][0] = 99),
        ("group `plain`", |m| m.groups.get_mut("plain").unwrap().elements = vec![99]),
        ("the members of group `plain` are not ascending", |m| {
            m.groups.get_mut("plain").unwrap().vertices = vec![1, 0];
        }),
    ];
    for (expected, change) in changes {
        let mut mesh = good.clone();
        change(&mut mesh);
        let mesh = Mesh::Tri(mesh);
        for (name, ending) in SURFACES {
            let error = write_mesh(&folder.0.join(format!("a.{ending}")), &mesh, Some(format(name)));
            let error = error.unwrap_err().to_string();
            assert!(error.starts_with(&format!("{name} cannot hold this mesh: {expected}")), "{error}");
        }
    }
    let volume = Mesh::Tet(tricky_volume());
    let error = write_mesh(&folder.0.join("a.off"), &volume, None).unwrap_err();
    assert!(matches!(error, WriteError::SurfaceOnly { format: "off" }));
    // More groups than the rest of the mesh could ever justify.
    let mut many = good.clone();
    let all = Group { vertices: (0..6).collect(), elements: (0..4).collect() };
    many.groups = (0..60_000).map(|k| (k.to_string(), all.clone())).collect();
    for name in ["obj", "tetgen", "medit"] {
        let error = write_mesh(&folder.0.join("a"), &Mesh::Tri(many.clone()), Some(format(name)));
        assert!(
            error.unwrap_err().to_string().contains("its groups are many times larger than the rest"),
            "{name}"
        );
    }
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 0);

    fs::write(folder.0.join("b.ele"), "").unwrap();
    let error = write_mesh(&folder.0.join("b.node"), &Mesh::Tri(good), None).unwrap_err().to_string();
    assert!(error.contains("b.ele` is there and would be read with it"), "{error}");
}

#[test]
fn what_is_written_is_read_however_many_groups_there_are() {
    let folder = Folder::new("many");
    let mut mesh = tricky_surface();
    let (mut written, mut refused) = (0, 0);
    for count in [10, 100, 300, 600, 1000, 2000, 5000] {
        let group = |k: u32| Group { vertices: (0..7 - k % 7).collect(), elements: (0..4 - k % 3).collect() };
        mesh.groups = (0..count).map(|k| (k.to_string(), group(k))).collect();
        let mesh = Mesh::Tri(mesh.clone());
        for (name, ending) in SURFACES.iter().filter(|(name, _)| !name.starts_with("stl")) {
            let path = folder.0.join(format!("a{count}.{ending}"));
            if write_mesh(&path, &mesh, Some(format(name))).is_err() {
                refused += 1;
                continue;
            }
            written += 1;
            let back =
                read_contents(&path).unwrap_or_else(|error| panic!("{name} with {count} groups: {error}"));
            assert_eq!(back.mesh.groups(), mesh.groups(), "{name} with {count} groups");
        }
    }
    assert!(written > refused, "{written} {refused}");
}

/// Files of all formats that are small and have everything in them, with the ending that tells the format.
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
    let mut mesh = crate::cloth([0.125, 1.0], 1).unwrap();
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
    for (ending, bytes) in small_files() {
        let whole = read_as(ending, bytes).unwrap();
        // After the last word of a format with an end mark a line end, or a name said twice, may be missing.
        let tail = match *ending {
            "mesh" | "gltf" => 1,
            "stl" if whole.format == "STL ASCII" => "endsolid \n".len() - "endsolid".len(),
            _ => 0,
        };
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
fn tetgen_files_cut_at_any_byte_or_mixed_up_are_an_error() {
    let folder = Folder::new("cut");
    let path = folder.0.join("a.node");
    write_mesh(&path, &Mesh::Tet(tricky_volume()), None).unwrap();
    for ending in ["node", "ele", "face"] {
        let part = path.with_extension(ending);
        let bytes = fs::read(&part).unwrap();
        for cut in 0..bytes.len() {
            fs::write(&part, &bytes[..cut]).unwrap();
            assert!(read_contents(&path).is_err(), "{ending} cut at {cut}");
        }
        fs::write(&part, &bytes).unwrap();
        assert!(read_contents(&part).is_ok());
    }
    fs::remove_file(path.with_extension("ele")).unwrap();
    let error = read_contents(&path).unwrap_err().to_string();
    assert!(error.contains("7 vertices and 3 elements are announced, found 7 and"), "{error}");
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
        assert!(mesh.vertices().iter().flatten().all(|c| c.is_finite()));
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
        for (_, file) in small_files() {
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
        for (_, file) in small_files() {
            let mut bytes = file.clone();
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
        for (_, file) in small_files() {
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
