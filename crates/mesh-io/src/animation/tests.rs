use super::*;
use pliant_mesh::{DVec3, Mesh, TriMesh};
use pliant_testkit::TempFolder;
use serde_json::json;

fn triangle(shift: f64) -> Vec<DVec3> {
    [DVec3::ZERO, DVec3::X, DVec3::Y].map(|p| p + shift * DVec3::Z).to_vec()
}

#[test]
fn a_sequence_is_read_in_the_order_of_its_numbers() {
    let folder = TempFolder::new("sequence");
    for k in [1, 2, 10] {
        let mesh =
            TriMesh { vertices: triangle(f64::from(k)), triangles: vec![[0, 1, 2]], ..TriMesh::default() };
        crate::write_mesh(&folder.join(format!("walk_{k}.obj")), &Mesh::Tri(mesh), None).unwrap();
    }
    std::fs::write(folder.join("walk_old.obj"), "no number").unwrap();
    let read = |name: &str| read_animation(&folder.join(name), 10.0, None);
    let animation = read("walk_*.obj").unwrap();
    assert_eq!(animation.times, [0.0, 0.1, 0.2]);
    assert_eq!(animation.frames, [triangle(1.0), triangle(2.0), triangle(10.0)]);
    assert_eq!(animation.triangles, [[0, 1, 2]]);
    assert_eq!(read("walk_##.obj").unwrap(), animation);
    assert!(read("run_*.obj").unwrap_err().to_string().contains("does not exist"));
    let other = TriMesh { vertices: vec![DVec3::ZERO; 4], triangles: vec![[0, 1, 3]], ..TriMesh::default() };
    crate::write_mesh(&folder.join("walk_11.obj"), &Mesh::Tri(other), None).unwrap();
    assert!(read("walk_*.obj").unwrap_err().to_string().contains("4 vertices, the first file has 3"));
}

/// An array of numpy with a header of version 1.
fn npy(kind: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend(data);
    bytes
}

fn doubles(values: impl IntoIterator<Item = f64>) -> Vec<u8> {
    values.into_iter().flat_map(f64::to_le_bytes).collect()
}

/// A ZIP of arrays, packed or not.
fn npz(arrays: &[(&str, Vec<u8>)], packed: bool) -> Vec<u8> {
    let (mut file, mut list) = (Vec::new(), Vec::new());
    for (name, content) in arrays {
        let name = format!("{name}.npy");
        let data = match packed {
            true => {
                use std::io::Write;
                let mut out = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
                out.write_all(content).unwrap();
                out.finish().unwrap()
            }
            false => content.clone(),
        };
        let offset = file.len() as u32;
        let method: u16 = if packed { 8 } else { 0 };
        let mut about = Vec::new();
        about.extend([20, 0, 0, 0]);
        about.extend(method.to_le_bytes());
        about.extend([0; 8]);
        about.extend((data.len() as u32).to_le_bytes());
        about.extend((content.len() as u32).to_le_bytes());
        about.extend((name.len() as u16).to_le_bytes());
        about.extend([0, 0]);
        file.extend(b"PK\x03\x04");
        file.extend(&about);
        file.extend(name.as_bytes());
        file.extend(data);
        list.extend(b"PK\x01\x02\x14\x00");
        list.extend(&about);
        list.extend([0; 10]);
        list.extend(offset.to_le_bytes());
        list.extend(name.as_bytes());
    }
    let (start, size, count) = (file.len() as u32, list.len() as u32, arrays.len() as u16);
    file.extend(list);
    file.extend(b"PK\x05\x06\0\0\0\0");
    file.extend(count.to_le_bytes());
    file.extend(count.to_le_bytes());
    file.extend(size.to_le_bytes());
    file.extend(start.to_le_bytes());
    file.extend([0, 0]);
    file
}

fn two_frames() -> Vec<u8> {
    let numbers = triangle(0.0).into_iter().chain(triangle(2.0)).flat_map(|p| p.to_array());
    npy("<f8", "(2, 3, 3)", &doubles(numbers))
}

#[test]
fn arrays_of_numpy_are_read_packed_or_not() {
    let times = npy("<f8", "(2,)", &doubles([0.5, 2.0]));
    let corners: Vec<u8> = [0i32, 1, 2].into_iter().flat_map(i32::to_le_bytes).collect();
    let triangles = npy("<i4", "(1, 3)", &corners);
    for packed in [false, true] {
        let arrays =
            [("body/positions", two_frames()), ("times", times.clone()), ("body/surface", triangles.clone())];
        let animation = arrays::read(&npz(&arrays, packed), 30.0, None).unwrap();
        assert_eq!(animation.times, [0.5, 2.0]);
        assert_eq!(animation.frames, [triangle(0.0), triangle(2.0)]);
        assert_eq!(animation.triangles, [[0, 1, 2]]);
    }
    let alone = arrays::read(&two_frames(), 10.0, None).unwrap();
    assert_eq!(alone.times, [0.0, 0.1]);
    let single: Vec<u8> = (0..9).flat_map(|k| (k as f32).to_le_bytes()).collect();
    let alone = arrays::read(&npy("<f4", "(1, 3, 3)", &single), 10.0, None).unwrap();
    assert_eq!(alone.frames[0][2], DVec3::new(6.0, 7.0, 8.0));
}

#[test]
fn arrays_that_do_not_fit_are_refused_with_what_there_is() {
    let two = npz(&[("a/positions", two_frames()), ("b/positions", two_frames())], false);
    let error = arrays::read(&two, 30.0, None).unwrap_err().to_string();
    assert!(error.contains("a/positions, b/positions") && error.contains("`array`"), "{error}");
    assert!(arrays::read(&two, 30.0, Some("b/positions")).is_ok());
    assert!(arrays::read(&two, 30.0, Some("c")).unwrap_err().to_string().contains("there is none"));
    let flat = npy("<f8", "(6, 3)", &doubles([0.0; 18]));
    assert!(arrays::read(&flat, 30.0, None).unwrap_err().to_string().contains("frames x points x 3"));
    let backwards =
        npz(&[("positions", two_frames()), ("times", npy("<f8", "(2,)", &doubles([1.0, 1.0])))], false);
    assert!(arrays::read(&backwards, 30.0, None).unwrap_err().to_string().contains("ascend"));
}

#[test]
fn damaged_arrays_do_not_panic() {
    use pliant_testkit::fuzz::{damage, for_a_while};
    let whole =
        [npz(&[("positions", two_frames())], false), npz(&[("positions", two_frames())], true), two_frames()];
    for_a_while("arrays", 2000, |random| {
        let mut bytes = random.pick(&whole).clone();
        damage(&mut bytes, random);
        let _ = arrays::read(&bytes, 30.0, None);
    });
}

/// A glTF file: a triangle at a node that moves and turns, with a morph target and a joint.
fn gltf(change: impl FnOnce(&mut serde_json::Value)) -> Source {
    let mut data: Vec<u8> = Vec::new();
    let mut views = Vec::new();
    let mut accessors = Vec::new();
    let mut add = |values: &[f32], kind: &str, size: usize| {
        let offset = data.len();
        data.extend(values.iter().flat_map(|x| x.to_le_bytes()));
        views.push(json!({ "buffer": 0, "byteOffset": offset, "byteLength": 4 * values.len() }));
        let view = views.len() - 1;
        let count = values.len() / size;
        accessors.push(json!({ "bufferView": view, "componentType": 5126, "count": count, "type": kind }));
        accessors.len() - 1
    };
    let points = add(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0], "VEC3", 3);
    let target = add(&[0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0], "VEC3", 3);
    let times = add(&[0.0, 1.0], "SCALAR", 1);
    let moved = add(&[0.0, 0.0, 0.0, 4.0, 0.0, 0.0], "VEC3", 3);
    // Half a turn about z, so that slerp differs from a straight line.
    let turned = add(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0], "VEC4", 4);
    let weights = add(&[0.0, 3.0], "SCALAR", 1);
    let mut file = json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "children": [1] }, { "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": points }, "targets": [{ "POSITION": target }] }] }],
        "animations": [{
            "channels": [
                { "sampler": 0, "target": { "node": 0, "path": "translation" } },
                { "sampler": 1, "target": { "node": 1, "path": "rotation" } },
                { "sampler": 2, "target": { "node": 1, "path": "weights" } },
            ],
            "samplers": [
                { "input": times, "output": moved },
                { "input": times, "output": turned },
                { "input": times, "output": weights },
            ],
        }],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{ "byteLength": data.len(), "uri": format!("data:application/octet-stream;base64,{}", encoded(&data)) }],
    });
    change(&mut file);
    Source::from_bytes(file.to_string().into_bytes(), Some("animated.gltf"))
}

fn encoded(data: &[u8]) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(data)
}

#[test]
fn nodes_and_morph_targets_of_gltf_move() {
    let animation = crate::gltf::read_animation(&gltf(|_| ()), 2.0).unwrap();
    assert_eq!(animation.times, [0.0, 0.5, 1.0]);
    assert_eq!(animation.triangles, [[0, 1, 2]]);
    // After half of the time: a quarter turn, 2 m along x, half of the target.
    let middle = [DVec3::new(2.0, 0.0, 1.5), DVec3::new(2.0, 1.0, 1.5), DVec3::new(1.0, 0.0, 1.5)];
    for (p, wanted) in animation.frames[1].iter().zip(middle) {
        assert!(p.distance(wanted) < 1e-6, "{p} {wanted}");
    }
    assert!(animation.frames[2][1].distance(DVec3::new(3.0, 0.0, 3.0)) < 1e-6);
}

#[test]
fn gltf_steps_where_it_says_so_and_needs_an_animation() {
    let stepped = gltf(|file| file["animations"][0]["samplers"][0]["interpolation"] = json!("STEP"));
    let animation = crate::gltf::read_animation(&stepped, 4.0).unwrap();
    assert_eq!(animation.frames[3][0].x, 0.0);
    assert_eq!(animation.frames[4][0].x, 4.0);
    let still = gltf(|file| {
        file.as_object_mut().unwrap().remove("animations");
    });
    assert!(
        crate::gltf::read_animation(&still, 4.0).unwrap_err().to_string().contains("without an animation")
    );
}
