//! The tree of supernodes of one connected part of A, and where its rows stand in a column of `L^-1`.

use crate::simd::BATCH;

/// No parent.
pub(super) const ROOT: u32 = u32::MAX;

/// A supernode as the solve needs it.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// First row.
    pub(super) start: usize,
    /// Number of columns.
    pub(super) width: usize,
    /// Rows below the diagonal block.
    pub(super) below: Vec<u32>,
}

/// The way from each supernode to the root. A column of `L^-1` is stored along it, from the root down.
#[derive(Clone, Debug)]
pub(super) struct Paths {
    /// Supernode of each row.
    pub(super) owner: Vec<u32>,
    /// Parent of each supernode; [`ROOT`] where there is none.
    pub(super) parent: Vec<u32>,
    /// Where the rows of a supernode start in a column.
    pub(super) offset: Vec<u32>,
    /// Where they end, padded to whole batches: the length of a column that starts in this supernode.
    pub(super) end: Vec<u32>,
}

impl Paths {
    /// The paths of a part of `n` rows.
    pub(super) fn new(nodes: &[Node], n: usize) -> Paths {
        let mut owner = vec![0; n];
        for (s, node) in nodes.iter().enumerate() {
            owner[node.start..node.start + node.width].fill(s as u32);
        }
        let parent: Vec<u32> =
            nodes.iter().map(|s| s.below.first().map_or(ROOT, |&row| owner[row as usize])).collect();
        let (mut offset, mut end) = (vec![0; nodes.len()], vec![0; nodes.len()]);
        for s in (0..nodes.len()).rev() {
            offset[s] = if parent[s] == ROOT { 0 } else { end[parent[s] as usize] };
            end[s] = offset[s] + nodes[s].width.next_multiple_of(BATCH) as u32;
        }
        Paths { owner, parent, offset, end }
    }

    /// Parent of a supernode.
    pub(super) fn parent(&self, node: usize) -> Option<usize> {
        let parent = self.parent[node];
        (parent != ROOT).then_some(parent as usize)
    }
}
