//! Writes a surface as OBJ.

use super::parse::NO_GROUP;
use crate::decimal::Decimal;
use crate::groups::{Marks, Part, Sets};
use crate::names::encode;
use crate::remarks::{write_list, write_mark};
use crate::room::save_all;
use crate::{WriteError, writable};
use pliant_mesh::{Mesh, TriMesh};
use std::io::{self, Write};
use std::path::Path;

const NAME: &str = "obj";

pub(super) fn write(mesh: &Mesh, path: &Path) -> Result<Vec<String>, WriteError> {
    let surface = writable::surface(mesh, NAME)?;
    save_all(NAME, mesh, &[(path.to_path_buf(), &|mut out| write_surface(&mut out, surface))])?;
    Ok(Vec::new())
}

fn write_surface(out: &mut impl Write, mesh: &TriMesh) -> io::Result<()> {
    write_mark(out, "#", "OBJ", mesh.vertices.len(), mesh.triangles.len())?;
    let mut marks = Marks::new(mesh.vertices.len());
    for (number, (name, group)) in (1..).zip(&mesh.groups) {
        // Other programs see the faces of a group; its vertices follow from them, or else are told here.
        let follow = marks.follow(group, &mesh.triangles);
        if !follow || group.elements.is_empty() {
            writeln!(out, "# group {number} = {}", encode(name, |_| false))?;
        }
        if !follow {
            write_list(out, "#", Part::Vertices, number, &group.vertices)?;
        }
    }
    for [x, y, z] in mesh.vertices.iter().map(|p| p.map(Decimal)) {
        writeln!(out, "v {x} {y} {z}")?;
    }
    let sets = Sets::new(&mesh.groups, Part::Elements, mesh.triangles.len());
    let names: Vec<String> = mesh.groups.keys().map(|name| word(name)).collect();
    let mut current = 0;
    for (corners, &set) in mesh.triangles.iter().zip(&sets.of) {
        if set != current {
            let members = (set as usize).checked_sub(1).map_or(&[][..], |k| &sets.sets[k]);
            let line: Vec<&str> = members.iter().map(|&g| names[g as usize].as_str()).collect();
            writeln!(out, "g {}", if line.is_empty() { NO_GROUP.to_string() } else { line.join(" ") })?;
            current = set;
        }
        let [a, b, c] = corners.map(|i| u64::from(i) + 1);
        writeln!(out, "f {a} {b} {c}")?;
    }
    writeln!(out, "# end")
}

/// A name as one word of a `g` line.
fn word(name: &str) -> String {
    match name {
        "" => "%".to_string(),
        NO_GROUP => "%64efault".to_string(),
        _ => encode(name, |c| c.is_whitespace() || c == '#' || c == '\\'),
    }
}
