//! The distance of two features and its derivatives.
//!
//! The nearest points of two features differ by `r = sum w_i x_i`; their distance is `d = |r|`, its direction `n = r / d`. The weights
//! depend on up to two parameters b with constant directions c_k. The minimum over b gives, with `J_k = sum c_ki x_i` and
//! `G = J^T J`,
//!
//! `grad_i d = w_i n`,  `Hess (d^2 / 2) = w w^T (x) I - sum_kl G^-1_kl z_k z_l^T`,  `z_k = w (x) J_k + d c_k (x) n`.
//!
//! All of it lies in the span of `w (x) t1, w (x) t2, w (x) n, c_1 (x) n, c_2 (x) n`, because J_k is perpendicular to r at the minimum: a
//! matrix of 5x5 is all that ever has to be projected.

use pliant_mesh::{DMat3, DVec3, closest_on_triangle};

/// Which two features a pair consists of, and what its four points are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PairKind {
    /// A vertex and the three corners of a triangle.
    VertexTriangle,
    /// The ends of an edge and those of another one.
    EdgeEdge,
    /// A vertex, and twice a point of a plane and one at unit distance in front of it.
    VertexPlane,
}

/// The nearest points of two features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// Their distance in m; negative only behind a plane.
    pub distance: f64,
    /// Unit vector from the second feature to the first; zero if they touch.
    pub normal: DVec3,
    /// Weights of the four points: the sum over the points is the difference of the nearest points.
    pub weights: [f64; 4],
    /// How the weights change with the parameters that are free, of which there are `free`.
    directions: [[f64; 4]; 2],
    free: usize,
}

/// The second derivative of a distance in an orthonormal basis of the space in which it lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curvature {
    /// The basis: column `k` is `basis[k].0 (x) basis[k].1`.
    pub basis: [([f64; 4], DVec3); 5],
    /// The gradient of the distance in this basis.
    pub gradient: [f64; 5],
    /// The Hessian of the distance in this basis.
    pub hessian: [[f64; 5]; 5],
}

impl Closest {
    /// The nearest points of a pair whose points are at `x`.
    pub fn of(kind: PairKind, x: [DVec3; 4]) -> Closest {
        match kind {
            PairKind::VertexTriangle => vertex_triangle(x),
            PairKind::EdgeEdge => edge_edge(x),
            PairKind::VertexPlane => vertex_plane(x),
        }
    }

    /// Over which of the points the distance is a function of their places: the others have weight 0.
    pub fn gradient(&self) -> [DVec3; 4] {
        self.weights.map(|w| w * self.normal)
    }

    fn new(x: [DVec3; 4], weights: [f64; 4], directions: &[[f64; 4]]) -> Closest {
        let r = sum(weights, x);
        let distance = r.length();
        let mut all = [[0.0; 4]; 2];
        all[..directions.len()].copy_from_slice(directions);
        let normal = if distance > 0.0 { r / distance } else { DVec3::ZERO };
        Closest { distance, normal, weights, directions: all, free: directions.len() }
    }

    /// The second derivative for points at `x`. The distance must not be zero.
    pub fn curvature(&self, x: [DVec3; 4]) -> Curvature {
        let (n, d) = (self.normal, self.distance);
        let (t1, t2) = n.any_orthonormal_pair();
        // Gram-Schmidt of w, c_1, c_2: column k of `upper` has the coordinates of vector k.
        let vectors = [self.weights, self.directions[0], self.directions[1]];
        let mut axes = [[0.0; 4]; 3];
        let mut upper = [[0.0; 3]; 3];
        for k in 0..=self.free {
            let mut rest = vectors[k];
            for j in 0..k {
                upper[j][k] = dot(axes[j], rest);
                rest = combined(rest, -upper[j][k], axes[j]);
            }
            upper[k][k] = dot(rest, rest).sqrt();
            if upper[k][k] > 0.0 {
                axes[k] = rest.map(|a| a / upper[k][k]);
            }
        }
        let width = upper[0][0];
        // z_k in the basis.
        let along: [DVec3; 2] = self.directions.map(|c| sum(c, x));
        let z: [[f64; 5]; 2] = std::array::from_fn(|k| {
            let u = |row: usize| d * upper[row][k + 1];
            [width * along[k].dot(t1), width * along[k].dot(t2), u(0), u(1), u(2)]
        });
        let inverse = inverse_gram(&along[..self.free]);
        let hessian = std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let mut value = if i == j && i < 2 { width * width } else { 0.0 };
                for k in 0..self.free {
                    for l in 0..self.free {
                        value -= inverse[k][l] * z[k][i] * z[l][j];
                    }
                }
                value / d
            })
        });
        let basis = [(axes[0], t1), (axes[0], t2), (axes[0], n), (axes[1], n), (axes[2], n)];
        Curvature { basis, gradient: [0.0, 0.0, width, 0.0, 0.0], hessian }
    }
}

impl Curvature {
    /// A matrix in this basis as blocks between the four points.
    pub fn expanded(&self, matrix: &[[f64; 5]; 5]) -> [[DMat3; 4]; 4] {
        let mut blocks = [[DMat3::ZERO; 4]; 4];
        for (a, (p, e)) in self.basis.iter().enumerate() {
            for (b, (q, f)) in self.basis.iter().enumerate() {
                let value = matrix[a][b];
                if value == 0.0 {
                    continue;
                }
                let outer = DMat3::from_cols(f.x * *e, f.y * *e, f.z * *e) * value;
                for i in 0..4 {
                    for j in 0..4 {
                        blocks[i][j] += outer * (p[i] * q[j]);
                    }
                }
            }
        }
        blocks
    }
}

fn inverse_gram(along: &[DVec3]) -> [[f64; 2]; 2] {
    match *along {
        [] => [[0.0; 2]; 2],
        [a] => [[1.0 / a.length_squared(), 0.0], [0.0; 2]],
        [a, b, ..] => {
            let (aa, ab, bb) = (a.length_squared(), a.dot(b), b.length_squared());
            // |a x b|^2 keeps its digits where aa bb - ab^2 cancels.
            let det = a.cross(b).length_squared();
            [[bb / det, -ab / det], [-ab / det, aa / det]]
        }
    }
}

fn vertex_triangle(x: [DVec3; 4]) -> Closest {
    let [p, a, b, c] = x;
    let (mut w, _) = closest_on_triangle(p, [a, b, c]);
    let [ab, ac] = [b - a, c - a];
    let longest = ab.length_squared().max(ac.length_squared());
    if ab.cross(ac).length_squared() < NEARLY_FLAT * longest * longest {
        // Rounding may have put the point next to another part of a triangle that is nearly a line.
        let nearest = |w: [f64; 3]| p.distance_squared(w[0] * a + w[1] * b + w[2] * c);
        let outline = on_outline(p, [a, b, c]);
        w = outline.into_iter().fold(w, |best, w| if nearest(w) < nearest(best) { w } else { best });
    }
    let weights = [1.0, -w[0], -w[1], -w[2]];
    // The corners that carry the point: it can move between them.
    let used: Carriers = Carriers::of(w);
    let between = |i: usize, j: usize| {
        let mut direction = [0.0; 4];
        (direction[1 + i], direction[1 + j]) = (1.0, -1.0);
        direction
    };
    match *used.list() {
        [i, j, k] => Closest::new(x, weights, &[between(i, j), between(i, k)]),
        [i, j] => Closest::new(x, weights, &[between(i, j)]),
        _ => Closest::new(x, weights, &[]),
    }
}

/// Squared sine of a corner of a triangle below which it is nearly a line.
const NEARLY_FLAT: f64 = 1e-8;

/// Weights of the point of each edge of a triangle that is nearest to p.
fn on_outline(p: DVec3, corners: [DVec3; 3]) -> [[f64; 3]; 3] {
    std::array::from_fn(|k| {
        let next = (k + 1) % 3;
        let along = corners[next] - corners[k];
        let length_sq = along.length_squared();
        let part =
            if length_sq > 0.0 { ((p - corners[k]).dot(along) / length_sq).clamp(0.0, 1.0) } else { 0.0 };
        let mut weights = [0.0; 3];
        (weights[k], weights[next]) = (1.0 - part, part);
        weights
    })
}

/// The corners with a weight.
struct Carriers {
    list: [usize; 3],
    count: usize,
}

impl Carriers {
    fn of(w: [f64; 3]) -> Carriers {
        let (mut list, mut count) = ([0; 3], 0);
        for (k, w) in w.iter().enumerate() {
            if *w != 0.0 {
                list[count] = k;
                count += 1;
            }
        }
        Carriers { list, count }
    }

    fn list(&self) -> &[usize] {
        &self.list[..self.count]
    }
}

/// Squared sine of the angle between edges below which the points where they are nearest are badly determined.
const NEARLY_PARALLEL: f64 = 1e-4;

const ALONG_FIRST: [f64; 4] = [-1.0, 1.0, 0.0, 0.0];
const ALONG_SECOND: [f64; 4] = [0.0, 0.0, 1.0, -1.0];

fn edge_edge(x: [DVec3; 4]) -> Closest {
    let [a, b, c, d] = x;
    let (e, f, r) = (b - a, d - c, a - c);
    let (ee, ef, ff) = (e.length_squared(), e.dot(f), f.length_squared());
    let (er, fr) = (e.dot(r), f.dot(r));
    let det = e.cross(f).length_squared();
    if det > 0.0 {
        let solve = |er: f64, fr: f64| ((ef * fr - ff * er) / det, (ee * fr - ef * er) / det);
        let (mut u, mut v) = solve(er, fr);
        let nearly_parallel = det < NEARLY_PARALLEL * ee * ff;
        if nearly_parallel {
            // Rounding is divided by the squared sine: what is left is solved for again.
            for _ in 0..2 {
                let rest = r + u * e - v * f;
                let (du, dv) = solve(e.dot(rest), f.dot(rest));
                (u, v) = (u + du, v + dv);
            }
        }
        if u > 0.0 && u < 1.0 && v > 0.0 && v < 1.0 {
            let inner = Closest::new(x, [1.0 - u, u, v - 1.0, -v], &[ALONG_FIRST, ALONG_SECOND]);
            if !nearly_parallel {
                return inner;
            }
            // An end may be as near, or nearer by rounding.
            let outer = by_ends(x, [e, f], r);
            return if outer.distance < inner.distance { outer } else { inner };
        }
    }
    by_ends(x, [e, f], r)
}

/// The nearest of the four ends and the points of the other edge.
fn by_ends(x: [DVec3; 4], [e, f]: [DVec3; 2], r: DVec3) -> Closest {
    let part = |along: DVec3, to: DVec3| {
        let length_sq = along.length_squared();
        if length_sq > 0.0 { (to.dot(along) / length_sq).clamp(0.0, 1.0) } else { 0.0 }
    };
    // Squared distance, parameters, and along which edge the point is inside, if along any.
    let mut best = (f64::INFINITY, [0.0, 0.0], None);
    let mut consider = |u: f64, v: f64, inside: Option<&[f64; 4]>| {
        let distance_sq = (r + u * e - v * f).length_squared();
        if distance_sq < best.0 {
            best = (distance_sq, [u, v], inside.copied());
        }
    };
    for u in [0.0, 1.0] {
        let v = part(f, r + u * e);
        consider(u, v, (v > 0.0 && v < 1.0).then_some(&ALONG_SECOND));
    }
    for v in [0.0, 1.0] {
        let u = part(e, v * f - r);
        consider(u, v, (u > 0.0 && u < 1.0).then_some(&ALONG_FIRST));
    }
    let (_, [u, v], direction) = best;
    Closest::new(x, [1.0 - u, u, v - 1.0, -v], direction.as_slice())
}

fn vertex_plane([p, origin, tip, _]: [DVec3; 4]) -> Closest {
    let normal = (tip - origin).normalize_or_zero();
    Closest {
        distance: normal.dot(p - origin),
        normal,
        // The plane is an obstacle: nothing but the vertex moves it.
        weights: [1.0, 0.0, 0.0, 0.0],
        directions: [[0.0; 4]; 2],
        free: 0,
    }
}

/// How far two edges are from parallel: 1 beyond a bound, and smoothly 0 where they are parallel, so that no energy that is multiplied by
/// it has a kink there \[Li20, eq. (24)\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mollifier {
    /// Its value.
    pub value: f64,
    /// Its gradient.
    pub gradient: [DVec3; 4],
    /// Its Hessian.
    pub hessian: [[DMat3; 4]; 4],
}

impl Mollifier {
    /// For edges at `x`; none where it is 1. `bound` is the squared sine of an angle times the squared lengths at rest.
    pub fn of(x: [DVec3; 4], bound: f64) -> Option<Mollifier> {
        let value = Mollifier::value(x, bound)?;
        let (e, f) = (x[1] - x[0], x[3] - x[2]);
        let (ee, ef, ff) = (e.length_squared(), e.dot(f), f.length_squared());
        let c = e.cross(f).length_squared();
        let [of_e, of_f] = [2.0 * (ff * e - ef * f), 2.0 * (ee * f - ef * e)];
        let outer = |a: DVec3, b: DVec3| DMat3::from_cols(b.x * a, b.y * a, b.z * a);
        let one = DMat3::IDENTITY;
        let in_e = (one * ff - outer(f, f)) * 2.0;
        let in_f = (one * ee - outer(e, e)) * 2.0;
        let mixed = (outer(e, f) * 2.0 - one * ef - outer(f, e)) * 2.0;
        let (slope, bend) = ((2.0 - 2.0 * c / bound) / bound, -2.0 / (bound * bound));
        let parts = [of_e, of_f];
        let seconds = [[in_e, mixed], [mixed.transpose(), in_f]];
        // Point i belongs to edge i / 2, with this sign.
        let sign = [-1.0, 1.0, -1.0, 1.0];
        let hessian = std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let (a, b) = (i / 2, j / 2);
                (seconds[a][b] * slope + outer(parts[a], parts[b]) * bend) * (sign[i] * sign[j])
            })
        });
        let gradient = std::array::from_fn(|i| slope * sign[i] * parts[i / 2]);
        Some(Mollifier { value, gradient, hessian })
    }

    /// Its value alone; none where it is 1.
    pub fn value(x: [DVec3; 4], bound: f64) -> Option<f64> {
        let part = (x[1] - x[0]).cross(x[3] - x[2]).length_squared() / bound;
        (part < 1.0).then_some((2.0 - part) * part)
    }
}

fn sum(weights: [f64; 4], x: [DVec3; 4]) -> DVec3 {
    weights[0] * x[0] + weights[1] * x[1] + weights[2] * x[2] + weights[3] * x[3]
}

fn dot(a: [f64; 4], b: [f64; 4]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// `a + factor b`
fn combined(a: [f64; 4], factor: f64, b: [f64; 4]) -> [f64; 4] {
    std::array::from_fn(|i| a[i] + factor * b[i])
}
