//! What a Gmsh file says, and the mesh with groups made from it.

use super::tags::NodeTags;
use super::types::ElementType;
use crate::assembly::{Assembly, GROUP_ENTRY, Span};
use crate::cell::CellShape;
use crate::names::decode;
use crate::{Contents, ReadError};
use pliant_mesh::topology::sorted_unique;
use pliant_mesh::{Group, Groups};
use std::collections::btree_map::Entry;
use std::ops::Range;

/// The most corners of an element.
const MAX_CORNERS: usize = 8;

/// A point, curve, surface or volume of the geometry behind the mesh, or a physical group: a dimension and a
/// tag.
pub(super) type Key = (u8, u32);

/// Consecutive elements that belong together.
struct Run {
    key: Key,
    span: Span,
}

/// The last element of a version that repeats an element for each of its groups.
struct Last {
    shape: CellShape,
    corners: [u32; MAX_CORNERS],
    span: Span,
    groups: Vec<u32>,
}

pub(super) struct Tables<'a> {
    pub nodes: NodeTags,
    pub cells: Assembly,
    pub notes: Vec<String>,
    /// Names of physical groups.
    pub names: Vec<(Key, &'a [u8])>,
    /// Entities and where in `labels` their physical groups are. `None` where runs name groups directly.
    pub entities: Option<Vec<(Key, Range<u32>)>>,
    pub labels: Vec<u32>,
    runs: Vec<Run>,
    last: Option<Last>,
}

impl Tables<'_> {
    pub fn new(bytes: usize) -> Self {
        Self {
            nodes: NodeTags::default(),
            cells: Assembly::new(bytes),
            notes: Vec::new(),
            names: Vec::new(),
            entities: None,
            labels: Vec::new(),
            runs: Vec::new(),
            last: None,
        }
    }

    /// Adds an element of an entity.
    pub fn push(&mut self, kind: ElementType, corners: &[u32], key: Key) -> Result<(), ReadError> {
        let span = self.cells.push(kind.shape, corners)?;
        self.cells.count_curved(usize::from(kind.nodes > kind.corners));
        self.mark(key, span);
        Ok(())
    }

    /// Adds an element of a physical group; zero is none. The same element may follow with other groups.
    pub fn push_grouped(&mut self, kind: ElementType, nodes: &[u32], group: u32) -> Result<(), ReadError> {
        let key = (kind.dimension(), group);
        if let Some(last) = &mut self.last
            && last.shape == kind.shape
            && last.corners[..nodes.len()] == *nodes
            && group != 0
            && !last.groups.contains(&0)
            && !last.groups.contains(&group)
        {
            last.groups.push(group);
            let span = last.span.clone();
            self.mark(key, span);
            return Ok(());
        }
        let span = self.cells.push(kind.shape, nodes)?;
        self.cells.count_curved(usize::from(kind.nodes > kind.corners));
        self.remember(kind.shape, nodes, &span, group);
        self.mark(key, span);
        Ok(())
    }

    fn remember(&mut self, shape: CellShape, nodes: &[u32], span: &Span, group: u32) {
        let mut corners = [0; MAX_CORNERS];
        corners[..nodes.len()].copy_from_slice(nodes);
        let mut groups = self.last.take().map(|last| last.groups).unwrap_or_default();
        groups.clear();
        groups.push(group);
        self.last = Some(Last { shape, corners, span: span.clone(), groups });
    }

    /// Names what entries of the assembly belong to.
    pub fn mark(&mut self, key: Key, span: Span) {
        // Elements repeated for each group take turns.
        const LOOK_BACK: usize = 8;
        let mut recent = self.runs.iter_mut().rev().take(LOOK_BACK);
        let open = recent.find(|run| {
            run.key == key && run.span.kind == span.kind && run.span.range.end == span.range.start
        });
        match open {
            Some(run) => run.span.range.end = span.range.end,
            None => self.runs.push(Run { key, span }),
        }
    }

    pub fn finish(mut self, format: String) -> Result<Contents, ReadError> {
        let (groups, grouped) = self.groups()?;
        let remedy = "mesh in 2D or 3D before saving: gmsh -3 -format msh41";
        let (mesh, mut notes) = self.cells.finish(groups, grouped, remedy)?;
        notes.append(&mut self.notes);
        Ok(Contents { mesh, format, notes })
    }

    /// The groups by name, and the elements that belong to some group.
    fn groups(&mut self) -> Result<(Groups, Vec<Span>), ReadError> {
        let mut grouped = Vec::new();
        // Pairs of a physical group and a run.
        let mut members: Vec<(Key, u32)> = Vec::new();
        if let Some(entities) = &mut self.entities {
            entities.sort_unstable_by_key(|entry| entry.0);
        }
        for (index, run) in (0..).zip(&self.runs) {
            let (dimension, label) = run.key;
            let labels = match &self.entities {
                None if label == 0 => &[][..],
                None => std::slice::from_ref(&run.key.1),
                Some(entities) => match entities.binary_search_by_key(&run.key, |entry| entry.0) {
                    Ok(at) => &self.labels[entities[at].1.start as usize..entities[at].1.end as usize],
                    Err(_) => &[],
                },
            };
            self.cells.spend(labels.len(), 2 * size_of::<(Key, u32)>())?;
            if !labels.is_empty() {
                grouped.push(run.span.clone());
            }
            members.extend(labels.iter().map(|&label| ((dimension, label), index)));
        }
        members.sort_unstable();
        members.dedup();
        self.names.sort_unstable_by_key(|entry| entry.0);
        Ok((self.collect(&members)?, grouped))
    }

    fn collect(&mut self, members: &[(Key, u32)]) -> Result<Groups, ReadError> {
        let mut groups = Groups::new();
        for (_, name) in &self.names {
            self.cells.spend(1, GROUP_ENTRY)?;
            groups.insert(decode(name), Group::default());
        }
        for same in members.chunk_by(|a, b| a.0 == b.0) {
            let spans: Vec<Span> = same.iter().map(|m| self.runs[m.1 as usize].span.clone()).collect();
            let group = self.cells.group(&spans, Vec::new())?;
            match groups.entry(self.name(same[0].0)) {
                Entry::Vacant(entry) => {
                    entry.insert(group);
                    self.cells.spend(1, GROUP_ENTRY)?;
                }
                Entry::Occupied(mut entry) => merge(entry.get_mut(), group),
            }
        }
        Ok(groups)
    }

    fn name(&self, key: Key) -> String {
        match self.names.binary_search_by_key(&key, |entry| entry.0) {
            Ok(at) => decode(self.names[at].1),
            Err(_) => {
                let kind = ["point", "curve", "surface", "volume"][usize::from(key.0.min(3))];
                format!("{kind}_{}", key.1)
            }
        }
    }
}

fn merge(group: &mut Group, other: Group) {
    let join = |list: &mut Vec<u32>, more: Vec<u32>| {
        if list.is_empty() {
            *list = more;
        } else if !more.is_empty() {
            list.extend(more);
            *list = sorted_unique(std::mem::take(list));
        }
    };
    join(&mut group.vertices, other.vertices);
    join(&mut group.elements, other.elements);
}
