//! How far two surfaces are apart, measured by samples.

use pliant_mesh::check::check_indices;
use pliant_mesh::measure::longest_edge;
use pliant_mesh::{DVec3, ElementKind, MeshError, TriMesh, TriangleTree, point_on_triangle};
use rayon::prelude::*;
use serde::Serialize;

/// Most samples along the edge of one triangle, so that a tiny spacing does not take forever.
const MOST_PER_EDGE: f64 = 256.0;

/// Distances from the samples of one surface to another surface, metres.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Deviation {
    /// Largest distance.
    pub max: f64,
    /// The sample at which it occurs.
    pub at: [f64; 3],
    /// Mean over the samples.
    pub mean: f64,
    /// Root of the mean square over the samples.
    pub rms: f64,
    /// Number of samples.
    pub samples: usize,
}

/// Distances between two surfaces, both ways. The larger maximum is the Hausdorff distance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Hausdorff {
    /// From samples of the first to the second.
    pub a_to_b: Deviation,
    /// From samples of the second to the first.
    pub b_to_a: Deviation,
}

impl Hausdorff {
    /// The larger of the two maxima, metres.
    pub fn distance(&self) -> f64 {
        self.a_to_b.max.max(self.b_to_a.max)
    }
}

/// Distances of two surfaces. Each triangle is sampled at its corners and on a grid with steps of at most
/// `spacing` (metres), edges included; the true distance exceeds the measured one by at most `spacing`.
/// A spacing that is not positive means corners and middles of edges only. An error if either surface has no
/// triangles, an index out of range or a position that is not finite.
pub fn hausdorff(a: &TriMesh, b: &TriMesh, spacing: f64) -> Result<Hausdorff, MeshError> {
    let (tree_a, tree_b) = (TriangleTree::new(a)?, TriangleTree::new(b)?);
    Ok(Hausdorff { a_to_b: deviation(a, &tree_b, spacing)?, b_to_a: deviation(b, &tree_a, spacing)? })
}

/// Distances from samples of a surface to the triangles of a tree; see [`hausdorff`].
pub fn deviation(from: &TriMesh, to: &TriangleTree, spacing: f64) -> Result<Deviation, MeshError> {
    check_indices(ElementKind::Triangle, from.vertices.len(), &from.triangles)?;
    measure(&from.triangles, to, |t, sums| {
        sums.add_triangle(t.map(|i| from.vertices[i as usize]), to, spacing);
    })
}

/// Distances from points to the triangles of a tree.
pub(crate) fn deviation_of_points(from: &[DVec3], to: &TriangleTree) -> Result<Deviation, MeshError> {
    measure(from, to, |&p, sums| sums.add_point(p, to))
}

fn measure<T: Sync>(
    items: &[T],
    to: &TriangleTree,
    add: impl Fn(&T, &mut Sums) + Sync,
) -> Result<Deviation, MeshError> {
    if to.is_empty() || items.is_empty() {
        return Err(MeshError::NoElements { kind: ElementKind::Triangle });
    }
    // Runs of fixed length, added in order: the sums do not depend on the number of threads.
    let runs: Vec<Sums> = items
        .par_chunks(256)
        .map(|run| {
            let mut sums = Sums::default();
            run.iter().for_each(|item| add(item, &mut sums));
            sums
        })
        .collect();
    let mut all = Sums::default();
    for run in &runs {
        all.merge(run);
    }
    let n = all.samples.max(1) as f64;
    Ok(Deviation {
        max: all.max_sq.max(0.0).sqrt(),
        at: all.at.to_array(),
        mean: all.sum / n,
        rms: (all.sum_sq / n).sqrt(),
        samples: all.samples,
    })
}

struct Sums {
    max_sq: f64,
    at: DVec3,
    sum: f64,
    sum_sq: f64,
    samples: usize,
}

impl Default for Sums {
    fn default() -> Self {
        // Below any distance, so that the first sample becomes the place of the maximum.
        Self { max_sq: -1.0, at: DVec3::ZERO, sum: 0.0, sum_sq: 0.0, samples: 0 }
    }
}

impl Sums {
    fn add_triangle(&mut self, corners: [DVec3; 3], to: &TriangleTree, spacing: f64) {
        let wanted = longest_edge(&corners) / spacing;
        let steps = if spacing > 0.0 && wanted >= 2.0 { wanted.ceil().min(MOST_PER_EDGE) } else { 2.0 };
        let n = steps as usize;
        for i in 0..=n {
            for j in 0..=n - i {
                let (u, v) = (i as f64 / steps, j as f64 / steps);
                self.add_point(point_on_triangle(corners, [1.0 - u - v, u, v]), to);
            }
        }
    }

    fn add_point(&mut self, p: DVec3, to: &TriangleTree) {
        let Some(closest) = to.closest(p) else { return };
        if closest.distance_sq > self.max_sq {
            (self.max_sq, self.at) = (closest.distance_sq, p);
        }
        self.sum += closest.distance_sq.sqrt();
        self.sum_sq += closest.distance_sq;
        self.samples += 1;
    }

    fn merge(&mut self, other: &Self) {
        if other.max_sq > self.max_sq {
            (self.max_sq, self.at) = (other.max_sq, other.at);
        }
        self.sum += other.sum;
        self.sum_sq += other.sum_sq;
        self.samples += other.samples;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_mesh::sphere_surface;

    #[test]
    fn a_surface_is_at_no_distance_from_itself() {
        let sphere = sphere_surface(1.0, 2).unwrap();
        assert!(hausdorff(&sphere, &sphere, 0.05).unwrap().distance() < 1e-14);
    }

    #[test]
    fn concentric_spheres_are_apart_by_their_radii() {
        let (a, b) = (sphere_surface(1.0, 4).unwrap(), sphere_surface(1.2, 4).unwrap());
        let both = hausdorff(&a, &b, 0.02).unwrap();
        // Flat triangles are up to 1e-3 within the sphere.
        for side in [both.a_to_b, both.b_to_a] {
            assert!((side.max - 0.2).abs() < 2e-3 && (side.mean - 0.2).abs() < 2e-3, "{side:?}");
            assert!(side.rms >= side.mean && side.samples > 10_000);
        }
        assert!((DVec3::from_array(both.b_to_a.at).length() - 1.2).abs() < 2e-3);
    }

    #[test]
    fn a_missing_part_shows_on_one_side_only() {
        let a = sphere_surface(1.0, 3).unwrap();
        let mut b = a.clone();
        b.triangles.retain(|t| a.vertices[t[0] as usize][2] < 0.5);
        let both = hausdorff(&a, &b, 0.05).unwrap();
        assert!(both.b_to_a.max < 1e-14 && both.a_to_b.max > 0.5);
        assert!(both.a_to_b.at[2] > 0.9);
    }

    #[test]
    fn bad_surfaces_are_errors() {
        let a = sphere_surface(1.0, 1).unwrap();
        assert!(matches!(hausdorff(&a, &TriMesh::default(), 0.1), Err(MeshError::NoElements { .. })));
        let mut b = a.clone();
        b.triangles[3][1] = 1000;
        assert!(matches!(hausdorff(&b, &a, 0.1), Err(MeshError::IndexOutOfRange { .. })));
        // A spacing of zero or less is not an endless loop.
        hausdorff(&a, &a, -1.0).unwrap();
    }
}
