//! Blocks against numbers where all directions are alike, and against dense algebra where they are not.

use super::*;
use crate::contact::test_systems::*;
use pliant_mesh::DMat3;

/// Largest difference of two vectors.
fn apart(a: DVec3, b: DVec3) -> f64 {
    (a - b).abs().max_element()
}

/// Some changes of force.
fn changes(count: usize) -> Vec<(usize, DVec3)> {
    let force = |i: usize| DVec3::new(1.0, 2.0, 3.0).map(|k| (k * 1.7 * (i + 1) as f64).sin());
    (0..count).map(|i| (i, force(i))).chain([(2, DVec3::new(0.5, -1.0, 0.25))]).collect()
}

/// Entries, products and responses of an operator agree with blocks that are known otherwise.
fn check<W: Entries>(w: &mut W, known: impl Fn(usize, usize) -> DMat3, tolerance: f64) {
    let count = points().len();
    let largest = known(0, 0).x_axis.x;
    for a in 0..count {
        assert_eq!(w.own(a).component(0, 0), w.entry(a, a).component(0, 0));
        for b in 0..count {
            for unit in [DVec3::X, DVec3::Y, DVec3::Z] {
                let error = apart(w.entry(a, b).apply(unit), known(a, b) * unit);
                assert!(error < tolerance * largest, "entry {a} {b}: {error}");
            }
        }
    }
    let changes = changes(count);
    let expected = |i: usize| changes.iter().map(|(j, f)| known(i, *j) * f).sum();
    let mut moved = vec![DVec3::ZERO; count];
    w.products_into(changes.iter().copied(), &mut moved);
    let mut response = W::Response::default();
    Team::with(|team| {
        w.clear_response(&mut response);
        w.push(team, &mut response, changes[..3].iter().copied());
        w.push(team, &mut response, changes[3..].iter().copied());
    });
    for i in 0..count {
        let bound = 10.0 * tolerance * largest;
        assert!(apart(moved[i], expected(i)) < bound, "product {i}");
        assert!(apart(w.displacement(&response, i), expected(i)) < bound, "response {i}");
    }
}

/// Blocks between the points from those between vertices.
fn between_points(inverse: impl Fn(u32, u32) -> DMat3) -> impl Fn(usize, usize) -> DMat3 {
    let points = points();
    move |a, b| {
        let mut sum = DMat3::ZERO;
        for (v, by) in points[a].terms() {
            for (u, weight) in points[b].terms() {
                sum += by * weight * inverse(v, u);
            }
        }
        sum
    }
}

#[test]
fn entries_of_a_scalar_matrix_are_blocks_of_one_number() {
    let known = between_points(dense_inverse(&isotropic_matrix()));
    let mut scalar = ScalarEntries::new(vertices());
    let mut block = BlockEntries::new(vertices());
    Team::with(|team| {
        scalar.build(team, &panels(&scalar_matrix()), &points());
        block.build(team, &panels(&isotropic_matrix()), &points());
    });
    check(&mut scalar, &known, 1e-6);
    check(&mut block, &known, 1e-6);
    for a in 0..points().len() {
        for b in 0..points().len() {
            let (one, three) = (scalar.entry(a, b), block.entry(a, b));
            let off = three - one * DMat3::IDENTITY;
            let largest = off.to_cols_array().into_iter().fold(0.0, |m, x| x.abs().max(m));
            assert!(largest < 1e-6 * scalar.own(0), "{a} {b}: {one} {three}");
        }
    }
}

#[test]
fn blocks_of_any_matrix_are_those_of_its_inverse() {
    let a = anisotropic_matrix();
    let inverse = dense_inverse(&a);
    let mut from_factor = BlockEntries::new(vertices());
    let mut from_inverse = BlockEntries::new(vertices());
    Team::with(|team| {
        from_factor.build(team, &panels(&a), &points());
        from_inverse.build_from(team, &points(), &inverse);
    });
    let known = between_points(inverse);
    let coupling = known(0, 0).y_axis.x.abs() / known(0, 0).x_axis.x;
    assert!(coupling > 0.05, "the directions must mix: {coupling}");
    check(&mut from_factor, &known, 1e-6);
    check(&mut from_inverse, &known, 1e-14);
    for (i, j) in [(0, 1), (5, 7)] {
        assert_eq!(from_factor.entry(i, j), from_factor.entry(j, i).transpose());
    }
}

#[test]
fn blocks_are_built_anew_for_other_points_and_another_factor_only() {
    let (soft, stiff) = (panels(&anisotropic_matrix()), panels(&isotropic_matrix()));
    let mut w = BlockEntries::new(vertices());
    Team::with(|team| {
        w.build(team, &soft, &points());
        let (version, own) = (w.version(), w.own(1));
        w.build(team, &soft, &points());
        assert_eq!(w.version(), version);
        w.build(team, &soft, &points()[1..]);
        assert!(w.version() > version && w.own(0) == own);
        w.clear();
        w.build(team, &stiff, &points()[1..]);
        assert_ne!(w.own(0), own);
        assert!(w.bytes() > 0);
    });
}

#[test]
fn products_by_solves_are_those_of_the_entries() {
    let a = scalar_matrix();
    let solver = panels(&a);
    let mut entries = ScalarEntries::new(vertices());
    let mut known = MatrixFree::new(vertices());
    let points = points();
    let (mut by_entries, mut by_solve) = (vec![DVec3::ZERO; points.len()], vec![DVec3::ZERO; points.len()]);
    Team::with(|team| {
        entries.build(team, &solver, &points);
        known.prepare(team, &solver, &points);
        let mut operator = known.operator(team, &solver, &points);
        operator.products_into(changes(points.len()).into_iter(), &mut by_solve);
        for i in 0..points.len() {
            assert!((operator.own(i) - entries.own(i)).abs() < 1e-6 * entries.own(0));
        }
    });
    entries.products_into(changes(points.len()).into_iter(), &mut by_entries);
    for (&a, &b) in by_entries.iter().zip(&by_solve) {
        assert!(apart(a, b) < 1e-5 * entries.own(0), "{a:?} {b:?}");
    }
}
