//! Groups of a mesh while a file is read or written: members, sets of groups, references.

use super::budget::Budget;
use super::{ReadError, counted};
use pliant_mesh::{Group, Groups};
use std::collections::BTreeMap;

/// One of the two lists of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Vertices,
    Elements,
}

impl Part {
    pub fn name(self) -> &'static str {
        match self {
            Self::Vertices => "vertices",
            Self::Elements => "elements",
        }
    }

    /// The list of a group.
    pub fn of(self, group: &mut Group) -> &mut Vec<u32> {
        match self {
            Self::Vertices => &mut group.vertices,
            Self::Elements => &mut group.elements,
        }
    }

    fn list(self, group: &Group) -> &[u32] {
        match self {
            Self::Vertices => &group.vertices,
            Self::Elements => &group.elements,
        }
    }
}

/// Which groups each vertex or element belongs to.
pub(super) struct Sets {
    /// Number of the set of each item, from one; zero for no group.
    pub of: Vec<u32>,
    /// Groups of each set by their places in the map, from set one on.
    pub sets: Vec<Vec<u32>>,
}

impl Sets {
    /// The sets of `count` items, numbered in the order in which they are met.
    pub fn new(groups: &Groups, part: Part, count: usize) -> Self {
        let mut ends = vec![0_usize; count + 1];
        for &i in groups.values().flat_map(|g| part.list(g)) {
            ends[i as usize + 1] += 1;
        }
        for i in 0..count {
            ends[i + 1] += ends[i];
        }
        // `ends` holds where the groups of each item start and, once they are all filled in, where they end.
        let mut members = vec![0_u32; ends[count]];
        for (place, group) in (0_u32..).zip(groups.values()) {
            for &i in part.list(group) {
                members[ends[i as usize]] = place;
                ends[i as usize] += 1;
            }
        }
        let mut numbers: BTreeMap<&[u32], u32> = BTreeMap::new();
        let mut sets = Vec::new();
        let mut start = 0;
        let of = ends[..count]
            .iter()
            .map(|&end| {
                let set = &members[start..end];
                start = end;
                if set.is_empty() {
                    return 0;
                }
                *numbers.entry(set).or_insert_with(|| {
                    sets.push(set.to_vec());
                    sets.len() as u32
                })
            })
            .collect();
        Self { of, sets }
    }
}

/// Lists of the items whose references stand for them: `sets` has the lists of each reference. Items with
/// other references are in no list.
pub(super) fn spread(
    count: usize,
    references: &[i64],
    sets: &BTreeMap<i64, Vec<u32>>,
    budget: &mut Budget,
) -> Result<Vec<Vec<u32>>, ReadError> {
    let lists_of = |run: &[i64]| sets.get(&run[0]).map_or(&[][..], Vec::as_slice);
    let mut sizes = vec![0_usize; count];
    for run in references.chunk_by(|a, b| a == b) {
        lists_of(run).iter().for_each(|&list| sizes[list as usize] += run.len());
    }
    let mut lists: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (list, &size) in lists.iter_mut().zip(&sizes) {
        budget.reserve(list, size)?;
    }
    let mut start = 0;
    for run in references.chunk_by(|a, b| a == b) {
        let end = start + run.len() as u32;
        lists_of(run).iter().for_each(|&list| lists[list as usize].extend(start..end));
        start = end;
    }
    Ok(lists)
}

/// Groups for the references of a file that names none: reference 3 gives `PREFIX_3`. Zero stands for no
/// reference. Fields that look like references but take very many values are left out with a note.
pub(super) fn unnamed(
    groups: &mut Groups,
    part: Part,
    prefix: &str,
    references: &[i64],
    budget: &mut Budget,
) -> Result<Option<String>, ReadError> {
    const MOST: usize = 1000;
    let mut sets: BTreeMap<i64, Vec<u32>> = BTreeMap::new();
    for run in references.chunk_by(|a, b| a == b) {
        let next = sets.len() as u32;
        if run[0] != 0 {
            sets.entry(run[0]).or_insert_with(|| vec![next]);
        }
        if sets.len() > MOST {
            return Ok(Some(format!("{} have more than {MOST} references, left out", part.name())));
        }
    }
    let mut lists = spread(sets.len(), references, &sets, budget)?;
    for (reference, set) in sets {
        let name = format!("{prefix}_{reference}");
        budget.group(&name)?;
        let list = std::mem::take(&mut lists[set[0] as usize]);
        *part.of(groups.entry(name).or_default()) = list;
    }
    Ok(None)
}

/// Adds the corners of a group's elements to its vertices.
pub(super) fn add_corners<const N: usize>(
    groups: &mut Groups,
    elements: &[[u32; N]],
    vertices: usize,
    budget: &mut Budget,
) -> Result<(), ReadError> {
    let mut marks = Marks::new(vertices);
    for group in groups.values_mut() {
        if !group.elements.is_empty() {
            marks.add_corners(group, elements, budget)?;
        }
    }
    Ok(())
}

/// Vertices seen for a group, without clearing a table for each group.
pub(super) struct Marks {
    seen: Vec<u32>,
    round: u32,
}

impl Marks {
    pub fn new(vertices: usize) -> Self {
        Self { seen: vec![0; vertices], round: 0 }
    }

    /// Starts with no vertex seen.
    fn next(&mut self) {
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.seen.fill(0);
            self.round = 1;
        }
    }

    /// True the first time.
    fn first(&mut self, vertex: u32) -> bool {
        std::mem::replace(&mut self.seen[vertex as usize], self.round) != self.round
    }

    /// Adds the corners of a group's elements to its vertices.
    pub fn add_corners<const N: usize>(
        &mut self,
        group: &mut Group,
        elements: &[[u32; N]],
        budget: &mut Budget,
    ) -> Result<(), ReadError> {
        let Group { vertices, elements: members } = group;
        let corners = || members.iter().flat_map(|&e| elements[e as usize]);
        for reserve in [true, false] {
            self.next();
            vertices.iter().for_each(|&v| {
                self.first(v);
            });
            if reserve {
                let count = corners().filter(|&v| self.first(v)).count();
                budget.reserve(vertices, count)?;
            } else {
                vertices.extend(corners().filter(|&v| self.first(v)));
            }
        }
        vertices.sort_unstable();
        Ok(())
    }

    /// Whether the vertices of a group are exactly the corners of its elements.
    pub fn follow<const N: usize>(&mut self, group: &Group, elements: &[[u32; N]]) -> bool {
        self.next();
        let corners = group.elements.iter().flat_map(|&e| elements[e as usize]);
        let count = corners.filter(|&v| self.first(v)).count();
        count == group.vertices.len() && !group.vertices.iter().any(|&v| self.first(v))
    }
}

/// A note on groups of which a format keeps the elements only.
pub(super) fn with_corners(groups: usize) -> Option<String> {
    let kept = "kept with the corners of its triangles instead of its own vertices";
    (groups > 0).then(|| format!("{} {kept}", counted(groups, "group")))
}

/// A note on groups of which a format keeps numbers at vertices and elements.
pub(super) fn names_not_kept(groups: usize) -> Option<String> {
    let why = "vertices and elements carry a number for each combination of groups";
    (groups > 0).then(|| format!("names of {} not kept: {why}", counted(groups, "group")))
}

/// A note on groups that a format has no place for.
pub(super) fn not_kept(groups: usize) -> Option<String> {
    (groups > 0).then(|| format!("{} not kept: the format has no place for them", counted(groups, "group")))
}
