//! The global step: solves `A X = B` for three right-hand sides with the Cholesky factor as dense f32 panels.
//!
//! A supernode with diagonal block D and rows B below it is stored as `P = [D^-1; -B D^-1]`. The forward pass is then
//! `[y; update] = P b`, the backward pass `x = P^T [y; x_below]`: two dense products, no triangular substitution. The
//! panel is packed in row groups for SIMD, once per direction, so both passes read memory in order.
//!
//! A has a diagonal block for each body: no entry couples two of them. Each is a tree of its own in the forest of
//! eliminations, and equal bodies share one packed tree. Subtrees are independent tasks. Where they meet, each task adds
//! into memory of its own, which is summed in a fixed order: the result does not depend on the number of threads.

mod analysis;
mod columns;
mod components;
mod pack;
mod paths;
mod plan;
mod solve;
mod tree;

use crate::cholesky::NotPositiveDefinite;
use crate::sparse::SymmetricCsc;
pub use analysis::Analysis;
pub(crate) use columns::{Column, ColumnScratch, NodeId};
pub(crate) use pack::invert;
use plan::Plan;
use tree::PanelTree;

/// Three components and padding: the layout of right-hand sides and solutions.
pub type Xyz = [f32; 4];

/// A factor packed for fast repeated solves. It never changes: threads, bodies and worlds may share it.
#[derive(Clone, Debug)]
pub struct PanelFactor {
    n: usize,
    /// The diagonal blocks of A, in the order of their rows.
    components: Vec<Component>,
    /// The block of each row.
    part_of: Vec<u32>,
    /// The packed factors of the blocks that differ.
    trees: Vec<PanelTree>,
    plan: Plan,
    /// Rows that the product of one panel needs, input and output.
    piece: usize,
}

/// A diagonal block of A that nothing couples to the others.
#[derive(Clone, Copy, Debug)]
struct Component {
    first_row: usize,
    /// Its factor, which others may have as well.
    tree: usize,
}

/// Right-hand sides and solutions of a [`PanelFactor`], and the memory that solving takes.
#[derive(Clone, Debug)]
pub struct PanelScratch {
    n: usize,
    count: usize,
    /// For each vector the right-hand side, then solution, in elimination order; behind it the tasks' private sums.
    vectors: Vec<Xyz>,
    /// Products before they are added to their rows: for each vector one piece per task, the last for the cap.
    pieces: Vec<Xyz>,
}

impl PanelScratch {
    /// Vector `k`: the solution, in elimination order.
    pub fn vector(&self, k: usize) -> &[Xyz] {
        &self.vectors[k * self.stride()..][..self.n]
    }

    /// Vector `k`: the right-hand side, to be filled in elimination order before a solve; afterwards the solution.
    pub fn vector_mut(&mut self, k: usize) -> &mut [Xyz] {
        let start = k * self.stride();
        &mut self.vectors[start..][..self.n]
    }

    fn stride(&self) -> usize {
        self.vectors.len() / self.count
    }
}

impl PanelFactor {
    /// Factors `a`, whose rows are in a post-ordered elimination order. Blocks of `a` that agree up to rounding share a
    /// factor.
    ///
    /// # Errors
    /// If `a` is not positive definite.
    pub fn new(a: &SymmetricCsc) -> Result<PanelFactor, NotPositiveDefinite> {
        PanelFactor::with_analysis(a, &Analysis::new(a))
    }

    /// The same for a matrix of the pattern that was analysed.
    ///
    /// # Errors
    /// If `a` is not positive definite.
    ///
    /// # Panics
    /// If `a` has another pattern.
    pub fn with_analysis(a: &SymmetricCsc, analysis: &Analysis) -> Result<PanelFactor, NotPositiveDefinite> {
        let (components, blocks) = components::distinct_blocks(a);
        assert_eq!(components.len(), analysis.parts(), "a matrix of another pattern");
        let part =
            |tree: usize| components.iter().position(|c| c.tree == tree).expect("each tree is of a part");
        let first: Vec<usize> = (0..blocks.len()).map(part).collect();
        let trees = PanelTree::factor_all(&blocks, |k| analysis.of_part(first[k]))
            .map_err(|(block, e)| components::in_whole(e, &components, block, a.n()))?;
        let plan = Plan::new(&components, &trees, a.n());
        // Input and output of the largest panel, each rounded up to whole groups.
        let nodes = trees.iter().flat_map(|t| &t.nodes);
        let rows = nodes.map(|s| s.width + s.below.len()).max().unwrap_or(0);
        let part_of = components::of_rows(&components, a.n());
        Ok(PanelFactor { n: a.n(), components, part_of, trees, plan, piece: 2 * (rows + pack::MAX_ROWS) })
    }

    /// Bytes of both packed copies; what components share counts once.
    pub fn bytes(&self) -> usize {
        self.trees.iter().map(PanelTree::bytes).sum()
    }

    /// Panel entries that a solve for one vector reads; what components share counts for each of them.
    pub fn entries_per_solve(&self) -> usize {
        let bytes: usize = self.components.iter().map(|c| self.trees[c.tree].bytes()).sum();
        bytes / size_of::<f32>()
    }

    /// Memory to solve for `count` vectors at once, at least one.
    pub fn scratch(&self, count: usize) -> PanelScratch {
        let count = count.max(1);
        PanelScratch {
            n: self.n,
            count,
            vectors: vec![[0.0; 4]; count * self.stride()],
            pieces: vec![[0.0; 4]; count * self.pieces()],
        }
    }

    /// Length of one vector with the private sums behind it.
    fn stride(&self) -> usize {
        self.n + self.plan.private_len
    }

    /// Length of all pieces of one vector.
    fn pieces(&self) -> usize {
        self.piece * (self.plan.tasks.len() + 1)
    }
}

#[cfg(test)]
pub(crate) mod tests;
