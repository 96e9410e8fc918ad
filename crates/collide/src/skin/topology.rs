//! Which edges and triangles meet where, and which triangle owns which vertex and edge.

use rustc_hash::FxHashMap;

/// No triangle or vertex.
pub(crate) const NONE: u32 = u32::MAX;

/// Connectivity of triangles, over all parts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Topology {
    pub triangles: Vec<[u32; 3]>,
    /// Edge `k` of a triangle goes from corner `k` to corner `k + 1`.
    pub triangle_edges: Vec<[u32; 3]>,
    /// Bits 0 to 2: the triangle owns this corner; bits 3 to 5: it owns this edge. A pair of features is tested by
    /// their owners only, hence once.
    pub owned: Vec<u8>,
    pub edges: Vec<[u32; 2]>,
    /// The triangles at each edge; `NONE` beyond a border. Of more than two, the first two.
    pub edge_triangles: Vec<[u32; 2]>,
    /// Their corners that are not on the edge.
    pub edge_wings: Vec<[u32; 2]>,
    around_start: Vec<u32>,
    around: Vec<u32>,
}

/// A vertex or edge that a triangle owns: bits of [`Topology::owned`].
pub(crate) fn owns_corner(owned: u8, k: usize) -> bool {
    owned >> k & 1 == 1
}

pub(crate) fn owns_edge(owned: u8, k: usize) -> bool {
    owned >> (3 + k) & 1 == 1
}

impl Topology {
    /// `plain` tells edges that lie within a flat face of an obstacle: they are nobody's.
    pub fn new(triangles: Vec<[u32; 3]>, vertex_count: usize, plain: impl Fn([u32; 2]) -> bool) -> Self {
        let mut topology = Self { triangles, ..Self::default() };
        topology.number_edges(vertex_count, plain);
        topology.list_around(vertex_count);
        topology
    }

    fn number_edges(&mut self, vertex_count: usize, plain: impl Fn([u32; 2]) -> bool) {
        let mut numbers: FxHashMap<[u32; 2], u32> = FxHashMap::default();
        let mut seen = vec![false; vertex_count];
        for (t, triangle) in self.triangles.iter().enumerate() {
            let mut owned = 0;
            let mut edges = [0; 3];
            for k in 0..3 {
                let (a, b) = (triangle[k], triangle[(k + 1) % 3]);
                if !std::mem::replace(&mut seen[a as usize], true) {
                    owned |= 1 << k;
                }
                let ends = [a.min(b), a.max(b)];
                let next = self.edges.len() as u32;
                let edge = *numbers.entry(ends).or_insert(next);
                if edge == next {
                    self.edges.push(ends);
                    self.edge_triangles.push([NONE; 2]);
                    self.edge_wings.push([NONE; 2]);
                    // An edge without length, of a triangle that names a vertex twice, touches nothing.
                    if a != b && !plain(ends) {
                        owned |= 8 << k;
                    }
                }
                edges[k] = edge;
                let place = self.edge_triangles[edge as usize].iter().position(|&other| other == NONE);
                if let Some(place) = place {
                    self.edge_triangles[edge as usize][place] = t as u32;
                    self.edge_wings[edge as usize][place] = triangle[(k + 2) % 3];
                }
            }
            self.owned.push(owned);
            self.triangle_edges.push(edges);
        }
    }

    fn list_around(&mut self, vertex_count: usize) {
        let mut start = vec![0u32; vertex_count + 1];
        for &v in self.triangles.iter().flatten() {
            start[v as usize + 1] += 1;
        }
        for i in 0..vertex_count {
            start[i + 1] += start[i];
        }
        let mut next = start.clone();
        let mut around = vec![0; 3 * self.triangles.len()];
        for (t, triangle) in self.triangles.iter().enumerate() {
            for &v in triangle {
                around[next[v as usize] as usize] = t as u32;
                next[v as usize] += 1;
            }
        }
        (self.around_start, self.around) = (start, around);
    }

    /// The triangles at a vertex.
    pub fn around(&self, vertex: u32) -> &[u32] {
        let v = vertex as usize;
        &self.around[self.around_start[v] as usize..self.around_start[v + 1] as usize]
    }

    /// The lowest vertex of each connected piece.
    pub fn representatives(&self) -> Vec<u32> {
        let count = self.around_start.len().saturating_sub(1);
        let mut seen = vec![false; count];
        let mut stack = Vec::new();
        let mut lowest = Vec::new();
        for first in 0..count as u32 {
            if std::mem::replace(&mut seen[first as usize], true) {
                continue;
            }
            lowest.push(first);
            stack.push(first);
            while let Some(v) = stack.pop() {
                for &w in self.around(v).iter().flat_map(|&t| &self.triangles[t as usize]) {
                    if !std::mem::replace(&mut seen[w as usize], true) {
                        stack.push(w);
                    }
                }
            }
        }
        lowest
    }

    /// Whether a triangle has the ends of an edge in the same order.
    pub fn runs_along(&self, edge: usize, triangle: usize) -> bool {
        let t = self.triangles[triangle];
        (0..3).any(|k| [t[k], t[(k + 1) % 3]] == self.edges[edge])
    }

    /// The triangles at an edge: two, or one at a border.
    pub fn beside(&self, edge: u32) -> &[u32] {
        let both = &self.edge_triangles[edge as usize];
        if both[1] == NONE { &both[..1] } else { both }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_triangles_own_four_corners_and_five_edges_once() {
        let t = Topology::new(vec![[0, 1, 2], [2, 1, 3]], 4, |_| false);
        assert_eq!(t.edges, [[0, 1], [1, 2], [0, 2], [1, 3], [2, 3]]);
        assert_eq!(t.edge_triangles[1], [0, 1]);
        assert_eq!(t.edge_wings[1], [0, 3]);
        assert_eq!((t.beside(1), t.beside(0)), (&[0, 1][..], &[0][..]));
        assert_eq!((t.around(1), t.around(3)), (&[0, 1][..], &[1][..]));
        let corners: u32 = t.owned.iter().map(|o| (o & 7).count_ones()).sum();
        let edges: u32 = t.owned.iter().map(|o| (o >> 3).count_ones()).sum();
        assert_eq!((corners, edges), (4, 5));
        assert!(owns_corner(t.owned[1], 2) && owns_edge(t.owned[1], 2) && !owns_edge(t.owned[1], 0));
    }

    #[test]
    fn plain_and_empty_edges_are_nobodys() {
        let t = Topology::new(vec![[0, 1, 2], [2, 1, 3], [3, 3, 3]], 4, |e| e == [1, 2]);
        let edges: u32 = t.owned.iter().map(|o| (o >> 3).count_ones()).sum();
        assert_eq!(edges, 4);
    }
}
