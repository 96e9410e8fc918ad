//! Keeps a simplification within a distance of the original, both ways.

use pliant_mesh::measure::longest_edge;
use pliant_mesh::{DVec3, TriMesh, TriangleTree};
use pliant_mesh::{closest_on_triangle, point_on_triangle};

/// The bound, and which original vertices each triangle stands for.
pub(super) struct Fidelity<'a> {
    bound: f64,
    /// Distance of samples.
    spacing: f64,
    tree: &'a TriangleTree,
    vertices: &'a [DVec3],
    /// Original vertices of each triangle.
    stands_for: Vec<Vec<u32>>,
}

/// The triangles around the vertex of a collapse, as they would become.
pub(super) struct Star<'a> {
    /// Their indices.
    pub triangles: &'a [u32],
    /// Their corners.
    pub corners: Vec<[DVec3; 3]>,
    /// The triangles that vanish.
    pub vanishing: &'a [u32],
    /// The vertex in the middle.
    pub center: DVec3,
}

impl<'a> Fidelity<'a> {
    pub fn new(surface: &'a TriMesh, tree: &'a TriangleTree, bound: f64) -> Self {
        let spacing = super::sample_spacing(surface);
        let mut stands_for = vec![Vec::new(); surface.triangles.len()];
        let mut seen = vec![false; surface.vertices.len()];
        for (t, triangle) in surface.triangles.iter().enumerate() {
            for &v in triangle {
                if !std::mem::replace(&mut seen[v as usize], true) {
                    stands_for[t].push(v);
                }
            }
        }
        Self { bound, spacing, tree, vertices: &surface.vertices, stands_for }
    }

    /// Whether the star is near the original and the original vertices it stands for are near the star; then
    /// also which triangle of it (counted within the star) each of them goes to.
    pub fn check(&self, star: &Star) -> Option<Vec<(u32, usize)>> {
        self.is_near_original(star).then(|| self.assign(star)).flatten()
    }

    /// Samples of the triangles, as dense as the original is, are within the bound. The rim is as before.
    fn is_near_original(&self, star: &Star) -> bool {
        let near = |p: DVec3| self.tree.closest_within(p, self.bound).is_some();
        near(star.center)
            && star.corners.iter().all(|&corners| {
                let steps = (longest_edge(&corners) / self.spacing).ceil().clamp(2.0, 5.0);
                let n = steps as usize;
                let middle = corners.iter().position(|&p| p == star.center).unwrap_or(0);
                let [a, b, c] = std::array::from_fn(|k| corners[(middle + k) % 3]);
                (1..n).all(|i| {
                    (0..=n - i).all(|j| {
                        let (u, v) = (i as f64 / steps, j as f64 / steps);
                        near(point_on_triangle([a, b, c], [u, v, 1.0 - u - v]))
                    })
                })
            })
    }

    fn assign(&self, star: &Star) -> Option<Vec<(u32, usize)>> {
        let involved = star.triangles.iter().chain(star.vanishing);
        involved
            .flat_map(|&t| &self.stands_for[t as usize])
            .map(|&v| {
                let p = self.vertices[v as usize];
                let (distance_sq, nearest) = star
                    .corners
                    .iter()
                    .enumerate()
                    .map(|(i, &corners)| (distance_sq(p, corners), i))
                    .fold((f64::INFINITY, 0), |best, next| if next.0 < best.0 { next } else { best });
                (distance_sq <= self.bound * self.bound).then_some((v, nearest))
            })
            .collect()
    }

    /// Makes the assignment of [`check`](Self::check) valid.
    pub fn accept(&mut self, star: &Star, assigned: Vec<(u32, usize)>) {
        for &t in star.triangles.iter().chain(star.vanishing) {
            self.stands_for[t as usize].clear();
        }
        for (v, i) in assigned {
            self.stands_for[star.triangles[i] as usize].push(v);
        }
    }
}

fn distance_sq(p: DVec3, corners: [DVec3; 3]) -> f64 {
    p.distance_squared(point_on_triangle(corners, closest_on_triangle(p, corners).0))
}
