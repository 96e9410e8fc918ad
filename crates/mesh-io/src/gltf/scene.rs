//! Makes a mesh of a glTF scene.

use super::accessor::Use;
use super::document::{Document, OurGroup, OurMesh, Tables, parse};
use super::plan::{Draw, Mode, Plan};
use super::transform::Affine;
use super::write::GENERATOR;
use crate::budget::Budget;
use crate::groups::add_corners;
use crate::scan::shown;
use crate::{Contents, ReadError, Source, counted};
use pliant_mesh::{DVec3, Group, Groups, Mesh, TriMesh};
use std::collections::BTreeMap;
use std::ops::Range;

pub(super) fn read_scene<'a>(
    source: &'a Source,
    json: &'a [u8],
    embedded: Option<&'a [u8]>,
    format: &str,
) -> Result<Contents, ReadError> {
    let document = parse(json)?;
    let tables = Tables::new(&document)?;
    check_document(&document, &tables)?;
    let mut plan = Plan::new(&document, &tables, source, embedded)?;
    if plan.triangles == 0 {
        return Err(ReadError::Empty { remedy: "export a scene with triangle meshes" });
    }
    if u32::try_from(plan.vertices.max(plan.triangles)).is_err() {
        return Err(ReadError::TooLarge);
    }
    let mut notes: Vec<String> = plan.notes().collect();
    let mut surface = Surface::default();
    plan.memory.reserve(&mut surface.vertices, plan.vertices)?;
    plan.memory.reserve(&mut surface.triangles, plan.triangles)?;
    let draws = std::mem::take(&mut plan.draws);
    let mut ranges = Vec::new();
    plan.memory.reserve(&mut ranges, draws.len())?;
    for draw in &draws {
        let first = surface.triangles.len() as u32;
        surface.draw(&mut plan, draw)?;
        ranges.push(first..surface.triangles.len() as u32);
    }
    if surface.joints > 0 {
        notes.push(format!("{} that only join strips left out", counted(surface.joints, "triangle")));
    }
    let Surface { vertices, triangles, .. } = surface;
    let ours =
        document.asset.generator.starts_with(GENERATOR) && tables.meshes.len() == 1 && draws.len() == 1;
    let groups = match ours {
        true => our_groups(&tables, [vertices.len(), triangles.len()], &mut plan)?,
        false => {
            let mut groups = named_groups(&plan, &draws, &ranges)?;
            plan.memory.take(groups.keys().map(String::len).sum())?;
            add_corners(&mut groups, &triangles, vertices.len(), &mut plan.memory)?;
            groups
        }
    };
    let mesh = Mesh::Tri(TriMesh { vertices, triangles, groups });
    Ok(Contents { mesh, format: format.to_string(), notes })
}

/// Refuses what would be read wrongly.
pub(super) fn check_document(document: &Document, tables: &Tables) -> Result<(), ReadError> {
    let version = &document.asset.version;
    if version != "2" && !version.starts_with("2.") {
        return Err(ReadError::Unsupported {
            what: format!("glTF {}", shown(version.as_bytes())),
            remedy: "export it as glTF 2.0",
        });
    }
    // Looks and lights change nothing; quantised positions are read as any others.
    const HARMLESS: [&str; 5] =
        ["KHR_materials_", "KHR_texture_", "EXT_texture_", "KHR_lights_", "KHR_mesh_quantization"];
    for index in 0..tables.extensions_required.len() {
        let name: String = tables.extensions_required.get(index, &mut Budget::new(0))?;
        if HARMLESS.iter().any(|prefix| name.starts_with(prefix)) {
            continue;
        }
        let shown = shown(name.as_bytes());
        return Err(match name.contains("draco") || name.contains("meshopt") {
            true => ReadError::Unsupported {
                what: format!("compressed glTF ({shown})"),
                remedy: "export it without compression",
            },
            false => ReadError::Unsupported {
                what: format!("the glTF extension {shown}"),
                remedy: "export it without this extension",
            },
        });
    }
    Ok(())
}

#[derive(Default)]
struct Surface {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    /// The node whose vertices may still be shared, and where the vertices of its accessors start.
    shared: (u32, BTreeMap<u32, usize>),
    corners: Vec<u32>,
    /// Triangles of strips that only join the parts of a strip.
    joints: usize,
}

impl Surface {
    fn draw(&mut self, plan: &mut Plan, draw: &Draw) -> Result<(), ReadError> {
        let (base, count) = self.positions(plan, draw)?;
        self.corners.clear();
        match draw.indices {
            Some(index) => {
                let accessor = plan.check(index, Use::Indices)?;
                // The list is used again: only what it grows by counts.
                plan.memory.reserve(&mut self.corners, accessor.count)?;
                plan.accessors.indices(&accessor, index, &mut self.corners)?;
                if let Some(corner) = self.corners.iter().find(|&&i| i as usize >= count) {
                    let cause = format!("a triangle uses vertex {corner}, there are {count}");
                    return Err(plan.accessors.tables.accessors.error(index as usize, cause));
                }
            }
            None => {
                plan.memory.reserve(&mut self.corners, count)?;
                self.corners.extend(0..count as u32);
            }
        }
        let start = self.triangles.len();
        self.unroll(draw.mode);
        let mirrored = plan.placed[draw.node as usize].transform.mirrors();
        for triangle in &mut self.triangles[start..] {
            *triangle = triangle.map(|i| i + base as u32);
            if mirrored {
                triangle.swap(1, 2);
            }
        }
        Ok(())
    }

    /// The first vertex and the number of vertices of a primitive.
    fn positions(&mut self, plan: &mut Plan, draw: &Draw) -> Result<(usize, usize), ReadError> {
        if self.shared.0 != draw.node {
            self.shared = (draw.node, BTreeMap::new());
        }
        let accessor = plan.check(draw.positions, Use::Positions)?;
        if let Some(&base) = self.shared.1.get(&draw.positions) {
            return Ok((base, accessor.count));
        }
        let base = self.vertices.len();
        plan.accessors.positions(&accessor, draw.positions, &mut self.vertices)?;
        let transform = plan.placed[draw.node as usize].transform;
        for point in &mut self.vertices[base..] {
            // An identity would turn negative zeros into positive ones.
            if transform != Affine::IDENTITY {
                *point = transform.apply(*point);
            }
            if !point.is_finite() {
                let cause = format!("a vertex of mesh {} is at {:?}", draw.mesh, point.to_array());
                return Err(plan.accessors.tables.accessors.error(draw.positions as usize, cause));
            }
        }
        self.shared.1.insert(draw.positions, base);
        Ok((base, accessor.count))
    }

    /// Adds the triangles of the corners.
    fn unroll(&mut self, mode: Mode) {
        let corners = &self.corners;
        match mode {
            Mode::List => {
                self.triangles.extend(corners.chunks_exact(3).map(|c| [c[0], c[1], c[2]]));
            }
            Mode::Fan => {
                self.triangles.extend(corners.windows(2).skip(1).map(|pair| [corners[0], pair[0], pair[1]]));
            }
            Mode::Strip => {
                for (k, c) in corners.windows(3).enumerate() {
                    match *c {
                        [a, b, c] if a == b || b == c || c == a => self.joints += 1,
                        [a, b, c] => self.triangles.push(if k % 2 == 0 { [a, b, c] } else { [b, a, c] }),
                        _ => {}
                    }
                }
            }
        }
    }
}

/// Groups of a file of several nodes, called after them.
fn named_groups(plan: &Plan, draws: &[Draw], ranges: &[Range<u32>]) -> Result<Groups, ReadError> {
    let mut groups = Groups::new();
    if plan.placed.len() < 2 {
        return Ok(groups);
    }
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    let name_of = |draw: &Draw| plan.placed[draw.node as usize].name.as_deref();
    for (draw, range) in draws.iter().zip(ranges) {
        if let Some(name) = name_of(draw) {
            *sizes.entry(name).or_default() += range.len();
        }
    }
    for (name, size) in sizes {
        let elements = Vec::with_capacity(size);
        groups.insert(name.to_string(), Group { vertices: Vec::new(), elements });
    }
    for (draw, range) in draws.iter().zip(ranges) {
        if let Some(group) = name_of(draw).and_then(|name| groups.get_mut(name)) {
            group.elements.extend(range.clone());
        }
    }
    groups.retain(|_, group| !group.elements.is_empty());
    Ok(groups)
}

/// The groups of a file that was written here.
fn our_groups(tables: &Tables, counts: [usize; 2], plan: &mut Plan) -> Result<Groups, ReadError> {
    let mesh: OurMesh = tables.meshes.get(0, &mut plan.work)?;
    let mut groups = Groups::new();
    for OurGroup { name, vertices, elements } in mesh.extras.map(|extras| extras.groups).unwrap_or_default() {
        let unfold = |runs: &[u32], count: usize, memory: &mut Budget| {
            unfold(runs, count, memory)?.ok_or_else(|| {
                let cause = format!("group `{}` has members that do not exist", shown(name.as_bytes()));
                tables.meshes.error(0, cause)
            })
        };
        let vertices = unfold(&vertices, counts[0], &mut plan.memory)?;
        let elements = unfold(&elements, counts[1], &mut plan.memory)?;
        plan.memory.group(&name)?;
        groups.insert(name, Group { vertices, elements });
    }
    Ok(groups)
}

/// Members from runs of a first index and a length; `None` if they are not ascending or beyond `count`.
fn unfold(runs: &[u32], count: usize, memory: &mut Budget) -> Result<Option<Vec<u32>>, ReadError> {
    let mut members = Vec::new();
    let mut end = 0;
    let mut ranges = Vec::with_capacity(runs.len() / 2);
    for run in runs.chunks(2) {
        let &[first, length] = run else { return Ok(None) };
        match first.checked_add(length) {
            Some(next) if first >= end && next as usize <= count => {
                ranges.push(first..next);
                end = next;
            }
            _ => return Ok(None),
        }
    }
    memory.reserve(&mut members, ranges.iter().map(Range::len).sum())?;
    ranges.into_iter().for_each(|range| members.extend(range));
    Ok(Some(members))
}
