//! Disjoint sets of indices: which things are connected.

/// Sets that can be joined. The name of a set is its smallest member.
pub(crate) struct Sets {
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

    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        let (low, high) = (a.min(b), a.max(b));
        self.parent[high as usize] = low;
    }

    /// The number of the set of each member, counted from zero in the order of their smallest members, and
    /// how many sets there are.
    pub fn numbered(mut self) -> (Vec<u32>, usize) {
        let mut count = 0;
        let mut number = vec![0; self.parent.len()];
        for i in 0..self.parent.len() {
            let root = self.find(i as u32) as usize;
            if root == i {
                number[i] = count;
                count += 1;
            } else {
                number[i] = number[root];
            }
        }
        (number, count as usize)
    }
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
        assert_eq!(sets.numbered(), (vec![0, 1, 2, 2, 1, 1], 3));
    }
}
