//! Trees of boxes over the triangles of all parts: built once, fitted anew in every step.

use crate::Tasks;
use crate::boxes::Bounds;
use pliant_mesh::DVec3;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Most triangles of a leaf.
const LEAF: usize = 6;
/// Triangles of a piece of work when boxes are fitted and obstacles tested.
const PIECE: usize = 512;
/// Groups of pieces; each is fitted by one task.
const GROUPS: usize = 32;

/// A box with either two children, or a run of triangles. The first child of node `i` is `i + 1`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub bounds: Bounds,
    /// Second child, or first triangle of a leaf.
    link: u32,
    /// Number of triangles of a leaf; zero for a node with children.
    count: u32,
}

impl Node {
    #[inline]
    pub fn is_leaf(&self) -> bool {
        self.count > 0
    }

    #[inline]
    pub fn second(&self) -> u32 {
        self.link
    }

    #[inline]
    pub fn triangles(&self) -> Range<u32> {
        self.link..self.link + self.count
    }
}

/// A subtree of some hundred triangles: consecutive nodes and consecutive triangles.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub part: u32,
    pub nodes: Range<usize>,
    pub triangles: Range<usize>,
}

/// The trees of all parts, one after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Forest {
    pub nodes: Vec<Node>,
    /// Box of each triangle.
    pub boxes: Vec<Bounds>,
    pub pieces: Vec<Piece>,
    /// Nodes above the pieces, children before parents.
    top: Vec<u32>,
    /// Runs of pieces that one task fits.
    groups: Vec<Range<usize>>,
}

impl Forest {
    /// Adds a tree over triangles with the given centres, which become the triangles from `boxes.len()` on. Returns its
    /// root and the order in which the triangles must be stored.
    pub fn plant(&mut self, part: u32, centers: &[DVec3]) -> (u32, Vec<u32>) {
        let root = self.nodes.len();
        let mut order: Vec<u32> = (0..centers.len() as u32).collect();
        let first = self.boxes.len();
        self.boxes.resize(first + centers.len(), Bounds::EMPTY);
        if !centers.is_empty() {
            self.grow(centers, &mut order, first);
            self.cut(part, root);
        }
        (root as u32, order)
    }

    /// Halves the triangles along the longest side of the box of their centres.
    fn grow(&mut self, centers: &[DVec3], order: &mut [u32], first: usize) {
        let place = self.nodes.len();
        let count = order.len();
        let leaf = Node { bounds: Bounds::EMPTY, link: first as u32, count: count as u32 };
        self.nodes.push(leaf);
        if count <= LEAF {
            return;
        }
        let axis = longest_axis(centers, order);
        let middle = count / 2;
        // Equal centres are distinguished by their index, so that the order is always the same.
        order.select_nth_unstable_by(middle, |&a, &b| {
            centers[a as usize][axis].total_cmp(&centers[b as usize][axis]).then(a.cmp(&b))
        });
        let (left, right) = order.split_at_mut(middle);
        self.grow(centers, left, first);
        let second = self.nodes.len() as u32;
        self.nodes[place] = Node { link: second, count: 0, ..leaf };
        self.grow(centers, right, first + middle);
    }

    /// Cuts a tree into pieces and lists the nodes above them.
    fn cut(&mut self, part: u32, root: usize) {
        let mut top = Vec::new();
        let mut stack = vec![(root, self.nodes.len())];
        while let Some((node, end)) = stack.pop() {
            let triangles = self.triangles_below(node, end);
            if triangles.len() <= PIECE {
                self.pieces.push(Piece { part, nodes: node..end, triangles });
            } else {
                top.push(node as u32);
                let second = self.nodes[node].link as usize;
                stack.push((second, end));
                stack.push((node + 1, second));
            }
        }
        // Parents have lower numbers than their children.
        top.reverse();
        self.top.extend(top);
        self.group();
    }

    fn triangles_below(&self, node: usize, end: usize) -> Range<usize> {
        let mut first = node;
        while !self.nodes[first].is_leaf() {
            first += 1;
        }
        self.nodes[first].link as usize..self.nodes[end - 1].triangles().end as usize
    }

    fn group(&mut self) {
        let per_group = self.pieces.len().div_ceil(GROUPS).max(1);
        self.groups = (0..self.pieces.len().div_ceil(per_group))
            .map(|g| g * per_group..((g + 1) * per_group).min(self.pieces.len()))
            .collect();
    }

    /// Fits all boxes, that of a triangle as `fit(part, triangle)` says. Parts that are `still` keep theirs.
    pub fn refit(
        &mut self,
        tasks: &dyn Tasks,
        still: &(dyn Fn(u32) -> bool + Sync),
        fit: &(dyn Fn(u32, u32) -> Bounds + Sync),
    ) {
        let Self { nodes, boxes, pieces, top, groups } = self;
        let (mut nodes_left, mut boxes_left) = (&mut nodes[..], &mut boxes[..]);
        let (mut nodes_taken, mut boxes_taken) = (0, 0);
        // Each group gets the slices up to its end; nodes above pieces fall in between and are left alone.
        let work: [Mutex<GroupSlices>; GROUPS] = std::array::from_fn(|g| {
            let last = groups.get(g).map(|group| &pieces[group.end - 1]);
            let (nodes_end, boxes_end) =
                last.map_or((nodes_taken, boxes_taken), |p| (p.nodes.end, p.triangles.end));
            let slices = GroupSlices {
                nodes: take_front(&mut nodes_left, nodes_end - nodes_taken),
                first_node: nodes_taken,
                boxes: take_front(&mut boxes_left, boxes_end - boxes_taken),
                first_box: boxes_taken,
            };
            (nodes_taken, boxes_taken) = (nodes_end, boxes_end);
            Mutex::new(slices)
        });
        tasks.for_each(groups.len(), &|g| {
            let mut slices = work[g].lock().unwrap_or_else(PoisonError::into_inner);
            for piece in &pieces[groups[g].clone()] {
                if !still(piece.part) {
                    slices.refit(piece, fit);
                }
            }
        });
        for &node in top.iter() {
            let node = node as usize;
            nodes[node].bounds = nodes[node + 1].bounds.union(nodes[nodes[node].link as usize].bounds);
        }
    }
}

/// The nodes and boxes of a group of pieces.
struct GroupSlices<'a> {
    nodes: &'a mut [Node],
    first_node: usize,
    boxes: &'a mut [Bounds],
    first_box: usize,
}

impl GroupSlices<'_> {
    fn refit(&mut self, piece: &Piece, fit: &(dyn Fn(u32, u32) -> Bounds + Sync)) {
        for t in piece.triangles.clone() {
            self.boxes[t - self.first_box] = fit(piece.part, t as u32);
        }
        for node in piece.nodes.clone().rev() {
            let place = node - self.first_node;
            let Node { link, count, .. } = self.nodes[place];
            self.nodes[place].bounds = if count > 0 {
                let start = link as usize - self.first_box;
                self.boxes[start..start + count as usize].iter().fold(Bounds::EMPTY, |a, &b| a.union(b))
            } else {
                self.nodes[place + 1].bounds.union(self.nodes[link as usize - self.first_node].bounds)
            };
        }
    }
}

fn take_front<'a, T>(slice: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let (front, back) = std::mem::take(slice).split_at_mut(count);
    *slice = back;
    front
}

fn longest_axis(centers: &[DVec3], order: &[u32]) -> usize {
    let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for &i in order {
        let center = centers[i as usize];
        min = center.min(min);
        max = center.max(max);
    }
    (max - min).max_position()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Serial;

    fn scattered(n: u32) -> Vec<DVec3> {
        (0..n).map(|i| DVec3::from([7, 11, 15].map(|k| f64::from(i * k % 1009)))).collect()
    }

    #[test]
    fn every_triangle_is_in_one_leaf_and_within_all_boxes_above() {
        let mut forest = Forest::default();
        let mut centers = Vec::new();
        for (part, n) in [(0, 1), (1, 3000), (2, 0), (3, 700), (4, 513)] {
            let own = scattered(n);
            let (_, order) = forest.plant(part, &own);
            centers.extend(order.iter().map(|&i| own[i as usize]));
        }
        let fit = |_: u32, t: u32| Bounds::around([centers[t as usize]], 0.5);
        forest.refit(&Serial, &|_| false, &fit);
        let mut seen = vec![0; centers.len()];
        for (i, node) in forest.nodes.iter().enumerate() {
            for t in node.triangles() {
                seen[t as usize] += 1;
                assert_eq!(node.bounds.union(fit(0, t)), node.bounds);
            }
            if !node.is_leaf() {
                for child in [i + 1, node.second() as usize] {
                    assert_eq!(node.bounds.union(forest.nodes[child].bounds), node.bounds);
                }
            }
        }
        assert!(seen.iter().all(|&n| n == 1));
        assert!(forest.pieces.windows(2).all(|w| w[0].triangles.end == w[1].triangles.start));
    }

    #[test]
    fn still_parts_keep_their_boxes() {
        let mut forest = Forest::default();
        forest.plant(0, &scattered(600));
        forest.plant(1, &scattered(600));
        let at = |c: f64| move |_: u32, _: u32| Bounds::around([DVec3::splat(c)], 0.0);
        forest.refit(&Serial, &|_| false, &at(1.0));
        forest.refit(&Serial, &|part| part == 1, &at(2.0));
        assert!(forest.boxes[..600].iter().all(|&b| b == at(2.0)(0, 0)));
        assert!(forest.boxes[600..].iter().all(|&b| b == at(1.0)(0, 0)));
    }
}
