//! From the cells of a file to a mesh: what becomes an element, what only gives groups, what is cut.

use super::ReadError;
use super::cell::{CellShape, fan, strip};
use pliant_mesh::topology::sorted_unique;
use pliant_mesh::{DVec3, Group, Groups, Mesh, TetMesh, TriMesh};
use std::ops::Range;

/// About what an entry of the map of groups takes, with its name.
pub(super) const GROUP_ENTRY: usize = 170;

/// What cells are kept as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Point,
    Line,
    Triangle,
    Tet,
}

/// Consecutive entries of one list of an [`Assembly`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub kind: Kind,
    pub range: Range<u32>,
}

/// The cells of a file. Readers check the indices.
#[derive(Debug, Default)]
pub(super) struct Assembly {
    pub vertices: Vec<DVec3>,
    pub points: Vec<u32>,
    pub lines: Vec<[u32; 2]>,
    pub triangles: Vec<[u32; 3]>,
    pub tets: Vec<[u32; 4]>,
    /// How many cells of other shapes were cut.
    cut: Vec<(CellShape, usize)>,
    /// How many cells had more nodes than corners.
    curved: usize,
    /// The most bytes that the pieces of cut cells may take.
    budget: usize,
    /// The bytes that groups may still take.
    group_budget: usize,
}

impl Assembly {
    /// `bytes` is the size of the file: what is made of it stays in proportion.
    pub fn new(bytes: usize) -> Self {
        Self { budget: 8 * bytes + (1 << 15), group_budget: 5 * bytes + (1 << 15), ..Self::default() }
    }

    /// Adds a cell by its corners. Returns where it went.
    pub fn push(&mut self, shape: CellShape, corners: &[u32]) -> Result<Span, ReadError> {
        let before = self.lengths();
        let kind = match *corners {
            [a, b, c, d] if shape == CellShape::Tet => {
                self.tets.push([a, b, c, d]);
                Kind::Tet
            }
            [a, b, c] if shape == CellShape::Triangle => {
                self.triangles.push([a, b, c]);
                Kind::Triangle
            }
            _ => self.push_cut(shape, corners)?,
        };
        let range = before[kind as usize]..self.lengths()[kind as usize];
        let index = |n: usize| u32::try_from(n).map_err(|_| ReadError::TooLarge);
        Ok(Span { kind, range: index(range.start)?..index(range.end)? })
    }

    fn push_cut(&mut self, shape: CellShape, corners: &[u32]) -> Result<Kind, ReadError> {
        let kind = match shape {
            CellShape::Points => {
                self.points.extend(corners);
                return Ok(Kind::Point);
            }
            CellShape::Line => {
                self.lines.extend(corners.array_windows());
                return Ok(Kind::Line);
            }
            CellShape::Strip => {
                strip(corners, |t| self.triangles.push(t));
                Kind::Triangle
            }
            CellShape::Triangle | CellShape::Quad | CellShape::Polygon => {
                fan(corners, |t| self.triangles.push(t));
                Kind::Triangle
            }
            CellShape::Tet | CellShape::Pyramid | CellShape::Prism | CellShape::Hexahedron => {
                shape.cut_solid(corners, |t| self.tets.push(t));
                Kind::Tet
            }
        };
        match self.cut.iter_mut().find(|(s, _)| *s == shape) {
            Some((_, count)) => *count += 1,
            None => self.cut.push((shape, 1)),
        }
        if 12 * self.triangles.len() + 16 * self.tets.len() > self.budget {
            return Err(ReadError::TooLarge);
        }
        Ok(kind)
    }

    /// Notes that cells had more nodes than corners.
    pub fn count_curved(&mut self, cells: usize) {
        self.curved += cells;
    }

    /// Number of entries by [`Kind`].
    pub fn lengths(&self) -> [usize; 4] {
        [self.points.len(), self.lines.len(), self.triangles.len(), self.tets.len()]
    }

    /// The kind that the elements of the mesh have.
    fn main(&self) -> Kind {
        if self.tets.is_empty() { Kind::Triangle } else { Kind::Tet }
    }

    fn corners(&self, span: &Span) -> &[u32] {
        let range = span.range.start as usize..span.range.end as usize;
        match span.kind {
            Kind::Point => &self.points[range],
            Kind::Line => self.lines[range].as_flattened(),
            Kind::Triangle => self.triangles[range].as_flattened(),
            Kind::Tet => self.tets[range].as_flattened(),
        }
    }

    /// Counts memory that groups take, so that it stays in proportion to the file.
    pub fn spend(&mut self, times: usize, bytes: usize) -> Result<(), ReadError> {
        let rest = times.checked_mul(bytes).and_then(|cost| self.group_budget.checked_sub(cost));
        self.group_budget = rest.ok_or(ReadError::TooManyGroups)?;
        Ok(())
    }

    /// The group of the cells in `spans` and of the `vertices`: all their vertices, and the cells themselves
    /// if they are elements of the mesh.
    pub fn group(&mut self, spans: &[Span], vertices: Vec<u32>) -> Result<Group, ReadError> {
        let group = self.collect(spans, vertices);
        self.spend(group.vertices.len() + group.elements.len(), size_of::<u32>())?;
        Ok(group)
    }

    fn collect(&self, spans: &[Span], vertices: Vec<u32>) -> Group {
        let main = self.main();
        let elements = spans.iter().filter(|s| s.kind == main).flat_map(|s| s.range.clone()).collect();
        let corners: usize = spans.iter().map(|s| self.corners(s).len()).sum();
        // A few vertices are sorted; for many it is quicker to mark them, and repeats take no memory.
        let vertices = if corners < self.vertices.len() / 16 {
            let mut list = vertices;
            list.reserve_exact(corners);
            spans.iter().for_each(|s| list.extend(self.corners(s)));
            sorted_unique(list)
        } else {
            let mut marked = vec![false; self.vertices.len()];
            let of_cells = spans.iter().flat_map(|s| self.corners(s));
            vertices.iter().chain(of_cells).for_each(|&i| marked[i as usize] = true);
            (0u32..).zip(&marked).filter(|&(_, &m)| m).map(|(i, _)| i).collect()
        };
        Group { vertices, elements: sorted_unique(elements) }
    }

    /// The mesh and notes about what it does not show. `grouped` are the entries that belong to groups, so that
    /// at least their vertices are kept.
    pub fn finish(
        self,
        groups: Groups,
        grouped: Vec<Span>,
        remedy: &'static str,
    ) -> Result<(Mesh, Vec<String>), ReadError> {
        let lengths = self.lengths();
        if lengths.iter().any(|&n| n > u32::MAX as usize) || self.vertices.len() > u32::MAX as usize {
            return Err(ReadError::TooLarge);
        }
        if self.tets.is_empty() && self.triangles.is_empty() {
            return Err(ReadError::Empty { remedy });
        }
        let notes = self.notes(grouped);
        let Self { vertices, triangles, tets, .. } = self;
        let mesh = if tets.is_empty() {
            Mesh::Tri(TriMesh { vertices, triangles, groups })
        } else {
            Mesh::Tet(TetMesh { vertices, tets, groups })
        };
        Ok((mesh, notes))
    }

    fn notes(&self, grouped: Vec<Span>) -> Vec<String> {
        let mut notes: Vec<String> = Vec::new();
        for &(shape, count) in &self.cut {
            let into = if shape < CellShape::Tet { "triangles" } else { "tets" };
            notes.push(format!("{} cut into {into}", shape.counted(count)));
        }
        match self.curved {
            0 => {}
            1 => notes.push("1 element of second or higher order taken by its corners".to_string()),
            n => notes.push(format!("{n} elements of second or higher order taken by their corners")),
        }
        let lengths = self.lengths();
        let covered = covered(grouped);
        let shapes = [CellShape::Points, CellShape::Line, CellShape::Triangle];
        for kind in 0..self.main() as usize {
            let left = lengths[kind] - covered[kind];
            if left > 0 {
                notes.push(format!("{} in no group left out", shapes[kind].counted(left)));
            }
        }
        notes
    }
}

/// How many entries of each [`Kind`] are in any of the spans.
fn covered(mut spans: Vec<Span>) -> [usize; 4] {
    spans.sort_unstable_by_key(|span| (span.kind as usize, span.range.start));
    let mut counts = [0; 4];
    let mut ends = [0; 4];
    for Span { kind, range } in spans {
        let (count, end) = (&mut counts[kind as usize], &mut ends[kind as usize]);
        *count += (range.start.max(*end)..range.end).len();
        *end = range.end.max(*end);
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assembly() -> Assembly {
        let mut cells = Assembly::new(1000);
        cells.vertices = (0..9).map(|i| f64::from(i) * DVec3::X).collect();
        cells
    }

    #[test]
    fn tets_win_over_triangles() {
        let mut cells = assembly();
        cells.push(CellShape::Triangle, &[0, 1, 2]).unwrap();
        let lines = cells.push(CellShape::Line, &[5, 6, 7]).unwrap();
        assert_eq!(lines, Span { kind: Kind::Line, range: 0..2 });
        let quad = cells.push(CellShape::Quad, &[3, 1, 2, 4]).unwrap();
        let tet = cells.push(CellShape::Tet, &[0, 1, 2, 3]).unwrap();
        assert_eq!(tet, Span { kind: Kind::Tet, range: 0..1 });
        let group = cells.group(&[quad.clone(), tet, lines], vec![8, 8]).unwrap();
        assert_eq!(group, Group { vertices: vec![0, 1, 2, 3, 4, 5, 6, 7, 8], elements: vec![0] });
        let (mesh, notes) = cells.finish(Groups::new(), vec![quad.clone(), quad], "").unwrap();
        assert!(matches!(mesh, Mesh::Tet(m) if m.tets.len() == 1 && m.vertices.len() == 9));
        assert_eq!(
            notes,
            ["1 quad cut into triangles", "2 lines in no group left out", "1 triangle in no group left out"]
        );
    }

    #[test]
    fn small_groups_of_large_meshes() {
        let mut cells = assembly();
        cells.vertices.resize(1000, DVec3::ZERO);
        let a = cells.push(CellShape::Triangle, &[700, 1, 2]).unwrap();
        cells.push(CellShape::Triangle, &[5, 6, 7]).unwrap();
        let b = cells.push(CellShape::Triangle, &[2, 1, 9]).unwrap();
        let group = cells.group(&[b, a], vec![3]).unwrap();
        assert_eq!(group, Group { vertices: vec![1, 2, 3, 9, 700], elements: vec![0, 2] });
    }

    #[test]
    fn files_without_cells_or_with_too_many_pieces_are_refused() {
        let mut cells = assembly();
        cells.push(CellShape::Points, &[1, 2]).unwrap();
        assert!(matches!(cells.finish(Groups::new(), Vec::new(), ""), Err(ReadError::Empty { .. })));
        let mut cells = Assembly::new(0);
        let polygon: Vec<u32> = (0..10_000).collect();
        assert!(cells.push(CellShape::Polygon, &polygon).is_err());
    }
}
