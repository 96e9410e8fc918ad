//! Which supernodes are solved together: independent subtrees as tasks, the rest as a cap above them.

use super::Component;
use super::tree::PanelTree;
use std::ops::Range;

/// A subtree is light enough for a task if the forest has the work of this many like it. Lighter ones spread better over
/// many threads, but leave more panels to the cap, and each of these makes all threads wait for each other twice.
const LIGHT_TASKS: usize = 6;

/// Subtrees are split no further when there are this many.
const MAX_TASKS: usize = 12;

/// A forest with less work than this (panel entries) is not split: forking would cost more.
const SMALL_FOREST: usize = 40_000;

/// A subtree.
#[derive(Clone, Debug)]
pub(super) struct Task {
    pub(super) component: usize,
    /// Contiguous supernodes of the component; the last one is the root.
    pub(super) nodes: Range<usize>,
    /// Where its private sums start in the work vector.
    pub(super) private: usize,
}

/// For each supernode of a component the places to which the forward pass adds its updates: rows of the component, or
/// private sums of the task. Both count from the first row of the component.
pub(super) type Targets = Vec<Vec<u32>>;

/// The schedule of a solve.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// By ascending work: a team hands out the last ones first, so that light ones fill the gaps at the end.
    pub(super) tasks: Vec<Task>,
    /// Length of all private sums.
    pub(super) private_len: usize,
    /// Supernodes above the tasks, with their components, in elimination order.
    pub(super) cap: Vec<(usize, usize)>,
    /// By component. One that is a single task adds to the rows below its supernodes, and has none.
    pub(super) targets: Vec<Option<Targets>>,
}

impl Plan {
    /// Plans the solve with a forest of `n` rows. Depends on the structure alone, never on the number of threads.
    pub(super) fn new(components: &[Component], trees: &[PanelTree], n: usize) -> Plan {
        let forest = Forest::new(components, trees);
        let (roots, cap) = split(&forest);
        let place = |node: usize| {
            let component = forest.first_node.partition_point(|&first| first <= node) - 1;
            (component, node - forest.first_node[component])
        };
        let mut plan = Plan {
            tasks: Vec::new(),
            private_len: 0,
            cap: cap.into_iter().map(place).collect(),
            targets: vec![None; components.len()],
        };
        for root in roots {
            let (component, last) = place(root);
            let count = root - forest.first[root];
            plan.add_task(components, trees, n, component, last - count..last + 1);
        }
        plan
    }

    /// Rows outside of a task's subtree are all rows below its root: each gets a private sum.
    fn add_task(
        &mut self,
        components: &[Component],
        trees: &[PanelTree],
        n: usize,
        component: usize,
        nodes: Range<usize>,
    ) {
        let Component { first_row, tree } = components[component];
        let tree = &trees[tree];
        let root = &tree.nodes[nodes.end - 1];
        let private = n + self.private_len;
        self.private_len += root.below.len();
        if nodes.len() < tree.nodes.len() {
            let all = self.targets[component]
                .get_or_insert_with(|| tree.nodes.iter().map(|node| node.below.clone()).collect());
            let outside = root.start + root.width;
            for target in all[nodes.clone()].iter_mut().flatten().filter(|t| **t as usize >= outside) {
                let k =
                    root.below.binary_search(target).expect("a subtree's outer rows are rows of its root");
                *target = (private - first_row + k) as u32;
            }
        }
        self.tasks.push(Task { component, nodes, private });
    }
}

/// The supernodes of all components, numbered one after the other.
struct Forest {
    /// First supernode of each component.
    first_node: Vec<usize>,
    /// First supernode of the subtree of each supernode.
    first: Vec<usize>,
    children: Vec<Vec<usize>>,
    roots: Vec<usize>,
    /// Panel entries in the subtree.
    work: Vec<usize>,
}

impl Forest {
    fn new(components: &[Component], trees: &[PanelTree]) -> Forest {
        let mut forest = Forest {
            first_node: Vec::new(),
            first: Vec::new(),
            children: Vec::new(),
            roots: Vec::new(),
            work: Vec::new(),
        };
        for component in components {
            forest.add(&trees[component.tree]);
        }
        forest
    }

    fn add(&mut self, tree: &PanelTree) {
        let base = self.first.len();
        self.first_node.push(base);
        self.first.extend(base..base + tree.nodes.len());
        self.children.resize(base + tree.nodes.len(), Vec::new());
        self.work.extend(tree.nodes.iter().map(|s| s.width * (s.width + s.below.len())));
        for s in 0..tree.nodes.len() {
            match tree.paths.parent(s) {
                Some(parent) => {
                    let (node, parent) = (base + s, base + parent);
                    self.children[parent].push(node);
                    self.first[parent] = self.first[parent].min(self.first[node]);
                    self.work[parent] += self.work[node];
                }
                None => self.roots.push(base + s),
            }
        }
    }
}

/// Replaces the heaviest subtree by its children until none dominates; returns the roots of the tasks, by ascending work,
/// and the cap.
fn split(forest: &Forest) -> (Vec<usize>, Vec<usize>) {
    let total: usize = forest.roots.iter().map(|&r| forest.work[r]).sum();
    let by_work = |&root: &usize| (forest.work[root], root);
    let mut roots = forest.roots.clone();
    let mut cap = Vec::new();
    while total > SMALL_FOREST && roots.len() < MAX_TASKS {
        let Some(k) = (0..roots.len()).max_by_key(|&k| by_work(&roots[k])) else { break };
        let heaviest = roots[k];
        if forest.children[heaviest].is_empty() || forest.work[heaviest] <= total / LIGHT_TASKS {
            break;
        }
        roots.swap_remove(k);
        roots.extend(&forest.children[heaviest]);
        cap.push(heaviest);
    }
    roots.sort_unstable_by_key(by_work);
    cap.sort_unstable();
    (roots, cap)
}
