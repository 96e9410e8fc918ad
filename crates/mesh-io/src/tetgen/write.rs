//! Writes TetGen files.

use super::{split, with_ending};
use crate::WriteError;
use crate::decimal::Decimal;
use crate::file_set::{WriteFile, save_all};
use crate::groups::{Part, Sets, names_not_kept};
use pliant_mesh::Mesh;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub(super) const NAME: &str = "tetgen";

pub(super) fn write(mesh: &Mesh, path: &Path) -> Result<Vec<String>, WriteError> {
    let refuse = |cause: String| Err(WriteError::DoesNotFit { format: NAME, cause });
    if i32::try_from(mesh.vertices().len().max(mesh.element_count())).is_err() {
        return refuse("it has 2^31 or more vertices or elements; split it".to_string());
    }
    let (stem, _) = split(path);
    let target = |ending: &str| -> PathBuf { path.with_file_name(with_ending(&stem, ending)) };
    let in_the_way = ["ele", "ele.gz"].map(target).into_iter().find(|path| path.exists());
    if let (Mesh::Tri(_), Some(other)) = (mesh, in_the_way) {
        return refuse(format!(
            "`{}` is there and would be read with it; remove it, or choose another name",
            other.display()
        ));
    }
    let boundary = mesh.surface_triangles();
    let node: WriteFile = &|mut out| write_nodes(&mut out, mesh);
    let ele: WriteFile = &|mut out| match mesh {
        Mesh::Tet(m) => {
            let sets = Some(Sets::new(&m.groups, Part::Elements, m.tets.len()));
            write_list(&mut out, " 4", &m.tets, sets)
        }
        Mesh::Tri(_) => Ok(()),
    };
    let face: WriteFile = &|mut out| {
        // The boundary of a volume is for other programs; its groups are those of vertices.
        let is_surface = matches!(mesh, Mesh::Tri(_));
        let sets = is_surface.then(|| Sets::new(mesh.groups(), Part::Elements, boundary.len()));
        write_list(&mut out, "", &boundary, sets)
    };
    let mut files = vec![(target("node"), node), (target("ele"), ele), (target("face"), face)];
    files.retain(|(path, _)| matches!(mesh, Mesh::Tet(_)) || *path != target("ele"));
    save_all(NAME, mesh, &files)?;
    Ok(names_not_kept(mesh.groups().len()).into_iter().collect())
}

fn write_nodes(out: &mut impl Write, mesh: &Mesh) -> io::Result<()> {
    let vertices = mesh.vertices();
    let sets = Sets::new(mesh.groups(), Part::Vertices, vertices.len());
    writeln!(out, "{} 3 0 1", vertices.len())?;
    for (k, ([x, y, z], set)) in (1..).zip(vertices.iter().map(|p| p.to_array().map(Decimal)).zip(&sets.of)) {
        writeln!(out, "{k} {x} {y} {z} {set}")?;
    }
    Ok(())
}

/// Writes a list of elements. `corners` is what the header says of their corners.
fn write_list<const N: usize>(
    out: &mut impl Write,
    corners: &str,
    elements: &[[u32; N]],
    sets: Option<Sets>,
) -> io::Result<()> {
    writeln!(out, "{}{corners} {}", elements.len(), usize::from(sets.is_some()))?;
    for (k, element) in elements.iter().enumerate() {
        write!(out, "{}", k + 1)?;
        for &i in element {
            write!(out, " {}", u64::from(i) + 1)?;
        }
        match &sets {
            Some(sets) => writeln!(out, " {}", sets.of[k])?,
            None => writeln!(out)?,
        }
    }
    Ok(())
}
