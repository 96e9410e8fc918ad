//! Vertex separators and their refinement by moves of single vertices [Hendrickson98].
//!
//! A separator S parts the other vertices into two sides without an edge between them. Moving a vertex v of S to one
//! side pulls its neighbours on the other side into S, which becomes lighter by
//!
//! ```text
//! gain(v) = weight(v) - sum of the weights of v's neighbours on the other side
//! ```
//!
//! A pass moves vertices to one side only, the next pass to the other one: gains then never shrink during a pass.

use super::graph::Graph;
use std::collections::BinaryHeap;

/// The side that marks the separator itself; 0 and 1 are the sides that it parts.
pub(super) const SEPARATOR: u8 = 2;

/// Passes of refinement at most.
const PASSES: usize = 16;
/// A pass ends after this many moves without a better split, times the size of the separator and within the limits.
const PATIENCE: usize = 3;
const PATIENCE_LIMITS: [usize; 2] = [15, 300];

/// A separator and the two sides that it parts.
#[derive(Clone, Debug)]
pub(super) struct Split {
    /// 0, 1 or [`SEPARATOR`] for each vertex.
    pub side: Vec<u8>,
    /// Weight of each side and of the separator.
    pub weight: [i64; 3],
}

impl Split {
    /// Less is better: a light separator, then sides of equal weight.
    pub fn cost(&self) -> (i64, i64) {
        (self.weight[2], (self.weight[0] - self.weight[1]).abs())
    }

    /// The same split of a finer graph, given the coarse vertex of each fine one.
    pub fn projected(&self, map: &[u32]) -> Split {
        Split { side: map.iter().map(|&c| self.side[c as usize]).collect(), weight: self.weight }
    }

    fn set(&mut self, v: u32, weight: i64, side: u8) {
        let old = std::mem::replace(&mut self.side[v as usize], side);
        self.weight[old as usize] -= weight;
        self.weight[side as usize] += weight;
    }
}

/// Scratch memory for the search on graphs up to a size.
#[derive(Debug)]
pub(super) struct Refiner {
    /// Gain of each vertex of the separator for the side that this pass moves to.
    gain: Vec<i64>,
    /// The last pass in which each vertex moved.
    moved: Vec<u32>,
    pass: u32,
    /// Vertices that may move, largest gain first, of equal ones the latest: gain times 2^32 plus number of the entry,
    /// vertex. A vertex has an entry for each gain it had; since gains grow, the current one comes first.
    queue: BinaryHeap<(i64, u32)>,
    /// Number of entries made in this pass.
    entries: u32,
    /// Changes of this pass: a vertex, and where it came from.
    log: Vec<(u32, u8)>,
}

impl Refiner {
    /// For graphs of up to `n` vertices.
    pub fn new(n: usize) -> Refiner {
        Refiner {
            gain: vec![0; n],
            moved: vec![0; n],
            pass: 0,
            queue: BinaryHeap::new(),
            entries: 0,
            log: Vec::new(),
        }
    }

    /// Grows side 0 from `seed` to half of the weight, each time by the vertex that adds least to the separator. Of
    /// the outer and the inner border of what has grown the lighter becomes the separator.
    pub fn grow(&mut self, graph: &Graph, seed: u32) -> Split {
        let total = graph.total_weight();
        let mut split = Split { side: vec![1; graph.len()], weight: [0, total, 0] };
        self.begin_pass();
        split.set(seed, graph.weight(seed), SEPARATOR);
        self.enter(graph, &split, seed, 0);
        while 2 * split.weight[0] < total {
            let Some(v) = self.take_best(&split) else { break };
            self.apply(graph, &mut split, v, 0);
        }
        let on = |split: &Split, v: u32, side: u8| split.side[v as usize] == side;
        let inner: Vec<u32> = (0..graph.len() as u32)
            .filter(|&v| on(&split, v, 0) && graph.neighbours_of(v).iter().any(|&w| on(&split, w, SEPARATOR)))
            .collect();
        if inner.iter().map(|&v| graph.weight(v)).sum::<i64>() < split.weight[2] {
            for v in 0..graph.len() as u32 {
                if on(&split, v, SEPARATOR) {
                    split.set(v, graph.weight(v), 1);
                }
            }
            for v in inner {
                split.set(v, graph.weight(v), SEPARATOR);
            }
        }
        split
    }

    /// Improves `split` until passes to either side gain nothing. Neither side grows beyond `heaviest`.
    pub fn refine(&mut self, graph: &Graph, split: &mut Split, heaviest: i64) {
        let mut to = u8::from(split.weight[1] < split.weight[0]);
        let mut in_vain = 0;
        for _ in 0..PASSES {
            in_vain = if self.improve(graph, split, to, heaviest) { 0 } else { in_vain + 1 };
            if in_vain == 2 {
                break;
            }
            to = 1 - to;
        }
    }

    /// One pass: moves vertices from the separator to side `to`, also where that makes it heavier for a while, and
    /// goes back to the best split met. Whether that is better than before.
    fn improve(&mut self, graph: &Graph, split: &mut Split, to: u8, heaviest: i64) -> bool {
        self.begin_pass();
        for v in 0..graph.len() as u32 {
            if split.side[v as usize] == SEPARATOR {
                self.enter(graph, split, v, to);
            }
        }
        let patience = (PATIENCE * self.queue.len()).clamp(PATIENCE_LIMITS[0], PATIENCE_LIMITS[1]);
        let before = split.cost();
        let (mut best, mut best_length, mut in_vain) = (before, 0, 0);
        while in_vain < patience {
            let Some(v) = self.take_best(split) else { break };
            if split.weight[to as usize] + graph.weight(v) > heaviest {
                break;
            }
            self.apply(graph, split, v, to);
            in_vain += 1;
            if split.cost() < best {
                (best, best_length, in_vain) = (split.cost(), self.log.len(), 0);
            }
        }
        for &(v, from) in self.log[best_length..].iter().rev() {
            split.set(v, graph.weight(v), from);
        }
        best < before
    }

    fn begin_pass(&mut self) {
        self.pass += 1;
        self.entries = 0;
        self.log.clear();
        self.queue.clear();
    }

    /// Takes the vertex with the largest gain from the queue.
    fn take_best(&mut self, split: &Split) -> Option<u32> {
        while let Some((_, v)) = self.queue.pop() {
            if split.side[v as usize] == SEPARATOR && self.moved[v as usize] != self.pass {
                return Some(v);
            }
        }
        None
    }

    /// Finds the gain of `v`, which is in the separator, and makes it a candidate for side `to`.
    fn enter(&mut self, graph: &Graph, split: &Split, v: u32, to: u8) {
        let other_side = graph.neighbours_of(v).iter().filter(|&&w| split.side[w as usize] == 1 - to);
        self.gain[v as usize] = graph.weight(v) - other_side.map(|&w| graph.weight(w)).sum::<i64>();
        self.push(v);
    }

    fn push(&mut self, v: u32) {
        if self.moved[v as usize] != self.pass {
            self.entries += 1;
            self.queue.push(((self.gain[v as usize] << 32) + i64::from(self.entries), v));
        }
    }

    /// Moves `v` from the separator to side `to` and its neighbours on the other side into the separator.
    fn apply(&mut self, graph: &Graph, split: &mut Split, v: u32, to: u8) {
        split.set(v, graph.weight(v), to);
        self.moved[v as usize] = self.pass;
        self.log.push((v, SEPARATOR));
        for &w in graph.neighbours_of(v) {
            if split.side[w as usize] == 1 - to {
                self.pull(graph, split, w, to);
            }
        }
    }

    /// Takes `v` into the separator from the side opposite to `to`; its neighbours there have one less to pull in.
    fn pull(&mut self, graph: &Graph, split: &mut Split, v: u32, to: u8) {
        let weight = graph.weight(v);
        split.set(v, weight, SEPARATOR);
        self.log.push((v, 1 - to));
        for &w in graph.neighbours_of(v) {
            if split.side[w as usize] == SEPARATOR {
                self.gain[w as usize] += weight;
                self.push(w);
            }
        }
        self.enter(graph, split, v, to);
    }
}
