//! The recursion: a separator is eliminated after all that it parts; small parts are ordered by minimum degree.

use super::bisect::bisect;
use super::graph::Graph;
use super::minimum_degree::minimum_degree;
use super::separator::SEPARATOR;
use rayon::prelude::*;
use std::ops::Range;

/// Parts up to this many vertices are not split. Smaller ones give an L that is smaller by half a percent, but take
/// longer to find.
const LEAF: usize = 64;

/// An order of a connected graph whose edges all weigh one: the vertex for each place.
pub(super) fn dissected(graph: &Graph) -> Vec<u32> {
    let vertices: Vec<u32> = (0..graph.len() as u32).collect();
    let mut order = vec![0; graph.len()];
    let leaves = dissect(graph, &vertices, 0, &mut order);
    let mut position = vec![0; graph.len()];
    for (place, &v) in order.iter().enumerate() {
        position[v as usize] = place as u32;
    }
    let leaves = disjoint(&mut order, &leaves);
    leaves.into_par_iter().for_each(|(first, leaf)| minimum_degree(graph, &position, first, leaf));
    order
}

/// Writes an order of `part` to `order`, whose first entry is place `first` of the whole order, and returns the places
/// of its leaves, ascending. `vertices` are those of the whole graph for each vertex of the part. Parts share nothing,
/// so the result does not depend on threads.
fn dissect(part: &Graph, vertices: &[u32], first: usize, order: &mut [u32]) -> Vec<Range<usize>> {
    if part.len() <= LEAF {
        order.copy_from_slice(vertices);
        return std::iter::once(first..first + order.len()).collect();
    }
    let side = bisect(part).side;
    let (label, count) = part.components(|v| side[v as usize] != SEPARATOR);
    let (mut smaller, mut rest, mut next) = (Vec::with_capacity(count), order, first);
    for mut part in part.parts(&label, count) {
        part.vertices.iter_mut().for_each(|v| *v = vertices[*v as usize]);
        let (own, others) = rest.split_at_mut(part.vertices.len());
        let place = next;
        next += own.len();
        smaller.push((part, place, own));
        rest = others;
    }
    let separator = vertices.iter().zip(&side).filter(|&(_, &side)| side == SEPARATOR);
    for (slot, (&v, _)) in rest.iter_mut().zip(separator) {
        *slot = v;
    }
    smaller
        .into_par_iter()
        .flat_map_iter(|(part, first, order)| dissect(&part.graph, &part.vertices, first, order))
        .collect()
}

/// The pieces of `order` at `ranges`, which ascend, each with its first place.
fn disjoint<'a>(order: &'a mut [u32], ranges: &[Range<usize>]) -> Vec<(usize, &'a mut [u32])> {
    let (mut pieces, mut rest, mut at) = (Vec::with_capacity(ranges.len()), order, 0);
    for range in ranges {
        let (piece, others) = rest[range.start - at..].split_at_mut(range.len());
        pieces.push((range.start, piece));
        rest = others;
        at = range.end;
    }
    pieces
}
