//! Sides of obstacles that are covered by others: two boxes side by side, a box that stands in another one. What slides over the
//! seam is always a little below it, and would be caught by the side of the next box.

use super::Detector;
use crate::walk::VERTEX_OBSTACLE;
use crate::{Contact, Pose, Shape};
use pliant_mesh::DVec3;

/// Part of the size of a body within which two surfaces are level: less than any step that is meant.
const LEVEL: f64 = 1e-3;

impl Detector {
    /// Corrects contacts of vertices with analytic obstacles where another obstacle, which the vertex is near too, covers what they
    /// touch: a box is touched by its next face instead, others are not. `out` has contacts with analytic obstacles only.
    pub(super) fn drop_covered(&mut self, poses: [&[Pose]; 2], out: &mut Vec<Contact>) {
        let mut by_vertex = std::mem::take(&mut self.by_vertex);
        by_vertex.clear();
        let of_vertices = out.iter().zip(0..).filter(|(c, _)| c.key.0[0] == VERTEX_OBSTACLE);
        by_vertex.extend(of_vertices.map(|(c, k)| (c.key.0[2], k)));
        by_vertex.sort_unstable();
        let mut dropped = std::mem::take(&mut self.dropped);
        dropped.clear();
        for group in by_vertex.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1) {
            for &(_, k) in group {
                let others = group.iter().filter(|(_, other)| *other != k);
                let mut others = others.map(|&(_, other)| out[other as usize].key.0[1]);
                let Some(outward) = others.find_map(|other| self.covered(&out[k as usize], other, poses[1]))
                else {
                    continue;
                };
                match self.on_next_face(&out[k as usize], outward, poses) {
                    Some(contact) => out[k as usize] = contact,
                    None => dropped.push(k),
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

    /// The outward direction of another obstacle if the place that a contact touches is inside of it, and its own obstacle does
    /// not stand out of it there.
    fn covered(&self, contact: &Contact, other: u32, poses: &[Pose]) -> Option<DVec3> {
        let [_, own, vertex, _] = contact.key.0;
        let part = self.part_of(contact.sides[0], VERTEX_OBSTACLE, vertex)?;
        let level = LEVEL * part.size;
        let distance = |obstacle: u32, x: DVec3| {
            let pose = &poses[obstacle as usize];
            let (distance, normal) =
                self.obstacles[obstacle as usize].shape.signed_distance(pose.local(x))?;
            Some((distance, pose.turn(normal)))
        };
        let foot = contact.anchor;
        // Before it, by more than the predicted motion goes below the surface.
        let way = self.motion.x0[vertex as usize].distance(self.motion.x1[vertex as usize]);
        let (depth, outward) = distance(other, foot + (2.0 * level + way) * contact.normal)?;
        if depth > 0.0 || outward.dot(contact.normal).abs() > 0.5 {
            return None;
        }
        let above = foot + (2.0 * level - depth) * outward - level * contact.normal;
        distance(own, above).is_some_and(|(d, _)| d > 0.0).then_some(outward)
    }

    /// The contact of a vertex with the face of a box that looks in direction `outward`.
    fn on_next_face(&self, contact: &Contact, outward: DVec3, poses: [&[Pose]; 2]) -> Option<Contact> {
        let [_, own, vertex, _] = contact.key.0;
        let Shape::Box { half } = self.obstacles[own as usize].shape else { return None };
        let [from, to] = poses.map(|p| &p[own as usize]);
        let direction = to.rotation.transpose() * outward;
        let axis = direction.abs().max_position();
        if direction[axis].abs() < 0.99 {
            return None;
        }
        let mut normal = DVec3::ZERO;
        normal[axis] = direction[axis].signum();
        let mut foot = to.local(self.motion.x1[vertex as usize]);
        foot[axis] = normal[axis] * half[axis];
        let anchor = to.place(foot);
        let normal = to.turn(normal);
        let anchor_motion = anchor - from.place(foot);
        Some(Contact { normal, found_normal: normal, anchor, anchor_motion, ..*contact })
    }
}
