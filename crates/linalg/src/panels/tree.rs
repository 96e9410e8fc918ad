//! The packed factor of one connected part of A.

use super::pack::{self, Packed};
use super::paths::{Node, Paths};
use crate::cholesky::{Cholesky, NotPositiveDefinite, SymbolicCholesky};
use crate::{Cost, Permutation, SymmetricCsc};
use rayon::prelude::*;

/// The cost of a panel in a solve: the numbers that both passes read, and as many more as its calls are worth.
const RELAX_PANELS: Cost = |width, below| pack::entries(width, below) as u64 + 150;

/// A factor packed for both passes. Rows and supernodes count from the start of the part.
#[derive(Clone, Debug)]
pub(super) struct PanelTree {
    /// All supernodes in elimination order.
    pub(super) nodes: Vec<Node>,
    pub(super) paths: Paths,
    pub(super) forward: Packed,
    pub(super) backward: Packed,
}

impl PanelTree {
    /// What all factors of the pattern of `a` have in common.
    pub(super) fn analyse(a: &SymmetricCsc) -> SymbolicCholesky {
        let order = Permutation::from_forward((0..a.n()).collect());
        SymbolicCholesky::new(a, order, RELAX_PANELS)
    }

    /// Factors all `blocks`, each by its analysis; an error comes with the first block that has one.
    pub(super) fn factor_all<'a>(
        blocks: &[SymmetricCsc],
        analysis: impl Fn(usize) -> &'a SymbolicCholesky + Sync,
    ) -> Result<Vec<PanelTree>, (usize, NotPositiveDefinite)> {
        let trees: Vec<Result<PanelTree, NotPositiveDefinite>> =
            blocks.par_iter().enumerate().map(|(k, a)| Ok(PanelTree::new(&analysis(k).factor(a)?))).collect();
        trees.into_iter().enumerate().map(|(k, tree)| tree.map_err(|e| (k, e))).collect()
    }

    /// Bytes of both packed copies.
    pub(super) fn bytes(&self) -> usize {
        self.forward.bytes() + self.backward.bytes()
    }

    fn new(factor: &Cholesky) -> PanelTree {
        let nodes: Vec<Node> = (0..factor.supernode_count())
            .map(|s| {
                let node = factor.supernode(s);
                let below = node.below.iter().map(|&r| r as u32).collect();
                Node { start: node.start, width: node.width, below }
            })
            .collect();
        let (forward, backward) = pack::pack(factor);
        PanelTree { paths: Paths::new(&nodes, factor.n()), nodes, forward, backward }
    }
}
