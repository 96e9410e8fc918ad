//! Small nets of springs for the tests of operators and methods, and their compliances by dense algebra.

use super::operator::{Compliance, PointRows};
use pliant_linalg::SymmetricCsc;
use pliant_linalg::dense::DenseCholesky;
use pliant_linalg::panels::PanelFactor;
use pliant_mesh::{DMat3, DVec3};

/// Vertices along each side of the net.
const SIDE: [u32; 3] = [5, 4, 2];

/// Mass of a vertex, kg.
const MASS: f64 = 0.1;

/// Number of vertices.
pub(super) fn vertices() -> usize {
    SIDE.iter().product::<u32>() as usize
}

/// Springs between neighbours, and their directions.
fn springs() -> Vec<([u32; 2], DVec3)> {
    let index = |p: [u32; 3]| p[0] + SIDE[0] * (p[1] + SIDE[1] * p[2]);
    let mut all = Vec::new();
    for (x, y, z) in
        (0..SIDE[2]).flat_map(|z| (0..SIDE[1]).flat_map(move |y| (0..SIDE[0]).map(move |x| (x, y, z))))
    {
        for step in [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 1, 1], [1, 0, 1]] {
            let to = [x + step[0], y + step[1], z + step[2]];
            if (0..3).all(|k| to[k] < SIDE[k]) {
                let d = DVec3::from_array(step.map(f64::from));
                all.push(([index([x, y, z]), index(to)], d / d.length()));
            }
        }
    }
    all
}

/// Triplets of the matrix whose springs have these stiffnesses along and across.
fn triplets(along: f64, across: f64) -> Vec<(u32, u32, f64)> {
    let mut all: Vec<_> = (0..3 * vertices() as u32).map(|i| (i, i, MASS)).collect();
    for ([a, b], d) in springs() {
        for i in 0..3 {
            for j in 0..3 {
                let k = along * d[i] * d[j] + if i == j { across } else { 0.0 };
                let (i, j) = (i as u32, j as u32);
                if i >= j {
                    all.push((3 * a + i, 3 * a + j, k));
                    all.push((3 * b + i, 3 * b + j, k));
                }
                all.push((3 * a + i, 3 * b + j, -k));
            }
        }
    }
    all
}

/// The matrix of springs that pull in all directions alike: one row for each vertex.
pub(super) fn scalar_matrix() -> SymmetricCsc {
    let mut all: Vec<_> = (0..vertices() as u32).map(|i| (i, i, MASS)).collect();
    for ([a, b], _) in springs() {
        all.extend([(a, a, 1.0), (b, b, 1.0), (a, b, -1.0)]);
    }
    SymmetricCsc::from_triplets(vertices(), &all)
}

/// The same springs with three rows for each vertex.
pub(super) fn isotropic_matrix() -> SymmetricCsc {
    SymmetricCsc::from_triplets(3 * vertices(), &triplets(0.0, 1.0))
}

/// Springs that resist along themselves most: three rows for each vertex.
pub(super) fn anisotropic_matrix() -> SymmetricCsc {
    SymmetricCsc::from_triplets(3 * vertices(), &triplets(2.0, 0.2))
}

/// The factor of a matrix, in its own order.
pub(super) fn panels(a: &SymmetricCsc) -> PanelFactor {
    PanelFactor::new(a).expect("definite")
}

/// Blocks of the inverse of a matrix with three rows for each vertex, in f64.
pub(super) fn dense_inverse(a: &SymmetricCsc) -> impl Fn(u32, u32) -> DMat3 + Sync + use<> {
    let n = a.n();
    let mut cholesky = DenseCholesky::default();
    let column = |j: usize, below: &mut [f64]| {
        below.fill(0.0);
        a.column(j).for_each(|(i, value)| below[i - j] = value);
    };
    assert!(cholesky.factor(n, column));
    let mut inverse = vec![0.0; n * n];
    (0..n).for_each(|i| inverse[i * n + i] = 1.0);
    cholesky.solve(&mut inverse);
    move |a, b| {
        let entry = |i: usize, j: usize| inverse[(3 * b as usize + j) * n + 3 * a as usize + i];
        DMat3::from_components(entry)
    }
}

/// Points at vertices, inside triangles, and a difference of two points.
pub(super) fn points() -> Vec<PointRows> {
    let point = |terms: &[(u32, f64)]| {
        let mut p = PointRows::default();
        terms.iter().for_each(|&(row, w)| p.push(row, w));
        p
    };
    let mut all: Vec<_> = [0, 3, 7, 12, 18].map(|v| point(&[(v, 1.0)])).to_vec();
    all.push(point(&[(1, 0.2), (2, 0.3), (6, 0.5)]));
    all.push(point(&[(8, 0.6), (9, 0.3), (14, 0.1)]));
    all.push(point(&[(10, 1.0), (33, -0.4), (34, -0.6)]));
    all
}
