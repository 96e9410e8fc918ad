//! Which edges and triangles meet where, and which triangle owns which vertex and edge.

use rustc_hash::FxHashMap;
use std::ops::Range;

/// No triangle or vertex.
pub(crate) const NONE: u32 = u32::MAX;

/// Connectivity of triangles, over all parts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Topology {
    pub triangles: Vec<[u32; 3]>,
    /// Edge `k` of a triangle goes from corner `k` to corner `k + 1`.
    pub triangle_edges: Vec<[u32; 3]>,
    /// First vertex and first edge that each triangle owns, which are those that no triangle before it has; one entry
    /// more at the end. A pair of features is tested by their owners only, hence once.
    first_owned: Vec<[u32; 2]>,
    pub edges: Vec<[u32; 2]>,
    /// The triangles at each edge; `NONE` beyond a border. Of more than two, the first two.
    pub edge_triangles: Vec<[u32; 2]>,
    /// Their corners that are not on the edge.
    pub edge_wings: Vec<[u32; 2]>,
    around_start: Vec<u32>,
    around: Vec<u32>,
}

impl Topology {
    /// Vertices must be numbered in the order in which the triangles meet them.
    pub fn new(triangles: Vec<[u32; 3]>, vertex_count: usize) -> Self {
        let mut topology = Self { triangles, ..Self::default() };
        topology.number_edges();
        topology.list_around(vertex_count);
        topology
    }

    fn number_edges(&mut self) {
        let mut numbers: FxHashMap<[u32; 2], u32> = FxHashMap::default();
        let mut met = 0;
        for (t, triangle) in self.triangles.iter().enumerate() {
            self.first_owned.push([met, self.edges.len() as u32]);
            let mut edges = [0; 3];
            for k in 0..3 {
                let (a, b) = (triangle[k], triangle[(k + 1) % 3]);
                met = met.max(a + 1);
                let ends = [a.min(b), a.max(b)];
                let next = self.edges.len() as u32;
                let edge = *numbers.entry(ends).or_insert(next);
                if edge == next {
                    self.edges.push(ends);
                    self.edge_triangles.push([NONE; 2]);
                    self.edge_wings.push([NONE; 2]);
                }
                edges[k] = edge;
                let place = self.edge_triangles[edge as usize].iter().position(|&other| other == NONE);
                if let Some(place) = place {
                    self.edge_triangles[edge as usize][place] = t as u32;
                    self.edge_wings[edge as usize][place] = triangle[(k + 2) % 3];
                }
            }
            self.triangle_edges.push(edges);
        }
        self.first_owned.push([met, self.edges.len() as u32]);
    }

    /// The vertices that a run of triangles owns.
    #[inline]
    pub fn owned_vertices(&self, triangles: &Range<u32>) -> Range<u32> {
        self.first_owned[triangles.start as usize][0]..self.first_owned[triangles.end as usize][0]
    }

    /// The edges that a run of triangles owns.
    #[inline]
    pub fn owned_edges(&self, triangles: &Range<u32>) -> Range<u32> {
        self.first_owned[triangles.start as usize][1]..self.first_owned[triangles.end as usize][1]
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

    /// The triangles at each vertex.
    pub fn around_all(&self) -> impl Iterator<Item = &[u32]> {
        self.around_start.windows(2).map(|range| &self.around[range[0] as usize..range[1] as usize])
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
    fn two_triangles_own_four_vertices_and_five_edges_once() {
        let t = Topology::new(vec![[0, 1, 2], [2, 1, 3]], 4);
        assert_eq!(t.edges, [[0, 1], [1, 2], [0, 2], [1, 3], [2, 3]]);
        assert_eq!(t.edge_triangles[1], [0, 1]);
        assert_eq!(t.edge_wings[1], [0, 3]);
        assert_eq!((t.beside(1), t.beside(0)), (&[0, 1][..], &[0][..]));
        assert_eq!((t.around(1), t.around(3)), (&[0, 1][..], &[1][..]));
        assert_eq!((t.owned_vertices(&(0..1)), t.owned_vertices(&(1..2))), (0..3, 3..4));
        assert_eq!(
            (t.owned_edges(&(0..1)), t.owned_edges(&(1..2)), t.owned_edges(&(0..2))),
            (0..3, 3..5, 0..5)
        );
        assert_eq!(t.representatives(), [0]);
    }
}
