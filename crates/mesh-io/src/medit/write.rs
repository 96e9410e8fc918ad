//! Writes MEDIT files.

use crate::WriteError;
use crate::decimal::Decimal;
use crate::file_set::save_all;
use crate::groups::{Part, Sets, names_not_kept};
use pliant_mesh::{DVec3, Groups, Mesh};
use std::io::{self, Write};
use std::path::Path;

pub(super) const NAME: &str = "medit";

pub(super) fn write(mesh: &Mesh, path: &Path) -> Result<Vec<String>, WriteError> {
    if i32::try_from(mesh.vertices().len().max(mesh.element_count())).is_err() {
        let cause = "it has 2^31 or more vertices or elements; split it".to_string();
        return Err(WriteError::DoesNotFit { format: NAME, cause });
    }
    save_all(
        NAME,
        mesh,
        &[(path.to_path_buf(), &|mut out| match mesh {
            Mesh::Tet(m) => write_sections(&mut out, &m.vertices, "Tetrahedra", &m.tets, &m.groups),
            Mesh::Tri(m) => write_sections(&mut out, &m.vertices, "Triangles", &m.triangles, &m.groups),
        })],
    )?;
    Ok(names_not_kept(mesh.groups().len()).into_iter().collect())
}

fn write_sections<const N: usize>(
    out: &mut impl Write,
    vertices: &[DVec3],
    section: &str,
    elements: &[[u32; N]],
    groups: &Groups,
) -> io::Result<()> {
    let vertex_sets = Sets::new(groups, Part::Vertices, vertices.len());
    let element_sets = Sets::new(groups, Part::Elements, elements.len());
    writeln!(out, "MeshVersionFormatted 2\nDimension 3\nVertices\n{}", vertices.len())?;
    for ([x, y, z], set) in vertices.iter().map(|p| p.to_array().map(Decimal)).zip(&vertex_sets.of) {
        writeln!(out, "{x} {y} {z} {set}")?;
    }
    writeln!(out, "{section}\n{}", elements.len())?;
    for (corners, set) in elements.iter().zip(&element_sets.of) {
        for &i in corners {
            write!(out, "{} ", u64::from(i) + 1)?;
        }
        writeln!(out, "{set}")?;
    }
    writeln!(out, "End")
}
