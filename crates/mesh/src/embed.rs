//! A fine mesh carried by a coarse one: each point is a fixed combination of the corners of one tet.

use crate::check::{DEGENERATE, check_finite, check_indices};
use crate::measure::relative_size;
use crate::spatial::Bvh;
use crate::topology::face_uses;
use crate::vector::tet_volume;
use crate::{Aabb, DVec3, ElementKind, MeshError, TetMesh, TriangleTree};
use rayon::prelude::*;

/// Weights down to this are inside: a point on a face belongs to both of its tets.
const INSIDE: f64 = -1e-10;

/// Points bound to the tets of a cage. Their positions follow any motion of the cage: exactly if it is affine,
/// otherwise linear within each tet.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedding {
    bindings: Vec<Binding>,
    cage_vertices: usize,
    outside: usize,
    farthest: f64,
}

/// How one point hangs on the cage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Binding {
    /// The tet.
    pub tet: u32,
    /// Its vertices.
    pub vertices: [u32; 4],
    /// Their weights, with sum one; some are negative if the point is outside of the cage.
    pub weights: [f64; 4],
    /// Distance to the cage, metres; zero inside.
    pub distance: f64,
}

impl Embedding {
    /// Binds each point to the tet it is in. A point outside is bound to the tet behind the nearest triangle of
    /// the cage's boundary. Flat tets carry nothing.
    ///
    /// An error if the cage has no tet with a volume, an index is out of range, or a position is not finite.
    pub fn new(cage: &TetMesh, points: &[DVec3]) -> Result<Self, MeshError> {
        let finder = Finder::new(cage)?;
        check_finite(points)?;
        let bindings: Vec<Binding> = points.par_iter().map(|&p| finder.bind(p)).collect();
        Ok(Self {
            cage_vertices: cage.vertices.len(),
            outside: bindings.iter().filter(|b| b.distance > 0.0).count(),
            farthest: bindings.iter().fold(0.0, |far, b| b.distance.max(far)),
            bindings,
        })
    }

    /// How each point is bound.
    pub fn bindings(&self) -> &[Binding] {
        &self.bindings
    }

    /// Number of points outside of the cage.
    pub fn outside(&self) -> usize {
        self.outside
    }

    /// Largest distance of a point to the cage, metres.
    pub fn farthest(&self) -> f64 {
        self.farthest
    }

    /// The positions of the points for given positions of the cage's vertices. An error if the cage has another
    /// number of vertices or `out` another length than there are points.
    pub fn positions_into(&self, cage_vertices: &[DVec3], out: &mut [DVec3]) -> Result<(), MeshError> {
        check_count("number of cage vertices", cage_vertices.len(), self.cage_vertices)?;
        check_count("length of the output", out.len(), self.bindings.len())?;
        for (position, binding) in out.iter_mut().zip(&self.bindings) {
            let corners = binding.vertices.map(|i| cage_vertices[i as usize]);
            *position = combine(corners, binding.weights);
        }
        Ok(())
    }
}

fn check_count(name: &'static str, value: usize, want: usize) -> Result<(), MeshError> {
    if value == want {
        return Ok(());
    }
    let want = "the number the embedding was made for";
    Err(MeshError::BadParameter { name, value: value.to_string(), want })
}

fn combine(corners: [DVec3; 4], w: [f64; 4]) -> DVec3 {
    w[0] * corners[0] + w[1] * corners[1] + w[2] * corners[2] + w[3] * corners[3]
}

/// Weights with which the corners of a tet, flat ones excepted, combine to a point.
fn barycentric([a, b, c, d]: [DVec3; 4], p: DVec3) -> [f64; 4] {
    let whole = tet_volume([a, b, c, d]);
    let (x, y, z) = (
        tet_volume([a, p, c, d]) / whole,
        tet_volume([a, b, p, d]) / whole,
        tet_volume([a, b, c, p]) / whole,
    );
    [1.0 - x - y - z, x, y, z]
}

/// Finds the tet of a point.
struct Finder<'a> {
    cage: &'a TetMesh,
    /// The tets that carry.
    carriers: Vec<u32>,
    /// Over the carriers.
    boxes: Bvh,
    /// The boundary of the carriers.
    boundary: TriangleTree,
    /// The carrier behind each triangle of the boundary.
    behind: Vec<u32>,
}

impl<'a> Finder<'a> {
    fn new(cage: &'a TetMesh) -> Result<Self, MeshError> {
        let kind = ElementKind::Tet;
        check_finite(&cage.vertices)?;
        check_indices(kind, cage.vertices.len(), &cage.tets)?;
        let has_volume = |&t: &u32| relative_size(cage.corners(t as usize)).abs() > DEGENERATE;
        let carriers: Vec<u32> = (0..cage.tets.len() as u32).filter(has_volume).collect();
        if carriers.is_empty() {
            return Err(MeshError::NoElements { kind });
        }
        let boxes: Vec<Aabb> = carriers.iter().map(|&t| Aabb::around(&cage.corners(t as usize))).collect();
        let tets: Vec<[u32; 4]> = carriers.iter().map(|&t| cage.tets[t as usize]).collect();
        let faces = face_uses(&tets);
        let (mut behind, mut triangles) = (Vec::new(), Vec::new());
        for run in faces.chunk_by(|a, b| a.key == b.key).filter(|run| run.len() == 1) {
            behind.push(carriers[run[0].id / 4]);
            triangles.push(run[0].key);
        }
        let boundary = TriangleTree::from_parts(&cage.vertices, &triangles)?;
        Ok(Self { cage, carriers, boxes: Bvh::new(&boxes), boundary, behind })
    }

    fn bind(&self, p: DVec3) -> Binding {
        if let Some((tet, weights)) = self.containing(p) {
            return self.binding(tet, weights, 0.0);
        }
        match self.boundary.closest(p) {
            Some(closest) => {
                let tet = self.behind[closest.triangle as usize];
                self.binding(tet, self.weights(tet, p), closest.distance_sq.sqrt())
            }
            // Every set of tets has a boundary, unless each is there twice.
            None => self.binding(self.carriers[0], self.weights(self.carriers[0], p), f64::INFINITY),
        }
    }

    /// Of the tets around a point the one in which it lies deepest; the first of several.
    fn containing(&self, p: DVec3) -> Option<(u32, [f64; 4])> {
        let mut best = None;
        let mut depth = INSIDE;
        self.boxes.filtered(
            |bounds| bounds.distance_sq(p) == 0.0,
            |slots| {
                for &carrier in &self.boxes.order[slots] {
                    let tet = self.carriers[carrier as usize];
                    let weights = self.weights(tet, p);
                    let least = weights.iter().copied().fold(f64::INFINITY, f64::min);
                    let first = best.is_none_or(|(other, _)| tet < other);
                    if least > depth || (least == depth && first) {
                        depth = least;
                        best = Some((tet, weights));
                    }
                }
            },
        );
        best
    }

    fn weights(&self, tet: u32, p: DVec3) -> [f64; 4] {
        barycentric(self.cage.corners(tet as usize), p)
    }

    fn binding(&self, tet: u32, weights: [f64; 4], distance: f64) -> Binding {
        Binding { tet, vertices: self.cage.tets[tet as usize], weights, distance }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ball, block, sphere_surface};

    /// Points in the cube of half width `size`, without a pattern.
    fn probes(n: usize, size: f64) -> Vec<DVec3> {
        (0..n)
            .map(|i| {
                let step = DVec3::new(0.7548776662, 0.5698402910, 0.3247179572);
                size * (2.0 * ((i as f64 + 0.5) * step).fract() - 1.0)
            })
            .collect()
    }

    fn positions(embedding: &Embedding, cage: &[DVec3]) -> Vec<DVec3> {
        let mut out = vec![DVec3::NAN; embedding.bindings().len()];
        embedding.positions_into(cage, &mut out).unwrap();
        out
    }

    #[test]
    fn points_stay_where_they_are_and_follow_affine_maps() {
        let cage = ball(1.0, 4).unwrap();
        let points = probes(2000, 1.3);
        let embedding = Embedding::new(&cage, &points).unwrap();
        assert!(embedding.outside() > 500 && embedding.outside() < 2000);
        for (a, b) in positions(&embedding, &cage.vertices).iter().zip(&points) {
            assert!(a.distance(*b) < 1e-10);
        }
        let map = |p: DVec3| {
            DVec3::new(
                1.5 * p.x - 0.3 * p.y + 2.0,
                0.2 * p.x + 0.8 * p.y + 0.4 * p.z - 1.0,
                -p.z + 0.1 * p.x + 0.5,
            )
        };
        let moved: Vec<DVec3> = cage.vertices.iter().map(|&p| map(p)).collect();
        for (a, &b) in positions(&embedding, &moved).iter().zip(&points) {
            assert!(a.distance(map(b)) < 1e-10);
        }
    }

    #[test]
    fn inside_points_have_positive_weights_and_outside_ones_their_distance() {
        let cage = block([1.0; 3], [3, 3, 3]).unwrap();
        let (min, max) = cage.bounds();
        let bounds = Aabb { min, max };
        let points = probes(3000, 1.5);
        let embedding = Embedding::new(&cage, &points).unwrap();
        let mut farthest = 0.0_f64;
        for (p, binding) in points.iter().zip(embedding.bindings()) {
            let expected = bounds.distance_sq(*p).sqrt();
            assert!((binding.distance - expected).abs() < 1e-12);
            assert!((binding.weights.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            let least = binding.weights.iter().copied().fold(f64::INFINITY, f64::min);
            assert!(if expected > 0.0 { least < 0.0 } else { least >= INSIDE });
            assert_eq!(binding.vertices, cage.tets[binding.tet as usize]);
            farthest = farthest.max(expected);
        }
        assert!((embedding.farthest() - farthest).abs() < 1e-12);
        let outside = points.iter().filter(|&&p| bounds.distance_sq(p) > 0.0).count();
        assert_eq!(embedding.outside(), outside);
    }

    #[test]
    fn cage_vertices_are_inside() {
        let cage = ball(1.0, 3).unwrap();
        let embedding = Embedding::new(&cage, &cage.vertices).unwrap();
        assert_eq!((embedding.outside(), embedding.farthest()), (0, 0.0));
    }

    #[test]
    fn a_fine_sphere_hangs_on_a_coarse_ball() {
        let cage = ball(1.0, 3).unwrap();
        let fine = sphere_surface(1.0, 4).unwrap();
        let embedding = Embedding::new(&cage, &fine.vertices).unwrap();
        assert!(embedding.outside() > 0 && embedding.farthest() < 0.15);
        // Extrapolation over this little distance keeps the weights small.
        assert!(embedding.bindings().iter().flat_map(|b| b.weights).all(|w| w > -1.0 && w < 2.0));
    }

    #[test]
    fn inverted_tets_carry_and_flat_ones_do_not() {
        let mut cage = crate::boundary::tests::unit_tet();
        cage.vertices.push(DVec3::new(0.2, 0.2, 0.0));
        cage.tets = vec![[0, 1, 2, 4], [0, 2, 1, 3]];
        let embedding =
            Embedding::new(&cage, &[DVec3::new(0.1, 0.1, 0.1), DVec3::new(0.3, 0.3, -0.5)]).unwrap();
        assert!(embedding.bindings().iter().all(|b| b.tet == 1));
        assert_eq!(embedding.outside(), 1);
        cage.tets.truncate(1);
        assert!(matches!(Embedding::new(&cage, &[]), Err(MeshError::NoElements { .. })));
    }

    #[test]
    fn wrong_lengths_and_bad_points_are_errors() {
        let cage = block([1.0; 3], [1, 1, 1]).unwrap();
        assert!(matches!(
            Embedding::new(&cage, &[DVec3::new(0.0, f64::NAN, 0.0)]),
            Err(MeshError::NonFiniteVertex { vertex: 0, .. })
        ));
        let embedding = Embedding::new(&cage, &[DVec3::splat(0.5)]).unwrap();
        let mut out = [DVec3::ZERO; 2];
        assert!(embedding.positions_into(&cage.vertices, &mut out).is_err());
        assert!(embedding.positions_into(&cage.vertices[1..], &mut out[..1]).is_err());
        embedding.positions_into(&cage.vertices, &mut out[..1]).unwrap();
        assert!(out[0].distance(DVec3::splat(0.5)) < 1e-12);
    }
}
