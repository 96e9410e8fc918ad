//! How one point answers a force on another: by a number where A acts on x, y and z alike, by a 3x3 block where it does
//! not.

use pliant_mesh::{DMat3, DVec3};

/// Displacement per force, as a linear map of vectors.
pub(crate) trait Compliance: Copy + std::fmt::Debug + Send + Sync {
    /// Rows and columns that a factor needs for one point: directions that do not mix share one.
    const ROWS: usize;

    /// The map whose components in those rows and columns are given.
    fn from_components(of: impl Fn(usize, usize) -> f64) -> Self;

    /// The map that is a number in all directions.
    fn alike(number: f64) -> Self;

    /// A component.
    fn component(&self, row: usize, column: usize) -> f64;

    /// The map times a number.
    fn scaled(&self, by: f64) -> Self;

    /// The difference of two maps.
    fn minus(&self, other: &Self) -> Self;

    /// The displacement `W f`.
    fn apply(&self, force: DVec3) -> DVec3;

    /// `a . W b`.
    fn between(&self, a: DVec3, b: DVec3) -> f64;

    /// `n . W n` of a unit vector.
    fn along(&self, n: DVec3) -> f64;

    /// The mean of the responses across a unit vector: half of `trace W - n . W n`.
    fn across(&self, n: DVec3) -> f64;

    /// The largest response to a unit force, in any direction.
    fn largest(&self) -> f64;

    /// Length of `W f`.
    fn displacement(&self, force: DVec3) -> f64;

    /// Square of the length of `W f`.
    fn displacement_sq(&self, force: DVec3) -> f64;
}

impl Compliance for f64 {
    const ROWS: usize = 1;

    #[inline(always)]
    fn from_components(of: impl Fn(usize, usize) -> f64) -> f64 {
        of(0, 0)
    }

    #[inline(always)]
    fn alike(number: f64) -> f64 {
        number
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
    fn apply(&self, force: DVec3) -> DVec3 {
        *self * force
    }

    #[inline(always)]
    fn between(&self, a: DVec3, b: DVec3) -> f64 {
        self * a.dot(b)
    }

    #[inline(always)]
    fn along(&self, _: DVec3) -> f64 {
        *self
    }

    #[inline(always)]
    fn across(&self, _: DVec3) -> f64 {
        *self
    }

    #[inline(always)]
    fn largest(&self) -> f64 {
        *self
    }

    #[inline(always)]
    fn displacement(&self, force: DVec3) -> f64 {
        force.length() * self
    }

    #[inline(always)]
    fn displacement_sq(&self, force: DVec3) -> f64 {
        force.length_squared() * self * self
    }
}

impl Compliance for DMat3 {
    const ROWS: usize = 3;

    fn from_components(of: impl Fn(usize, usize) -> f64) -> DMat3 {
        DMat3::from_cols_array_2d(&[0, 1, 2].map(|column| [0, 1, 2].map(|row| of(row, column))))
    }

    fn alike(number: f64) -> DMat3 {
        DMat3::from_diagonal(DVec3::splat(number))
    }

    fn component(&self, row: usize, column: usize) -> f64 {
        self.col(column)[row]
    }

    fn scaled(&self, by: f64) -> DMat3 {
        by * *self
    }

    fn minus(&self, other: &DMat3) -> DMat3 {
        *self - *other
    }

    fn apply(&self, force: DVec3) -> DVec3 {
        *self * force
    }

    fn between(&self, a: DVec3, b: DVec3) -> f64 {
        a.dot(*self * b)
    }

    fn along(&self, n: DVec3) -> f64 {
        self.between(n, n)
    }

    fn across(&self, n: DVec3) -> f64 {
        0.5 * (self.x_axis.x + self.y_axis.y + self.z_axis.z - self.along(n))
    }

    fn largest(&self) -> f64 {
        // The largest root of the characteristic polynomial of W = mean + p B is mean + 2 p cos(acos(det B / 2) / 3).
        let mean = (self.x_axis.x + self.y_axis.y + self.z_axis.z) / 3.0;
        let rest = *self - DMat3::alike(mean);
        let squares: f64 = rest.to_cols_array().iter().map(|x| x * x).sum();
        let p = (squares / 6.0).sqrt();
        if p == 0.0 {
            return mean;
        }
        let half = 0.5 * (rest.determinant() / p.powi(3)).clamp(-2.0, 2.0);
        mean + 2.0 * p * (half.acos() / 3.0).cos()
    }

    fn displacement(&self, force: DVec3) -> f64 {
        self.displacement_sq(force).sqrt()
    }

    fn displacement_sq(&self, force: DVec3) -> f64 {
        (*self * force).length_squared()
    }
}
