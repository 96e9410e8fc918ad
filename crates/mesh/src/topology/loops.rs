//! The open edges of a surface, strung together.

use super::{EdgeUse, edges::by_edge};
use std::collections::BTreeMap;

/// Open edges one after another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenLoop {
    /// The vertices in order, each once. In an oriented surface the triangles pass its edges in this direction.
    pub vertices: Vec<u32>,
    /// Whether the last vertex is joined to the first. A chain that is not closed ends at edges with more than
    /// two triangles.
    pub closed: bool,
}

/// The loops of the edges that have one triangle. A loop that meets a vertex again is cut there, so that
/// each loop is simple. `uses` are the edges of the triangles, sorted.
pub fn open_loops(uses: &[EdgeUse]) -> Vec<OpenLoop> {
    let edges: Vec<[u32; 2]> =
        by_edge(uses).filter(|run| run.len() == 1).map(|run| run[0].directed()).collect();
    let mut walk = Walk::new(edges);
    let mut loops = Vec::new();
    for start in 0..walk.edges.len() {
        if !walk.used[start] {
            walk.follow(start, &mut loops);
        }
    }
    loops
}

struct Walk {
    edges: Vec<[u32; 2]>,
    used: Vec<bool>,
    /// For each end of each edge: its vertex, whether the edge ends (rather than starts) there, the edge.
    ends: Vec<(u32, bool, usize)>,
}

impl Walk {
    fn new(edges: Vec<[u32; 2]>) -> Self {
        let mut ends: Vec<(u32, bool, usize)> =
            edges.iter().enumerate().flat_map(|(i, e)| [(e[0], false, i), (e[1], true, i)]).collect();
        ends.sort_unstable();
        Self { used: vec![false; edges.len()], edges, ends }
    }

    /// An unused edge at the vertex, and the vertex at its other end. Edges that start here come first:
    /// only where orientations disagree one is followed backwards.
    fn next(&self, vertex: u32) -> Option<(usize, u32)> {
        let first = self.ends.partition_point(|end| end.0 < vertex);
        self.ends[first..]
            .iter()
            .take_while(|end| end.0 == vertex)
            .find(|end| !self.used[end.2])
            .map(|&(_, backwards, edge)| (edge, self.edges[edge][usize::from(!backwards)]))
    }

    fn follow(&mut self, start: usize, loops: &mut Vec<OpenLoop>) {
        let mut path = vec![self.edges[start][0]];
        let mut place = BTreeMap::from([(path[0], 0)]);
        let mut step = Some((start, self.edges[start][1]));
        while let Some((edge, vertex)) = step {
            self.used[edge] = true;
            if let Some(&first) = place.get(&vertex) {
                let vertices = path.split_off(first);
                for v in &vertices {
                    place.remove(v);
                }
                loops.push(OpenLoop { vertices, closed: true });
            }
            place.insert(vertex, path.len());
            path.push(vertex);
            step = self.next(vertex);
        }
        if path.len() > 1 {
            loops.push(OpenLoop { vertices: path, closed: false });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::edge_uses;

    fn loops(triangles: &[[u32; 3]]) -> Vec<OpenLoop> {
        open_loops(&edge_uses(triangles))
    }

    #[test]
    fn a_strip_has_one_loop_in_its_direction() {
        let found = loops(&[[0, 1, 2], [2, 1, 3]]);
        assert_eq!(found, [OpenLoop { vertices: vec![0, 1, 3, 2], closed: true }]);
    }

    #[test]
    fn a_closed_surface_has_none_and_a_cloth_has_one() {
        assert!(loops(&crate::sphere_surface(1.0, 1).unwrap().triangles).is_empty());
        let cloth = crate::cloth([1.0, 1.0], 5).unwrap();
        let found = loops(&cloth.triangles);
        assert_eq!((found.len(), found[0].vertices.len(), found[0].closed), (1, 20, true));
    }

    #[test]
    fn a_loop_that_meets_itself_becomes_two() {
        let found = loops(&[[0, 1, 2], [2, 3, 4]]);
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|l| l.closed && l.vertices.len() == 3));
    }

    #[test]
    fn disagreeing_orientations_still_make_a_loop() {
        let found = loops(&[[0, 1, 2], [1, 2, 3]]);
        assert_eq!((found.len(), found[0].vertices.len(), found[0].closed), (1, 4, true));
    }

    #[test]
    fn three_pages_of_a_book_leave_open_chains() {
        let found = loops(&[[0, 1, 2], [1, 0, 3], [0, 1, 4]]);
        let edges: usize = found.iter().map(|l| l.vertices.len() - usize::from(!l.closed)).sum();
        assert_eq!(edges, 6);
        assert!(found.iter().any(|l| !l.closed));
    }
}
