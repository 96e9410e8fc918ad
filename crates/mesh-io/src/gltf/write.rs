//! Writes glTF: one mesh of one primitive in one scene.

use super::{CHUNK_BINARY, CHUNK_JSON, MAGIC};
use crate::base64;
use crate::file_set::save_all;
use crate::{WriteError, writable};
use pliant_mesh::{DVec3, Mesh, TriMesh};
use std::io::{self, Write};
use std::path::Path;

pub(super) const BINARY: &str = "glb";
pub(super) const JSON: &str = "gltf";

/// By this the reader knows that groups are to be found.
pub(super) const GENERATOR: &str = "Pliant";

pub(super) fn write_binary(mesh: &Mesh, path: &Path) -> Result<Vec<String>, WriteError> {
    let (surface, note) = checked(mesh, BINARY)?;
    let mut json = document(surface, None);
    while !json.len().is_multiple_of(4) {
        json.push(' ');
    }
    let data = data_bytes(surface);
    let length = 12 + 8 + json.len() + 8 + data;
    let Ok(length) = u32::try_from(length) else {
        let cause = format!("it takes {length} bytes, 4 GiB are the most; split it or use PLY");
        return Err(WriteError::DoesNotFit { format: BINARY, cause });
    };
    let write = |out: &mut dyn Write| {
        out.write_all(MAGIC)?;
        out.write_all(&2_u32.to_le_bytes())?;
        out.write_all(&length.to_le_bytes())?;
        // Both are parts of a length that fits.
        out.write_all(&(json.len() as u32).to_le_bytes())?;
        out.write_all(CHUNK_JSON)?;
        out.write_all(json.as_bytes())?;
        out.write_all(&(data as u32).to_le_bytes())?;
        out.write_all(CHUNK_BINARY)?;
        each_record(surface, |record| out.write_all(&record))
    };
    save_all(BINARY, mesh, &[(path.to_path_buf(), &write)])?;
    Ok(note.into_iter().collect())
}

pub(super) fn write_json(mesh: &Mesh, path: &Path) -> Result<Vec<String>, WriteError> {
    let (surface, note) = checked(mesh, JSON)?;
    /// Stands for the data, which are too many to be put into the text.
    const DATA: &str = "\u{0}";
    let text = document(surface, Some(DATA));
    let (before, after) = text.split_once(DATA).unwrap_or((&text, ""));
    let write = |out: &mut dyn Write| {
        out.write_all(before.as_bytes())?;
        base64::encode(&mut *out, |out| each_record(surface, |record| out.write_all(&record)))?;
        out.write_all(after.as_bytes())?;
        out.write_all(b"\n")
    };
    save_all(JSON, mesh, &[(path.to_path_buf(), &write)])?;
    Ok(note.into_iter().collect())
}

fn checked<'a>(mesh: &'a Mesh, format: &'static str) -> Result<(&'a TriMesh, Option<String>), WriteError> {
    let surface = writable::surface(mesh, format)?;
    let note = writable::single_precision(&surface.vertices, format)?;
    // The largest number of 32 bits is reserved.
    if u32::try_from(surface.vertices.len()).is_err() {
        let cause = "it has 2^32 or more vertices; split it".to_string();
        return Err(WriteError::DoesNotFit { format, cause });
    }
    Ok((surface, note))
}

fn data_bytes(mesh: &TriMesh) -> usize {
    12 * (mesh.vertices.len() + mesh.triangles.len())
}

/// Calls `write` with the positions and the indices, twelve bytes each.
fn each_record(mesh: &TriMesh, mut write: impl FnMut([u8; 12]) -> io::Result<()>) -> io::Result<()> {
    let positions = mesh.vertices.iter().map(|p| p.to_array().map(|c| (c as f32).to_le_bytes()));
    let indices = mesh.triangles.iter().map(|t| t.map(u32::to_le_bytes));
    for numbers in positions.chain(indices) {
        let mut record = [0; 12];
        for (bytes, number) in record.chunks_exact_mut(4).zip(numbers) {
            bytes.copy_from_slice(&number);
        }
        write(record)?;
    }
    Ok(())
}

/// The JSON, with `data` as base64 or with the data in a binary chunk.
fn document(mesh: &TriMesh, data: Option<&str>) -> String {
    let (vertices, triangles) = (mesh.vertices.len(), mesh.triangles.len());
    let single = |c: f64| f64::from(c as f32);
    let bound = |pick: fn(DVec3, DVec3) -> DVec3| {
        let bound = mesh.vertices.iter().copied().reduce(|bound, p| pick(p, bound));
        let DVec3 { x, y, z } = bound.unwrap_or_default().map(single);
        format!("[{x},{y},{z}]")
    };
    let uri = data.map(|data| format!("\"uri\":\"data:application/octet-stream;base64,{data}\","));
    [
        format!("{{\"asset\":{{\"version\":\"2.0\",\"generator\":\"{GENERATOR}\"}},\"scene\":0,"),
        "\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[".to_string(),
        format!("{{\"attributes\":{{\"POSITION\":0}},\"indices\":1}}]{}}}],", extras(mesh)),
        format!(
            "\"accessors\":[{{\"bufferView\":0,\"componentType\":5126,\"count\":{vertices},\"type\":\"VEC3\","
        ),
        format!("\"min\":{},\"max\":{}}},", bound(DVec3::min), bound(DVec3::max)),
        format!(
            "{{\"bufferView\":1,\"componentType\":5125,\"count\":{},\"type\":\"SCALAR\"}}],",
            3 * triangles
        ),
        format!("\"bufferViews\":[{{\"buffer\":0,\"byteLength\":{},\"target\":34962}},", 12 * vertices),
        format!("{{\"buffer\":0,\"byteOffset\":{},\"byteLength\":{},", 12 * vertices, 12 * triangles),
        "\"target\":34963}],\"buffers\":[{".to_string(),
        format!("{}\"byteLength\":{}}}]}}", uri.unwrap_or_default(), data_bytes(mesh)),
    ]
    .concat()
}

/// The groups as extra data of the mesh.
fn extras(mesh: &TriMesh) -> String {
    if mesh.groups.is_empty() {
        return String::new();
    }
    let runs = |members: &[u32]| {
        let runs = members.chunk_by(|a, b| a + 1 == *b);
        runs.map(|run| format!("{},{}", run[0], run.len())).collect::<Vec<_>>().join(",")
    };
    let groups: Vec<String> = mesh
        .groups
        .iter()
        .map(|(name, group)| {
            let name = serde_json::Value::from(name.as_str());
            let (vertices, elements) = (runs(&group.vertices), runs(&group.elements));
            format!("{{\"name\":{name},\"vertices\":[{vertices}],\"elements\":[{elements}]}}")
        })
        .collect();
    format!(",\"extras\":{{\"groups\":[{}]}}", groups.join(","))
}
