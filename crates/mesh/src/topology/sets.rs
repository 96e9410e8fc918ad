//! Disjoint sets of indices: which things are connected.

/// Sets that can be joined. The name of a set is its smallest member.
pub struct Sets {
    parent: Vec<u32>,
}

impl Sets {
    /// `n` sets of one member each.
    pub fn new(n: usize) -> Self {
        Self { parent: (0..n as u32).collect() }
    }

    /// The smallest member of the set of `i`.
    pub fn find(&mut self, mut i: u32) -> u32 {
        while self.parent[i as usize] != i {
            // Halving the path keeps later searches short.
            let above = self.parent[self.parent[i as usize] as usize];
            self.parent[i as usize] = above;
            i = above;
        }
        i
    }

    /// Makes the sets of `a` and `b` one.
    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        let (low, high) = (a.min(b), a.max(b));
        self.parent[high as usize] = low;
    }
}

/// The part that each element belongs to, and the number of parts. Elements are connected by shared vertices;
/// parts are numbered in the order of their first elements.
pub fn parts_by_vertices<const N: usize>(vertices: usize, elements: &[[u32; N]]) -> (Vec<u32>, usize) {
    let mut sets = Sets::new(vertices);
    for e in elements {
        for &v in &e[1..] {
            sets.join(e[0], v);
        }
    }
    let mut number = vec![u32::MAX; vertices];
    let mut count = 0;
    let of_element = elements
        .iter()
        .map(|e| {
            let root = sets.find(e[0]) as usize;
            if number[root] == u32::MAX {
                number[root] = count;
                count += 1;
            }
            number[root]
        })
        .collect();
    (of_element, count as usize)
}

/// Ascending order without repeats: the form of every index list in a [`Group`](crate::Group).
pub fn sorted_unique(mut list: Vec<u32>) -> Vec<u32> {
    list.sort_unstable();
    list.dedup();
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_members_have_one_number() {
        let mut sets = Sets::new(6);
        sets.join(4, 1);
        sets.join(5, 4);
        sets.join(3, 2);
        assert_eq!((sets.find(5), sets.find(3), sets.find(0)), (1, 2, 0));
    }

    #[test]
    fn elements_with_a_common_vertex_are_one_part() {
        let triangles = [[7, 8, 9], [0, 1, 2], [3, 4, 5], [5, 6, 3], [9, 0, 10]];
        assert_eq!(parts_by_vertices(12, &triangles), (vec![0, 0, 1, 1, 0], 2));
        assert_eq!(parts_by_vertices::<3>(5, &[]), (vec![], 0));
    }
}
