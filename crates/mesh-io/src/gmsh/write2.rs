//! Writing Gmsh MSH 2.2.

use super::partition::{Entities, Partition};
use super::sink::Sink;
use super::types::{POINT, TET, TRIANGLE};
use crate::WriteError;
use crate::bulk::{write_rows, write_text};
use crate::save::save;
use pliant_mesh::{DVec3, Mesh};
use std::fmt::Write as _;
use std::io;
use std::path::Path;

/// Elements of one type, the groups they are in, and the first number to give them.
struct Block<'a> {
    number: i32,
    corners: usize,
    flat: &'a [u32],
    partition: &'a Partition,
    /// What is added to the tags of entities, since they are counted for each dimension.
    first: usize,
}

impl Block<'_> {
    /// How often an element is written: once for each of its groups, and once if it has none.
    fn copies(set: &[u32]) -> usize {
        set.len().max(1)
    }

    fn records(&self) -> usize {
        let sizes = self.partition.sizes();
        sizes.iter().zip(&self.partition.sets).map(|(size, set)| size * Self::copies(set)).sum()
    }

    /// Writes an element once for each of its groups, as Gmsh does: this version has one group for each.
    fn write(&self, sink: &mut Sink<'_>) -> io::Result<()> {
        let mut number = self.first;
        for (set, range) in self.partition.runs() {
            let groups = &self.partition.sets[set];
            for element in range {
                for copy in 0..Self::copies(groups) {
                    number += 1;
                    let group = groups.get(copy).map_or(0, |&g| g as i32);
                    let nodes = &self.flat[element * self.corners..(element + 1) * self.corners];
                    sink.ints([number as i32])?;
                    if !sink.binary {
                        sink.ints([self.number, 2])?;
                    }
                    sink.ints([group, set as i32 + 1])?;
                    sink.ints(nodes.iter().map(|&i| (i + 1) as i32))?;
                    sink.line()?;
                }
            }
        }
        Ok(())
    }
}

pub(super) fn write(mesh: &Mesh, path: &Path, binary: bool) -> Result<(), WriteError> {
    let entities = Entities::new(mesh);
    let (number, corners, flat) = match mesh {
        Mesh::Tet(m) => (TET, 4, m.tets.as_flattened()),
        Mesh::Tri(m) => (TRIANGLE, 3, m.triangles.as_flattened()),
    };
    let solid = Block { number, corners, flat, partition: &entities.elements, first: 0 };
    let points = Block {
        number: POINT,
        corners: 1,
        flat: &entities.points,
        partition: &entities.point_sets,
        first: solid.records(),
    };
    let most = mesh.vertices().len().max(solid.records() + points.records());
    if i32::try_from(most).is_err() {
        let cause = "it has more than 2^31 vertices or elements; write MSH 4.1".to_string();
        return Err(WriteError::DoesNotFit { format: "MSH 2.2", cause });
    }
    save(path, |out| {
        let mut sink = Sink { out, binary };
        sink.format("2.2")?;
        sink.names(&entities)?;
        write_nodes(&mut sink, mesh)?;
        write_elements(&mut sink, &[solid, points])
    })
}

fn write_nodes(sink: &mut Sink<'_>, mesh: &Mesh) -> io::Result<()> {
    let vertices = mesh.vertices();
    writeln!(sink.out, "$Nodes\n{}", vertices.len())?;
    if sink.binary {
        write_rows(sink.out, vertices.len(), |i| {
            let mut row = [0u8; 28];
            row[..4].copy_from_slice(&(i as i32 + 1).to_le_bytes());
            for (k, c) in vertices[i].to_array().iter().enumerate() {
                row[4 + 8 * k..12 + 8 * k].copy_from_slice(&c.to_le_bytes());
            }
            row
        })?;
    } else {
        write_text(sink.out, vertices.len(), |i, text| {
            let DVec3 { x, y, z } = vertices[i];
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{} {x:?} {y:?} {z:?}", i + 1);
        })?;
    }
    sink.end("Nodes")
}

fn write_elements(sink: &mut Sink<'_>, blocks: &[Block<'_>]) -> io::Result<()> {
    let total: usize = blocks.iter().map(Block::records).sum();
    writeln!(sink.out, "$Elements\n{total}")?;
    for block in blocks {
        let records = block.records();
        if sink.binary && records > 0 {
            sink.ints([block.number, records as i32, 2])?;
        }
        block.write(sink)?;
    }
    sink.end("Elements")
}
