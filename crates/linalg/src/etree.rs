//! The elimination tree of a symmetric matrix, its postorder, and the structure of L and of S = L^-1 that follow.

use crate::{Permutation, SymmetricCsc};

/// Marks a root.
pub(crate) const ROOT: usize = usize::MAX;

/// Parent of each column in the elimination tree; `usize::MAX` for roots. Liu's algorithm with path compression.
pub fn elimination_tree(a: &SymmetricCsc) -> Vec<usize> {
    let n = a.n();
    let mut parent = vec![ROOT; n];
    let mut ancestor = vec![ROOT; n];
    // Row i of the lower triangle holds the columns j < i with a_ij != 0.
    let (start, neighbours) = a.adjacency();
    for i in 0..n {
        for &j in neighbours[start[i]..start[i + 1]].iter().take_while(|&&j| j < i) {
            let mut node = j;
            while node != ROOT && node < i {
                let next = ancestor[node];
                ancestor[node] = i;
                if next == ROOT {
                    parent[node] = i;
                }
                node = next;
            }
        }
    }
    parent
}

/// A postorder of the tree: children before their parent, subtrees contiguous.
pub(crate) fn postorder(parent: &[usize]) -> Permutation {
    let n = parent.len();
    let mut first_child = vec![ROOT; n];
    let mut sibling = vec![ROOT; n];
    let mut roots = ROOT;
    for v in (0..n).rev() {
        let slot = if parent[v] == ROOT { &mut roots } else { &mut first_child[parent[v]] };
        sibling[v] = std::mem::replace(slot, v);
    }
    let mut order = Vec::with_capacity(n);
    let mut stack = Vec::new();
    let mut root = roots;
    while root != ROOT {
        stack.push(root);
        while let Some(&v) = stack.last() {
            let child = first_child[v];
            if child == ROOT {
                order.push(v);
                stack.pop();
            } else {
                first_child[v] = sibling[child];
                stack.push(child);
            }
        }
        root = sibling[root];
    }
    Permutation::from_forward(order)
}

/// Entries of L (lower triangle): row i holds the columns on the paths from its entries in `a` up the tree to i.
pub fn factor_nnz(a: &SymmetricCsc, parent: &[usize]) -> usize {
    let (start, neighbours) = a.adjacency();
    let mut last_row = vec![ROOT; a.n()];
    let mut total = 0;
    for i in 0..a.n() {
        last_row[i] = i;
        total += 1;
        for &j in neighbours[start[i]..start[i + 1]].iter().take_while(|&&j| j < i) {
            let mut column = j;
            while last_row[column] != i {
                last_row[column] = i;
                total += 1;
                column = parent[column];
            }
        }
    }
    total
}

/// Entries of `S = L^-1` (lower triangle): column j holds j and all its ancestors [Zeng25, theorem 1].
pub(crate) fn inverse_nnz(parent: &[usize]) -> usize {
    let mut depth = vec![0usize; parent.len()];
    let mut total = 0;
    // Parents come after their children in any elimination tree.
    for v in (0..parent.len()).rev() {
        depth[v] = if parent[v] == ROOT { 1 } else { depth[parent[v]] + 1 };
        total += depth[v];
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An arrow matrix: every column points at the last.
    #[test]
    fn arrow_matrix_is_a_star() {
        let a = SymmetricCsc::from_triplets(4, &[(3, 0, 1.0), (3, 1, 1.0), (3, 2, 1.0)]);
        let parent = elimination_tree(&a);
        assert_eq!(parent, [3, 3, 3, ROOT]);
        assert_eq!(inverse_nnz(&parent), 7);
        assert_eq!(factor_nnz(&a, &parent), 7);
    }

    #[test]
    fn postorder_keeps_subtrees_together() {
        // Two chains, 0-2-4 and 1-3-4.
        let order = postorder(&[2, 3, 4, 4, ROOT]);
        assert_eq!(order.forward, [0, 2, 1, 3, 4]);
    }
}
