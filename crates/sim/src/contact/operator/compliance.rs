//! How one point answers a force on another: by a number where A acts on x, y and z alike, by a 3x3 block where it does
//! not.

use pliant_linalg::small::{Mat3, dot};
use pliant_mesh::Point;

/// Displacement per force, as a linear map of vectors.
pub(crate) trait Compliance: Copy + std::fmt::Debug + Send + Sync {
    /// Rows and columns that a factor needs for one point: directions that do not mix share one.
    const ROWS: usize;

    /// The map whose components in those rows and columns are given.
    fn from_components(of: impl Fn(usize, usize) -> f64) -> Self;

    /// A component.
    fn component(&self, row: usize, column: usize) -> f64;

    /// The map times a number.
    fn scaled(&self, by: f64) -> Self;

    /// The difference of two maps.
    fn minus(&self, other: &Self) -> Self;

    /// The displacement `W f`.
    fn apply(&self, force: &Point) -> Point;

    /// `a . W b`.
    fn between(&self, a: &Point, b: &Point) -> f64;

    /// `n . W n` of a unit vector.
    fn along(&self, n: &Point) -> f64;

    /// The mean of the responses across a unit vector: half of `trace W - n . W n`.
    fn across(&self, n: &Point) -> f64;

    /// Length of `W f`.
    fn displacement(&self, force: &Point) -> f64;

    /// Square of the length of `W f`.
    fn displacement_sq(&self, force: &Point) -> f64;
}

impl Compliance for f64 {
    const ROWS: usize = 1;

    #[inline(always)]
    fn from_components(of: impl Fn(usize, usize) -> f64) -> f64 {
        of(0, 0)
    }

    #[inline(always)]
    fn component(&self, _: usize, _: usize) -> f64 {
        *self
    }

    #[inline(always)]
    fn scaled(&self, by: f64) -> f64 {
        by * self
    }

    #[inline(always)]
    fn minus(&self, other: &f64) -> f64 {
        self - other
    }

    #[inline(always)]
    fn apply(&self, force: &Point) -> Point {
        force.map(|f| self * f)
    }

    #[inline(always)]
    fn between(&self, a: &Point, b: &Point) -> f64 {
        self * dot(a, b)
    }

    #[inline(always)]
    fn along(&self, _: &Point) -> f64 {
        *self
    }

    #[inline(always)]
    fn across(&self, _: &Point) -> f64 {
        *self
    }

    #[inline(always)]
    fn displacement(&self, force: &Point) -> f64 {
        dot(force, force).sqrt() * self
    }

    #[inline(always)]
    fn displacement_sq(&self, force: &Point) -> f64 {
        dot(force, force) * self * self
    }
}

impl Compliance for Mat3 {
    const ROWS: usize = 3;

    fn from_components(of: impl Fn(usize, usize) -> f64) -> Mat3 {
        std::array::from_fn(|row| std::array::from_fn(|column| of(row, column)))
    }

    fn component(&self, row: usize, column: usize) -> f64 {
        self[row][column]
    }

    fn scaled(&self, by: f64) -> Mat3 {
        self.map(|row| row.map(|w| by * w))
    }

    fn minus(&self, other: &Mat3) -> Mat3 {
        Mat3::from_components(|row, column| self[row][column] - other[row][column])
    }

    fn apply(&self, force: &Point) -> Point {
        self.map(|row| dot(&row, force))
    }

    fn between(&self, a: &Point, b: &Point) -> f64 {
        dot(a, &self.apply(b))
    }

    fn along(&self, n: &Point) -> f64 {
        self.between(n, n)
    }

    fn across(&self, n: &Point) -> f64 {
        0.5 * (self[0][0] + self[1][1] + self[2][2] - self.along(n))
    }

    fn displacement(&self, force: &Point) -> f64 {
        self.displacement_sq(force).sqrt()
    }

    fn displacement_sq(&self, force: &Point) -> f64 {
        let moved = self.apply(force);
        dot(&moved, &moved)
    }
}
