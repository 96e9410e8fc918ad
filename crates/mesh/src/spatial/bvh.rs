//! A tree of boxes over any items: flat, deterministic, built in parallel.

use super::Aabb;
use crate::DVec3;

/// Most items of a leaf.
const LEAF: usize = 4;
/// Bins per axis in which the cost of a split is measured.
const BINS: usize = 16;
/// Subtrees with fewer items are built by one thread. The tree does not depend on the number of threads,
/// because this alone decides where work is divided.
const PARALLEL: usize = 4096;
/// Below this depth items are halved by count, so that no input makes a tree deeper than [`STACK`].
const MAX_COST_DEPTH: usize = 40;
/// Room for the walk through the tree: one entry per level, at most `MAX_COST_DEPTH` + 32 levels.
const STACK: usize = 80;

/// A box with either two children, `first` and `first + 1`, or a run of items.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub bounds: Aabb,
    /// First child, or first slot of a leaf.
    pub first: u32,
    /// Number of items of a leaf; zero for a node with children.
    pub count: u32,
}

impl Node {
    const EMPTY: Self = Self { bounds: Aabb::EMPTY, first: 0, count: 0 };

    /// The slots of a leaf; empty for a node with children.
    pub fn slots(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

/// The tree. Items are named by their slot: `order[slot]` is the index of the box given to [`Bvh::new`].
#[derive(Clone, Debug)]
pub(crate) struct Bvh {
    /// Root first; children come after their parent.
    pub nodes: Vec<Node>,
    pub order: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Item {
    bounds: Aabb,
    center: DVec3,
    index: u32,
}

impl Bvh {
    pub fn new(boxes: &[Aabb]) -> Self {
        let mut items: Vec<Item> = boxes
            .iter()
            .zip(0..)
            .map(|(&bounds, index)| Item { bounds, center: bounds.center(), index })
            .collect();
        let nodes = if items.is_empty() { Vec::new() } else { subtree(&mut items, 0, 0) };
        Self { nodes, order: items.iter().map(|item| item.index).collect() }
    }

    /// Visits leaves from near to far. `visit` gets the slots of a leaf and the squared distance beyond which
    /// nothing is of interest, and returns the new one.
    #[inline]
    pub fn nearest(
        &self,
        point: DVec3,
        mut bound: f64,
        mut visit: impl FnMut(std::ops::Range<usize>, f64) -> f64,
    ) {
        let Some(root) = self.nodes.first() else { return };
        let mut stack = [(0u32, 0.0f64); STACK];
        let mut depth = 1;
        stack[0] = (0, root.bounds.distance_sq(point));
        while depth > 0 {
            depth -= 1;
            let (index, distance) = stack[depth];
            if distance > bound {
                continue;
            }
            let mut node = &self.nodes[index as usize];
            while node.count == 0 {
                let (a, b) = (node.first, node.first + 1);
                let (da, db) = (self.distance_to(a, point), self.distance_to(b, point));
                let ((near, dn), (far, df)) = if da <= db { ((a, da), (b, db)) } else { ((b, db), (a, da)) };
                if df <= bound {
                    stack[depth] = (far, df);
                    depth += 1;
                }
                if dn > bound {
                    break;
                }
                node = &self.nodes[near as usize];
            }
            if node.count > 0 {
                bound = visit(node.slots(), bound);
            }
        }
    }

    #[inline]
    fn distance_to(&self, node: u32, point: DVec3) -> f64 {
        self.nodes[node as usize].bounds.distance_sq(point)
    }

    /// Visits the slots of all leaves whose box, and whose ancestors' boxes, pass the test.
    #[inline]
    pub fn filtered(
        &self,
        mut pass: impl FnMut(&Aabb) -> bool,
        mut visit: impl FnMut(std::ops::Range<usize>),
    ) {
        if self.nodes.is_empty() {
            return;
        }
        let mut stack = [0u32; STACK];
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let node = &self.nodes[stack[depth] as usize];
            if !pass(&node.bounds) {
                continue;
            }
            if node.count > 0 {
                visit(node.slots());
            } else {
                // The first child is taken from the top, hence put last.
                stack[depth] = node.first + 1;
                stack[depth + 1] = node.first;
                depth += 2;
            }
        }
    }
}

/// Nodes of a subtree, its root first and child indices relative to it.
fn subtree(items: &mut [Item], first_slot: u32, depth: usize) -> Vec<Node> {
    let mut nodes = vec![Node::EMPTY];
    grow(items, first_slot, depth, &mut nodes, 0);
    nodes
}

/// Fills `nodes[place]` and appends what is below it.
fn grow(items: &mut [Item], first_slot: u32, depth: usize, nodes: &mut Vec<Node>, place: usize) {
    let bounds = items.iter().fold(Aabb::EMPTY, |b, item| b.union(item.bounds));
    let n = items.len();
    if n <= LEAF {
        nodes[place] = Node { bounds, first: first_slot, count: n as u32 };
        return;
    }
    let middle = split(items, depth);
    let (left, right) = items.split_at_mut(middle);
    let (left_slot, right_slot) = (first_slot, first_slot + middle as u32);
    let pair = nodes.len();
    nodes[place] = Node { bounds, first: pair as u32, count: 0 };
    nodes.resize(pair + 2, Node::EMPTY);
    if n < PARALLEL {
        grow(left, left_slot, depth + 1, nodes, pair);
        grow(right, right_slot, depth + 1, nodes, pair + 1);
        return;
    }
    let halves =
        rayon::join(|| subtree(left, left_slot, depth + 1), || subtree(right, right_slot, depth + 1));
    for (root, half) in [(pair, halves.0), (pair + 1, halves.1)] {
        // Index 1 of the half comes to the present end.
        let shift = nodes.len() as u32 - 1;
        let moved = half.iter().map(|node| {
            let first = if node.count == 0 { node.first + shift } else { node.first };
            Node { first, ..*node }
        });
        nodes.extend(moved.clone().skip(1));
        nodes[root] = moved.into_iter().next().unwrap_or(Node::EMPTY);
    }
}

/// Reorders the items into two parts and returns the length of the first, never zero nor all.
fn split(items: &mut [Item], depth: usize) -> usize {
    let centers =
        items.iter().fold(Aabb::EMPTY, |b, item| b.union(Aabb { min: item.center, max: item.center }));
    let best = if depth < MAX_COST_DEPTH { cheapest_split(items, &centers) } else { None };
    if let Some((axis, bin)) = best {
        let middle = partition(items, |item| bin_of(item, axis, &centers) < bin);
        if middle > 0 && middle < items.len() {
            return middle;
        }
    }
    let axis = centers.size().max_position();
    let middle = items.len() / 2;
    // Equal centres are distinguished by their index, so that the order is always the same.
    items.select_nth_unstable_by(middle, |a, b| {
        a.center[axis].total_cmp(&b.center[axis]).then(a.index.cmp(&b.index))
    });
    middle
}

fn bin_of(item: &Item, axis: usize, centers: &Aabb) -> usize {
    let extent = centers.max[axis] - centers.min[axis];
    let fraction = (item.center[axis] - centers.min[axis]) / extent;
    ((fraction * BINS as f64) as usize).min(BINS - 1)
}

/// Axis and bin before which to cut such that the boxes' areas times their items are least.
fn cheapest_split(items: &[Item], centers: &Aabb) -> Option<(usize, usize)> {
    let mut best: Option<(f64, usize, usize)> = None;
    for axis in 0..3 {
        if centers.max[axis] <= centers.min[axis] {
            continue;
        }
        let mut bins = [(Aabb::EMPTY, 0usize); BINS];
        for item in items {
            let bin = &mut bins[bin_of(item, axis, centers)];
            *bin = (bin.0.union(item.bounds), bin.1 + 1);
        }
        let mut above = [0.0; BINS];
        let mut sum = (Aabb::EMPTY, 0usize);
        for k in (1..BINS).rev() {
            sum = (sum.0.union(bins[k].0), sum.1 + bins[k].1);
            above[k] = sum.0.half_area() * sum.1 as f64;
        }
        let mut sum = (Aabb::EMPTY, 0usize);
        for k in 1..BINS {
            sum = (sum.0.union(bins[k - 1].0), sum.1 + bins[k - 1].1);
            let cost = sum.0.half_area() * sum.1 as f64 + above[k];
            if sum.1 > 0 && sum.1 < items.len() && best.is_none_or(|(c, ..)| cost < c) {
                best = Some((cost, axis, k));
            }
        }
    }
    best.map(|(_, axis, bin)| (axis, bin))
}

/// Brings the items that pass to the front; returns their number.
fn partition(items: &mut [Item], pass: impl Fn(&Item) -> bool) -> usize {
    let mut front = 0;
    for i in 0..items.len() {
        if pass(&items[i]) {
            items.swap(front, i);
            front += 1;
        }
    }
    front
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bvh: &Bvh, boxes: &[Aabb]) {
        let mut seen = vec![0; boxes.len()];
        let mut depth = vec![0usize; bvh.nodes.len()];
        for (i, node) in bvh.nodes.iter().enumerate() {
            assert!(depth[i] < STACK - 1);
            for slot in node.slots() {
                let index = bvh.order[slot] as usize;
                seen[index] += 1;
                assert_eq!(node.bounds.union(boxes[index]), node.bounds);
            }
            if node.count == 0 {
                for child in [node.first as usize, node.first as usize + 1] {
                    assert!(child > i);
                    depth[child] = depth[i] + 1;
                    assert_eq!(node.bounds.union(bvh.nodes[child].bounds), node.bounds);
                }
            }
        }
        assert!(seen.iter().all(|&n| n == 1));
    }

    #[test]
    fn every_item_is_in_one_leaf_within_its_boxes() {
        for n in [1, 4, 5, 100, 10_000] {
            let boxes: Vec<Aabb> = (0..n)
                .map(|i| {
                    let p = DVec3::from_array([7, 11, 15].map(|step| f64::from(i * step % 1009)));
                    Aabb { min: p, max: p + 1.5 }
                })
                .collect();
            check(&Bvh::new(&boxes), &boxes);
        }
        assert!(Bvh::new(&[]).nodes.is_empty());
    }

    #[test]
    fn equal_and_exponentially_spaced_boxes_make_shallow_trees() {
        let equal = vec![Aabb { min: DVec3::ONE, max: DVec3::splat(2.0) }; 1000];
        check(&Bvh::new(&equal), &equal);
        let spread: Vec<Aabb> = (0..2000)
            .map(|i| Aabb {
                min: DVec3::splat(0.5_f64.powi(i / 2)),
                max: DVec3::splat(0.5_f64.powi(i / 2) * 1.01),
            })
            .collect();
        check(&Bvh::new(&spread), &spread);
    }
}
