//! Sides of obstacles that are covered by others: two boxes side by side, a box that stands in another one. What slides over the
//! seam is always a little below it, and would be caught by the side of the next box.

use super::Detector;
use crate::walk::VERTEX_OBSTACLE;
use crate::{Contact, Pose};
use pliant_mesh::DVec3;

/// Part of the size of a body within which two surfaces are level: less than any step that is meant.
const LEVEL: f64 = 1e-3;

impl Detector {
    /// Drops contacts of vertices with analytic obstacles where another obstacle, which the vertex is near too, covers what they
    /// touch. `out` has contacts with analytic obstacles only.
    pub(super) fn drop_covered(&mut self, poses: &[Pose], out: &mut Vec<Contact>) {
        let mut by_vertex = std::mem::take(&mut self.by_vertex);
        by_vertex.clear();
        let of_vertices = out.iter().zip(0..).filter(|(c, _)| c.key.0[0] == VERTEX_OBSTACLE);
        by_vertex.extend(of_vertices.map(|(c, k)| (c.key.0[2], k)));
        by_vertex.sort_unstable();
        let mut dropped = std::mem::take(&mut self.dropped);
        dropped.clear();
        for group in by_vertex.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1) {
            for &(_, k) in group {
                let contact = &out[k as usize];
                let mut others = group.iter().filter(|(_, other)| *other != k);
                if others.any(|&(_, other)| self.is_covered(contact, out[other as usize].key.0[1], poses)) {
                    dropped.push(k);
                }
            }
        }
        if !dropped.is_empty() {
            dropped.sort_unstable();
            let mut k = 0;
            out.retain(|_| {
                k += 1;
                dropped.binary_search(&(k - 1)).is_err()
            });
        }
        (self.by_vertex, self.dropped) = (by_vertex, dropped);
    }

    /// Whether the place that a contact touches is inside of another obstacle, and its own obstacle does not stand out of that.
    fn is_covered(&self, contact: &Contact, other: u32, poses: &[Pose]) -> bool {
        let [_, own, vertex, _] = contact.key.0;
        let Some(part) = self.part_of(contact.sides[0], VERTEX_OBSTACLE, vertex) else { return false };
        let level = LEVEL * part.size;
        let distance = |obstacle: u32, x: DVec3| {
            let pose = &poses[obstacle as usize];
            let (distance, normal) =
                self.obstacles[obstacle as usize].shape.signed_distance(pose.local(x))?;
            Some((distance, pose.turn(normal)))
        };
        let foot = contact.anchor;
        let Some((before, _)) = distance(other, foot + level * contact.normal) else { return false };
        let Some((depth, outward)) = distance(other, foot) else { return false };
        if before > 0.0 || depth > level {
            return false;
        }
        let above = foot + (2.0 * level - depth) * outward - level * contact.normal;
        distance(own, above).is_some_and(|(d, _)| d > 0.0)
    }
}
