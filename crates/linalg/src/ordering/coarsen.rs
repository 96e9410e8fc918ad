//! Coarser graphs by heavy-edge matching [Karypis98, section 3]: the ends of each matched edge become one vertex.

use super::graph::Graph;
use super::random::Random;

/// Marks a vertex without a mate.
const SINGLE: u32 = u32::MAX;

/// A coarser graph.
#[derive(Debug)]
pub(super) struct Coarse {
    pub graph: Graph,
    /// Coarse vertex of each fine vertex.
    pub map: Vec<u32>,
}

/// Halves the graph as far as a matching can. No coarse vertex made of two weighs more than `heaviest`.
pub(super) fn coarsen(fine: &Graph, heaviest: i64, random: &mut Random) -> Coarse {
    let mate = heavy_edge_matching(fine, heaviest, random);
    let mut map = vec![0u32; fine.len()];
    let mut members = Vec::with_capacity(fine.len());
    for (v, &m) in mate.iter().enumerate() {
        if v as u32 <= m {
            map[v] = members.len() as u32;
            map[m as usize] = members.len() as u32;
            members.push((v as u32, m));
        }
    }
    Coarse { graph: contract(fine, &map, &members), map }
}

/// The mate of each vertex, itself if it has none. Vertices of few edges choose first, since they have the least
/// choice; each takes the free neighbour with the heaviest edge between them.
fn heavy_edge_matching(graph: &Graph, heaviest: i64, random: &mut Random) -> Vec<u32> {
    let mut mate = vec![SINGLE; graph.len()];
    for v in visiting_order(graph, random) {
        if mate[v as usize] != SINGLE {
            continue;
        }
        let best = heaviest_free(graph, v, &mate, heaviest, random);
        mate[v as usize] = best;
        mate[best as usize] = v;
    }
    mate
}

/// The neighbour of `v` without a mate that has the heaviest edge to it, or `v` itself. Where all edges weigh the same
/// the search starts anywhere among the neighbours, so that matchings of grids have no common direction.
fn heaviest_free(graph: &Graph, v: u32, mate: &[u32], heaviest: i64, random: &mut Random) -> u32 {
    let room = heaviest - graph.weight(v);
    let free = |w: u32| mate[w as usize] == SINGLE && graph.weight(w) <= room;
    let neighbours = graph.neighbours_of(v);
    if neighbours.is_empty() {
        return v;
    }
    if graph.edge_weights.is_empty() {
        let (before, after) = neighbours.split_at(random.below(neighbours.len()));
        return after.iter().chain(before).copied().find(|&w| free(w)).unwrap_or(v);
    }
    let (mut best, mut best_weight) = (v, 0);
    let weights = &graph.edge_weights[graph.start[v as usize]..];
    for (&w, &weight) in neighbours.iter().zip(weights) {
        if weight > best_weight && free(w) {
            (best, best_weight) = (w, weight);
        }
    }
    best
}

/// All vertices by ascending number of edges (up to the average), in random order where that is equal.
fn visiting_order(graph: &Graph, random: &mut Random) -> Vec<u32> {
    let n = graph.len();
    let mut shuffled: Vec<u32> = (0..n as u32).collect();
    random.shuffle(&mut shuffled);
    let cap = graph.neighbours.len() / n.max(1);
    let degree = |v: u32| graph.neighbours_of(v).len().min(cap);
    let mut next = vec![0usize; cap + 2];
    for &v in &shuffled {
        next[degree(v) + 1] += 1;
    }
    for d in 0..=cap {
        next[d + 1] += next[d];
    }
    let mut order = vec![0u32; n];
    for &v in &shuffled {
        let slot = &mut next[degree(v)];
        order[*slot] = v;
        *slot += 1;
    }
    order
}

/// The graph whose vertices are the pairs `members`; parallel edges are added up.
fn contract(fine: &Graph, map: &[u32], members: &[(u32, u32)]) -> Graph {
    let n = members.len();
    let mut start = Vec::with_capacity(n + 1);
    let mut neighbours: Vec<u32> = Vec::with_capacity(fine.neighbours.len());
    let mut edge_weights: Vec<u32> = Vec::with_capacity(fine.neighbours.len());
    let mut vertex_weights = Vec::with_capacity(n);
    // Where the edge to a coarse vertex was stored last; it belongs to the current row if it is behind the row's start.
    let mut slot = vec![usize::MAX; n];
    for (c, &(v, w)) in members.iter().enumerate() {
        let row = neighbours.len();
        start.push(row);
        let pair = if v == w { &[v][..] } else { &[v, w][..] };
        for &f in pair {
            for e in fine.start[f as usize]..fine.start[f as usize + 1] {
                let to = map[fine.neighbours[e] as usize];
                if to as usize == c {
                    continue;
                }
                let weight = fine.edge_weights.get(e).copied().unwrap_or(1);
                let at = slot[to as usize];
                if at != usize::MAX && at >= row {
                    edge_weights[at] += weight;
                } else {
                    slot[to as usize] = neighbours.len();
                    neighbours.push(to);
                    edge_weights.push(weight);
                }
            }
        }
        vertex_weights.push(pair.iter().map(|&f| fine.vertex_weights[f as usize]).sum());
    }
    start.push(neighbours.len());
    Graph { start, neighbours, edge_weights, vertex_weights }
}
