//! Vertices with the same neighbours (counting themselves) are eliminated together: one vertex stands for all of them.

use super::graph::Graph;

/// A graph without indistinguishable vertices.
#[derive(Debug)]
pub(super) struct Compressed {
    pub graph: Graph,
    /// Start of each vertex's members; one more entry than vertices.
    start: Vec<usize>,
    /// Vertices of the original graph, by the vertex that stands for them.
    members: Vec<u32>,
}

impl Compressed {
    /// Merges the indistinguishable vertices of a graph without weights, whose neighbours ascend; `None` if there are
    /// none.
    pub fn new(graph: &Graph) -> Option<Compressed> {
        let (group, count) = groups(graph);
        let n = graph.len();
        if count == n {
            return None;
        }
        let mut start = vec![0usize; count + 1];
        for &g in &group {
            start[g as usize + 1] += 1;
        }
        for g in 0..count {
            start[g + 1] += start[g];
        }
        let mut next = start.clone();
        let mut members = vec![0u32; n];
        for (v, &g) in group.iter().enumerate() {
            members[next[g as usize]] = v as u32;
            next[g as usize] += 1;
        }
        Some(Compressed { graph: quotient(graph, &group, &start, &members), start, members })
    }

    /// An order of the original vertices from one of the vertices that stand for them.
    pub fn expand(&self, order: &[u32]) -> Vec<u32> {
        let members = |&g: &u32| &self.members[self.start[g as usize]..self.start[g as usize + 1]];
        order.iter().flat_map(members).copied().collect()
    }
}

/// Number of each vertex's group, in the order of their first vertices, and the number of groups.
fn groups(graph: &Graph) -> (Vec<u32>, usize) {
    let n = graph.len() as u32;
    // Equal sets have equal sums; vertices with the same sum and size are compared.
    let sum = |v: u32| graph.neighbours_of(v).iter().fold(u64::from(v), |s, &w| s + u64::from(w));
    let mut keys: Vec<(u64, usize, u32)> =
        (0..n).map(|v| (sum(v), graph.neighbours_of(v).len(), v)).collect();
    keys.sort_unstable();
    let mut first: Vec<u32> = (0..n).collect();
    for (k, &(s, d, v)) in keys.iter().enumerate() {
        if first[v as usize] != v {
            continue;
        }
        for &(_, _, w) in keys[k + 1..].iter().take_while(|&&(t, e, _)| (t, e) == (s, d)) {
            if first[w as usize] == w && indistinguishable(graph, v, w) {
                first[w as usize] = v;
            }
        }
    }
    let mut count = 0;
    let mut group = vec![0u32; first.len()];
    for v in 0..first.len() {
        // The first vertex of a group is its smallest: it already has its number.
        group[v] = if first[v] as usize == v { count } else { group[first[v] as usize] };
        count += u32::from(first[v] as usize == v);
    }
    (group, count as usize)
}

fn indistinguishable(graph: &Graph, v: u32, w: u32) -> bool {
    let others = |a: u32, b: u32| graph.neighbours_of(a).iter().filter(move |&&u| u != b);
    graph.neighbours_of(v).binary_search(&w).is_ok() && others(v, w).eq(others(w, v))
}

/// The graph of the groups, each with the weight of its members.
fn quotient(graph: &Graph, group: &[u32], start: &[usize], members: &[u32]) -> Graph {
    let count = start.len() - 1;
    let mut rows = vec![0];
    let mut neighbours = Vec::new();
    for g in 0..count {
        // A group and its neighbours are the same seen from any member; each neighbour is taken at its first member.
        let v = members[start[g]];
        let seen = graph.neighbours_of(v).iter().filter(|&&w| {
            let other = group[w as usize] as usize;
            other != g && members[start[other]] == w
        });
        neighbours.extend(seen.map(|&w| group[w as usize]));
        rows.push(neighbours.len());
    }
    let vertex_weights = start.windows(2).map(|s| (s[1] - s[0]) as u32).collect();
    Graph { start: rows, neighbours, edge_weights: Vec::new(), vertex_weights }
}
