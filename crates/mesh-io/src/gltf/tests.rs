//! Tests of glTF: scenes, transforms, number types, buffers, refusals.

use super::*;
use crate::base64;
use pliant_mesh::{DVec3, Mesh, TriMesh};

/// Four corners of a square and one point above, as f32; then indices as u8, u16 and u32; then sparse data.
fn data() -> Vec<u8> {
    let corners: [[f32; 3]; 5] =
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.5, 1.0]];
    let mut bytes: Vec<u8> = corners.iter().flatten().flat_map(|c| c.to_le_bytes()).collect();
    bytes.extend([0, 1, 2, 0, 2, 3, 9, 9]);
    bytes.extend([0_u16, 1, 3, 2, 2, 4].iter().flat_map(|i| i.to_le_bytes()));
    bytes.extend([4_u32, 0, 1, 2, 3, 0].iter().flat_map(|i| i.to_le_bytes()));
    bytes.extend([3, 0, 0, 0]);
    bytes.extend([7.0_f32, 8.0, 9.0].iter().flat_map(|c| c.to_le_bytes()));
    bytes.extend([127_i8, -127, 0, 0, -128, 64, 32, 0, 0, 0, 127, 0].map(|b| b as u8));
    bytes
}

fn data_uri() -> String {
    let mut text = Vec::new();
    base64::encode(&mut text, |out| out.write_all(&data())).unwrap();
    format!("data:application/octet-stream;base64,{}", String::from_utf8(text).unwrap())
}

/// A document with the accessors of [`data`]: 0 positions, 1 to 3 indices of each width, 4 sparse positions,
/// 5 normalised bytes.
fn document(rest: &str) -> String {
    format!(
        r#"{{"asset":{{"version":"2.0"}},
        "buffers":[{{"uri":"{}","byteLength":132}}],
        "bufferViews":[
            {{"buffer":0,"byteLength":60,"byteStride":12}},
            {{"buffer":0,"byteOffset":60,"byteLength":8}},
            {{"buffer":0,"byteOffset":68,"byteLength":12}},
            {{"buffer":0,"byteOffset":80,"byteLength":24}},
            {{"buffer":0,"byteOffset":104,"byteLength":4}},
            {{"buffer":0,"byteOffset":108,"byteLength":12}},
            {{"buffer":0,"byteOffset":120,"byteLength":12,"byteStride":4}}],
        "accessors":[
            {{"bufferView":0,"componentType":5126,"count":5,"type":"VEC3"}},
            {{"bufferView":1,"componentType":5121,"count":6,"type":"SCALAR"}},
            {{"bufferView":2,"componentType":5123,"count":6,"type":"SCALAR"}},
            {{"bufferView":3,"componentType":5125,"count":6,"type":"SCALAR"}},
            {{"bufferView":0,"componentType":5126,"count":5,"type":"VEC3","sparse":{{"count":1,
              "indices":{{"bufferView":4,"componentType":5121}},"values":{{"bufferView":5}}}}}},
            {{"bufferView":6,"componentType":5120,"normalized":true,"count":3,"type":"VEC3"}}],
        {rest}}}"#,
        data_uri()
    )
}

fn read_text(text: &str) -> Result<Contents, ReadError> {
    read(&Source::from_bytes(text.as_bytes().to_vec(), Some("a.gltf")))
}

fn surface(rest: &str) -> TriMesh {
    match read_text(&document(rest)).unwrap().mesh {
        Mesh::Tri(mesh) => mesh,
        Mesh::Tet(_) => panic!("expected triangles"),
    }
}

const ONE_NODE: &str = r#""scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],"#;

#[test]
fn modes_and_number_types() {
    let triangles = |primitive: &str| {
        surface(&format!(
            r#"{ONE_NODE}"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}{primitive}}}]}}]"#
        ))
        .triangles
    };
    assert_eq!(triangles(r#","indices":1"#), [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(triangles(r#","indices":2,"mode":5"#), [[0, 1, 3], [3, 1, 2]]);
    assert_eq!(triangles(r#","indices":3,"mode":6"#), [[4, 0, 1], [4, 1, 2], [4, 2, 3], [4, 3, 0]]);
    assert_eq!(triangles(r#","mode":6"#), [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
    assert_eq!(triangles(r#","mode":5"#), [[0, 1, 2], [2, 1, 3], [2, 3, 4]]);
    let sparse = surface(&format!(
        r#"{ONE_NODE}"meshes":[{{"primitives":[{{"attributes":{{"POSITION":4}},"indices":1}}]}}]"#
    ));
    assert_eq!(sparse.vertices[3], DVec3::new(7.0, 8.0, 9.0));
    assert_eq!(sparse.vertices[2], DVec3::new(1.0, 1.0, 0.0));
    let small =
        surface(&format!(r#"{ONE_NODE}"meshes":[{{"primitives":[{{"attributes":{{"POSITION":5}}}}]}}]"#));
    let expected = [DVec3::new(1.0, -1.0, 0.0), DVec3::new(-1.0, 64.0 / 127.0, 32.0 / 127.0), DVec3::Z];
    assert_eq!(small.vertices, expected);
}

const SCENE: &str = r#""scene":1,"scenes":[{"nodes":[]},{"nodes":[0,3]}],
        "nodes":[
            {"name":"root","children":[1,2],"translation":[10,0,0]},
            {"name":"left","mesh":0,"rotation":[0,0,0.7071067811865476,0.7071067811865476],"scale":[2,1,1]},
            {"mesh":0,"matrix":[-1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,5,1]},
            {"name":"left","mesh":1},
            {"name":"unused","mesh":0}],
        "meshes":[
            {"name":"square","primitives":[{"attributes":{"POSITION":0},"indices":1}]},
            {"primitives":[{"attributes":{"POSITION":0},"indices":3},{"attributes":{"POSITION":0},"indices":1}]}]"#;

/// A document with nodes, transforms and several ways to make triangles.
pub(crate) fn scene() -> String {
    document(SCENE)
}

#[test]
fn nodes_place_their_meshes_and_name_groups() {
    let mesh = surface(SCENE);
    assert_eq!(mesh.vertices.len(), 15);
    let near = |p: DVec3, x: f64, y: f64, z: f64| p.abs_diff_eq(DVec3::new(x, y, z), 1e-12);
    assert!(near(mesh.vertices[1], 10.0, 2.0, 0.0));
    assert!(near(mesh.vertices[3], 9.0, 0.0, 0.0));
    assert_eq!(mesh.vertices[6], DVec3::new(9.0, 0.0, 5.0));
    assert_eq!(mesh.vertices[11], DVec3::X);
    // A mirrored node keeps the outside out.
    assert_eq!(mesh.triangles[2], [5, 7, 6]);
    // Primitives of a mesh share their vertices.
    assert_eq!(mesh.triangles[4..], [[14, 10, 11], [12, 13, 10], [10, 11, 12], [10, 12, 13]]);
    let names: Vec<&String> = mesh.groups.keys().collect();
    assert_eq!(names, ["left", "square"]);
    assert_eq!(mesh.groups["left"].elements, [0, 1, 4, 5, 6, 7]);
    assert_eq!(mesh.groups["square"].vertices, [5, 6, 7, 8]);
}

#[test]
fn scenes_may_be_missing_and_extras_are_left_out() {
    let meshes = r#""meshes":[{"name":"m","primitives":[{"attributes":{"POSITION":0},"indices":1,"targets":[{}]},
        {"attributes":{"POSITION":0},"mode":1}]}]"#;
    assert_eq!(surface(meshes).triangles.len(), 2);
    let nodes =
        r#""nodes":[{"children":[1]},{"mesh":0,"skin":0,"extensions":{"EXT_mesh_gpu_instancing":{}}}],"#;
    let contents = read_text(&document(&format!("{nodes}{meshes}"))).unwrap();
    assert_eq!(
        contents.notes,
        [
            "1 primitive that is no triangles left out",
            "1 primitive's morph target left out",
            "1 set of instances left out",
            "1 skin left out"
        ]
    );
    assert!(contents.mesh.groups().is_empty());
}

#[test]
fn buffers_come_from_files_in_the_same_folder_only() {
    let folder = std::env::temp_dir().join(format!("pliant-mesh-gltf-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let text = document(&format!(
        r#"{ONE_NODE}"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}]"#
    ));
    let read_with = |uri: &str| {
        let path = folder.join("scene.gltf");
        std::fs::write(&path, text.replace(&data_uri(), uri)).unwrap();
        crate::read_contents(&path).map_err(|error| error.to_string())
    };
    std::fs::write(folder.join("the data.bin"), data()).unwrap();
    std::fs::write(folder.join("short.bin"), &data()[..100]).unwrap();
    assert_eq!(read_with("the%20data.bin").unwrap(), read_text(&text).unwrap());
    assert_eq!(read_with(r"the\u0020data.bin").unwrap(), read_text(&text).unwrap());
    for (uri, expected) in [
        ("../the%20data.bin", "which is not a plain file name in the same folder; export one .glb file"),
        ("%2e%2e/a.bin", "which is not a plain file name"),
        ("..", "which is not a plain file name"),
        ("/etc/passwd", "which is not a plain file name"),
        ("sub/the%20data.bin", "which is not a plain file name"),
        (r"sub\\the%20data.bin", "which is not a plain file name"),
        ("https://example.org/a.bin", "which is not a plain file name"),
        ("C:a.bin", "which is not a plain file name"),
        ("", "which is not a plain file name"),
        ("none.bin", "the file needs `none.bin`, which is not beside it; put it in the same folder"),
        ("short.bin", "buffer 0: it has 100 of 132 bytes"),
        ("data:text/plain,hello", "buffer 0: its data URI is not base64"),
        ("data:;base64,AAAA", "buffer 0: it has 3 of 132 bytes"),
    ] {
        let error = read_with(uri).unwrap_err();
        assert!(error.contains(expected), "{uri}: {error}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn what_cannot_be_read_is_refused_with_a_reason() {
    let good = document(&format!(
        r#"{ONE_NODE}"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}]"#
    ));
    assert!(read_text(&good).is_ok());
    for (from, to, expected) in [
        (r#""version":"2.0""#, r#""version":"1.0""#, "glTF 1.0 is not supported; export it as glTF 2.0"),
        (
            r#""scene":0"#,
            r#""extensionsRequired":["KHR_draco_mesh_compression"],"scene":0"#,
            "compressed glTF (KHR_draco_mesh_compression) is not supported; export it without compression",
        ),
        (
            r#""scene":0"#,
            r#""extensionsRequired":["KHR_materials_unlit","X_new"],"scene":0"#,
            "the glTF extension X_new is not supported",
        ),
        (r#""scene":0"#, r#""scene":7"#, "scene 7: it is used but does not exist, there are 1"),
        (r#""mesh":0"#, r#""mesh":-1"#, "node 0: invalid value: integer `-1`"),
        (r#""mesh":0"#, r#""children":[0]"#, "node 0: it has two parents, or is its own"),
        (r#""nodes":[0]"#, r#""nodes":[0,0]"#, "node 0: it has two parents"),
        (r#""mesh":0"#, r#""translation":[1e400,0,0],"mesh":0"#, "node 0: number out of range"),
        (
            r#""mesh":0"#,
            r#""scale":[1e308,1e308,1e308],"translation":[1e308,0,0],"mesh":0"#,
            "a vertex of mesh 0 is at",
        ),
        (r#""indices":1"#, r#""mode":0"#, "the file has no tets and no triangles"),
        (r#""indices":1"#, r#""indices":0"#, "accessor 0: its component type 5126 does not fit"),
        (r#""POSITION":0"#, r#""POSITION":1"#, "accessor 1: expected Vec3, found Scalar"),
        (r#""POSITION":0"#, r#""POSITION":99"#, "accessor 99: it is used but does not exist"),
        (r#""count":5"#, r#""count":6"#, "accessor 0: it goes beyond the end of buffer view 0"),
        (r#""count":5"#, r#""count":18446744073709551615"#, "accessor 0: it goes beyond the end"),
        (r#""count":5"#, r#""count":3"#, "accessor 1: a triangle uses vertex 3, there are 3"),
        (r#""count":6"#, r#""count":5"#, "mesh 0: a list of triangles has 5 corners"),
        (r#""byteStride":12"#, r#""byteStride":4"#, "accessor 0: it goes beyond the end"),
        (r#""byteLength":60"#, r#""byteLength":600"#, "buffer view 0: it goes beyond the end of buffer 0"),
        (
            r#""byteLength":60"#,
            r#""extensions":{"EXT_meshopt_compression":{}},"byteLength":600"#,
            "buffer view 0: it is compressed (meshopt) and has no plain copy",
        ),
        (r#"{"bufferView":0,"#, "{", "accessor 0: it has no data; maybe it is compressed (Draco)"),
        (r#""meshes":"#, r#""meshes":5,"old":"#, "mesh list: invalid type"),
        (r#""uri""#, r#""url""#, "buffer 0: it has no data"),
        ("]}", "", "the JSON: "),
    ] {
        assert!(good.contains(from), "{from}");
        let text = good.replacen(from, to, 1);
        let error = read_text(&text).unwrap_err().to_string();
        assert!(error.contains(expected), "{from} -> {to}: {error}");
        assert_eq!(error.lines().count(), 1);
    }
}

#[test]
fn binary_files_are_checked() {
    let glb = |version: u32, length: u32| {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(version.to_le_bytes());
        bytes.extend(length.to_le_bytes());
        bytes
    };
    for (bytes, expected) in [
        (glb(2, 12), "byte 12: there is no chunk with JSON"),
        (glb(1, 12), "version 1 of binary glTF is not supported; export it as glTF 2.0"),
        (glb(2, 13), "byte 12: the file ends before its 13 bytes"),
        (MAGIC.to_vec(), "byte 4: the file ends within its header"),
        ([glb(2, 20), b"\xff\xff\xff\xffJSON".to_vec()].concat(), "a chunk is longer than the file"),
    ] {
        let error = read(&Source::from_bytes(bytes, None)).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

/// A tiny file must not stand for a huge mesh.
#[test]
fn instances_are_bounded() {
    let nodes: Vec<String> = (0..20_000).map(|_| r#"{"mesh":0}"#.to_string()).collect();
    let roots: Vec<String> = (0..20_000).map(|k| k.to_string()).collect();
    let primitive = r#"{"attributes":{"POSITION":0},"indices":1}"#;
    let text = document(&format!(
        r#""scene":0,"scenes":[{{"nodes":[{}]}}],"nodes":[{}],"meshes":[{{"primitives":[{}]}}]"#,
        roots.join(","),
        nodes.join(","),
        [primitive; 200].join(",")
    ));
    assert!(matches!(read_text(&text), Err(ReadError::OutOfProportion)));
}

#[test]
fn content_tells_gltf() {
    for text in [&b"glTF\x02"[..], br#"{ "asset" : {"version":"2.0"}}"#] {
        assert!((FAMILY.recognises)(text));
    }
    for text in [&b"{}"[..], br#"{"version":1}"#, br#"["asset","version"]"#] {
        assert!(!(FAMILY.recognises)(text));
    }
}
