//! Writes files that their readers accept: groups must not outgrow the file (see `budget`).

use super::WriteError;
use super::budget::Budget;
use super::save::save;
use pliant_mesh::Mesh;
use std::io::{self, Write};
use std::path::PathBuf;

/// Writes one file of a format.
pub(super) type WriteFile<'a> = &'a dyn Fn(&mut dyn Write) -> io::Result<()>;

/// Saves the files of a mesh, unless it has so many groups that a reader would refuse them as a trap. All files
/// are written before the first of them appears.
pub(super) fn save_all(
    format: &'static str,
    mesh: &Mesh,
    files: &[(PathBuf, WriteFile)],
) -> Result<(), WriteError> {
    save_rest(format, mesh, files, (0, 0))
}

/// Saves files after `others`, which have so many bytes in total.
fn save_rest(
    format: &'static str,
    mesh: &Mesh,
    files: &[(PathBuf, WriteFile)],
    (others, bytes): (usize, usize),
) -> Result<(), WriteError> {
    let Some(((path, write), rest)) = files.split_first() else {
        let cause = "its groups are many times larger than the rest; use fewer groups".to_string();
        return if fits(mesh, others, bytes) {
            Ok(())
        } else {
            Err(WriteError::DoesNotFit { format, cause })
        };
    };
    let mut inner = Ok(());
    let result = save(path, |out| {
        let mut out = Counted { out, bytes };
        write(&mut out)?;
        out.flush()?;
        inner = save_rest(format, mesh, rest, (others + 1, out.bytes));
        if inner.is_ok() { Ok(()) } else { Err(io::Error::other("another file cannot be written")) }
    });
    inner.and(result)
}

/// Counts the bytes that are written.
struct Counted<'a> {
    out: &'a mut dyn Write,
    bytes: usize,
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.bytes += written;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Whether a reader would accept files of this size for the mesh.
fn fits(mesh: &Mesh, files: usize, bytes: usize) -> bool {
    /// What readers set aside for a member of a group: in its list, and for the run or the set that it is in.
    const MEMBER: usize = 16;
    /// The same for a vertex or an element, with its integer reference.
    const ITEM: usize = 32;
    let mut budget = Budget::new(bytes);
    let groups = mesh.groups();
    let members: usize = groups.values().map(|g| g.vertices.len() + g.elements.len()).sum();
    let items = mesh.vertices().len() + mesh.element_count();
    /// And for the lines that name a group.
    const NAMING: usize = 72;
    let mut charge = |name: &String| budget.group(name).and_then(|()| budget.take(NAMING)).is_ok();
    groups.keys().all(|name| (0..=files).all(|_| charge(name)))
        && budget.take(members * MEMBER + items * ITEM).is_ok()
}
