//! A tree over the triangles of a surface: nearest points, boxes, pairs that intersect.

use super::bvh::Bvh;
use super::closest::{closest_on_triangle, point_on_triangle};
use super::intersect::triangles_intersect;
use super::{Aabb, Closest};
use crate::check::{check_finite, check_indices};
use crate::{DVec3, ElementKind, MeshError, TriMesh};
use rayon::prelude::*;

/// A tree over the triangles of a surface. It keeps its own copy of the corners.
#[derive(Clone, Debug)]
pub struct TriangleTree {
    bvh: Bvh,
    /// Corners of each triangle in the order of the leaves.
    corners: Vec<[DVec3; 3]>,
}

impl TriangleTree {
    /// Builds the tree in O(n log n). An error if an index is out of range or a position is not finite.
    pub fn new(surface: &TriMesh) -> Result<Self, MeshError> {
        Self::from_parts(&surface.vertices, &surface.triangles)
    }

    /// As [`new`](Self::new), for triangles that are not in a [`TriMesh`], for example a
    /// [`boundary`](crate::TetMesh::boundary).
    pub fn from_parts(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<Self, MeshError> {
        check_indices(ElementKind::Triangle, vertices.len(), triangles)?;
        check_finite(vertices)?;
        let corners = |t: &[u32; 3]| t.map(|i| vertices[i as usize]);
        let boxes: Vec<Aabb> = triangles.par_iter().map(|t| Aabb::around(&corners(t))).collect();
        let bvh = Bvh::new(&boxes);
        let corners = bvh.order.par_iter().map(|&t| corners(&triangles[t as usize])).collect();
        Ok(Self { bvh, corners })
    }

    /// Number of triangles.
    pub fn len(&self) -> usize {
        self.corners.len()
    }

    /// Whether there are no triangles.
    pub fn is_empty(&self) -> bool {
        self.corners.is_empty()
    }

    /// The box around all triangles.
    pub fn bounds(&self) -> Aabb {
        self.bvh.nodes.first().map_or(Aabb::EMPTY, |root| root.bounds)
    }

    /// The nearest point of the surface; `None` without triangles or for a point that is not finite.
    pub fn closest(&self, point: DVec3) -> Option<Closest> {
        self.closest_below(point, f64::INFINITY)
    }

    /// The nearest point of the surface if it is not farther than `max_distance`. A small bound saves time.
    pub fn closest_within(&self, point: DVec3, max_distance: f64) -> Option<Closest> {
        self.closest_below(point, max_distance * max_distance)
    }

    fn closest_below(&self, point: DVec3, bound: f64) -> Option<Closest> {
        let mut best = None;
        self.bvh.nearest(point, bound, |slots, mut bound| {
            for slot in slots {
                let corners = self.corners[slot];
                let (barycentric, feature) = closest_on_triangle(point, corners);
                let nearest = point_on_triangle(corners, barycentric);
                let distance_sq = point.distance_squared(nearest);
                if distance_sq < bound || (best.is_none() && distance_sq <= bound) {
                    bound = distance_sq;
                    best = Some((slot, nearest, distance_sq, feature, barycentric));
                }
            }
            bound
        });
        best.map(|(slot, point, distance_sq, feature, barycentric)| Closest {
            triangle: self.slot_triangle(slot),
            point,
            distance_sq,
            feature,
            barycentric,
        })
    }

    /// Calls `found` with each triangle whose box overlaps `bounds`.
    pub fn overlapping(&self, bounds: &Aabb, mut found: impl FnMut(u32)) {
        self.overlapping_slots(bounds, |slot| found(self.slot_triangle(slot)));
    }

    fn overlapping_slots(&self, bounds: &Aabb, mut found: impl FnMut(usize)) {
        self.bvh.filtered(
            |node| node.overlaps(bounds),
            |slots| {
                for slot in slots {
                    if Aabb::around(&self.corners[slot]).overlaps(bounds) {
                        found(slot);
                    }
                }
            },
        );
    }

    /// All pairs of triangles that intersect, as [`triangles_intersect`] defines it, each once with the lower
    /// index first, ascending. Uses all threads.
    pub fn self_intersections(&self) -> Vec<[u32; 2]> {
        let mut pairs: Vec<[u32; 2]> = (0..self.len())
            .into_par_iter()
            .flat_map_iter(|slot| {
                let corners = self.corners[slot];
                let mut hits = Vec::new();
                self.overlapping_slots(&Aabb::around(&corners), |other| {
                    if other > slot && triangles_intersect(corners, self.corners[other]) {
                        let (a, b) = (self.slot_triangle(slot), self.slot_triangle(other));
                        hits.push([a.min(b), a.max(b)]);
                    }
                });
                hits
            })
            .collect();
        pairs.par_sort_unstable();
        pairs
    }

    pub(super) fn bvh(&self) -> &Bvh {
        &self.bvh
    }

    pub(super) fn slot_corners(&self, slot: usize) -> [DVec3; 3] {
        self.corners[slot]
    }

    pub(super) fn slot_triangle(&self, slot: usize) -> u32 {
        self.bvh.order[slot]
    }
}

#[cfg(test)]
mod tests;
