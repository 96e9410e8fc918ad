//! Writes STL.

use crate::decimal::Decimal;
use crate::groups::{Marks, not_kept, with_corners};
use crate::save::save;
use crate::{WriteError, counted, writable};
use pliant_mesh::vector::{area_vector, unit};
use pliant_mesh::{DVec3, Mesh, TriMesh};
use std::io::{self, Write};
use std::path::Path;

pub(super) const BINARY: &str = "stl";
pub(super) const ASCII: &str = "stl-ascii";

pub(super) fn write_binary(mesh: &Mesh, path: &Path) -> Result<Vec<String>, WriteError> {
    let surface = writable::surface(mesh, BINARY)?;
    let rounded = writable::single_precision(&surface.vertices, BINARY)?;
    let count = u32::try_from(surface.triangles.len()).map_err(|_| WriteError::DoesNotFit {
        format: BINARY,
        cause: "it has 2^32 or more triangles; split it".to_string(),
    })?;
    save(path, |out| {
        // The first 80 bytes are free, but must not start with `solid`.
        let mut header = [0; super::HEADER];
        header[..17].copy_from_slice(b"Pliant binary STL");
        header[80..].copy_from_slice(&count.to_le_bytes());
        out.write_all(&header)?;
        for corners in corners(&surface.vertices, &surface.triangles) {
            let mut record = [0; super::TRIANGLE];
            let numbers = [normal(corners)].into_iter().chain(corners).flat_map(|p| p.to_array());
            for (bytes, number) in record.chunks_exact_mut(4).zip(numbers) {
                bytes.copy_from_slice(&(number as f32).to_le_bytes());
            }
            out.write_all(&record)?;
        }
        Ok(())
    })?;
    Ok(rounded.into_iter().chain(not_kept(surface.groups.len())).collect())
}

pub(super) fn write_ascii(mesh: &Mesh, path: &Path) -> Result<Vec<String>, WriteError> {
    let surface = writable::surface(mesh, ASCII)?;
    let (solids, notes) = solids(surface);
    save(path, |out| {
        let mut start = 0;
        for run in solids.chunk_by(|a, b| a == b) {
            let end = start + run.len();
            writeln!(out, "solid {}", run[0])?;
            for corners in corners(&surface.vertices, &surface.triangles[start..end]) {
                write_facet(out, corners)?;
            }
            writeln!(out, "endsolid {}", run[0])?;
            start = end;
        }
        Ok(())
    })?;
    Ok(notes)
}

fn write_facet(out: &mut dyn Write, corners: [DVec3; 3]) -> io::Result<()> {
    // The normal follows from the corners: there is no need for more digits than people read.
    let [x, y, z] = normal(corners).to_array().map(|c| Decimal(f64::from(c as f32)));
    writeln!(out, "facet normal {x} {y} {z}\nouter loop")?;
    for [x, y, z] in corners.map(|p| p.to_array().map(Decimal)) {
        writeln!(out, "vertex {x} {y} {z}")?;
    }
    writeln!(out, "endloop\nendfacet")
}

/// The name of each triangle's solid, empty for none, and notes on the groups that find no place.
fn solids(mesh: &TriMesh) -> (Vec<&str>, Vec<String>) {
    let mut solids = vec![""; mesh.triangles.len()];
    let mut marks = Marks::new(mesh.vertices.len());
    let (mut lost, mut lost_vertices) = (0, 0);
    for (name, group) in &mesh.groups {
        let fits = !group.elements.is_empty()
            && !name.is_empty()
            && !name.contains(char::is_control)
            && name.trim() == name
            && group.elements.iter().all(|&t| solids[t as usize].is_empty());
        if !fits {
            lost += 1;
            continue;
        }
        group.elements.iter().for_each(|&t| solids[t as usize] = name);
        lost_vertices += usize::from(!marks.follow(group, &mesh.triangles));
    }
    let mut notes = Vec::new();
    if lost > 0 {
        notes.push(format!("{} not kept: solids can neither overlap nor be empty", counted(lost, "group")));
    }
    notes.extend(with_corners(lost_vertices));
    (solids, notes)
}

fn corners(vertices: &[DVec3], triangles: &[[u32; 3]]) -> impl Iterator<Item = [DVec3; 3]> {
    triangles.iter().map(|t| t.map(|i| vertices[i as usize]))
}

/// The unit normal, or zero for a flat triangle.
fn normal(corners: [DVec3; 3]) -> DVec3 {
    unit(area_vector(corners)).unwrap_or_default()
}
