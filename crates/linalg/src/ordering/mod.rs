//! Fill-reducing orderings: multilevel nested dissection \[Karypis98\].
//!
//! A graph is split by a light set of vertices, its separator; what it parts is ordered in the same way, and the
//! separator comes last. Only integers are compared and all random numbers have fixed seeds: the order is the same on
//! every machine and for any number of threads.

mod bisect;
mod coarsen;
mod compress;
mod dissect;
mod graph;
mod minimum_degree;
mod random;
mod separator;
#[cfg(test)]
mod tests;

use crate::{SymmetricCsc, etree};
use compress::Compressed;
use dissect::dissected;
use graph::{Graph, Part};
use std::collections::BTreeMap;

/// A permutation and its inverse: new index `i` is old index `forward[i]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permutation {
    /// Old index of each new index.
    pub forward: Vec<usize>,
    /// New index of each old index.
    pub inverse: Vec<usize>,
}

impl Permutation {
    /// From the old index of each new index, which must be a permutation of `0..n`.
    pub fn from_forward(forward: Vec<usize>) -> Permutation {
        let mut inverse = vec![0; forward.len()];
        for (new, &old) in forward.iter().enumerate() {
            inverse[old] = new;
        }
        Permutation { forward, inverse }
    }

    /// `self` first, then `next`.
    pub(crate) fn then(&self, next: &Permutation) -> Permutation {
        Permutation::from_forward(next.forward.iter().map(|&i| self.forward[i]).collect())
    }
}

/// Nested dissection of the graph of `a`, post-ordered. Each connected component is ordered by itself, from its graph
/// alone: first that of row 0, then that of the first row that is left, and so on. Components with the same graph get
/// the same order.
pub fn nested_dissection(a: &SymmetricCsc) -> Permutation {
    post_ordered(a, dissection(a))
}

/// Reorders `order` so that subtrees of the elimination tree are contiguous; fill does not change.
fn post_ordered(a: &SymmetricCsc, order: Permutation) -> Permutation {
    let parent = etree::elimination_tree(&a.permuted(&order));
    order.then(&etree::postorder(&parent))
}

/// The order before it is post-ordered.
fn dissection(a: &SymmetricCsc) -> Permutation {
    let (start, neighbours) = a.adjacency();
    let graph = Graph::unweighted(start, neighbours.into_iter().map(|v| v as u32).collect());
    let (label, count) = graph.components(|_| true);
    let mut known: BTreeMap<Graph, Vec<u32>> = BTreeMap::new();
    let mut forward = Vec::with_capacity(a.n());
    for Part { graph, vertices } in graph.parts(&label, count) {
        let order = known.entry(graph).or_insert_with_key(order_of_connected);
        forward.extend(order.iter().map(|&v| vertices[v as usize] as usize));
    }
    Permutation::from_forward(forward)
}

fn order_of_connected(graph: &Graph) -> Vec<u32> {
    match Compressed::new(graph) {
        Some(compressed) => compressed.expand(&dissected(&compressed.graph)),
        None => dissected(graph),
    }
}
