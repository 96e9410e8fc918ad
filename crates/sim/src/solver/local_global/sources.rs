//! Which slots of which chunks act on each free vertex: the forces of the chunks are gathered in a fixed order.

use super::Vec4;

/// For each free vertex the chunk slots that act on it, in the order of the chunks.
#[derive(Debug)]
pub(super) struct Sources {
    /// The sources of vertex i are `slots[first[i]..first[i + 1]]`.
    first: Vec<u32>,
    slots: Vec<(u32, u32)>,
}

impl Sources {
    /// For chunks that act on these vertices, of which those below `free` can move.
    pub(super) fn new<'a>(chunks: impl Iterator<Item = &'a [u32]> + Clone, free: usize) -> Sources {
        let mut first = vec![0u32; free + 1];
        for &v in chunks.clone().flatten().filter(|v| (**v as usize) < free) {
            first[v as usize + 1] += 1;
        }
        for i in 0..free {
            first[i + 1] += first[i];
        }
        let mut next = first.clone();
        let mut slots = vec![(0, 0); first[free] as usize];
        for (k, vertices) in chunks.enumerate() {
            for (slot, &v) in vertices.iter().enumerate().filter(|(_, v)| (**v as usize) < free) {
                slots[next[v as usize] as usize] = (k as u32, slot as u32);
                next[v as usize] += 1;
            }
        }
        Sources { first, slots }
    }

    /// Adds what acts on vertex `i` to `sum`.
    #[inline(always)]
    pub(super) fn gather<'a>(
        &self,
        i: usize,
        mut sum: [f64; 4],
        forces: impl Fn(usize) -> &'a [Vec4],
    ) -> [f64; 4] {
        for &(chunk, slot) in &self.slots[self.first[i] as usize..self.first[i + 1] as usize] {
            let force = &forces(chunk as usize)[slot as usize].0;
            for c in 0..4 {
                sum[c] += force[c];
            }
        }
        sum
    }
}
