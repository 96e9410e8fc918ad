//! Columns of `L^-1`: a forward pass that follows the path from a supernode to the root and touches nothing else.

use super::paths::{Paths, ROOT};
use super::solve::multiply;
use super::{PanelFactor, Xyz};
use crate::simd::{self, Kernel, Simd};
use crate::team::{SharedSlice, Team};

/// A supernode of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NodeId {
    component: u32,
    node: u32,
}

impl NodeId {
    /// Beyond all supernodes.
    pub(crate) const NONE: NodeId = NodeId { component: ROOT, node: ROOT };
}

/// A column of `L^-1`.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) row: u32,
    /// From the root down, each supernode padded with zeros to whole batches.
    pub(crate) values: Vec<f32>,
}

/// Work memory of one piece of the columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct ColumnScratch {
    /// Right-hand sides of three columns; all zero between calls.
    vector: Vec<Xyz>,
    product: Vec<Xyz>,
}

impl PanelFactor {
    /// Supernode of a row.
    pub(crate) fn supernode_of(&self, row: usize) -> NodeId {
        let component = self.part_of[row] as usize;
        let local = row - self.components[component].first_row;
        NodeId { component: component as u32, node: self.paths(component).owner[local] }
    }

    fn paths(&self, component: usize) -> &Paths {
        &self.trees[self.components[component].tree].paths
    }

    /// Length of the column of a row of this supernode, padding included.
    pub(crate) fn path_length(&self, at: NodeId) -> usize {
        self.paths(at.component as usize).end[at.node as usize] as usize
    }

    /// Length of the column of `L^-1` of a row.
    pub fn path_of(&self, row: u32) -> usize {
        self.path_length(self.supernode_of(row as usize))
    }

    /// Length of the prefix that columns of two supernodes have in common: none between components.
    #[inline]
    pub(crate) fn shared_length(&self, a: NodeId, b: NodeId) -> usize {
        if a.component != b.component {
            return 0;
        }
        let paths = self.paths(a.component as usize);
        let (mut a, mut b) = (a.node, b.node);
        // Parents come after their children: the smaller one climbs until both meet.
        while a != b {
            let low = a.min(b);
            let up = paths.parent[low as usize];
            if up == ROOT {
                return 0;
            }
            (a, b) = (up, a.max(b));
        }
        paths.end[a as usize] as usize
    }

    /// Number of connected parts of A.
    pub fn parts(&self) -> usize {
        self.components.len()
    }

    /// The connected part that has a row.
    pub fn part_of(&self, row: u32) -> usize {
        self.part_of[row as usize] as usize
    }

    /// Fills columns of `L^-1`, whose memory has their length and is zero. Three neighbours share a pass, and each piece
    /// of `scratch` takes some of them.
    pub(crate) fn inverse_columns(&self, team: &Team, columns: &mut [Column], scratch: &mut [ColumnScratch]) {
        let triples = columns.len().div_ceil(3);
        let share = 3 * triples.div_ceil(scratch.len().max(1)).max(1);
        let scratch = SharedSlice::new(scratch);
        team.for_each_piece(columns, share, |first, columns| {
            // SAFETY: each piece of the columns has its own; there are as many, as the share is rounded up.
            let scratch = unsafe { &mut scratch.range(first / share, 1)[0] };
            scratch.vector.resize(self.n, [0.0; 4]);
            scratch.product.resize(self.piece, [0.0; 4]);
            for columns in columns.chunks_mut(3) {
                let mut out: [&mut [f32]; 3] = [&mut [], &mut [], &mut []];
                let mut start = [ROOT; 3];
                for (k, column) in columns.iter_mut().enumerate() {
                    out[k] = &mut column.values;
                    start[k] = column.row;
                }
                simd::dispatch(Climb { factor: self, rows: start, out, scratch });
            }
        });
    }
}

/// The forward pass of up to three unit vectors.
struct Climb<'a> {
    factor: &'a PanelFactor,
    /// Rows of the unit vectors; `ROOT` where there is none.
    rows: [u32; 3],
    out: [&'a mut [f32]; 3],
    scratch: &'a mut ColumnScratch,
}

impl Kernel for Climb<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Climb { factor, rows, out, scratch: ColumnScratch { vector, product } } = self;
        let mut at = [NodeId::NONE; 3];
        for (k, &row) in rows.iter().enumerate().filter(|(_, row)| **row != ROOT) {
            at[k] = factor.supernode_of(row as usize);
            vector[row as usize][k] = 1.0;
        }
        // Parents come after their children: the lowest supernode that any of the three is in goes first.
        loop {
            let id = at[0].min(at[1]).min(at[2]);
            if id == NodeId::NONE {
                return;
            }
            let component = &factor.components[id.component as usize];
            let tree = &factor.trees[component.tree];
            let node = id.node as usize;
            let n = &tree.nodes[node];
            let vector = &mut vector[component.first_row..];
            let input = &mut vector[n.start..n.start + n.width];
            multiply(s, &tree.forward, tree.forward.groups_of(node), input, product, 0);
            input.fill([0.0; 4]);
            for (&row, update) in n.below.iter().zip(&product[n.width..]) {
                let target = &mut vector[row as usize];
                *target = std::array::from_fn(|c| target[c] + update[c]);
            }
            let offset = tree.paths.offset[node] as usize;
            for k in 0..3 {
                if at[k] == id {
                    for (to, y) in out[k][offset..].iter_mut().zip(&product[..n.width]) {
                        *to = y[k];
                    }
                    let up = tree.paths.parent[node];
                    at[k] = if up == ROOT { NodeId::NONE } else { NodeId { node: up, ..id } };
                }
            }
        }
    }
}
