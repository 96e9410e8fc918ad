//! Parts of a mesh whose members belong to the same groups: what Gmsh calls entities.

use pliant_mesh::{Group, Mesh};
use std::ops::Range;

/// Members numbered from zero, each in one set of groups.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Partition {
    count: usize,
    /// Numbers of the groups of each set, from one, ascending.
    pub sets: Vec<Vec<u32>>,
    /// The set of each member; empty if there is one set only.
    ids: Vec<u32>,
}

impl Partition {
    /// `lists` gives the members of groups, by their numbers. Members must be below `count`.
    fn new<'a>(count: usize, lists: impl Iterator<Item = (u32, &'a [u32])>) -> Self {
        let mut sets: Vec<Vec<u32>> = vec![Vec::new()];
        let mut ids = Vec::new();
        for (number, members) in lists.filter(|(_, members)| !members.is_empty()) {
            ids.resize(count, 0u32);
            // The set that takes the members which leave each of the older sets.
            let mut moved: Vec<Option<u32>> = vec![None; sets.len()];
            for &member in members {
                let id = &mut ids[member as usize];
                let to = moved[*id as usize].get_or_insert_with(|| {
                    let mut larger = sets[*id as usize].clone();
                    larger.push(number);
                    sets.push(larger);
                    sets.len() as u32 - 1
                });
                *id = *to;
            }
        }
        Self { count, sets, ids }
    }

    pub fn set_of(&self, member: usize) -> usize {
        self.ids.get(member).map_or(0, |&id| id as usize)
    }

    /// Runs of members of one set, in order.
    pub fn runs(&self) -> Vec<(usize, Range<usize>)> {
        if self.ids.is_empty() {
            return if self.count == 0 { Vec::new() } else { vec![(0, 0..self.count)] };
        }
        let mut start = 0;
        let run = |same: &[u32]| {
            let range = start..start + same.len();
            start = range.end;
            (same[0] as usize, range)
        };
        self.ids.chunk_by(|a, b| a == b).map(run).collect()
    }

    /// How many members each set has.
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.sets.len()];
        for (set, range) in self.runs() {
            sizes[set] += range.len();
        }
        sizes
    }
}

/// A mesh sorted into entities.
pub(super) struct Entities<'a> {
    /// Names of the groups; a group's number is its place from one.
    pub names: Vec<&'a str>,
    /// Dimensions in which each group has members.
    pub dimensions: Vec<Vec<u8>>,
    pub elements: Partition,
    /// Vertices of groups that are no vertices of the group's elements.
    pub points: Vec<u32>,
    pub point_sets: Partition,
}

impl<'a> Entities<'a> {
    pub fn new(mesh: &'a Mesh) -> Self {
        let (flat, corners, dimension) = match mesh {
            Mesh::Tet(m) => (m.tets.as_flattened(), 4, 3),
            Mesh::Tri(m) => (m.triangles.as_flattened(), 3, 2),
        };
        let groups = mesh.groups();
        let extra: Vec<Vec<u32>> = groups.values().map(|g| extra_vertices(g, flat, corners)).collect();
        let points = pliant_mesh::topology::sorted_unique(extra.iter().flatten().copied().collect());
        let place = |vertex: &u32| points.binary_search(vertex).unwrap_or(0) as u32;
        let placed: Vec<Vec<u32>> = extra.iter().map(|list| list.iter().map(place).collect()).collect();
        let point_sets = Partition::new(points.len(), (1..).zip(placed.iter().map(Vec::as_slice)));
        let members = (1..).zip(groups.values().map(|g| g.elements.as_slice()));
        let elements = Partition::new(flat.len() / corners, members);
        let dimensions = groups
            .values()
            .zip(&extra)
            .map(|(group, extra)| {
                let mut dimensions = Vec::new();
                if !extra.is_empty() {
                    dimensions.push(0);
                }
                // A group without any member keeps its name.
                if !group.elements.is_empty() || extra.is_empty() {
                    dimensions.push(dimension);
                }
                dimensions
            })
            .collect();
        let names = groups.keys().map(String::as_str).collect();
        Self { names, dimensions, elements, points, point_sets }
    }
}

fn extra_vertices(group: &Group, flat: &[u32], corners: usize) -> Vec<u32> {
    if group.elements.is_empty() {
        return group.vertices.clone();
    }
    let Some(&last) = group.vertices.last() else { return Vec::new() };
    let mut inside = vec![false; last as usize + 1];
    for &element in &group.elements {
        let at = element as usize * corners;
        for &vertex in &flat[at..at + corners] {
            if let Some(inside) = inside.get_mut(vertex as usize) {
                *inside = true;
            }
        }
    }
    group.vertices.iter().copied().filter(|&v| !inside[v as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_groups() {
        let partition = Partition::new(6, [(1, &[1, 2][..]), (2, &[2, 3]), (3, &[])].into_iter());
        assert_eq!(partition.sets, [vec![], vec![1], vec![1, 2], vec![2]]);
        assert_eq!((0..6).map(|i| partition.set_of(i)).collect::<Vec<_>>(), [0, 1, 2, 3, 0, 0]);
        assert_eq!(partition.runs(), [(0, 0..1), (1, 1..2), (2, 2..3), (3, 3..4), (0, 4..6)]);
        assert_eq!(partition.sizes(), [3, 1, 1, 1]);
        assert_eq!(Partition::new(4, std::iter::empty()).runs(), [(0, 0..4)]);
    }

    #[test]
    fn vertices_beside_elements_are_points() {
        let mut mesh = pliant_mesh::block([1.0; 3], [1; 3]).unwrap();
        mesh.groups.clear();
        let vertices: Vec<u32> = (0..8).collect();
        mesh.groups.insert("a".into(), Group { vertices, elements: vec![0] });
        mesh.groups.insert("b".into(), Group::default());
        let mesh = Mesh::Tet(mesh);
        let entities = Entities::new(&mesh);
        assert_eq!(entities.points.len(), 4);
        assert_eq!(entities.dimensions, [vec![0, 3], vec![3]]);
        assert_eq!(entities.elements.sets, [vec![], vec![1]]);
    }
}
