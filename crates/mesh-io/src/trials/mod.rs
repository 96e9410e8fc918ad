//! Trials of the surface formats, TetGen and MEDIT together: round trips and refusals.

mod damage;

use super::*;
use pliant_mesh::{DVec3, Group, Groups, TetMesh, TriMesh};
use std::fs;
use std::path::PathBuf;

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
const SURFACES: [(&str, &str); 10] = [
    ("obj", "obj"),
    ("off", "off"),
    ("stl", "stl"),
    ("stl-ascii", "stl"),
    ("ply", "ply"),
    ("ply-ascii", "ply"),
    ("tetgen", "node"),
    ("medit", "mesh"),
    ("glb", "glb"),
    ("gltf", "gltf"),
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
fn tricky_points() -> Vec<DVec3> {
    vec![
        DVec3::new(-0.0, 1e-300, 0.1),
        DVec3::new(1e300, -1e-5, 1.0 / 3.0),
        DVec3::new(5e-324, f64::MAX, -123456789.125),
        DVec3::new(0.0, 1e16, 9007199254740993.0),
        DVec3::splat(9.0),
        DVec3::splat(9.0),
        DVec3::splat(7.0),
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
    mesh.vertices().iter().map(|p| p.to_array().map(f64::to_bits)).collect()
}

/// The groups that a format with groups of triangles keeps.
fn groups_of_faces(mesh: &TriMesh) -> Groups {
    let mut groups = mesh.groups.clone();
    groups.retain(|name, group| !name.is_empty() && !group.elements.is_empty());
    for group in groups.values_mut() {
        let corners = group.elements.iter().flat_map(|&t| mesh.triangles[t as usize]);
        group.vertices = pliant_mesh::topology::sorted_unique(corners.collect());
    }
    groups
}

fn elements(mesh: &Mesh) -> Vec<&[u32]> {
    match mesh {
        Mesh::Tet(m) => m.tets.iter().map(|t| &t[..]).collect(),
        Mesh::Tri(m) => m.triangles.iter().map(|t| &t[..]).collect(),
    }
}

#[test]
fn text_and_doubles_come_back_to_the_bit() {
    let folder = Folder::new("exact");
    for (volume, mesh, list) in [
        (false, Mesh::Tri(tricky_surface()), &SURFACES[..]),
        (true, Mesh::Tet(tricky_volume()), &VOLUMES[..]),
    ] {
        for (name, ending) in list.iter().filter(|(n, _)| !["stl", "stl-ascii", "glb", "gltf"].contains(n)) {
            let path = folder.0.join(format!("{name}-{volume}.1.{ending}"));
            let notes = write_mesh(&path, &mesh, Some(format(name))).unwrap();
            assert!(!notes.is_empty() && notes.iter().all(|n| n.contains("kept")), "{name}: {notes:?}");
            let contents = read_contents(&path).unwrap();
            assert_eq!(elements(&contents.mesh), elements(&mesh), "{name}");
            assert_eq!(bits(&contents.mesh), bits(&mesh), "{name}");
            assert!(contents.notes.is_empty(), "{name}: {:?}", contents.notes);
        }
    }
}

#[test]
fn obj_keeps_groups_of_faces_and_medit_and_tetgen_numbers() {
    let folder = Folder::new("groups");
    let mesh = tricky_surface();
    let obj = folder.0.join("a.obj");
    let notes = write_mesh(&obj, &Mesh::Tri(mesh.clone()), None).unwrap();
    assert_eq!(
        notes,
        [
            "6 groups without faces or name not kept",
            "6 groups kept with the corners of its triangles instead of its own vertices"
        ]
    );
    assert_eq!(*read_contents(&obj).unwrap().mesh.groups(), groups_of_faces(&mesh));
    // Two groups of tets that overlap give three numbers, and vertices carry theirs.
    let mut tets = tricky_volume();
    let group =
        |vertices: &[u32], elements: &[u32]| Group { vertices: vertices.into(), elements: elements.into() };
    tets.groups = Groups::from([("a".into(), group(&[6], &[0, 1])), ("b".into(), group(&[], &[1, 2]))]);
    for (name, ending) in VOLUMES {
        let path = folder.0.join(format!("a.{ending}"));
        let notes = write_mesh(&path, &Mesh::Tet(tets.clone()), Some(format(name))).unwrap();
        assert!(notes[0].starts_with("names of 2 groups not kept"), "{notes:?}");
        let back = read_contents(&path).unwrap().mesh;
        let expected = [("region_1", 0), ("region_2", 1), ("region_3", 2)];
        for (region, tet) in expected {
            assert_eq!(back.groups()[region].elements, [tet], "{name}");
        }
        assert_eq!(back.groups()["vertex_ref_1"].vertices, [6], "{name}");
        assert_eq!(back.groups().len(), 4, "{name}");
    }
}

#[test]
fn gltf_keeps_all_but_digits() {
    let folder = Folder::new("gltf");
    let mut mesh = tricky_surface();
    mesh.vertices.iter_mut().for_each(|p| *p = p.clamp(DVec3::splat(-1e30), DVec3::splat(1e30)));
    let mesh = Mesh::Tri(mesh);
    for name in ["glb", "gltf"] {
        let path = folder.0.join(format!("a.{name}"));
        let notes = write_mesh(&path, &mesh, None).unwrap();
        assert_eq!(notes, ["coordinates rounded to single precision, by 1.5e22 at most"]);
        let mut contents = read_contents(&path).unwrap();
        assert!(contents.notes.is_empty());
        let single = |p: &DVec3| p.to_array().map(|c| f64::from(c as f32).to_bits());
        assert_eq!(bits(&contents.mesh), mesh.vertices().iter().map(single).collect::<Vec<_>>());
        contents.mesh.vertices_mut().copy_from_slice(mesh.vertices());
        assert_eq!(contents.mesh, mesh);
    }
}

/// The corners of all triangles: what STL keeps.
fn soup(mesh: &Mesh) -> Vec<[DVec3; 3]> {
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

    let mut ball = pliant_mesh::sphere_surface(1.0 / 3.0, 1).unwrap();
    let half = ball.triangles.len() as u32 / 2;
    ball.groups.clear();
    let mut first = Group { vertices: Vec::new(), elements: (0..half).collect() };
    first.vertices = pliant_mesh::topology::sorted_unique(
        ball.triangles[..half as usize].iter().flatten().copied().collect(),
    );
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
    let mesh = Mesh::Tri(pliant_mesh::sphere_surface(1.0, 1).unwrap());
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
        ("vertex 1 ", |m| m.vertices[1] = DVec3::new(f64::NAN, 0.0, 0.0)),
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
    mesh.vertices.iter_mut().for_each(|p| *p = p.clamp(DVec3::splat(-1e6), DVec3::splat(1e6)));
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
            if name.starts_with("gl") {
                assert_eq!(back.mesh.groups(), mesh.groups(), "{name} with {count} groups");
            }
        }
    }
    assert!(written > refused, "{written} {refused}");
}
