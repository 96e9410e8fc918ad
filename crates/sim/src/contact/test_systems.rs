//! Small nets of springs for the tests of operators and methods, and their compliances by dense algebra.

use super::operator::{Compliance, FactorEntries, PointRows, UpdatedEntries};
use pliant_linalg::dense::DenseCholesky;
use pliant_linalg::panels::PanelFactor;
use pliant_linalg::{SymmetricCsc, Team};
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

/// Fields of each part of the net, for a change of low rank: fewer in all than contacts that press, and more.
pub(super) const RANKS: [usize; 2] = [1, 5];

/// The part of a row of the net: three of them, and a row without fields.
pub(super) fn part_of(row: u32) -> Option<u32> {
    match row {
        9 => None,
        0..14 => Some(2),
        14..30 => Some(0),
        _ => Some(1),
    }
}

/// Values of the fields at a row.
pub(super) fn fields(row: u32, out: &mut [DVec3]) {
    for (k, out) in out.iter_mut().enumerate() {
        let at = |c: usize| (1.0 + 2.3 * f64::from(row) + 1.1 * k as f64 + 0.7 * c as f64).sin();
        *out = DVec3::new(at(0), at(1) * at(5), at(2));
    }
}

/// Matrices between the fields of all parts: symmetric, with eigenvalues of both signs.
pub(super) fn between_fields(rank: usize) -> Vec<f64> {
    let mut all = Vec::new();
    for (part, large) in [0.3, -0.02, 0.3].into_iter().enumerate() {
        let a = |k: usize| (0.4 + 1.7 * (k + 2 * part) as f64).sin();
        let b = |k: usize| (1.9 + 2.9 * (k + 3 * part) as f64).sin();
        all.extend((0..rank * rank).map(|at| {
            let (i, j) = (at / rank, at % rank);
            large * a(i) * a(j) - 0.01 * b(i) * b(j) + if i == j { 0.004 } else { 0.0 }
        }));
    }
    all
}

/// Blocks of the inverse of the isotropic matrix with the change of low rank, in f64.
pub(super) fn updated_inverse(rank: usize) -> impl Fn(u32, u32) -> DMat3 + Sync {
    let (inverse, s) = (dense_inverse(&isotropic_matrix()), between_fields(rank));
    move |a, b| {
        let mut sum = inverse(a, b);
        let (mut at_a, mut at_b) = (vec![DVec3::ZERO; rank], vec![DVec3::ZERO; rank]);
        fields(a, &mut at_a);
        fields(b, &mut at_b);
        if let (Some(part), Some(other)) = (part_of(a), part_of(b))
            && part == other
        {
            let s = &s[part as usize * rank * rank..][..rank * rank];
            for (i, s) in s.chunks_exact(rank).enumerate() {
                for (j, s) in s.iter().enumerate() {
                    sum += DMat3::from_components(|row, column| s * at_a[i][row] * at_b[j][column]);
                }
            }
        }
        sum
    }
}

/// The operator with that change, between the points of these tests.
pub(super) fn updated_entries(rank: usize) -> UpdatedEntries {
    let mut w = UpdatedEntries::new(vertices());
    Team::with(|team| w.build(team, &panels(&scalar_matrix()), &points()));
    w.set_update(&points(), rank, part_of, fields, &between_fields(rank));
    w
}
