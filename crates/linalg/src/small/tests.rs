//! Reconstruction, orthogonality and signs on random and on awkward matrices.

use super::*;
use proptest::prelude::*;

const TOLERANCE: f64 = 2e-14;

fn assert_orthonormal_columns<const R: usize, const C: usize>(q: &[[f64; C]; R]) {
    for i in 0..C {
        for j in 0..C {
            let d: f64 = (0..R).map(|k| q[k][i] * q[k][j]).sum();
            assert!((d - f64::from(u8::from(i == j))).abs() < TOLERANCE, "columns {i}, {j}: {d} in {q:?}");
        }
    }
}

fn assert_close<const R: usize, const C: usize>(a: &[[f64; C]; R], b: &[[f64; C]; R]) {
    let error: [[f64; C]; R] = std::array::from_fn(|i| std::array::from_fn(|j| a[i][j] - b[i][j]));
    let size = frobenius(b);
    assert!(frobenius(&error) <= TOLERANCE * size, "{a:?} is not {b:?}");
}

fn check_svd3(f: &Mat3) {
    let Svd3 { u, sigma, v } = svd3(f);
    assert_orthonormal_columns(&u);
    assert_orthonormal_columns(&v);
    assert!(det(&u) > 0.0 && det(&v) > 0.0);
    assert!(sigma[0] >= sigma[1] && sigma[1] >= sigma[2].abs(), "{sigma:?}");
    let us: Mat3 = std::array::from_fn(|i| std::array::from_fn(|j| u[i][j] * sigma[j]));
    assert_close(&mul(&us, &transpose(&v)), f);
    let (r, s) = polar3(f);
    assert_orthonormal_columns(&r);
    assert_close(&mul(&r, &s), f);
}

fn check_svd32(f: &[[f64; 2]; 3]) {
    let Svd32 { u, normal, sigma, v } = svd32(f);
    assert_orthonormal_columns(&v);
    let full: Mat3 = std::array::from_fn(|i| [u[i][0], u[i][1], normal[i]]);
    assert_orthonormal_columns(&full);
    assert!(det(&full) > 0.0 && v[0][0] * v[1][1] - v[0][1] * v[1][0] > 0.0);
    assert!(sigma[0] >= sigma[1] && sigma[1] >= 0.0, "{sigma:?}");
    let back = std::array::from_fn(|i| {
        std::array::from_fn(|j| (0..2).map(|k| u[i][k] * sigma[k] * v[j][k]).sum::<f64>())
    });
    assert_close(&back, f);
}

fn drop_column(f: &Mat3) -> [[f64; 2]; 3] {
    f.map(|row| [row[0], row[1]])
}

#[test]
fn awkward_matrices() {
    let d = |a: f64, b: f64, c: f64| [[a, 0.0, 0.0], [0.0, b, 0.0], [0.0, 0.0, c]];
    let outer = [[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [-1.0, -2.0, -3.0]];
    let cases = [
        d(0.0, 0.0, 0.0),
        IDENTITY3,
        d(-1.0, -1.0, -1.0),
        d(1.0, 1.0, -1.0),
        d(0.0, 0.0, 1.0),
        d(1e-300, 1e-300, 1e300),
        d(1e-12, 1.0, 1e12),
        d(2.0, 2.0, 2.0 + 4.0 * f64::EPSILON),
        outer,
        outer.map(|r| r.map(|x| x * 1e-200)),
        [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]],
        [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        [[1.0, 1.0, 1.0], [1.0, 1.0 + 1e-15, 1.0], [1.0, 1.0, 1.0]],
    ];
    for f in &cases {
        check_svd3(f);
        check_svd32(&drop_column(f));
    }
    assert!(svd3(&d(1.0, f64::NAN, 0.0)).sigma[0].is_nan());
    assert!(svd32(&[[f64::INFINITY, 0.0], [0.0, 1.0], [0.0, 0.0]]).sigma[0].is_nan());
}

#[test]
fn the_sign_is_on_the_smallest_value() {
    let s = svd3(&[[-3.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.5]]).sigma;
    assert_eq!(s, [3.0, 2.0, -0.5]);
}

#[test]
fn small_singular_values_are_relatively_accurate() {
    // Graded columns times a rotation: singular values 1, 1e-8, 1e-16 survive.
    let q = svd3(&[[1.0, 2.0, 3.0], [-4.0, 5.0, 1.0], [2.0, 0.5, -6.0]]).u;
    let f: Mat3 = std::array::from_fn(|i| [q[i][0], q[i][1] * 1e-8, q[i][2] * 1e-16]);
    let s = svd3(&f).sigma;
    for (value, expected) in s.iter().zip([1.0, 1e-8, 1e-16]) {
        assert!((value / expected - 1.0).abs() < 1e-13, "{s:?}");
    }
}

#[test]
fn inverse_of_a_singular_matrix_is_none() {
    assert_eq!(inverse(&[[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [0.0, 0.0, 1.0]]), None);
    assert_eq!(inverse(&IDENTITY3), Some(IDENTITY3));
}

fn entry() -> impl Strategy<Value = f64> {
    prop_oneof![4 => -2.0..2.0, 1 => Just(0.0), 1 => Just(1.0), 1 => -1e-9..1e-9]
}

proptest! {
    #[test]
    fn svd_of_random_matrices(f in prop::array::uniform3(prop::array::uniform3(entry()))) {
        check_svd3(&f);
        check_svd32(&drop_column(&f));
        prop_assert!((det(&f) - svd3(&f).sigma.iter().product::<f64>()).abs() < 1e-12);
    }

    #[test]
    fn inverse_of_random_matrices(f in prop::array::uniform3(prop::array::uniform3(-2.0..2.0f64))) {
        let s = svd3(&f).sigma;
        prop_assume!(s[2].abs() > 1e-3);
        let product = mul(&f, &inverse(&f).unwrap());
        for i in 0..3 {
            for j in 0..3 {
                prop_assert!((product[i][j] - IDENTITY3[i][j]).abs() < 1e-11);
            }
        }
    }

    #[test]
    fn eigenvalues_of_random_symmetric_matrices(g in prop::array::uniform5(prop::array::uniform5(entry()))) {
        let a: [[f64; 5]; 5] = std::array::from_fn(|i| std::array::from_fn(|j| g[i][j] + g[j][i]));
        let (values, q) = symmetric_eigen(&a);
        assert_orthonormal_columns(&q);
        prop_assert!(values.windows(2).all(|w| w[0] >= w[1]));
        let back: [[f64; 5]; 5] = std::array::from_fn(|i| {
            std::array::from_fn(|j| (0..5).map(|k| q[i][k] * values[k] * q[j][k]).sum())
        });
        assert_close(&back, &a);
    }
}
