//! Fewer triangles for the same surface: edges collapse in the order of their quadric error \[Garland97\].

mod collapse;
mod constraints;
mod fidelity;
mod membership;
mod quadric;

use crate::hausdorff::deviation_of_points;
use crate::inspect::has_repeat;
use crate::{Hausdorff, deviation};
use collapse::Collapse;
use pliant_mesh::check::{check_finite, check_groups, check_indices};
use pliant_mesh::quality::triangle_radius_ratio;
use pliant_mesh::vector::area_vector;
use pliant_mesh::{Aabb, DVec3, ElementKind, MeshError, TriMesh, TriangleTree};
use serde::Serialize;

/// How far to simplify. At least one of `triangles` and `max_error` should be given; without either, only
/// what costs nothing is removed.
#[derive(Clone, Debug, PartialEq)]
pub struct SimplifyOptions {
    /// Stop at this number of triangles. None by default.
    pub triangles: Option<usize>,
    /// Largest distance between the original and the result, metres, at the samples of the report. None by
    /// default.
    pub max_error: Option<f64>,
    /// Edges with a larger angle between the normals of their triangles are features, degrees: to leave them
    /// costs more. 45 by default. Open edges and borders of groups are always kept.
    pub feature_degrees: f64,
    /// Whether to try again with the place fixed where triangles came to intersect that did not before; this
    /// takes a few times longer. False by default.
    pub avoid_intersections: bool,
}

impl Default for SimplifyOptions {
    fn default() -> Self {
        Self { triangles: None, max_error: None, feature_degrees: 45.0, avoid_intersections: false }
    }
}

/// What a simplification did.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SimplifyReport {
    /// Triangles before.
    pub triangles_before: usize,
    /// Triangles after; more than asked for where features, groups or the topology do not allow fewer.
    pub triangles_after: usize,
    /// Distances from the vertices of the original to the result (`a_to_b`) and from samples of the result to
    /// the original (`b_to_a`).
    pub deviation: Hausdorff,
    /// Pairs of triangles that intersected before.
    pub self_intersections_before: usize,
    /// Pairs of triangles that intersect after.
    pub self_intersections_after: usize,
}

/// Between the samples that are watched during the work the distance may be larger by this much.
const MARGIN: f64 = 0.8;

/// Attempts to get within the largest error and rid of intersections.
const ATTEMPTS: usize = 5;

/// Simplifies a surface and measures how far it moved. Open edges, sharp edges, borders between groups and the
/// topology are kept; vertices move to where the error is least. The same input gives the same result.
///
/// An error if there are no triangles, an index is out of range or repeated, or a position is not finite.
pub fn simplify(
    surface: &TriMesh,
    options: &SimplifyOptions,
) -> Result<(TriMesh, SimplifyReport), MeshError> {
    let kind = ElementKind::Triangle;
    check_finite(&surface.vertices)?;
    check_indices(kind, surface.vertices.len(), &surface.triangles)?;
    check_groups(surface.vertices.len(), surface.triangles.len(), &surface.groups)?;
    if let Some(element) = surface.triangles.iter().position(has_repeat) {
        return Err(MeshError::RepeatedIndex { kind, element, index: surface.triangles[element][0] });
    }
    let tree = TriangleTree::new(surface)?;
    if tree.is_empty() {
        return Err(MeshError::NoElements { kind });
    }
    let before = tree.self_intersections().len();
    let first_bound = options.max_error.map(|e| MARGIN * e);
    let mut plan = Plan { bound: first_bound, fixed: vec![false; surface.vertices.len()] };
    let mut best = attempt(surface, &tree, options, &plan)?;
    for _ in 1..ATTEMPTS {
        if !plan.improve(surface, options, &best, before) {
            break;
        }
        let next = attempt(surface, &tree, options, &plan)?;
        if next.is_better_than(&best, options) {
            best = next;
        }
    }
    let report = SimplifyReport {
        triangles_before: surface.triangles.len(),
        triangles_after: best.mesh.triangles.len(),
        deviation: best.deviation,
        self_intersections_before: before,
        self_intersections_after: best.intersections.len(),
    };
    Ok((best.mesh, report))
}

/// How an attempt is restricted beyond the options.
struct Plan {
    /// Distance from the original that no sample of a new triangle may exceed.
    bound: Option<f64>,
    /// Vertices that stay.
    fixed: Vec<bool>,
}

impl Plan {
    /// Restricts the next attempt where the last one failed; false if it did not.
    fn improve(
        &mut self,
        surface: &TriMesh,
        options: &SimplifyOptions,
        last: &Attempt,
        before: usize,
    ) -> bool {
        let measured = last.deviation.distance();
        let too_far = options.max_error.filter(|&bound| measured > bound);
        if let (Some(bound), Some(own)) = (too_far, &mut self.bound) {
            *own *= 0.95 * bound / measured;
        }
        let intersects = options.avoid_intersections && last.intersections.len() > before;
        if intersects {
            fix_places(surface, &last.mesh, &last.intersections, &mut self.fixed);
        }
        too_far.is_some() || intersects
    }
}

struct Attempt {
    mesh: TriMesh,
    intersections: Vec<[u32; 2]>,
    deviation: Hausdorff,
}

impl Attempt {
    /// Closer if the last was too far, otherwise with fewer intersections.
    fn is_better_than(&self, last: &Self, options: &SimplifyOptions) -> bool {
        let far = |a: &Self| options.max_error.map_or(0.0, |bound| (a.deviation.distance() - bound).max(0.0));
        (far(self), self.intersections.len()) < (far(last), last.intersections.len())
    }
}

fn attempt(
    surface: &TriMesh,
    tree: &TriangleTree,
    options: &SimplifyOptions,
    plan: &Plan,
) -> Result<Attempt, MeshError> {
    let mesh = Collapse::new(surface, options, tree, plan).run();
    let new_tree = TriangleTree::new(&mesh)?;
    let deviation = measure(surface, tree, &mesh, &new_tree)?;
    Ok(Attempt { intersections: new_tree.self_intersections(), deviation, mesh })
}

/// Fixes the original vertices around triangles that intersect.
fn fix_places(surface: &TriMesh, mesh: &TriMesh, pairs: &[[u32; 2]], fixed: &mut [bool]) {
    for &[a, b] in pairs {
        let (a, b) = (mesh.corners(a as usize), mesh.corners(b as usize));
        let place = Aabb::around(&[a[0], a[1], a[2], b[0], b[1], b[2]]);
        for (v, &p) in surface.vertices.iter().enumerate() {
            fixed[v] |= place.distance_sq(p) == 0.0;
        }
    }
}

/// Distance of samples of the result: as dense as the original is on average.
fn sample_spacing(surface: &TriMesh) -> f64 {
    (2.0 * surface.area() / surface.triangles.len().max(1) as f64).sqrt()
}

fn measure(
    surface: &TriMesh,
    tree: &TriangleTree,
    mesh: &TriMesh,
    new_tree: &TriangleTree,
) -> Result<Hausdorff, MeshError> {
    let mut used = vec![false; surface.vertices.len()];
    for &v in surface.triangles.iter().flatten() {
        used[v as usize] = true;
    }
    let points: Vec<_> = (0..used.len()).filter(|&v| used[v]).map(|v| surface.vertices[v]).collect();
    Ok(Hausdorff {
        a_to_b: deviation_of_points(&points, new_tree)?,
        b_to_a: deviation(mesh, tree, sample_spacing(surface))?,
    })
}

/// Radius ratio below which a collapse may not bring a triangle, unless it was worse.
const THIN: f64 = 0.05;

/// Whether a triangle keeps its side and a shape when a corner moves.
fn stays_well(old: [DVec3; 3], new: [DVec3; 3]) -> bool {
    let (n_old, n_new) = (area_vector(old), area_vector(new));
    let turned = n_old.dot(n_new) < 0.2 * n_old.length() * n_new.length();
    let shape = triangle_radius_ratio(new);
    !turned && shape > 0.0 && (shape > THIN || shape > triangle_radius_ratio(old))
}

#[cfg(test)]
mod tests;
