//! The inside of a triangle surface as a body for the mesher, even if the surface is slightly broken.

use crate::inspect::enclosed_volume;
use crate::solid::{Solid, SurfacePoint};
use pliant_mesh::measure::longest_edge;
use pliant_mesh::topology::{by_edge, edge_uses, fans_per_vertex, parts_by_vertices};
use pliant_mesh::vector::{area_vector, unit};
use pliant_mesh::{Aabb, Closest, Crossing, Feature, TriangleTree, WindingTree};
use pliant_mesh::{DVec3, ElementKind, MeshError, TriMesh};
use rayon::prelude::*;

/// No triangle on the other side of an edge.
const NONE: u32 = u32::MAX;

/// The points around which a surface winds more than half: the inside of a closed surface, and what a person
/// would call the inside of one with holes, overlaps or flipped triangles.
///
/// The triangles should face outward; if the surface as a whole is inside out it is turned. Where a hole is,
/// the body ends on a smooth cap over it. Normals are those of the triangle inside of triangles, and
/// angle-weighted pseudonormals \[Baerentzen05\] on edges and at corners.
#[derive(Clone, Debug)]
pub struct SurfaceSolid {
    surface: TriMesh,
    winding: WindingTree,
    /// Unit normal of each triangle; zero where it has no area.
    normals: Vec<DVec3>,
    /// Angle-weighted normal of each vertex.
    vertex_normals: Vec<DVec3>,
    /// The triangle across each edge.
    neighbours: Vec<[u32; 3]>,
    closed: bool,
    turned: bool,
    intersections: usize,
    /// The normal at the nearest point gives the side, which is cheaper than the winding number.
    sign_by_normal: bool,
    group_names: Vec<String>,
}

/// Twice the area over the square of the longest edge below which a triangle's normal is not trusted.
const NO_NORMAL: f64 = 1e-7;

/// Triangles at which the enclosure is measured.
const ENCLOSURE_SAMPLES: usize = 4000;

impl SurfaceSolid {
    /// Takes a surface. An error if it has no triangles, an index is out of range or a position is not finite.
    pub fn new(surface: TriMesh) -> Result<Self, MeshError> {
        let mut solid = Self::as_it_is(surface)?;
        // Turned around, each winding number behind a triangle becomes one minus that before it, and the
        // enclosure one minus itself. A flat sheet, in the middle, is left alone.
        if solid.enclosure() < 0.5 - 1e-3 {
            let mut surface = solid.surface;
            for t in &mut surface.triangles {
                t.swap(1, 2);
            }
            solid = Self { turned: true, ..Self::as_it_is(surface)? };
        }
        solid.intersections = solid.tree().self_intersections().len();
        solid.sign_by_normal = solid.is_proper();
        Ok(solid)
    }

    /// With the orientation it has, and before the slower checks.
    fn as_it_is(surface: TriMesh) -> Result<Self, MeshError> {
        let tree = TriangleTree::new(&surface)?;
        if tree.is_empty() {
            return Err(MeshError::NoElements { kind: ElementKind::Triangle });
        }
        let normals: Vec<DVec3> = (0..surface.triangles.len())
            .map(|t| unit(area_vector(surface.corners(t))).unwrap_or(DVec3::ZERO))
            .collect();
        let vertex_normals = vertex_normals(&surface, &normals);
        let (neighbours, closed) = neighbours(&surface.triangles);
        Ok(Self {
            normals,
            vertex_normals,
            neighbours,
            closed,
            turned: false,
            intersections: 0,
            sign_by_normal: false,
            group_names: surface.groups.keys().cloned().collect(),
            winding: WindingTree::new(tree),
            surface,
        })
    }

    /// Whether the surface bounds a body in the strict sense: closed, manifold, free of self-intersections and
    /// flat triangles, and each of its parts with the body on the inner side.
    fn is_proper(&self) -> bool {
        let has_normal = |t: usize| {
            let corners = self.surface.corners(t);
            area_vector(corners).length() > NO_NORMAL * longest_edge(&corners).powi(2)
        };
        self.closed
            && self.intersections == 0
            && self.neighbours.iter().flatten().all(|&n| n != NONE)
            && (0..self.surface.triangles.len()).all(has_normal)
            && self.parts_have_their_inside_within()
    }

    /// Whether the triangles around each vertex are one fan, and crossing a triangle of each part changes the
    /// winding number from 1 to 0.
    fn parts_have_their_inside_within(&self) -> bool {
        let (vertices, triangles) = (self.surface.vertices.len(), &self.surface.triangles);
        if fans_per_vertex(vertices, triangles, &edge_uses(triangles)).iter().any(|&fans| fans > 1) {
            return false;
        }
        let (part_of, parts) = parts_by_vertices(vertices, triangles);
        let mut seen = vec![false; parts];
        (0..triangles.len()).all(|t| {
            let first_of_its_part = !std::mem::replace(&mut seen[part_of[t] as usize], true);
            !first_of_its_part || self.has_inside_behind(t)
        })
    }

    fn has_inside_behind(&self, t: usize) -> bool {
        let (behind, before) = self.beside(t);
        let near = |p: DVec3, n: f64| (self.winding.winding_number(p) - n).abs() < 0.1;
        near(behind, 1.0) && near(before, 0.0)
    }

    /// The points right behind and before the middle of a triangle.
    fn beside(&self, t: usize) -> (DVec3, DVec3) {
        let corners = self.surface.corners(t);
        let middle = (corners[0] + corners[1] + corners[2]) * (1.0 / 3.0);
        let step = self.normals[t] * (1e-4 * longest_edge(&corners));
        (middle - step, middle + step)
    }

    /// The surface, turned if it was inside out.
    pub fn surface(&self) -> &TriMesh {
        &self.surface
    }

    /// The tree over its triangles.
    pub fn tree(&self) -> &TriangleTree {
        self.winding.triangles()
    }

    /// Whether each edge has two triangles that agree in orientation. Then inside and outside change only
    /// at triangles, so that the sign is the same within the distance to the surface around any point.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Whether the surface was inside out and has been turned.
    pub fn was_turned(&self) -> bool {
        self.turned
    }

    /// How much of an inside the surface has: the mean winding number right behind its triangles. 1 if it is
    /// closed, 0.5 for a flat sheet, about 0.8 for half a sphere, above 0.95 with small holes only.
    pub fn enclosure(&self) -> f64 {
        let count = self.surface.triangles.len();
        let samples: Vec<usize> = (0..count).step_by(count.div_ceil(ENCLOSURE_SAMPLES)).collect();
        let weighted: Vec<[f64; 2]> = samples
            .par_iter()
            .map(|&t| {
                let corners = self.surface.corners(t);
                let area = area_vector(corners).length();
                let (behind, _) = self.beside(t);
                // Where the surface overlaps itself it winds more often, which is no better than once.
                [area, area * self.winding.winding_number(behind).clamp(0.0, 1.0)]
            })
            .collect();
        let sum = weighted.iter().fold([0.0; 2], |sum, w| [sum[0] + w[0], sum[1] + w[1]]);
        if sum[0] > 0.0 { sum[1] / sum[0] } else { 0.0 }
    }

    /// Number of pairs of triangles that intersect.
    pub fn self_intersections(&self) -> usize {
        self.intersections
    }

    /// Whether the surface winds more than half around the point.
    pub fn contains(&self, point: DVec3) -> bool {
        self.winding.winding_number(point) > 0.5
    }

    /// The nearest point of the surface.
    pub fn closest(&self, point: DVec3) -> Option<Closest> {
        self.tree().closest(point)
    }

    /// Unit normal at a point of the surface; `None` only for a triangle without area among others like it.
    pub fn normal_at(&self, closest: &Closest) -> Option<DVec3> {
        let t = closest.triangle as usize;
        let normal = match closest.feature {
            Feature::Face => self.normals[t],
            Feature::Edge(k) => match self.neighbours[t][usize::from(k)] {
                NONE => self.normals[t],
                other => self.normals[t] + self.normals[other as usize],
            },
            Feature::Vertex(k) => self.vertex_normals[self.surface.triangles[t][usize::from(k)] as usize],
        };
        // Opposite normals on a fold cancel; then any side is right.
        unit(normal).or_else(|| unit(self.normals[t]))
    }

    /// Where the state changes from inside to outside, by bisection between two fractions.
    fn bisect(&self, at: impl Fn(f64) -> DVec3, mut low: f64, mut high: f64) -> f64 {
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if self.contains(at(middle)) {
                low = middle;
            } else {
                high = middle;
            }
        }
        0.5 * (low + high)
    }

    /// Narrows `0..1` to neighbours among the places between crossings such that the first is inside and the
    /// second outside; returns them with the crossing in between.
    fn leaving_crossing(&self, at: impl Fn(f64) -> DVec3, crossings: &[f64]) -> (f64, f64, f64) {
        let n = crossings.len();
        let between = |i: usize| match i {
            0 => 0.0,
            i if i == n => 1.0,
            i => 0.5 * (crossings[i - 1] + crossings[i]),
        };
        let (mut low, mut high) = (0, n);
        while high - low > 1 {
            let middle = (low + high) / 2;
            if self.contains(at(between(middle))) {
                low = middle;
            } else {
                high = middle;
            }
        }
        (between(low), crossings[low], between(high))
    }
}

impl Solid for SurfaceSolid {
    fn bounds(&self) -> (DVec3, DVec3) {
        let Aabb { min, max } = self.tree().bounds();
        (min, max)
    }

    fn signed_distance(&self, point: DVec3) -> f64 {
        let Some(closest) = self.closest(point) else { return f64::INFINITY };
        let distance = closest.distance_sq.sqrt();
        let normal = if self.sign_by_normal { self.normal_at(&closest) } else { None };
        let inside = match normal {
            Some(normal) => (point - closest.point).dot(normal) < 0.0,
            None => self.contains(point),
        };
        if inside { -distance } else { distance }
    }

    fn distance(&self, point: DVec3) -> f64 {
        self.closest(point).map_or(f64::INFINITY, |c| c.distance_sq.sqrt())
    }

    fn is_near(&self, point: DVec3, limit: f64) -> bool {
        self.tree().closest_within(point, limit).is_some()
    }

    fn project(&self, point: DVec3) -> SurfacePoint {
        let Some(closest) = self.closest(point) else {
            return SurfacePoint { point, normal: DVec3::Z };
        };
        let normal = self.normal_at(&closest).or_else(|| {
            let away = unit(point - closest.point)?;
            Some(if self.contains(point) { -away } else { away })
        });
        SurfacePoint { point: closest.point, normal: normal.unwrap_or(DVec3::Z) }
    }

    fn crossing(&self, inside: DVec3, outside: DVec3) -> f64 {
        let at = |t: f64| inside + t * (outside - inside);
        let mut crossings = Vec::new();
        self.tree().crossings(inside, outside, |Crossing { t, .. }| crossings.push(t));
        crossings.sort_unstable_by(f64::total_cmp);
        // Triangles around one edge or corner are one crossing.
        crossings.dedup_by(|b, a| *b - *a < 1e-12);
        if crossings.is_empty() {
            return self.bisect(at, 0.0, 1.0);
        }
        let (before, t, after) = self.leaving_crossing(at, &crossings);
        if self.closed {
            return t;
        }
        // With holes the change may be elsewhere than at the triangle: on the cap before or after it.
        let step = 1e-6 * (after - before);
        if t - step > before && !self.contains(at(t - step)) {
            return self.bisect(at, before, t - step);
        }
        if t + step < after && self.contains(at(t + step)) {
            return self.bisect(at, t + step, after);
        }
        t
    }

    fn volume(&self) -> Option<f64> {
        // Overlaps would count twice, caps over holes not at all.
        self.sign_by_normal.then(|| enclosed_volume(&self.surface.vertices, &self.surface.triangles))
    }

    fn groups(&self) -> Vec<String> {
        self.group_names.clone()
    }

    /// On the surface: the groups with the nearest triangle or, for groups of vertices only, with the corner
    /// of it that has the largest share. None inside.
    fn groups_at(&self, point: DVec3, on_surface: bool) -> Vec<usize> {
        let nearest = if on_surface && !self.group_names.is_empty() { self.closest(point) } else { None };
        let Some(closest) = nearest else { return Vec::new() };
        let weights = closest.barycentric;
        let corner = (0..3).fold(0, |best, k| if weights[k] > weights[best] { k } else { best });
        let vertex = self.surface.triangles[closest.triangle as usize][corner];
        let holds = |group: &pliant_mesh::Group| {
            if group.elements.is_empty() {
                group.vertices.binary_search(&vertex).is_ok()
            } else {
                group.elements.binary_search(&closest.triangle).is_ok()
            }
        };
        self.surface.groups.values().enumerate().filter(|(_, g)| holds(g)).map(|(i, _)| i).collect()
    }
}

fn vertex_normals(surface: &TriMesh, normals: &[DVec3]) -> Vec<DVec3> {
    let mut sums = vec![DVec3::ZERO; surface.vertices.len()];
    for (t, triangle) in surface.triangles.iter().enumerate() {
        let corners = surface.corners(t);
        for k in 0..3 {
            let (u, v) = (corners[(k + 1) % 3] - corners[k], corners[(k + 2) % 3] - corners[k]);
            let angle = u.cross(v).length().atan2(u.dot(v));
            sums[triangle[k] as usize] += angle * normals[t];
        }
    }
    sums
}

/// The triangle across each edge, and whether the surface is closed and consistently oriented.
fn neighbours(triangles: &[[u32; 3]]) -> (Vec<[u32; 3]>, bool) {
    let mut across = vec![[NONE; 3]; triangles.len()];
    let mut closed = true;
    for around in by_edge(&edge_uses(triangles)) {
        match around {
            [a, b] => {
                across[a.triangle as usize][usize::from(a.side)] = b.triangle;
                across[b.triangle as usize][usize::from(b.side)] = a.triangle;
                closed &= a.forward != b.forward;
            }
            _ => closed &= 2 * around.iter().filter(|u| u.forward).count() == around.len(),
        }
    }
    (across, closed)
}

#[cfg(test)]
mod tests;
