//! Which columns of a factor are kept as one dense block, a supernode.
//!
//! Columns with the same rows below them make up a block without any loss. Blocks are merged where that costs less:
//! a wide one is worth some explicit zeros. A block takes in what precedes it in the post-order, one child after the
//! other or a whole subtree at once: the many small blocks at the bottom of the elimination tree become few wide ones,
//! whatever the shape of the tree.

use crate::{Permutation, SymmetricCsc};

/// What a supernode of so many columns with so many rows below them costs, in any unit.
pub type Cost = fn(width: usize, below: usize) -> u64;

/// Marks that there is no node.
const NONE: usize = usize::MAX;

/// Columns `start..end` of a factor.
#[derive(Debug)]
struct Node {
    start: usize,
    end: usize,
    /// Rows below the last column, descending: the last one is its parent in the elimination tree.
    below: Vec<u32>,
}

impl Node {
    fn parent(&self) -> Option<usize> {
        self.below.last().map(|&row| row as usize)
    }
}

/// The pattern of `a` with entries added such that, under the post-ordered `permutation`, merged columns have the same
/// rows: an analysis that knows nothing of costs finds the merged supernodes.
pub(crate) fn merged_pattern(a: &SymmetricCsc, permutation: &Permutation, cost: Cost) -> SymmetricCsc {
    let entries = |j: usize| a.column(j).map(move |(i, _)| (i as u32, j as u32, 0.0));
    let mut pattern: Vec<(u32, u32, f64)> = (0..a.n()).flat_map(entries).collect();
    let old = |row: usize| permutation.forward[row] as u32;
    for Node { start, end, below } in merged(fundamental(&a.permuted(permutation)), cost) {
        // Elimination passes the rows of the first column on to the others.
        let rows = (start + 1..end).chain(below.into_iter().map(|row| row as usize));
        pattern.extend(rows.map(|row| (old(row), old(start), 0.0)));
    }
    SymmetricCsc::from_triplets(a.n(), &pattern)
}

/// The factor of `a` as nodes whose columns have the same rows: each but the first column has one child, the one before.
fn fundamental(a: &SymmetricCsc) -> Vec<Node> {
    let n = a.n();
    let mut nodes: Vec<Node> = Vec::new();
    // The last node whose parent is a column, and for each node the one before it that has the same parent.
    let mut child = vec![NONE; n];
    let mut sibling: Vec<usize> = Vec::new();
    // The last node that has each row.
    let mut seen = vec![NONE; n];
    for j in 0..n {
        if let Some(last) = nodes.last_mut() {
            let id = sibling.len();
            let only_child = last.parent() == Some(j) && child[j] == NONE;
            if only_child && a.column(j).all(|(i, _)| seen[i] == id) {
                last.end = j + 1;
                last.below.pop();
                continue;
            }
            sibling.push(last.parent().map_or(NONE, |p| std::mem::replace(&mut child[p], id)));
        }
        let id = nodes.len();
        let mut below: Vec<u32> = Vec::new();
        let mut add = |row: u32| {
            if row as usize > j && std::mem::replace(&mut seen[row as usize], id) != id {
                below.push(row);
            }
        };
        a.column(j).for_each(|(i, _)| add(i as u32));
        let mut c = child[j];
        while c != NONE {
            nodes[c].below.iter().for_each(|&row| add(row));
            c = sibling[c];
        }
        below.sort_unstable_by(|a, b| b.cmp(a));
        nodes.push(Node { start: j, end: j + 1, below });
    }
    nodes
}

/// A search for nodes to merge ends where the block would cost this many times as much as its parts.
const HOPELESS: u64 = 4;

/// Merges each of the post-ordered `nodes` with as many of those before it as saves most.
fn merged(nodes: Vec<Node>, cost: Cost) -> Vec<Node> {
    // With the cost of each.
    let mut done: Vec<(Node, u64)> = Vec::with_capacity(nodes.len());
    for mut node in nodes {
        let below = node.below.len();
        let mut best_cost = cost(node.end - node.start, below);
        let (mut apart, mut best_saving, mut taken) = (best_cost, 0, 0);
        for (k, (before, its_cost)) in done.iter().rev().enumerate() {
            // What belongs to another ancestor parts the node from the rest of its subtree.
            if before.parent().is_none_or(|parent| parent >= node.end) {
                break;
            }
            apart += its_cost;
            let together = cost(node.end - before.start, below);
            if together > HOPELESS * apart {
                break;
            }
            if apart > together + best_saving {
                (best_cost, best_saving, taken) = (together, apart - together, k + 1);
            }
        }
        let kept = done.len() - taken;
        node.start = done.get(kept).map_or(node.start, |(first, _)| first.start);
        done.truncate(kept);
        done.push((node, best_cost));
    }
    done.into_iter().map(|(node, _)| node).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cholesky::{CholeskyScratch, SymbolicCholesky};
    use crate::ordering::nested_dissection;
    use crate::panels::tests::grid;

    fn widths(nodes: &[Node]) -> Vec<usize> {
        nodes.iter().map(|node| node.end - node.start).collect()
    }

    fn edges(n: usize, edges: &[(u32, u32)]) -> SymmetricCsc {
        let triplets: Vec<(u32, u32, f64)> = edges.iter().map(|&(i, j)| (i, j, -1.0)).collect();
        SymmetricCsc::from_triplets(n, &triplets)
    }

    #[test]
    fn columns_with_the_same_rows_are_one_node() {
        let found = |n, list: &[(u32, u32)]| widths(&fundamental(&edges(n, list)));
        assert_eq!(found(3, &[(0, 1), (0, 2), (1, 2)]), [3]);
        // The last two columns of a path; none where both have children.
        assert_eq!(found(4, &[(0, 1), (1, 2), (2, 3)]), [1, 1, 2]);
        assert_eq!(found(4, &[(0, 3), (1, 2), (2, 3)]), [1, 1, 1, 1]);
        // Fill makes rows equal: column 0 joins 1 and 2.
        assert_eq!(found(4, &[(0, 1), (0, 2), (1, 3), (2, 3)]), [1, 3]);
    }

    /// A node takes in all of its children, not only the last one, but nothing of another tree.
    #[test]
    fn whole_subtrees_are_merged() {
        let stars = edges(8, &[(0, 3), (1, 3), (2, 3), (4, 7), (5, 7), (6, 7)]);
        let merged_by = |cost: Cost| widths(&merged(fundamental(&stars), cost));
        assert_eq!(merged_by(|_, _| 1), [4, 4]);
        assert_eq!(merged_by(|width, _| (width * width) as u64), [1, 1, 1, 1, 1, 1, 1, 1]);
        // One child more saves nothing, all three do.
        assert_eq!(merged_by(|width, _| if width == 4 { 1 } else { 10 * width as u64 }), [4, 4]);
    }

    /// Leaves of the dissection, whose trees branch a lot, become few wide supernodes.
    #[test]
    fn a_cloth_has_few_nodes() {
        let a = grid([100, 100, 1]);
        let a = a.permuted(&nested_dissection(&a));
        let nodes = fundamental(&a);
        assert!(nodes.len() * 2 > a.n(), "{} before", nodes.len());
        let nodes = merged(nodes, |w, r| (w.next_multiple_of(16) * (w + r) + 75) as u64);
        assert!(nodes.len() * 10 < a.n(), "{} nodes", nodes.len());
    }

    /// Whatever is merged, the analysis finds no more nodes than that, and the factor solves the system.
    #[test]
    fn factors_with_merged_nodes_solve() {
        let a = grid([9, 8, 7]);
        let a = a.permuted(&nested_dissection(&a));
        let costs: [Cost; 3] = [|w, r| (w * (w + r)) as u64, |_, _| 1, |w, r| (w * (w + r) + 200) as u64];
        for cost in costs {
            let identity = Permutation::from_forward((0..a.n()).collect());
            let factor = SymbolicCholesky::new(&a, identity, cost).factor(&a).expect("positive definite");
            assert!(factor.supernode_count() <= merged(fundamental(&a), cost).len());
            // Rows of a grid add up to 0.3.
            let mut x = vec![0.3; a.n()];
            factor.solve_in_place(&mut x, &mut CholeskyScratch::default());
            assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-12));
        }
    }
}
