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

/// Work memory of one part of the columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct ColumnScratch {
    /// Right-hand sides of three columns; all zero between calls.
    vector: Vec<Xyz>,
    product: Vec<Xyz>,
}

impl PanelFactor {
    /// Supernode of a row.
    pub(crate) fn supernode_of(&self, row: usize) -> NodeId {
        let component = self.component_of(row);
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

    /// Columns `rows[s]` of `L^-1` for every s of `slots`, which are unique, written to `columns[s]`. Three neighbours
    /// in `slots` share a pass, and each part of `scratch` takes some of them.
    pub(crate) fn inverse_columns(
        &self,
        team: &Team,
        rows: &[u32],
        slots: &[u32],
        columns: &mut [Vec<f32>],
        scratch: &mut [ColumnScratch],
    ) {
        let columns = SharedSlice::new(columns);
        let triples = slots.len().div_ceil(3);
        let share = triples.div_ceil(scratch.len().max(1)).max(1);
        team.for_each_mut(scratch, |part, scratch| {
            scratch.vector.resize(self.n, [0.0; 4]);
            scratch.product.resize(self.piece, [0.0; 4]);
            let from = (part * share * 3).min(slots.len());
            let to = (from + share * 3).min(slots.len());
            for slots in slots[from..to].chunks(3) {
                let mut out: [&mut [f32]; 3] = [&mut [], &mut [], &mut []];
                let mut start = [ROOT; 3];
                for (k, &slot) in slots.iter().enumerate() {
                    // SAFETY: slots are unique and each belongs to one part.
                    out[k] = unsafe { &mut columns.range(slot as usize, 1)[0] };
                    start[k] = rows[slot as usize];
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
