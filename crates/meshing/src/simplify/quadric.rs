//! The sum of squared distances to planes, as a quadratic function.

use pliant_mesh::vector::{area_vector, unit};
use pliant_mesh::{DMat3, DVec3};

/// How strongly a vertex is drawn to the middle of its edge where the planes leave it free.
const DRAW: f64 = 1e-5;

/// `w |n . x + d|^2` summed over planes: `x^T A x + 2 b . x + c`, relative to an origin near the surface.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Quadric {
    /// xx, yy, zz, yz, zx, xy.
    a: [f64; 6],
    b: DVec3,
    c: f64,
    /// Sum of the weights of triangles, area; borders do not count.
    pub weight: f64,
}

impl Quadric {
    /// The plane of a triangle, weighted by a third of its area.
    pub fn of_triangle(corners: [DVec3; 3]) -> Self {
        let normal = area_vector(corners);
        let weight = normal.length() / 6.0;
        match unit(normal) {
            Some(n) => Self { weight, ..Self::of_plane(n, corners[0], weight) },
            None => Self::default(),
        }
    }

    /// The plane through an edge, upright on its triangle: keeps the edge where it is.
    pub fn of_border(a: DVec3, b: DVec3, apex: DVec3, strength: f64) -> Self {
        let along = b - a;
        let across = along.cross(along.cross(apex - a));
        match unit(across) {
            Some(n) => Self::of_plane(n, a, strength * along.length_squared()),
            None => Self::default(),
        }
    }

    fn of_plane(n: DVec3, p: DVec3, w: f64) -> Self {
        let d = -n.dot(p);
        let DVec3 { x, y, z } = n;
        Self {
            a: [w * x * x, w * y * y, w * z * z, w * y * z, w * z * x, w * x * y],
            b: n * (w * d),
            c: w * d * d,
            weight: 0.0,
        }
    }

    pub fn plus(&self, other: &Self) -> Self {
        Self {
            a: std::array::from_fn(|k| self.a[k] + other.a[k]),
            b: self.b + other.b,
            c: self.c + other.c,
            weight: self.weight + other.weight,
        }
    }

    /// Weighted squared distance; never negative but for rounding.
    pub fn error(&self, p: DVec3) -> f64 {
        let DVec3 { x, y, z } = p;
        let a = &self.a;
        let quadratic =
            a[0] * x * x + a[1] * y * y + a[2] * z * z + 2.0 * (a[3] * y * z + a[4] * z * x + a[5] * x * y);
        (quadratic + 2.0 * self.b.dot(p) + self.c).max(0.0)
    }

    /// Where the error is least; where it does not say, towards `middle`. `None` if there are no planes.
    pub fn minimum(&self, middle: DVec3) -> Option<DVec3> {
        // The second step starts where the first ended and takes back what the draw cost.
        let p = self.drawn_minimum(self.drawn_minimum(middle)?)?;
        p.is_finite().then_some(p)
    }

    /// The least of the error and the draw to `middle`.
    fn drawn_minimum(&self, middle: DVec3) -> Option<DVec3> {
        let draw = DRAW * (self.a[0] + self.a[1] + self.a[2]);
        if draw <= 0.0 {
            return None;
        }
        let [xx, yy, zz, yz, zx, xy] = self.a;
        let matrix = DMat3::from_cols_array_2d(&[[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]]);
        let gradient = matrix * middle + self.b;
        let DMat3 { x_axis: mut x, y_axis: mut y, z_axis: mut z } = matrix;
        x.x += draw;
        y.y += draw;
        z.z += draw;
        // Cramer's rule: the matrix is symmetric and safely positive.
        let det = x.dot(y.cross(z));
        let minors = DVec3::new(gradient.dot(y.cross(z)), gradient.dot(z.cross(x)), gradient.dot(x.cross(y)));
        Some(middle - minors / det)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_planes_meet_in_their_corner() {
        let o = DVec3::new(1.0, 2.0, 3.0);
        let q = [DVec3::X, DVec3::Y, DVec3::new(0.6, 0.0, 0.8)]
            .iter()
            .fold(Quadric::default(), |q, &n| q.plus(&Quadric::of_plane(n, o, 2.0)));
        assert!(q.error(o) < 1e-12);
        assert!(q.minimum(DVec3::new(1.1, 2.2, 2.9)).unwrap().distance(o) < 1e-8);
        // 2 (0.5^2 + (0.3)^2) at half a metre along x.
        assert!((q.error(DVec3::new(1.5, 2.0, 3.0)) - 2.0 * (0.25 + 0.09)).abs() < 1e-12);
    }

    #[test]
    fn on_one_plane_the_middle_is_projected() {
        let q = Quadric::of_triangle([DVec3::ZERO, DVec3::X, DVec3::Y]);
        let p = q.minimum(DVec3::new(0.3, 0.4, 0.5)).unwrap();
        assert!(p.distance(DVec3::new(0.3, 0.4, 0.0)) < 1e-8);
        assert!((q.error(DVec3::new(7.0, 7.0, 3.0)) / q.weight - 9.0).abs() < 1e-12);
        assert!(Quadric::default().minimum(DVec3::ZERO).is_none());
    }

    #[test]
    fn a_border_holds_across_but_not_along() {
        let q = Quadric::of_border(DVec3::ZERO, DVec3::new(2.0, 0.0, 0.0), DVec3::new(1.0, 1.0, 0.0), 1.0);
        assert!(q.error(DVec3::new(5.0, 0.0, 5.0)) < 1e-12);
        assert!((q.error(DVec3::new(0.0, 0.5, 0.0)) - 1.0).abs() < 1e-12);
    }
}
