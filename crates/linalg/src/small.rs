//! Small dense matrices in f64: 3x3 arithmetic, singular values of 3x3 and 3x2 matrices, polar decomposition,
//! symmetric eigenvalues. Accuracy comes first here; the SIMD batches are elsewhere.

/// A 3x3 matrix, row-major: `a[row][column]`.
pub type Mat3 = [[f64; 3]; 3];

/// The 3x3 identity.
pub(crate) const IDENTITY3: Mat3 = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// Jacobi converges quadratically; four to six sweeps are usual, the rest is margin.
const MAX_SWEEPS: usize = 40;

/// The product `a b` of matrices of R rows by K columns and K rows by C columns.
pub fn mul<const R: usize, const K: usize, const C: usize>(
    a: &[[f64; K]; R],
    b: &[[f64; C]; K],
) -> [[f64; C]; R] {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..K).map(|k| a[i][k] * b[k][j]).sum()))
}

/// The transpose of a matrix of R rows and C columns.
pub fn transpose<const R: usize, const C: usize>(a: &[[f64; C]; R]) -> [[f64; R]; C] {
    std::array::from_fn(|i| std::array::from_fn(|j| a[j][i]))
}

/// The determinant.
pub fn det(a: &Mat3) -> f64 {
    dot(&a[0], &cross(&a[1], &a[2]))
}

/// The inverse, or `None` if the determinant is zero or not finite.
pub fn inverse(a: &Mat3) -> Option<Mat3> {
    let columns = [cross(&a[1], &a[2]), cross(&a[2], &a[0]), cross(&a[0], &a[1])];
    let d = dot(&a[0], &columns[0]);
    let result = std::array::from_fn(|i| std::array::from_fn(|j| columns[j][i] / d));
    (d != 0.0 && is_finite(&result)).then_some(result)
}

/// The Frobenius norm `sqrt(sum a_ij^2)` of a matrix of any size.
pub fn frobenius<const R: usize, const C: usize>(a: &[[f64; C]; R]) -> f64 {
    let scale = max_abs(a);
    if scale == 0.0 || !scale.is_finite() {
        return scale;
    }
    scale * a.iter().flatten().map(|x| (x / scale).powi(2)).sum::<f64>().sqrt()
}

/// The scalar product of two vectors.
pub fn dot<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    (0..N).map(|i| a[i] * b[i]).sum()
}

/// The vector product.
fn cross(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// A singular value decomposition `F = U diag(sigma) V^T` of a 3x3 matrix with U and V proper rotations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Svd3 {
    /// Left rotation, columns are the directions after deformation.
    pub u: Mat3,
    /// `sigma[0] >= sigma[1] >= |sigma[2]|`; the last one carries the sign of `det F`.
    pub sigma: [f64; 3],
    /// Right rotation, columns are the directions before deformation.
    pub v: Mat3,
}

/// A singular value decomposition `F = U diag(sigma) V^T` of a 3x2 matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Svd32 {
    /// Two orthonormal columns.
    pub u: [[f64; 2]; 3],
    /// The direction that completes `u` to a rotation.
    pub normal: [f64; 3],
    /// `sigma[0] >= sigma[1] >= 0`.
    pub sigma: [f64; 2],
    /// A proper rotation.
    pub v: [[f64; 2]; 2],
}

/// Singular values of a 3x3 matrix with the sign convention of [`Svd3`].
///
/// One-sided Jacobi: rotations from the right make the columns of `F V` orthogonal; their lengths are the
/// singular values. Small singular values come out with high relative accuracy, and rank-deficient, repeated
/// and inverted matrices need no special case. A matrix that is not finite gives `sigma` = NaN.
pub fn svd3(f: &Mat3) -> Svd3 {
    let scale = max_abs(f);
    if !is_finite(f) {
        return Svd3 { u: IDENTITY3, sigma: [f64::NAN; 3], v: IDENTITY3 };
    }
    let (b, v) = orthogonal_columns(&scaled_columns(f, scale));
    let (u0, s0) = direction(&b[0], &[]);
    let (u1, s1) = direction(&b[1], &[u0]);
    let u2 = cross(&u0, &u1);
    // Rounding may disturb the order of equal values by one unit in the last place.
    let s1 = s1.min(s0);
    let s2 = dot(&u2, &b[2]).clamp(-s1, s1);
    Svd3 { u: transpose(&[u0, u1, u2]), sigma: [s0 * scale, s1 * scale, s2 * scale], v: transpose(&v) }
}

/// Singular values of a 3x2 matrix. A matrix that is not finite gives `sigma` = NaN.
pub fn svd32(f: &[[f64; 2]; 3]) -> Svd32 {
    let scale = max_abs(f);
    if !is_finite(f) {
        let (u, v) = ([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]]);
        return Svd32 { u, normal: [0.0, 0.0, 1.0], sigma: [f64::NAN; 2], v };
    }
    let (b, v) = orthogonal_columns(&scaled_columns(f, scale));
    let (u0, s0) = direction(&b[0], &[]);
    let (u1, s1) = direction(&b[1], &[u0]);
    Svd32 {
        u: transpose(&[u0, u1]),
        normal: cross(&u0, &u1),
        sigma: [s0 * scale, s1.min(s0) * scale],
        v: transpose(&v),
    }
}

/// Polar decomposition `F = R S`: the rotation R nearest to F and the symmetric S (indefinite if `det F < 0`).
pub fn polar3(f: &Mat3) -> (Mat3, Mat3) {
    let Svd3 { u, sigma, v } = svd3(f);
    let vt = transpose(&v);
    let scaled = std::array::from_fn(|i| std::array::from_fn(|j| v[i][j] * sigma[j]));
    (mul(&u, &vt), mul(&scaled, &vt))
}

/// Eigenvalues (descending) and orthonormal eigenvectors (columns, in the same order) of a symmetric matrix.
///
/// Cyclic Jacobi; only the lower triangle would be needed, but both are read and assumed equal. A matrix that
/// is not finite gives eigenvalues NaN.
pub fn symmetric_eigen<const N: usize>(a: &[[f64; N]; N]) -> ([f64; N], [[f64; N]; N]) {
    let mut vectors = identity::<N>();
    if !is_finite(a) {
        return ([f64::NAN; N], vectors);
    }
    let scale = max_abs(a);
    let mut a = a.map(|row| row.map(|x| if scale > 0.0 { x / scale } else { 0.0 }));
    for _ in 0..MAX_SWEEPS {
        let mut rotated = false;
        for p in 0..N {
            for q in p + 1..N {
                rotated |= symmetric_rotation(&mut a, &mut vectors, p, q);
            }
        }
        if !rotated {
            break;
        }
    }
    let mut order: [usize; N] = std::array::from_fn(|i| i);
    order.sort_by(|&i, &j| a[j][j].total_cmp(&a[i][i]));
    let values = order.map(|i| a[i][i] * scale);
    (values, vectors.map(|row| order.map(|i| row[i])))
}

/// One Jacobi rotation that zeroes `a[p][q]`; false if that entry is negligible already.
fn symmetric_rotation<const N: usize>(
    a: &mut [[f64; N]; N],
    vectors: &mut [[f64; N]; N],
    p: usize,
    q: usize,
) -> bool {
    // Relative to the diagonal where that is large, so that graded matrices keep their small eigenvalues.
    let diagonal = (a[p][p] * a[q][q]).abs().sqrt();
    if a[p][q].abs() <= f64::EPSILON * diagonal.max(1e-3 * f64::EPSILON) {
        return false;
    }
    let (c, s) = rotation(a[p][p], a[q][q], a[p][q]);
    for k in 0..N {
        (a[k][p], a[k][q]) = (c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]);
    }
    for k in 0..N {
        (a[p][k], a[q][k]) = (c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]);
    }
    (a[p][q], a[q][p]) = (0.0, 0.0);
    for row in vectors {
        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
    }
    true
}

/// Cosine and sine of the smaller rotation that diagonalises `[[alpha, gamma], [gamma, beta]]`.
fn rotation(alpha: f64, beta: f64, gamma: f64) -> (f64, f64) {
    let zeta = (beta - alpha) / (2.0 * gamma);
    let t = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
    let c = 1.0 / (1.0 + t * t).sqrt();
    (c, c * t)
}

/// Rotates columns `b` until they are orthogonal: returns `B V` by columns in descending length, and the columns
/// of the proper rotation V.
fn orthogonal_columns<const N: usize>(columns: &[[f64; 3]; N]) -> ([[f64; 3]; N], [[f64; N]; N]) {
    let mut b = *columns;
    let mut v = identity::<N>();
    for _ in 0..MAX_SWEEPS {
        let mut rotated = false;
        for p in 0..N {
            for q in p + 1..N {
                let (alpha, beta, gamma) = (dot(&b[p], &b[p]), dot(&b[q], &b[q]), dot(&b[p], &b[q]));
                if gamma.abs() <= f64::EPSILON * (alpha.sqrt() * beta.sqrt()) {
                    continue;
                }
                rotated = true;
                let (c, s) = rotation(alpha, beta, gamma);
                (b[p], b[q]) = rotate(&b[p], &b[q], c, s);
                (v[p], v[q]) = rotate(&v[p], &v[q], c, s);
            }
        }
        if !rotated {
            break;
        }
    }
    let mut order: [usize; N] = std::array::from_fn(|i| i);
    order.sort_by(|&i, &j| dot(&b[j], &b[j]).total_cmp(&dot(&b[i], &b[i])));
    let odd = (0..N).map(|i| (0..i).filter(|&j| order[j] > order[i]).count()).sum::<usize>() % 2 == 1;
    let (mut b, mut v) = (order.map(|i| b[i]), order.map(|i| v[i]));
    if odd {
        b[N - 1] = b[N - 1].map(|x| -x);
        v[N - 1] = v[N - 1].map(|x| -x);
    }
    (b, v)
}

fn rotate<const N: usize>(a: &[f64; N], b: &[f64; N], c: f64, s: f64) -> ([f64; N], [f64; N]) {
    (std::array::from_fn(|i| c * a[i] - s * b[i]), std::array::from_fn(|i| s * a[i] + c * b[i]))
}

/// The unit vector along `b` made orthogonal to `others`, and the length; any such unit vector and zero if `b`
/// vanishes. At most two `others`.
fn direction(b: &[f64; 3], others: &[[f64; 3]]) -> ([f64; 3], f64) {
    let length = dot(b, b).sqrt();
    if length > 0.0
        && let Some(u) = orthonormalise(&b.map(|x| x / length), others)
    {
        return (u, length);
    }
    let axes = IDENTITY3.iter().filter_map(|e| orthonormalise(e, others));
    (axes.into_iter().next().unwrap_or([1.0, 0.0, 0.0]), length)
}

/// Gram-Schmidt, twice, since once is not enough; `None` if the unit vector `u` depends on `others`.
fn orthonormalise(u: &[f64; 3], others: &[[f64; 3]]) -> Option<[f64; 3]> {
    let mut u = *u;
    for _ in 0..2 {
        for o in others {
            let along = dot(&u, o);
            u = std::array::from_fn(|i| u[i] - along * o[i]);
        }
        let length = dot(&u, &u).sqrt();
        if length < 0.1 {
            return None;
        }
        u = u.map(|x| x / length);
    }
    Some(u)
}

fn scaled_columns<const N: usize>(f: &[[f64; N]; 3], scale: f64) -> [[f64; 3]; N] {
    let scale = if scale > 0.0 { scale } else { 1.0 };
    transpose(f).map(|column| column.map(|x| x / scale))
}

fn identity<const N: usize>() -> [[f64; N]; N] {
    std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))))
}

fn max_abs<const R: usize, const C: usize>(a: &[[f64; C]; R]) -> f64 {
    a.iter().flatten().fold(0.0, |m, x| if x.is_nan() { f64::NAN } else { f64::max(m, x.abs()) })
}

fn is_finite<const R: usize, const C: usize>(a: &[[f64; C]; R]) -> bool {
    a.iter().flatten().all(|x| x.is_finite())
}

#[cfg(test)]
mod tests;
