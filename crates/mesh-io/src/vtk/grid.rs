//! From the points, cells and data of a VTK file, legacy or XML, to a mesh with groups.

use super::types::{CellType, TET, TRIANGLE, around_faces};
use crate::assembly::{Assembly, GROUP_ENTRY, Kind, Span};
use crate::cell::CellShape;
use crate::names::decode;
use crate::numbers::Array;
use crate::scan::{DAMAGED, shown};
use crate::{Contents, ReadError};
use pliant_mesh::check::find_first;
use pliant_mesh::{DVec3, Groups};
use std::collections::BTreeMap;

/// What is wrong with the points, cells or data of a file. The reader knows the place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub cause: String,
    pub remedy: &'static str,
}

impl Fault {
    /// Names what the fault is in.
    pub fn within(self, place: &str) -> Self {
        Self { cause: format!("{place}: {}", self.cause), ..self }
    }
}

impl From<String> for Fault {
    fn from(cause: String) -> Self {
        Self { cause, remedy: DAMAGED }
    }
}

/// What the name of an array that stands for a group starts with.
pub(crate) const GROUP_PREFIX: &str = "group:";

/// Integer data of cells that stand for one group for each value, by the programs that write them.
const LABELS: [&str; 3] = ["gmsh:physical", "medit:ref", "CellEntityIds"];

/// More values than this are no groups but something else.
const MOST_LABELS: usize = 1000;

/// Which array of a file to look at, if it says something about groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// Members of the group with this name are not zero.
    Mask(String),
    /// The value is the name of the group, zero is none.
    Labels,
}

impl Meaning {
    /// What the data with this name mean; `None` if nothing that is known here.
    pub fn of(name: &str, of_cells: bool) -> Option<Self> {
        if let Some(group) = name.strip_prefix(GROUP_PREFIX) {
            return Some(Self::Mask(decode(group.as_bytes())));
        }
        (of_cells && LABELS.contains(&name)).then_some(Self::Labels)
    }
}

/// Where the cells of one piece of a file went: the first are consecutive elements of one kind, or there are
/// none of these; then each on its own.
#[derive(Default)]
struct Places {
    uniform: Option<Span>,
    each: Vec<Span>,
}

impl Places {
    fn count(&self) -> usize {
        self.uniform.as_ref().map_or(self.each.len(), |span| span.range.len())
    }

    fn get(&self, cell: u32) -> Span {
        match &self.uniform {
            Some(Span { kind, range }) => one(*kind, range.start + cell),
            None => self.each[cell as usize].clone(),
        }
    }

    /// Adds consecutive elements.
    fn extend(&mut self, span: Span) {
        if self.count() == 0 {
            self.uniform = Some(span);
        } else {
            self.singly().extend(span.range.map(|i| one(span.kind, i)));
        }
    }

    fn singly(&mut self) -> &mut Vec<Span> {
        if let Some(Span { kind, range }) = self.uniform.take() {
            self.each = range.map(|i| one(kind, i)).collect();
        }
        &mut self.each
    }
}

fn one(kind: Kind, index: u32) -> Span {
    Span { kind, range: index..index + 1 }
}

/// The mesh of a file in the making. A file may have several pieces, each with points, then cells, then data.
pub(crate) struct Grid {
    cells: Assembly,
    groups: BTreeMap<String, (Vec<Span>, Vec<u32>)>,
    /// First point and cells of the current piece.
    base: u32,
    places: Places,
    /// Corners of the last cell.
    corners: Vec<u32>,
    pub notes: Vec<String>,
    /// How many masks of groups were read.
    pub masks: usize,
    /// Names of data that were left out, the first few of them.
    skipped: Vec<String>,
    skipped_more: usize,
}

impl Grid {
    /// `bytes` is the size of the file.
    pub fn new(bytes: usize) -> Self {
        Self {
            cells: Assembly::new(bytes),
            groups: BTreeMap::new(),
            base: 0,
            places: Places::default(),
            corners: Vec::new(),
            notes: Vec::new(),
            masks: 0,
            skipped: Vec::new(),
            skipped_more: 0,
        }
    }

    /// Starts a piece with its points.
    pub fn start(&mut self, points: Vec<DVec3>) -> Result<(), Fault> {
        if let Some(at) = find_first(points.len(), |i| !points[i].is_finite()) {
            return Err(format!("point {at} is at {:?}", points[at].to_array()).into());
        }
        let vertices = &mut self.cells.vertices;
        let total = vertices.len() + points.len();
        self.base = u32::try_from(vertices.len()).map_err(|_| "there are too many points".to_string())?;
        u32::try_from(total).map_err(|_| "there are too many points".to_string())?;
        if vertices.is_empty() {
            *vertices = points;
        } else {
            vertices.extend(points);
        }
        self.places = Places::default();
        Ok(())
    }

    /// Points of the current piece.
    pub fn points(&self) -> usize {
        self.cells.vertices.len() - self.base as usize
    }

    /// Adds cells that are all tets.
    pub fn push_tets(&mut self, tets: Vec<[u32; 4]>) -> Result<(), Fault> {
        let start = self.cells.tets.len();
        append(&mut self.cells.tets, tets, self.base, self.cells.vertices.len())?;
        self.uniform(Kind::Tet, start, self.cells.tets.len())
    }

    /// Adds cells that are all triangles.
    pub fn push_triangles(&mut self, triangles: Vec<[u32; 3]>) -> Result<(), Fault> {
        let start = self.cells.triangles.len();
        append(&mut self.cells.triangles, triangles, self.base, self.cells.vertices.len())?;
        self.uniform(Kind::Triangle, start, self.cells.triangles.len())
    }

    fn uniform(&mut self, kind: Kind, start: usize, end: usize) -> Result<(), Fault> {
        let index = |n: usize| u32::try_from(n).map_err(|_| "there are too many cells".to_string());
        self.places.extend(Span { kind, range: index(start)?..index(end)? });
        Ok(())
    }

    /// Adds a cell of any type.
    pub fn push(&mut self, number: u32, nodes: &[u32]) -> Result<(), Fault> {
        let kind = CellType::of(number).ok_or_else(|| unknown(number))?;
        if nodes.len() < kind.nodes || (nodes.len() > kind.nodes && !kind.varies) {
            let found = nodes.len();
            return Err(format!("a cell of type {number} has {found} points, not {}", kind.nodes).into());
        }
        let points = self.points();
        if let Some(point) = nodes.iter().find(|&&i| i as usize >= points) {
            return Err(no_point(*point, points).into());
        }
        let corners = kind.corners(nodes.len());
        self.cells.count_curved(usize::from(nodes.len() > corners));
        self.corners.clear();
        self.corners.extend(nodes[..corners].iter().map(|&i| i + self.base));
        if kind.by_axes {
            around_faces(&mut self.corners);
        }
        let shape = match (kind.shape, corners) {
            (CellShape::Polygon, 3) => CellShape::Triangle,
            (CellShape::Polygon, 4) => CellShape::Quad,
            (shape, _) => shape,
        };
        let span = self.cells.push(shape, &self.corners).map_err(|error| error.to_string())?;
        self.places.singly().push(span);
        Ok(())
    }

    /// Adds the group that data of the points describe.
    pub fn mark_points(&mut self, meaning: &Meaning, data: &Array<'_>) -> Result<(), Fault> {
        let Meaning::Mask(name) = meaning else { return Ok(()) };
        let mut marked = data.labelled(self.points())?;
        marked.iter_mut().for_each(|vertex| *vertex += self.base);
        self.masks += 1;
        let (_, vertices) = self.groups.entry(name.clone()).or_default();
        vertices.append(&mut marked);
        Ok(())
    }

    /// Adds the groups that data of the cells describe.
    pub fn mark_cells(&mut self, meaning: &Meaning, data: &Array<'_>) -> Result<(), Fault> {
        match meaning {
            Meaning::Mask(name) => {
                self.masks += 1;
                let (spans, _) = self.groups.entry(name.clone()).or_default();
                for cell in data.labelled(self.places.count())? {
                    extend(spans, self.places.get(cell));
                }
            }
            Meaning::Labels => {
                let values: Vec<i64> = data.values(self.places.count())?;
                let mut labels: Vec<i64> = values.clone();
                labels.sort_unstable();
                labels.dedup();
                if labels.len() > MOST_LABELS {
                    self.notes.push(format!("cell data with {} values not taken as groups", labels.len()));
                    return Ok(());
                }
                for (cell, value) in (0..).zip(&values).filter(|(_, value)| **value != 0) {
                    let (spans, _) = self.groups.entry(value.to_string()).or_default();
                    extend(spans, self.places.get(cell));
                }
            }
        }
        Ok(())
    }

    /// Remembers data that are left out.
    pub fn skip(&mut self, name: &str) {
        const MOST: usize = 8;
        if self.skipped.len() < MOST {
            self.skipped.push(shown(name.as_bytes()));
        } else {
            self.skipped_more += 1;
        }
    }

    pub fn finish(mut self, format: String) -> Result<Contents, ReadError> {
        let mut groups = Groups::new();
        let grouped = self.groups.values().flat_map(|(spans, _)| spans).cloned().collect();
        for (name, (spans, vertices)) in self.groups {
            self.cells.spend(1, GROUP_ENTRY)?;
            groups.insert(name, self.cells.group(&spans, vertices)?);
        }
        let remedy = "save an unstructured grid with tets, or a surface with triangles";
        let (mesh, mut notes) = self.cells.finish(groups, grouped, remedy)?;
        notes.append(&mut self.notes);
        if !self.skipped.is_empty() {
            let more = match self.skipped_more {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            notes.push(format!("data left out: {}{more}", self.skipped.join(", ")));
        }
        Ok(Contents { mesh, format, notes })
    }
}

fn extend(spans: &mut Vec<Span>, next: Span) {
    match spans.last_mut() {
        Some(last) if last.kind == next.kind && last.range.end == next.range.start => {
            last.range.end = next.range.end;
        }
        _ => spans.push(next),
    }
}

fn append<const N: usize>(
    all: &mut Vec<[u32; N]>,
    mut more: Vec<[u32; N]>,
    base: u32,
    vertices: usize,
) -> Result<(), Fault> {
    let points = vertices - base as usize;
    let bad = |cell: usize| more[cell].iter().fold(0, |most, &i| i.max(most)) as usize >= points;
    if let Some(at) = find_first(more.len(), bad) {
        let point = more[at].iter().find(|&&i| i as usize >= points).copied().unwrap_or_default();
        return Err(Fault::from(no_point(point, points)).within(&format!("cell {at}")));
    }
    if all.is_empty() && base == 0 {
        *all = more;
    } else {
        more.iter_mut().flatten().for_each(|i| *i += base);
        all.append(&mut more);
    }
    Ok(())
}

fn no_point(point: u32, points: usize) -> String {
    match point {
        // What was no index at all, see `Value for u32`.
        u32::MAX => format!("it uses a point that does not exist, there are {points}"),
        _ => format!("it uses point {point}, but there are {points} points"),
    }
}

fn unknown(number: u32) -> Fault {
    let cause = match number {
        42 => "polyhedra are not supported".to_string(),
        _ => format!("cells of type {number} are not supported"),
    };
    Fault { cause, remedy: "cut the cells first, for example with Tetrahedralize or Triangulate of ParaView" }
}

/// The cells of a piece by offsets, as XML files and newer legacy files have them.
pub(crate) struct CellTable<'a> {
    pub count: usize,
    pub connectivity: Array<'a>,
    /// Where each cell ends.
    pub offsets: Array<'a>,
    pub types: CellTypes<'a>,
}

/// The types of the cells of a table.
pub(crate) enum CellTypes<'a> {
    All(u8),
    Each(Array<'a>),
}

impl CellTypes<'_> {
    /// The type of each cell.
    pub fn numbers(&self, count: usize) -> Result<impl Fn(usize) -> u32, String> {
        let (one, each) = match self {
            Self::All(number) => (u32::from(*number), Vec::new()),
            Self::Each(array) => (0, array.values(count).map_err(in_array("types"))?),
        };
        Ok(move |cell: usize| each.get(cell).copied().unwrap_or(one))
    }

    /// Whether all cells can be taken as of this type.
    pub fn all_are(&self, count: usize, number: u8) -> bool {
        match self {
            // A polygon may be a triangle.
            Self::All(7) => number == TRIANGLE,
            Self::All(one) => *one == number,
            Self::Each(array) => array.all_are(count, |_| u32::from(number)),
        }
    }
}

impl Grid {
    /// Adds the cells of a table; tets only and triangles only are quick.
    pub fn push_table(&mut self, table: &CellTable<'_>) -> Result<(), Fault> {
        let count = table.count;
        if count > 0 && table.types.all_are(count, TET) && every(table, 4) {
            return self.push_tets(table.connectivity.rows(count).map_err(in_array("connectivity"))?);
        }
        if count > 0 && table.types.all_are(count, TRIANGLE) && every(table, 3) {
            return self.push_triangles(table.connectivity.rows(count).map_err(in_array("connectivity"))?);
        }
        let offsets: Vec<u32> = table.offsets.values(count).map_err(in_array("offsets"))?;
        let total = offsets.last().map_or(0, |&end| end as usize);
        let nodes: Vec<u32> = table.connectivity.values(total).map_err(in_array("connectivity"))?;
        let types = table.types.numbers(count)?;
        let mut start = 0;
        for (cell, &end) in offsets.iter().enumerate() {
            let end = end as usize;
            let Some(nodes) = nodes.get(start..end) else {
                return Err(format!("cell {cell} ends at {end} but starts at {start}").into());
            };
            self.push(types(cell), nodes).map_err(|fault| fault.within(&format!("cell {cell}")))?;
            start = end;
        }
        Ok(())
    }
}

/// Whether every cell has the same number of corners.
fn every(table: &CellTable<'_>, corners: usize) -> bool {
    table.offsets.all_are(table.count, |i| (corners * (i + 1)) as i64)
}

fn in_array(name: &'static str) -> impl Fn(String) -> String {
    move |cause| format!("the array `{name}`: {cause}")
}
