//! Which supernodes are solved together: independent subtrees as tasks, the rest as a cap above them.

use crate::cholesky::Cholesky;
use std::ops::Range;

/// Split subtrees until there are this many tasks.
const TASKS: usize = 8;

/// A tree with less work than this (panel entries) is one task: forking would cost more.
const SMALL_TREE: usize = 40_000;

/// A supernode as the solve needs it.
#[derive(Clone, Debug)]
pub struct Node {
    /// First row.
    pub start: usize,
    /// Number of columns.
    pub width: usize,
    /// Rows below the diagonal block.
    pub below: Vec<u32>,
    /// Where the forward pass adds its updates: `below`, or the private sums of the task.
    pub targets: Vec<u32>,
}

/// The schedule of a solve.
#[derive(Clone, Debug)]
pub struct Plan {
    /// All supernodes in elimination order.
    pub nodes: Vec<Node>,
    /// Subtrees: contiguous supernodes, the last one is the root.
    pub tasks: Vec<Range<usize>>,
    /// Where the private sums of each task start in the work vector.
    pub privates: Vec<usize>,
    /// Length of all private sums.
    pub private_len: usize,
    /// Supernodes above the tasks, in elimination order.
    pub cap: Vec<usize>,
}

impl Plan {
    /// Plans the solve with `factor`. Depends on the structure alone, never on the number of threads.
    pub fn new(factor: &Cholesky) -> Plan {
        let nodes: Vec<Node> = (0..factor.supernode_count())
            .map(|s| {
                let node = factor.supernode(s);
                let below: Vec<u32> = node.below.iter().map(|&r| r as u32).collect();
                Node { start: node.start, width: node.width, targets: below.clone(), below }
            })
            .collect();
        let (roots, cap) = split(&Tree::new(&nodes, factor.n()));
        let mut plan = Plan { nodes, tasks: roots, privates: Vec::new(), private_len: 0, cap };
        plan.assign_private_sums(factor.n());
        plan
    }

    /// Rows outside of a task's subtree are all rows below its root: each gets a private sum.
    fn assign_private_sums(&mut self, n: usize) {
        for task in &self.tasks {
            let root = &self.nodes[task.end - 1];
            let outside = root.start + root.width;
            let rows = root.below.clone();
            let base = n + self.private_len;
            for node in &mut self.nodes[task.clone()] {
                for target in node.targets.iter_mut().filter(|t| **t as usize >= outside) {
                    let k = rows.binary_search(target).expect("a subtree's outer rows are rows of its root");
                    *target = (base + k) as u32;
                }
            }
            self.privates.push(base);
            self.private_len += rows.len();
        }
    }
}

/// The tree of supernodes.
struct Tree {
    /// First supernode of the subtree of each supernode.
    first: Vec<usize>,
    children: Vec<Vec<usize>>,
    roots: Vec<usize>,
    /// Panel entries in the subtree.
    work: Vec<usize>,
}

impl Tree {
    fn new(nodes: &[Node], n: usize) -> Tree {
        let mut owner = vec![0; n];
        for (s, node) in nodes.iter().enumerate() {
            owner[node.start..node.start + node.width].fill(s);
        }
        let count = nodes.len();
        let mut tree = Tree {
            first: (0..count).collect(),
            children: vec![Vec::new(); count],
            roots: Vec::new(),
            work: nodes.iter().map(|s| s.width * (s.width + s.below.len())).collect(),
        };
        for (s, node) in nodes.iter().enumerate() {
            match node.below.first() {
                Some(&row) => {
                    let parent = owner[row as usize];
                    tree.children[parent].push(s);
                    tree.first[parent] = tree.first[parent].min(tree.first[s]);
                    tree.work[parent] += tree.work[s];
                }
                None => tree.roots.push(s),
            }
        }
        tree
    }
}

/// Replaces the heaviest subtree by its children until there are enough tasks; returns tasks and cap.
fn split(tree: &Tree) -> (Vec<Range<usize>>, Vec<usize>) {
    let total: usize = tree.roots.iter().map(|&r| tree.work[r]).sum();
    let mut roots = tree.roots.clone();
    let mut cap = Vec::new();
    while total > SMALL_TREE && roots.len() < TASKS {
        let Some(k) = (0..roots.len()).max_by_key(|&k| (tree.work[roots[k]], roots[k])) else { break };
        let heaviest = roots[k];
        if tree.children[heaviest].is_empty() || tree.work[heaviest] * TASKS < total / 2 {
            break;
        }
        roots.swap_remove(k);
        roots.extend(&tree.children[heaviest]);
        cap.push(heaviest);
    }
    roots.sort_unstable();
    cap.sort_unstable();
    (roots.iter().map(|&r| tree.first[r]..r + 1).collect(), cap)
}
