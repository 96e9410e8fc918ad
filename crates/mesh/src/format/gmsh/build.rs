//! Gmsh MSH 4.1: from the tables of a file to a mesh with groups.

use crate::boundary::sorted_unique;
use crate::format::ReadError;
use crate::tidy::drop_unused;
use crate::vector::tet_volume;
use crate::{Group, Groups, Mesh, Point, TetMesh, TriMesh};
use std::collections::BTreeMap;

/// A point, curve, surface or volume of the geometry behind the mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct EntityKey {
    pub dimension: u8,
    pub tag: i64,
}

pub(super) struct Element<const N: usize> {
    pub nodes: [u32; N],
    pub line: usize,
    pub entity: EntityKey,
}

/// What a file says.
#[derive(Default)]
pub(super) struct Tables {
    /// Names of physical groups by dimension and tag.
    pub names: BTreeMap<(u8, u64), String>,
    /// Physical tags of each entity that has any.
    pub entities: BTreeMap<EntityKey, Vec<u64>>,
    pub vertices: Vec<Point>,
    /// Node tag to vertex index, ascending; tags may have gaps.
    tags: Vec<(u64, u32)>,
    pub triangles: Vec<Element<3>>,
    pub tets: Vec<Element<4>>,
    /// Vertices of points and curves, which matter only for their groups.
    pub marks: Vec<(EntityKey, u32)>,
}

impl Tables {
    /// Registers the nodes; a tag used twice is an error.
    pub fn add_tags(&mut self, tags: Vec<(u64, u32)>) -> Result<(), u64> {
        self.tags.extend(tags);
        self.tags.sort_unstable();
        match self.tags.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(pair[0].0),
            None => Ok(()),
        }
    }

    /// Vertex index of a node tag.
    pub fn node(&self, tag: u64) -> Option<u32> {
        self.tags.binary_search_by_key(&tag, |&(t, _)| t).ok().map(|at| self.tags[at].1)
    }

    pub fn build(mut self) -> Result<Mesh, ReadError> {
        if self.tets.len().max(self.triangles.len()) > u32::MAX as usize {
            return Err(ReadError::TooLarge);
        }
        if self.tets.is_empty() && self.triangles.is_empty() {
            return Err(ReadError::Empty { remedy: "mesh in 2D or 3D before saving: gmsh -3 -format msh41" });
        }
        let mut groups = Groups::new();
        self.collect(&mut groups, &self.triangles, self.tets.is_empty());
        self.collect(&mut groups, &self.tets, true);
        for &(entity, node) in &self.marks {
            self.for_groups(&mut groups, entity, |group| group.vertices.push(node));
        }
        for group in groups.values_mut() {
            group.vertices = sorted_unique(std::mem::take(&mut group.vertices));
            group.elements = sorted_unique(std::mem::take(&mut group.elements));
        }
        let mut vertices = std::mem::take(&mut self.vertices);
        if self.tets.is_empty() {
            let mut triangles: Vec<_> = self.triangles.iter().map(|e| e.nodes).collect();
            drop_unused(&mut vertices, &mut triangles, &mut groups);
            return Ok(Mesh::Tri(TriMesh { vertices, triangles, groups }));
        }
        let mut tets = oriented(&vertices, &self.tets)?;
        drop_unused(&mut vertices, &mut tets, &mut groups);
        Ok(Mesh::Tet(TetMesh { vertices, tets, groups }))
    }

    /// Adds the vertices of elements to the groups of their entities, and the elements too if they are those
    /// of the mesh.
    fn collect<const N: usize>(&self, groups: &mut Groups, elements: &[Element<N>], main: bool) {
        for (index, element) in (0u32..).zip(elements) {
            self.for_groups(groups, element.entity, |group| {
                group.vertices.extend(element.nodes);
                if main {
                    group.elements.push(index);
                }
            });
        }
    }

    fn for_groups(&self, groups: &mut Groups, entity: EntityKey, mut act: impl FnMut(&mut Group)) {
        for &tag in self.entities.get(&entity).into_iter().flatten() {
            match self.names.get(&(entity.dimension, tag)) {
                // Looking up before inserting spares a copy of the name per element.
                Some(name) => match groups.get_mut(name) {
                    Some(group) => act(group),
                    None => act(groups.entry(name.clone()).or_default()),
                },
                None => {
                    let kind = ["point", "curve", "surface", "volume"][usize::from(entity.dimension.min(3))];
                    act(groups.entry(format!("{kind}_{tag}")).or_default());
                }
            }
        }
    }
}

/// The tets with positive orientation: all negative means that the file uses the other convention, some
/// negative means that the mesh is broken. Flat ones are left to validation.
fn oriented(vertices: &[Point], tets: &[Element<4>]) -> Result<Vec<[u32; 4]>, ReadError> {
    let volume = |e: &Element<4>| tet_volume(e.nodes.map(|i| vertices[i as usize]));
    let negative = tets.iter().filter(|e| volume(e) < 0.0).count();
    let positive = tets.iter().any(|e| volume(e) > 0.0);
    if let Some(first) = tets.iter().find(|e| volume(e) < 0.0)
        && positive
    {
        return Err(ReadError::Inverted {
            count: negative,
            total: tets.len(),
            line: first.line,
            volume: volume(first),
        });
    }
    let flip = |[a, b, c, d]: [u32; 4]| if negative > 0 { [a, b, d, c] } else { [a, b, c, d] };
    Ok(tets.iter().map(|e| flip(e.nodes)).collect())
}
