//! Generalised winding number: how often a surface, closed or not, wraps around a point.
//!
//! Near triangles count by their exact solid angle \[VanOosterom83\], far ones together by a Taylor expansion
//! of second order about their centre \[Barill18\].

use super::TriangleTree;
use super::bvh::Node;
use crate::DVec3;
use crate::vector::area_vector;

/// A cluster of triangles is far when the point is farther from its centre than this times its radius.
const FAR: f64 = 2.0;

/// A tree over triangles that gives the winding number of any point.
#[derive(Clone, Debug)]
pub struct WindingTree {
    tree: TriangleTree,
    /// Of each node of the tree.
    moments: Vec<Moments>,
}

/// Moments of area vectors `n dA` of a cluster about its centre, symmetrised: the derivatives of the kernel
/// they are contracted with are symmetric.
#[derive(Clone, Copy, Debug, Default)]
struct Moments {
    center: DVec3,
    radius: f64,
    /// Sum of areas, the weight of the centre.
    area: f64,
    /// `int n`.
    zeroth: DVec3,
    /// `sym int n (x) d` with `d` from the centre: xx, yy, zz, yz, zx, xy.
    first: [f64; 6],
    /// `sym int n (x) d (x) d`: xxx, yyy, zzz, xxy, xxz, yyx, yyz, zzx, zzy, xyz.
    second: [f64; 10],
}

impl WindingTree {
    /// Prepares the tree: one pass over its nodes.
    pub fn new(tree: TriangleTree) -> Self {
        let nodes = &tree.bvh().nodes;
        let mut moments = vec![Moments::default(); nodes.len()];
        // Children come after their parent.
        for (i, node) in nodes.iter().enumerate().rev() {
            let first = node.first as usize;
            moments[i] = if node.count > 0 {
                of_leaf(&tree, node)
            } else {
                of_children(node, &moments[first], &moments[first + 1])
            };
        }
        Self { tree, moments }
    }

    /// The tree of triangles.
    pub fn triangles(&self) -> &TriangleTree {
        &self.tree
    }

    /// The winding number: 1 inside and 0 outside of a closed surface oriented outward, 2 where it overlaps
    /// itself, and in between near holes. Accurate to a few 1e-3.
    pub fn winding_number(&self, point: DVec3) -> f64 {
        let nodes = &self.tree.bvh().nodes;
        if nodes.is_empty() {
            return 0.0;
        }
        let mut sum = 0.0;
        let mut near = HalfAngles::default();
        let mut stack = Vec::with_capacity(64);
        stack.push(0u32);
        while let Some(index) = stack.pop() {
            let (node, moments) = (&nodes[index as usize], &self.moments[index as usize]);
            let to_center = moments.center - point;
            let distance_sq = to_center.length_squared();
            if distance_sq > (FAR * moments.radius).powi(2) {
                sum += moments.solid_angle(to_center, distance_sq);
            } else if node.count > 0 {
                for slot in node.slots() {
                    near.add(tangent_parts(point, self.tree.slot_corners(slot)));
                }
            } else {
                stack.extend([node.first + 1, node.first]);
            }
        }
        (sum + 2.0 * near.total()) / (4.0 * std::f64::consts::PI)
    }

    /// The winding number as the sum over all triangles: slow, exact to rounding.
    pub fn winding_number_exact(&self, point: DVec3) -> f64 {
        let sum: f64 = (0..self.tree.len()).map(|s| solid_angle(point, self.tree.slot_corners(s))).sum();
        sum / (4.0 * std::f64::consts::PI)
    }
}

/// Signed solid angle of a triangle: positive if its normal points away from `p`.
fn solid_angle(p: DVec3, corners: [DVec3; 3]) -> f64 {
    let (numerator, denominator) = tangent_parts(p, corners);
    2.0 * numerator.atan2(denominator)
}

/// Numerator and denominator of the tangent of half the solid angle. At a point of the triangle both may
/// vanish; then it counts for nothing.
fn tangent_parts(p: DVec3, corners: [DVec3; 3]) -> (f64, f64) {
    let [a, b, c] = corners.map(|x| x - p);
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let denominator = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    (a.dot(b.cross(c)), denominator)
}

/// A sum of angles given by their tangents. Small ones are multiplied as complex numbers first, because the
/// inverse tangent is what costs.
struct HalfAngles {
    sum: f64,
    product: (f64, f64),
    factors: u32,
}

impl Default for HalfAngles {
    fn default() -> Self {
        Self { sum: 0.0, product: (1.0, 0.0), factors: 0 }
    }
}

impl HalfAngles {
    /// Six angles with a tangent of at most a half stay below half a turn.
    const MOST: u32 = 6;

    fn add(&mut self, (numerator, denominator): (f64, f64)) {
        if numerator.abs() > 0.5 * denominator {
            self.sum += numerator.atan2(denominator);
        } else if denominator > 0.0 {
            let tangent = numerator / denominator;
            let (re, im) = self.product;
            self.product = (re - im * tangent, im + re * tangent);
            self.factors += 1;
            if self.factors == Self::MOST {
                self.flush();
            }
        }
    }

    fn flush(&mut self) {
        self.sum += self.product.1.atan2(self.product.0);
        self.product = (1.0, 0.0);
        self.factors = 0;
    }

    fn total(mut self) -> f64 {
        self.flush();
        self.sum
    }
}

impl Moments {
    /// Solid angle of the cluster seen over `r`, the vector to its centre.
    fn solid_angle(&self, r: DVec3, distance_sq: f64) -> f64 {
        let inverse_sq = 1.0 / distance_sq;
        let inverse_cube = inverse_sq * inverse_sq.sqrt();
        let DVec3 { x, y, z } = r;
        let m = &self.first;
        let first =
            m[0] * x * x + m[1] * y * y + m[2] * z * z + 2.0 * (m[3] * y * z + m[4] * z * x + m[5] * x * y);
        let t = &self.second;
        let trace = x * (t[0] + t[5] + t[7]) + y * (t[1] + t[3] + t[8]) + z * (t[2] + t[4] + t[6]);
        let second = x * x * (t[0] * x + 3.0 * (t[3] * y + t[4] * z))
            + y * y * (t[1] * y + 3.0 * (t[5] * x + t[6] * z))
            + z * z * (t[2] * z + 3.0 * (t[7] * x + t[8] * y))
            + 6.0 * t[9] * x * y * z;
        inverse_cube
            * (self.zeroth.dot(r)
                + m[0]
                + m[1]
                + m[2]
                + inverse_sq * (-3.0 * first - 4.5 * trace + inverse_sq * 7.5 * second))
    }

    /// Adds a cluster given about a centre that lies `s` from this one.
    fn absorb(&mut self, other: &Moments, s: DVec3) {
        self.zeroth += other.zeroth;
        let shifted = symmetric_pair(other.zeroth, s);
        for k in 0..6 {
            self.first[k] += other.first[k] + shifted[k];
        }
        // Of n (x) (d + s) (x) (d + s): the parts linear and quadratic in s.
        let mut matrix = other.first.map(|c| 2.0 * c);
        for k in 0..6 {
            matrix[k] += shifted[k];
        }
        let linear = symmetric_triple(matrix, s);
        for k in 0..10 {
            self.second[k] += other.second[k] + linear[k];
        }
    }
}

/// `sym(a (x) b)` in the order of [`Moments::first`].
fn symmetric_pair(a: DVec3, b: DVec3) -> [f64; 6] {
    let mixed = |i: usize, j: usize| 0.5 * (a[i] * b[j] + a[j] * b[i]);
    [a[0] * b[0], a[1] * b[1], a[2] * b[2], mixed(1, 2), mixed(2, 0), mixed(0, 1)]
}

/// `sym(M (x) s)` of a symmetric matrix, in the order of [`Moments::second`].
fn symmetric_triple([xx, yy, zz, yz, zx, xy]: [f64; 6], DVec3 { x, y, z }: DVec3) -> [f64; 10] {
    [
        xx * x,
        yy * y,
        zz * z,
        (xx * y + 2.0 * xy * x) / 3.0,
        (xx * z + 2.0 * zx * x) / 3.0,
        (yy * x + 2.0 * xy * y) / 3.0,
        (yy * z + 2.0 * yz * y) / 3.0,
        (zz * x + 2.0 * zx * z) / 3.0,
        (zz * y + 2.0 * yz * z) / 3.0,
        (xy * z + yz * x + zx * y) / 3.0,
    ]
}

fn centroid([a, b, c]: [DVec3; 3]) -> DVec3 {
    (a + b + c) * (1.0 / 3.0)
}

fn of_leaf(tree: &TriangleTree, node: &Node) -> Moments {
    let triangles = || node.slots().map(|s| tree.slot_corners(s));
    let mut weighted = (0.0, DVec3::ZERO);
    for corners in triangles() {
        let area = 0.5 * area_vector(corners).length();
        weighted = (weighted.0 + area, weighted.1 + area * centroid(corners));
    }
    let center = middle_of(node, weighted.0, weighted.1);
    let mut all = Moments { center, area: weighted.0, ..Default::default() };
    for corners in triangles() {
        let normal = 0.5 * area_vector(corners);
        // About the triangle's own centroid the first moment vanishes and the second is a sum over corners.
        let middle = centroid(corners);
        let mut own = Moments { zeroth: normal, ..Default::default() };
        for corner in corners {
            let d = corner - middle;
            let part = symmetric_triple(symmetric_pair(normal, d), d);
            for k in 0..10 {
                own.second[k] += part[k] / 12.0;
            }
            all.radius = all.radius.max(corner.distance(center));
        }
        all.absorb(&own, middle - center);
    }
    all
}

fn of_children(node: &Node, a: &Moments, b: &Moments) -> Moments {
    let area = a.area + b.area;
    let center = middle_of(node, area, a.area * a.center + b.area * b.center);
    let mut all = Moments { center, area, ..Default::default() };
    for child in [a, b] {
        let shift = child.center - center;
        all.absorb(child, shift);
        all.radius = all.radius.max(shift.length() + child.radius);
    }
    all.radius = all.radius.min(node.bounds.farthest_distance(center));
    all
}

/// The centre of area, or of the box where there is no area.
fn middle_of(node: &Node, area: f64, weighted: DVec3) -> DVec3 {
    if area > 0.0 { weighted * (1.0 / area) } else { node.bounds.center() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TriMesh, sphere_surface};

    fn tree(surface: &TriMesh) -> WindingTree {
        WindingTree::new(TriangleTree::new(surface).unwrap())
    }

    /// Points within a box of twice the unit sphere, without a pattern.
    fn probes(n: usize) -> impl Iterator<Item = DVec3> {
        (0..n).map(|i| {
            4.0 * ((i as f64 + 0.5) * DVec3::new(0.7548776662, 0.5698402910, 0.3247179572)).fract() - 2.0
        })
    }

    #[test]
    fn solid_angle_of_an_octant() {
        let octant = [DVec3::X, DVec3::Y, DVec3::Z];
        assert!((solid_angle(DVec3::ZERO, octant) - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
        assert!(
            (solid_angle(DVec3::ONE, octant) + solid_angle(DVec3::ONE, [octant[1], octant[0], octant[2]]))
                .abs()
                < 1e-15
        );
    }

    #[test]
    fn a_closed_sphere_winds_once() {
        let winding = tree(&sphere_surface(1.0, 4).unwrap());
        for p in probes(2000) {
            let r = p.length();
            if (r - 1.0).abs() > 0.01 {
                let expected = if r < 1.0 { 1.0 } else { 0.0 };
                assert!((winding.winding_number_exact(p) - expected).abs() < 1e-12);
                assert!((winding.winding_number(p) - expected).abs() < 5e-3, "{p:?}");
            }
        }
    }

    #[test]
    fn expansion_and_exact_sum_agree_on_a_sphere_with_holes() {
        let mut sphere = sphere_surface(1.0, 4).unwrap();
        let keep = |t: &[u32; 3]| {
            let p = sphere.vertices[t[0] as usize];
            p.z < 0.9 && p.x < 0.8
        };
        sphere.triangles = sphere.triangles.iter().copied().filter(keep).collect();
        let winding = tree(&sphere);
        let mut worst = 0.0_f64;
        for p in probes(2000) {
            worst = worst.max((winding.winding_number(p) - winding.winding_number_exact(p)).abs());
        }
        assert!(worst < 5e-3, "{worst}");
        assert!(worst > 0.0, "the expansion was never used");
    }

    #[test]
    fn the_expansion_is_of_third_order() {
        // Twice the distance: the first neglected term falls by 2^3 more than the solid angle itself (2^2).
        let patch = crate::cloth([1.0, 1.0], 4).unwrap();
        let winding = tree(&patch);
        let error = |distance: f64| {
            let p = distance * DVec3::new(0.3, 0.5, 0.8);
            let to_center = winding.moments[0].center - p;
            let far = winding.moments[0].solid_angle(to_center, to_center.length_squared());
            (far / (4.0 * std::f64::consts::PI) - winding.winding_number_exact(p)).abs()
        };
        let rate = (error(4.0) / error(8.0)).log2();
        assert!(rate > 4.7, "{rate}");
    }

    #[test]
    fn an_empty_surface_winds_around_nothing() {
        assert_eq!(tree(&TriMesh::default()).winding_number(DVec3::ZERO), 0.0);
    }
}
