//! What a repair did.

use crate::inspect::Place;
use pliant_mesh::DVec3;
use serde::Serialize;
use std::fmt;

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChangeKind {
    /// Vertices became one with an earlier one. The vertex, and the one it became.
    Welded,
    /// Elements that used a vertex twice were dropped. The element.
    CollapsedDropped,
    /// Elements with the vertices of another were dropped. The element.
    DuplicatesDropped,
    /// Vertices were doubled to cut sheets apart that met in an edge or a vertex. The vertex that was copied.
    CutApart,
    /// Edges were split so that sheets that met in them have one each. The two vertices of the edge.
    EdgesSplit,
    /// Elements were turned to agree with their neighbours or to have a positive volume. The element.
    Turned,
    /// Flat elements were dropped. The element.
    FlatDropped,
    /// The short edge of flat triangles was collapsed. Its two vertices.
    EdgesCollapsed,
    /// The long edge of flat triangles was flipped. The two triangles.
    EdgesFlipped,
    /// Holes were filled. The vertices around the hole.
    HolesFilled,
    /// Closed parts that were inside out were turned. One triangle of the part.
    PartsTurned,
    /// Vertices that no element used were dropped. The vertex.
    UnusedDropped,
}

/// One kind of change. Indices count within the mesh as it was just before the step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// What was done.
    pub kind: ChangeKind,
    /// How often.
    pub count: usize,
    /// The first places.
    pub first: Vec<Place>,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (one, many) = match self.kind {
            ChangeKind::Welded => ("welded 1 vertex", "welded {} vertices"),
            ChangeKind::CollapsedDropped => {
                ("dropped 1 element that used a vertex twice", "dropped {} elements that used a vertex twice")
            }
            ChangeKind::DuplicatesDropped => ("dropped 1 duplicate element", "dropped {} duplicate elements"),
            ChangeKind::CutApart => (
                "doubled 1 vertex to cut sheets apart that met there",
                "doubled {} vertices to cut sheets apart that met there",
            ),
            ChangeKind::EdgesSplit => {
                ("split 1 edge in which sheets met", "split {} edges in which sheets met")
            }
            ChangeKind::Turned => ("turned 1 element", "turned {} elements"),
            ChangeKind::FlatDropped => ("dropped 1 flat element", "dropped {} flat elements"),
            ChangeKind::EdgesCollapsed => (
                "collapsed the short edge of 1 flat triangle",
                "collapsed the short edges of {} flat triangles",
            ),
            ChangeKind::EdgesFlipped => {
                ("flipped the long edge of 1 flat triangle", "flipped the long edges of {} flat triangles")
            }
            ChangeKind::HolesFilled => ("filled 1 hole", "filled {} holes"),
            ChangeKind::PartsTurned => {
                ("turned 1 closed part that was inside out", "turned {} closed parts that were inside out")
            }
            ChangeKind::UnusedDropped => ("dropped 1 unused vertex", "dropped {} unused vertices"),
        };
        if self.count == 1 {
            f.write_str(one)?
        } else {
            f.write_str(&many.replace("{}", &self.count.to_string()))?
        };
        match self.first.first() {
            Some(Place { at: [x, y, z], .. }) if self.count == 1 => write!(f, " at ({x:.6}, {y:.6}, {z:.6})"),
            Some(Place { at: [x, y, z], .. }) => write!(f, ", the first at ({x:.6}, {y:.6}, {z:.6})"),
            None => Ok(()),
        }
    }
}

/// The changes so far.
pub(super) struct Log {
    pub changes: Vec<Change>,
    places: usize,
}

impl Log {
    pub fn new(places: usize) -> Self {
        Self { changes: Vec::new(), places }
    }

    /// Adds a change if it happened at all; the same kind from a later pass is added to the earlier entry.
    pub fn add(&mut self, kind: ChangeKind, places: impl Iterator<Item = (Vec<u32>, DVec3)>) {
        let mut places = places.peekable();
        if places.peek().is_none() {
            return;
        }
        let index = self.changes.iter().position(|c| c.kind == kind).unwrap_or_else(|| {
            self.changes.push(Change { kind, count: 0, first: Vec::new() });
            self.changes.len() - 1
        });
        let change = &mut self.changes[index];
        for (indices, at) in places {
            if change.first.len() < self.places {
                change.first.push(Place { indices, at: at.to_array() });
            }
            change.count += 1;
        }
    }
}
