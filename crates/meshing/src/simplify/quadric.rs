//! The sum of squared distances to planes, as a quadratic function.

use pliant_mesh::Point;
use pliant_mesh::vector::{add, area_vector, cross, dot, norm, scale, sub, unit};

/// How strongly a vertex is drawn to the middle of its edge where the planes leave it free.
const DRAW: f64 = 1e-5;

/// `w |n . x + d|^2` summed over planes: `x^T A x + 2 b . x + c`, relative to an origin near the surface.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Quadric {
    /// xx, yy, zz, yz, zx, xy.
    a: [f64; 6],
    b: Point,
    c: f64,
    /// Sum of the weights of triangles, area; borders do not count.
    pub weight: f64,
}

impl Quadric {
    /// The plane of a triangle, weighted by a third of its area.
    pub fn of_triangle(corners: [Point; 3]) -> Self {
        let normal = area_vector(corners);
        let weight = norm(normal) / 6.0;
        match unit(normal) {
            Some(n) => Self { weight, ..Self::of_plane(n, corners[0], weight) },
            None => Self::default(),
        }
    }

    /// The plane through an edge, upright on its triangle: keeps the edge where it is.
    pub fn of_border(a: Point, b: Point, apex: Point, strength: f64) -> Self {
        let along = sub(b, a);
        let across = cross(along, cross(along, sub(apex, a)));
        match unit(across) {
            Some(n) => Self::of_plane(n, a, strength * dot(along, along)),
            None => Self::default(),
        }
    }

    fn of_plane(n: Point, p: Point, w: f64) -> Self {
        let d = -dot(n, p);
        let [x, y, z] = n;
        Self {
            a: [w * x * x, w * y * y, w * z * z, w * y * z, w * z * x, w * x * y],
            b: scale(n, w * d),
            c: w * d * d,
            weight: 0.0,
        }
    }

    pub fn plus(&self, other: &Self) -> Self {
        Self {
            a: std::array::from_fn(|k| self.a[k] + other.a[k]),
            b: add(self.b, other.b),
            c: self.c + other.c,
            weight: self.weight + other.weight,
        }
    }

    /// Weighted squared distance; never negative but for rounding.
    pub fn error(&self, p: Point) -> f64 {
        let [x, y, z] = p;
        let a = &self.a;
        let quadratic =
            a[0] * x * x + a[1] * y * y + a[2] * z * z + 2.0 * (a[3] * y * z + a[4] * z * x + a[5] * x * y);
        (quadratic + 2.0 * dot(self.b, p) + self.c).max(0.0)
    }

    /// Where the error is least; where it does not say, towards `middle`. `None` if there are no planes.
    pub fn minimum(&self, middle: Point) -> Option<Point> {
        // The second step starts where the first ended and takes back what the draw cost.
        let p = self.drawn_minimum(self.drawn_minimum(middle)?)?;
        pliant_mesh::vector::is_finite(p).then_some(p)
    }

    /// The least of the error and the draw to `middle`.
    fn drawn_minimum(&self, middle: Point) -> Option<Point> {
        let draw = DRAW * (self.a[0] + self.a[1] + self.a[2]);
        if draw <= 0.0 {
            return None;
        }
        let [xx, yy, zz, yz, zx, xy] = self.a;
        let rows = [[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]];
        let gradient: Point = std::array::from_fn(|k| dot(rows[k], middle) + self.b[k]);
        let m: [Point; 3] = std::array::from_fn(|k| {
            let mut row = rows[k];
            row[k] += draw;
            row
        });
        // Cramer's rule: the matrix is symmetric and safely positive.
        let det = dot(m[0], cross(m[1], m[2]));
        let step = [
            dot(gradient, cross(m[1], m[2])) / det,
            dot(gradient, cross(m[2], m[0])) / det,
            dot(gradient, cross(m[0], m[1])) / det,
        ];
        Some(sub(middle, step))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_mesh::vector::distance;

    #[test]
    fn three_planes_meet_in_their_corner() {
        let o = [1.0, 2.0, 3.0];
        let q = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.6, 0.0, 0.8]]
            .iter()
            .fold(Quadric::default(), |q, &n| q.plus(&Quadric::of_plane(n, o, 2.0)));
        assert!(q.error(o) < 1e-12);
        assert!(distance(q.minimum([1.1, 2.2, 2.9]).unwrap(), o) < 1e-8);
        // 2 (0.5^2 + (0.3)^2) at half a metre along x.
        assert!((q.error([1.5, 2.0, 3.0]) - 2.0 * (0.25 + 0.09)).abs() < 1e-12);
    }

    #[test]
    fn on_one_plane_the_middle_is_projected() {
        let q = Quadric::of_triangle([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
        let p = q.minimum([0.3, 0.4, 0.5]).unwrap();
        assert!(distance(p, [0.3, 0.4, 0.0]) < 1e-8);
        assert!((q.error([7.0, 7.0, 3.0]) / q.weight - 9.0).abs() < 1e-12);
        assert!(Quadric::default().minimum([0.0; 3]).is_none());
    }

    #[test]
    fn a_border_holds_across_but_not_along() {
        let q = Quadric::of_border([0.0; 3], [2.0, 0.0, 0.0], [1.0, 1.0, 0.0], 1.0);
        assert!(q.error([5.0, 0.0, 5.0]) < 1e-12);
        assert!((q.error([0.0, 0.5, 0.0]) - 1.0).abs() < 1e-12);
    }
}
