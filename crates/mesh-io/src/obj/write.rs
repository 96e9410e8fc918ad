//! Writes a surface as OBJ.

use super::parse::NO_GROUP;
use crate::decimal::Decimal;
use crate::file_set::save_all;
use crate::groups::{Marks, Part, Sets, with_corners};
use crate::names::encode;
use crate::{WriteError, counted, writable};
use pliant_mesh::{Group, Mesh, TriMesh};
use std::io::{self, Write};
use std::path::Path;

const NAME: &str = "obj";

pub(super) fn write(mesh: &Mesh, path: &Path) -> Result<Vec<String>, WriteError> {
    let surface = writable::surface(mesh, NAME)?;
    save_all(NAME, mesh, &[(path.to_path_buf(), &|mut out| write_surface(&mut out, surface))])?;
    Ok(notes(surface))
}

/// What is lost of the groups: other vertices than the corners of their faces, and names that are no word.
fn notes(mesh: &TriMesh) -> Vec<String> {
    let has_faces = |(name, group): &(&String, &Group)| !group.elements.is_empty() && !name.is_empty();
    let kept: Vec<&Group> = mesh.groups.iter().filter(has_faces).map(|(_, group)| group).collect();
    let lost = mesh.groups.len() - kept.len();
    let mut marks = Marks::new(mesh.vertices.len());
    let other_vertices = kept.into_iter().filter(|group| !marks.follow(group, &mesh.triangles)).count();
    let lost = (lost > 0).then(|| format!("{} without faces or name not kept", counted(lost, "group")));
    lost.into_iter().chain(with_corners(other_vertices)).collect()
}

fn write_surface(out: &mut impl Write, mesh: &TriMesh) -> io::Result<()> {
    for [x, y, z] in mesh.vertices.iter().map(|p| p.to_array().map(Decimal)) {
        writeln!(out, "v {x} {y} {z}")?;
    }
    let sets = Sets::new(&mesh.groups, Part::Elements, mesh.triangles.len());
    let names: Vec<String> = mesh.groups.keys().map(|name| word(name)).collect();
    let mut current = 0;
    for (corners, &set) in mesh.triangles.iter().zip(&sets.of) {
        if set != current {
            let members = (set as usize).checked_sub(1).map_or(&[][..], |k| &sets.sets[k]);
            let line: Vec<&str> =
                members.iter().map(|&g| names[g as usize].as_str()).filter(|n| !n.is_empty()).collect();
            writeln!(out, "g {}", if line.is_empty() { NO_GROUP.to_string() } else { line.join(" ") })?;
            current = set;
        }
        let [a, b, c] = corners.map(|i| u64::from(i) + 1);
        writeln!(out, "f {a} {b} {c}")?;
    }
    Ok(())
}

/// A name as one word of a `g` line.
fn word(name: &str) -> String {
    match name {
        NO_GROUP => "%64efault".to_string(),
        _ => encode(name, |c| c.is_whitespace() || c == '#' || c == '\\'),
    }
}
