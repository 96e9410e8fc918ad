//! One numbering of the vertices for all solvers: the free ones first, then the hard-pinned ones.

use pliant_linalg::Permutation;

/// Solver index of each vertex, and the other way round. Indices below [`free`](Self::free) are rows of the system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbering {
    vertex_of: Vec<u32>,
    index_of: Vec<u32>,
    free: usize,
}

impl Numbering {
    /// Free vertices in their own order; `pinned` has the pin of each vertex, if any.
    pub fn new(pinned: &[Option<u32>]) -> Numbering {
        let of_kind = |is_pinned: bool| {
            (0..pinned.len() as u32).filter(move |&v| pinned[v as usize].is_some() == is_pinned)
        };
        Numbering::from_vertices(of_kind(false).chain(of_kind(true)).collect(), of_kind(false).count())
    }

    /// The same with the free vertices in elimination order: index i was `order.forward[i]`.
    pub fn reordered(&self, order: &Permutation) -> Numbering {
        let free = order.forward.iter().map(|&i| self.vertex_of[i]);
        Numbering::from_vertices(free.chain(self.vertex_of[self.free..].iter().copied()).collect(), self.free)
    }

    fn from_vertices(vertex_of: Vec<u32>, free: usize) -> Numbering {
        let mut index_of = vec![0; vertex_of.len()];
        for (i, &v) in vertex_of.iter().enumerate() {
            index_of[v as usize] = i as u32;
        }
        Numbering { vertex_of, index_of, free }
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.vertex_of.len()
    }

    /// Number of free vertices.
    pub fn free(&self) -> usize {
        self.free
    }

    /// The vertex of each solver index.
    pub fn vertex_of(&self) -> &[u32] {
        &self.vertex_of
    }

    /// The solver index of each vertex.
    pub fn index_of(&self) -> &[u32] {
        &self.index_of
    }

    /// The free vertices, in the order of their rows.
    pub fn free_vertices(&self) -> &[u32] {
        &self.vertex_of[..self.free]
    }

    /// Row of a vertex; pinned ones have none.
    pub fn row(&self, vertex: u32) -> Option<u32> {
        let index = self.index_of[vertex as usize];
        ((index as usize) < self.free).then_some(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_vertices_come_first_and_pinned_ones_have_no_row() {
        let natural = Numbering::new(&[None, Some(0), None, None, Some(1)]);
        assert_eq!((natural.vertex_of(), natural.free()), (&[0, 2, 3, 1, 4][..], 3));
        assert_eq!([0, 1, 2, 3, 4].map(|v| natural.row(v)), [Some(0), None, Some(1), Some(2), None]);
        let reordered = natural.reordered(&Permutation::from_forward(vec![2, 0, 1]));
        assert_eq!(reordered.vertex_of(), [3, 0, 2, 1, 4]);
        for v in 0..5 {
            assert_eq!(reordered.vertex_of()[reordered.index_of()[v] as usize] as usize, v);
        }
    }
}
