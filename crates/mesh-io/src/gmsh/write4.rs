//! Writing Gmsh MSH 4.1.

use super::partition::Entities;
use super::sink::Sink;
use super::types::{POINT, TET, TRIANGLE};
use crate::WriteError;
use crate::bulk::{print_line, write_rows, write_text};
use crate::save::save;
use pliant_mesh::{DVec3, Mesh};
use std::fmt::Write as _;
use std::io;
use std::ops::Range;
use std::path::Path;

/// Writes the mesh. Elements that belong to the same groups form an entity; so do vertices of groups that are
/// not vertices of the group's elements, which become point elements. Tags count from one, in the order of the
/// mesh.
pub(super) fn write(mesh: &Mesh, path: &Path, binary: bool) -> Result<(), WriteError> {
    let entities = Entities::new(mesh);
    save(path, |out| {
        let mut sink = Sink { out, binary };
        sink.format("4.1")?;
        sink.names(&entities)?;
        write_entities(&mut sink, mesh, &entities)?;
        write_nodes(&mut sink, mesh)?;
        write_elements(&mut sink, mesh, &entities)
    })
}

fn dimension(mesh: &Mesh) -> i32 {
    match mesh {
        Mesh::Tet(_) => 3,
        Mesh::Tri(_) => 2,
    }
}

/// The physical tags of a set. Where there are groups, zero stands for none, as it does in older versions: some
/// readers want a tag on all elements or on none.
fn write_set(sink: &mut Sink<'_>, set: &[u32], any: bool) -> io::Result<()> {
    let set = if set.is_empty() && any { &[0] } else { set };
    sink.sizes([set.len()])?;
    sink.ints(set.iter().map(|&number| number as i32))
}

fn write_entities(sink: &mut Sink<'_>, mesh: &Mesh, entities: &Entities<'_>) -> io::Result<()> {
    writeln!(sink.out, "$Entities")?;
    let any = !entities.points.is_empty() || entities.elements.sizes()[1..].iter().any(|&size| size > 0);
    // Nodes need the first entity even if no element is left in it. Points are in some group all of them, so
    // their first set, which is that of no group, is empty.
    let count = entities.elements.sets.len();
    let points = entities.point_sets.sets.len() - 1;
    let (surfaces, volumes) = if dimension(mesh) == 3 { (0, count) } else { (count, 0) };
    sink.sizes([points, 0, surfaces, volumes])?;
    sink.line()?;
    for (tag, set) in entities.point_sets.sets.iter().enumerate().skip(1) {
        let first = (0..entities.points.len()).find(|&p| entities.point_sets.set_of(p) == tag);
        let position = first.map_or(DVec3::ZERO, |p| mesh.vertices()[entities.points[p] as usize]);
        sink.ints([tag as i32])?;
        sink.position(position)?;
        write_set(sink, set, any)?;
        sink.line()?;
    }
    for ((tag, set), (min, max)) in (1..).zip(&entities.elements.sets).zip(boxes(mesh, entities)) {
        sink.ints([tag])?;
        sink.position(min)?;
        sink.position(max)?;
        write_set(sink, set, any)?;
        sink.sizes([0])?;
        sink.line()?;
    }
    sink.end("Entities")
}

/// The box around the elements of each set.
fn boxes(mesh: &Mesh, entities: &Entities<'_>) -> Vec<(DVec3, DVec3)> {
    let sets = entities.elements.sets.len();
    if sets == 1 {
        return vec![mesh.bounds()];
    }
    let mut boxes = vec![(DVec3::INFINITY, DVec3::NEG_INFINITY); sets];
    let mut grow = |element: usize, corners: &[u32]| {
        let (min, max) = &mut boxes[entities.elements.set_of(element)];
        for &corner in corners {
            let p = mesh.vertices()[corner as usize];
            (*min, *max) = (p.min(*min), p.max(*max));
        }
    };
    match mesh {
        Mesh::Tet(m) => m.tets.iter().enumerate().for_each(|(i, t)| grow(i, t)),
        Mesh::Tri(m) => m.triangles.iter().enumerate().for_each(|(i, t)| grow(i, t)),
    }
    let empty = |b: (DVec3, DVec3)| if b.0.x <= b.1.x { b } else { (DVec3::ZERO, DVec3::ZERO) };
    boxes.into_iter().map(empty).collect()
}

/// All nodes in one block, so that their order is that of the mesh.
fn write_nodes(sink: &mut Sink<'_>, mesh: &Mesh) -> io::Result<()> {
    let vertices = mesh.vertices();
    let count = vertices.len();
    writeln!(sink.out, "$Nodes")?;
    sink.sizes([1, count, count.min(1), count])?;
    sink.line()?;
    sink.ints([dimension(mesh), 1, 0])?;
    sink.sizes([count])?;
    sink.line()?;
    if sink.binary {
        write_rows(sink.out, count, |i| (i as u64 + 1).to_le())?;
        write_rows(sink.out, count, |i| vertices[i].to_array().map(|c| c.to_bits().to_le()))?;
    } else {
        write_text(sink.out, count, |i, text| print_line(text, [i + 1]))?;
        write_text(sink.out, count, |i, text| {
            let DVec3 { x, y, z } = vertices[i];
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{x:?} {y:?} {z:?}");
        })?;
    }
    sink.end("Nodes")
}

fn write_elements(sink: &mut Sink<'_>, mesh: &Mesh, entities: &Entities<'_>) -> io::Result<()> {
    let runs = entities.elements.runs();
    let points = entities.point_sets.sizes();
    let blocks = runs.len() + points.iter().filter(|&&size| size > 0).count();
    let total = mesh.element_count() + entities.points.len();
    writeln!(sink.out, "$Elements")?;
    sink.sizes([blocks, total, total.min(1), total])?;
    sink.line()?;
    let number = if dimension(mesh) == 3 { TET } else { TRIANGLE };
    for (set, range) in runs {
        sink.ints([dimension(mesh), set as i32 + 1, number])?;
        sink.sizes([range.len()])?;
        sink.line()?;
        match mesh {
            Mesh::Tet(m) => write_tets(sink, &m.tets, range)?,
            Mesh::Tri(m) => write_triangles(sink, &m.triangles, range)?,
        }
    }
    let mut tag = mesh.element_count();
    for (set, size) in points.into_iter().enumerate().filter(|&(_, size)| size > 0) {
        sink.ints([0, set as i32, POINT])?;
        sink.sizes([size])?;
        sink.line()?;
        for (_, &vertex) in
            entities.points.iter().enumerate().filter(|&(p, _)| entities.point_sets.set_of(p) == set)
        {
            tag += 1;
            sink.sizes([tag, vertex as usize + 1])?;
            sink.line()?;
        }
    }
    sink.end("Elements")
}

/// The tag of a node or element in a file.
fn tag(index: impl Into<u64>) -> u64 {
    (index.into() + 1).to_le()
}

fn write_tets(sink: &mut Sink<'_>, tets: &[[u32; 4]], range: Range<usize>) -> io::Result<()> {
    let first = range.start;
    let tets = &tets[range];
    if sink.binary {
        return write_rows(sink.out, tets.len(), |i| {
            let [a, b, c, d] = tets[i].map(tag);
            [tag((first + i) as u64), a, b, c, d]
        });
    }
    write_text(sink.out, tets.len(), |i, text| print_element(text, first + i, tets[i]))
}

fn write_triangles(sink: &mut Sink<'_>, triangles: &[[u32; 3]], range: Range<usize>) -> io::Result<()> {
    let first = range.start;
    let triangles = &triangles[range];
    if sink.binary {
        return write_rows(sink.out, triangles.len(), |i| {
            let [a, b, c] = triangles[i].map(tag);
            [tag((first + i) as u64), a, b, c]
        });
    }
    write_text(sink.out, triangles.len(), |i, text| print_element(text, first + i, triangles[i]))
}

fn print_element<const N: usize>(text: &mut String, index: usize, corners: [u32; N]) {
    let nodes = corners.map(|i| i as usize + 1);
    print_line(text, std::iter::once(index + 1).chain(nodes));
}
