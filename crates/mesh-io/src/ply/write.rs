//! Writes PLY.

use crate::decimal::Decimal;
use crate::groups::not_kept;
use crate::save::save;
use crate::{WriteError, writable};
use pliant_mesh::{Mesh, TriMesh};
use std::io::{self, Write};
use std::path::Path;

pub(super) const BINARY: &str = "ply";
pub(super) const ASCII: &str = "ply-ascii";

pub(super) fn write_binary(mesh: &Mesh, path: &Path) -> Result<Vec<String>, WriteError> {
    let surface = checked(mesh, BINARY)?;
    save(path, |mut out| binary(&mut out, surface))?;
    Ok(not_kept(surface.groups.len()).into_iter().collect())
}

fn binary(out: &mut impl Write, mesh: &TriMesh) -> io::Result<()> {
    write_header(out, "binary_little_endian", mesh)?;
    for p in &mesh.vertices {
        let mut record = [0; 24];
        for (bytes, c) in record.chunks_exact_mut(8).zip(p.to_array()) {
            bytes.copy_from_slice(&c.to_le_bytes());
        }
        out.write_all(&record)?;
    }
    for t in &mesh.triangles {
        let mut record = [3; 13];
        for (bytes, i) in record[1..].chunks_exact_mut(4).zip(t) {
            bytes.copy_from_slice(&i.to_le_bytes());
        }
        out.write_all(&record)?;
    }
    Ok(())
}

pub(super) fn write_ascii(mesh: &Mesh, path: &Path) -> Result<Vec<String>, WriteError> {
    let surface = checked(mesh, ASCII)?;
    save(path, |mut out| ascii(&mut out, surface))?;
    Ok(not_kept(surface.groups.len()).into_iter().collect())
}

fn ascii(out: &mut impl Write, mesh: &TriMesh) -> io::Result<()> {
    write_header(out, "ascii", mesh)?;
    for [x, y, z] in mesh.vertices.iter().map(|p| p.to_array().map(Decimal)) {
        writeln!(out, "{x} {y} {z}")?;
    }
    for [a, b, c] in &mesh.triangles {
        writeln!(out, "3 {a} {b} {c}")?;
    }
    Ok(())
}

fn checked<'a>(mesh: &'a Mesh, format: &'static str) -> Result<&'a TriMesh, WriteError> {
    let surface = writable::surface(mesh, format)?;
    // Many readers take the indices of faces as signed.
    if i32::try_from(surface.vertices.len()).is_err() {
        let cause = "it has 2^31 or more vertices; split it".to_string();
        return Err(WriteError::DoesNotFit { format, cause });
    }
    Ok(surface)
}

fn write_header(out: &mut impl Write, encoding: &str, mesh: &TriMesh) -> io::Result<()> {
    let (vertices, triangles) = (mesh.vertices.len(), mesh.triangles.len());
    write!(
        out,
        "ply\nformat {encoding} 1.0\nelement vertex {vertices}\nproperty double x\nproperty double y\nproperty double z\n\
         element face {triangles}\nproperty list uchar int vertex_indices\nend_header\n"
    )
}
