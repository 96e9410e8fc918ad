//! Welds corners at equal positions.

use pliant_mesh::DVec3;
use std::hash::{BuildHasher, RandomState};

/// Vertices in the order in which they are met first. Positions are equal if their numbers are; so zero and
/// negative zero are.
#[derive(Default)]
pub(super) struct Welder {
    pub vertices: Vec<DVec3>,
    /// Open addressing: indices of vertices plus one, zero where free; a power of two, at most half full.
    slots: Vec<u32>,
    /// Different in each run, so that no file can be made to collide; the result does not depend on it.
    seeds: Seeds,
    pub corners: usize,
}

impl Welder {
    /// The vertex at a position; `None` if there are too many for 32 bits.
    pub fn vertex(&mut self, point: DVec3) -> Option<u32> {
        self.corners += 1;
        if 2 * (self.vertices.len() + 1) > self.slots.len() {
            self.grow();
        }
        let slot = self.find(point);
        if let Some(index) = self.slots[slot].checked_sub(1) {
            return Some(index);
        }
        let index = u32::try_from(self.vertices.len()).ok().filter(|&i| i < u32::MAX)?;
        self.vertices.push(point);
        self.slots[slot] = index + 1;
        Some(index)
    }

    /// The slot that holds the vertex at a position, or the free one where it belongs.
    fn find(&self, point: DVec3) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = self.seeds.hash(point) as usize & mask;
        while let Some(index) = self.slots[slot].checked_sub(1) {
            if self.vertices[index as usize] == point {
                break;
            }
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self) {
        let size = (2 * self.slots.len()).max(64);
        self.slots = Vec::new();
        self.slots.resize(size, 0);
        for (index, &point) in (1_u32..).zip(&self.vertices) {
            let slot = self.find(point);
            self.slots[slot] = index;
        }
    }
}

/// A keyed hash of positions, quicker than the one of the standard library.
struct Seeds([u64; 2]);

impl Default for Seeds {
    fn default() -> Self {
        let random = RandomState::new();
        Self([random.hash_one(0), random.hash_one(1) | 1])
    }
}

impl Seeds {
    fn hash(&self, point: DVec3) -> u64 {
        let Self([start, factor]) = *self;
        point.to_array().into_iter().fold(start, |hash, c| {
            // Adding zero turns negative zero into zero.
            let product = u128::from(hash ^ (c + 0.0).to_bits()) * u128::from(factor);
            product as u64 ^ (product >> 64) as u64
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_positions_share_a_vertex() {
        let mut welder = Welder::default();
        let points: Vec<DVec3> =
            (0..300).map(f64::from).map(|k| DVec3::new(k % 100.0, 0.1 * (k % 10.0), k % 5.0)).collect();
        for (k, &p) in points.iter().enumerate() {
            assert_eq!(welder.vertex(p), Some(k as u32 % 100));
        }
        assert_eq!(welder.vertices, points[..100]);
        assert_eq!(welder.corners, 300);
        assert_eq!(welder.vertex(DVec3::new(-0.0, -0.0, 0.0)), Some(0));
        assert_eq!(welder.vertex(f64::MIN_POSITIVE * DVec3::X), Some(100));
    }
}
