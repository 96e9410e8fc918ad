//! The faces of tets with the tets on each side.

use rayon::prelude::*;

/// Local faces of a positively oriented tet, counter-clockwise seen from outside.
pub const TET_FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

/// One face of a tet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FaceUse {
    /// The vertices, ascending.
    pub key: [u32; 3],
    /// Four times the tet plus the local face.
    pub id: usize,
}

impl FaceUse {
    /// The vertices, counter-clockwise seen from outside of the tet.
    pub fn outward(&self, tets: &[[u32; 4]]) -> [u32; 3] {
        TET_FACES[self.id % 4].map(|k| tets[self.id / 4][k])
    }
}

/// All faces of all tets, ascending, so that the uses of one face stand together.
pub fn face_uses(tets: &[[u32; 4]]) -> Vec<FaceUse> {
    // Dealt out by their lowest vertex first: that leaves short runs to sort.
    let shift = bucket_shift(tets);
    let bucket = |key: [u32; 3]| (key[0] >> shift) as usize;
    let faces = 4 * tets.len();
    let mut next = first_places((0..faces).map(|id| bucket(sorted_face(tets, id))));
    let mut uses = vec![FaceUse { key: [0; 3], id: 0 }; faces];
    for id in 0..faces {
        let key = sorted_face(tets, id);
        let place = &mut next[bucket(key)];
        uses[*place] = FaceUse { key, id };
        *place += 1;
    }
    uses.par_chunk_by_mut(|a, b| bucket(a.key) == bucket(b.key)).for_each(|run| run.sort_unstable());
    uses
}

/// Bits to drop from a vertex such that there are no more buckets than faces, whatever the indices are.
fn bucket_shift(tets: &[[u32; 4]]) -> u32 {
    let largest = tets.iter().flatten().max().map_or(0, |&v| v as usize);
    (0..32).find(|&shift| largest >> shift < 4 * tets.len()).unwrap_or(31)
}

fn sorted_face(tets: &[[u32; 4]], id: usize) -> [u32; 3] {
    let mut key = TET_FACES[id % 4].map(|k| tets[id / 4][k]);
    key.sort_unstable();
    key
}

/// Where the items of each bucket begin.
fn first_places(buckets: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut counts = Vec::new();
    for bucket in buckets {
        if bucket >= counts.len() {
            counts.resize(bucket + 1, 0);
        }
        counts[bucket] += 1;
    }
    let mut sum = 0;
    for count in &mut counts {
        sum += std::mem::replace(count, sum);
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_are_sorted_and_complete() {
        let tets = crate::block([1.0; 3], [3, 2, 2]).unwrap().tets;
        let uses = face_uses(&tets);
        assert!(uses.is_sorted());
        let mut ids: Vec<usize> = uses.iter().map(|u| u.id).collect();
        ids.sort_unstable();
        assert!(ids.into_iter().eq(0..4 * tets.len()));
        assert!(uses.iter().all(|u| u.key == sorted_face(&tets, u.id)));
        assert!(face_uses(&[]).is_empty());
        assert_eq!(face_uses(&[[u32::MAX, 5, u32::MAX - 1, 9]])[3].key, [9, u32::MAX - 1, u32::MAX]);
    }
}
