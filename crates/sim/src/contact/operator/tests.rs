//! Blocks against numbers where all directions are alike, and against dense algebra where they are not.

use super::*;
use crate::contact::test_systems::*;
use pliant_linalg::dense::DenseCholesky;
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
        block.build(team, &panels(&isotropic_matrix()), &points(), |_| None);
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
        from_factor.build(team, &panels(&a), &points(), |_| None);
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

/// Solves, columns along paths and columns that were kept give the same blocks, also where the net has turned since its
/// factor was made.
#[test]
fn every_way_to_the_blocks_gives_the_same() {
    let a = anisotropic_matrix();
    let factor = panels(&a);
    let turn = DMat3::from_rotation_y(0.7) * DMat3::from_rotation_x(-0.4);
    let inverse = dense_inverse(&a);
    let turned = |v: u32, u: u32| turn * inverse(v, u) * turn.transpose();
    let known = between_points(turned);
    let [mut dense, mut paths, mut kept, mut own] = std::array::from_fn(|_| BlockEntries::new(vertices()));
    Team::with(|team| {
        let turn = |_: u32| Some(&turn);
        assert_eq!(kept.build(team, &factor, &points()[1..], |_| None).1, 0);
        kept.clear_points();
        let (fresh, reused) = kept.build(team, &factor, &points(), turn);
        assert!(fresh > 0 && reused > 0);
        let all = paths.build(team, &factor, &points(), turn);
        assert_eq!(all, (fresh + reused, 0));
        assert_eq!(dense.build_by_solves(team, &factor, &points(), turn), all);
        own.build_diagonal(team, &factor, &points(), turn);
    });
    check(&mut dense, &known, 1e-6);
    check(&mut paths, &known, 1e-6);
    for (i, j) in (0..points().len()).flat_map(|i| (0..points().len()).map(move |j| (i, j))) {
        assert_eq!(kept.entry(i, j), paths.entry(i, j));
        assert_eq!(own.entry(i, j), if i == j { paths.own(i) } else { DMat3::ZERO });
    }
}

#[test]
fn blocks_are_built_anew_for_other_points_and_another_factor_only() {
    let (soft, stiff) = (panels(&anisotropic_matrix()), panels(&isotropic_matrix()));
    let mut w = BlockEntries::new(vertices());
    Team::with(|team| {
        w.build(team, &soft, &points(), |_| None);
        let (version, own) = (w.version(), w.own(1));
        w.build(team, &soft, &points(), |_| None);
        assert_eq!(w.version(), version);
        w.build(team, &soft, &points()[1..], |_| None);
        assert!(w.version() > version && w.own(0) == own);
        w.clear();
        w.build(team, &stiff, &points()[1..], |_| None);
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

/// The same with blocks, where the net has turned since its factor was made.
#[test]
fn products_by_solves_are_those_of_the_blocks() {
    let factor = panels(&anisotropic_matrix());
    let turn = DMat3::from_rotation_y(0.7) * DMat3::from_rotation_x(-0.4);
    let (mut entries, mut known) = (BlockEntries::new(vertices()), BlockFree::new(vertices()));
    let points = points();
    let (mut by_entries, mut by_solve) = (vec![DVec3::ZERO; points.len()], vec![DVec3::ZERO; points.len()]);
    Team::with(|team| {
        let turn = |_: u32| Some(&turn);
        entries.build(team, &factor, &points, turn);
        known.prepare(team, &factor, &points, turn);
        let mut operator = known.operator(team, &factor, &points, turn);
        operator.products_into(changes(points.len()).into_iter(), &mut by_solve);
        let size = entries.own(0).largest();
        for i in 0..points.len() {
            let error = (operator.own(i) - entries.own(i)).to_cols_array();
            assert!(error.iter().all(|x| x.abs() < 1e-6 * size), "own {i}");
        }
    });
    entries.products_into(changes(points.len()).into_iter(), &mut by_entries);
    for (&a, &b) in by_entries.iter().zip(&by_solve) {
        assert!(apart(a, b) < 1e-5 * entries.own(0).largest(), "{a:?} {b:?}");
    }
}

/// Whether the blocks between all points make a positive definite matrix.
fn is_definite(known: impl Fn(usize, usize) -> DMat3) -> bool {
    let column = |j: usize, below: &mut [f64]| {
        for (k, out) in below.iter_mut().enumerate() {
            *out = known((j + k) / 3, j / 3).component((j + k) % 3, j % 3);
        }
    };
    DenseCholesky::default().factor(3 * points().len(), column)
}

#[test]
fn a_change_of_low_rank_is_that_of_the_dense_inverse() {
    RANKS.into_iter().for_each(check_change);
}

fn check_change(rank: usize) {
    let known = between_points(updated_inverse(rank));
    let plain = between_points(dense_inverse(&isotropic_matrix()));
    assert!(is_definite(&known), "the methods need a definite operator");
    assert!(!is_definite(|a, b| known(a, b) - 0.999 * plain(a, b)), "the change takes away, too");
    let change = known(0, 0) - plain(0, 0);
    assert!(change.y_axis.x.abs() > 0.05 * plain(0, 0).x_axis.x, "the directions must mix: {change:?}");
    let mut w = updated_entries(rank);
    check(&mut w, &known, 1e-6);
    // The same by solves.
    let (solver, points) = (panels(&scalar_matrix()), points());
    let mut by_solve = vec![DVec3::ZERO; points.len()];
    let mut matrix_free = MatrixFree::new(vertices());
    Team::with(|team| {
        matrix_free.prepare(team, &solver, &points);
        let own = matrix_free.own(7);
        assert!(apart(w.own_from(own, 7) * DVec3::ONE, known(7, 7) * DVec3::ONE) < 1e-6);
        let mut operator = w.by_solves(matrix_free.operator(team, &solver, &points));
        operator.products_into(changes(points.len()).into_iter(), &mut by_solve);
        for (i, point) in by_solve.iter().enumerate() {
            let expected: DVec3 = changes(points.len()).iter().map(|(j, f)| known(i, *j) * f).sum();
            assert!(apart(*point, expected) < 1e-5 * own, "{i}");
            assert!(apart(operator.own(i) * DVec3::ONE, known(i, i) * DVec3::ONE) < 1e-6, "{i}");
        }
    });
}

/// The direction in which a vertex gives way, for some of them.
fn spike(row: u32) -> Option<DVec3> {
    let at = |c: f64| (0.3 + 1.9 * f64::from(row) + c).sin();
    (!row.is_multiple_of(3)).then(|| 0.4 * DVec3::new(at(0.0), at(1.0), at(2.0)))
}

#[test]
fn what_single_vertices_give_way_is_added_where_points_share_them() {
    let rank = RANKS[0];
    let inverse = updated_inverse(rank);
    let known = between_points(|a, b| {
        let s = spike(a).filter(|_| a == b).unwrap_or(DVec3::ZERO);
        inverse(a, b) + DMat3::from_cols(s.x * s, s.y * s, s.z * s)
    });
    let mut w = updated_entries(rank);
    let version = w.version();
    w.set_spikes(&points(), spike);
    assert!(w.version() > version && w.mixes_directions() && w.split().is_none());
    check(&mut w, &known, 1e-6);
    w.set_update(&points(), rank, part_of, fields, &between_fields(rank));
    assert!(!w.mixes_directions() && w.split().is_some(), "they belong to one update");
}

#[test]
fn many_points_are_not_combined_and_give_the_same() {
    let few = points();
    let many: Vec<PointRows> = std::iter::repeat_n(few.clone(), 40).flatten().collect();
    let (mut one, mut other) = (ScalarEntries::new(vertices()), ScalarEntries::new(vertices()));
    Team::with(|team| {
        let panels = panels(&scalar_matrix());
        one.build(team, &panels, &few);
        other.build(team, &panels, &many);
        assert!(other.bytes() < 2 * one.bytes(), "{} against {}", other.bytes(), one.bytes());
        let largest = one.own(0);
        for a in 0..few.len() {
            for b in 0..few.len() {
                let error = (one.entry(a, b) - other.entry(a, few.len() + b)).abs();
                assert!(error < 1e-6 * largest, "{a} {b}");
            }
        }
        let mut moved = [vec![DVec3::ZERO; few.len()], vec![DVec3::ZERO; many.len()]];
        one.products_into(changes(few.len()).into_iter(), &mut moved[0]);
        other.products_into(changes(few.len()).into_iter(), &mut moved[1]);
        let mut response = Default::default();
        other.clear_response(&mut response);
        // More changes than places: those at one place are put together.
        let spread =
            (0..40).flat_map(|k| changes(few.len()).into_iter().map(move |(i, f)| (k * 8 + i, f / 40.0)));
        assert_eq!(few.len(), 8);
        other.push(team, &mut response, spread);
        for i in 0..few.len() {
            assert!(apart(moved[0][i], moved[1][i]) < 1e-5 * largest, "product {i}");
            assert!(apart(moved[0][i], other.displacement(&response, i)) < 1e-5 * largest, "response {i}");
        }
    });
}

#[test]
fn without_fields_the_blocks_are_the_numbers() {
    let mut scalar = ScalarEntries::new(vertices());
    Team::with(|team| scalar.build(team, &panels(&scalar_matrix()), &points()));
    let mut w = updated_entries(RANKS[0]);
    w.set_update(&points(), 0, part_of, fields, &[]);
    let version = w.version();
    w.set_update(&points(), 0, part_of, fields, &[]);
    assert_eq!(w.version(), version, "still the same operator");
    let count = points().len();
    let mut moved = [vec![DVec3::ZERO; count], vec![DVec3::ZERO; count]];
    w.products_into(changes(count).into_iter(), &mut moved[0]);
    scalar.products_into(changes(count).into_iter(), &mut moved[1]);
    assert_eq!(moved[0], moved[1]);
    let (mut blocks, mut numbers) = Default::default();
    w.clear_response(&mut blocks);
    scalar.clear_response(&mut numbers);
    Team::with(|team| {
        w.push(team, &mut blocks, changes(count).into_iter());
        scalar.push(team, &mut numbers, changes(count).into_iter());
    });
    for a in 0..count {
        assert_eq!(w.displacement(&blocks, a), scalar.displacement(&numbers, a));
        for b in 0..count {
            assert_eq!(w.entry(a, b), DMat3::from_diagonal(DVec3::splat(scalar.entry(a, b))));
        }
    }
}

#[test]
fn every_change_of_the_fields_makes_another_operator_in_the_same_memory() {
    let mut w = updated_entries(RANKS[0]);
    let (version, bytes, own) = (w.version(), w.bytes(), w.own(2));
    let doubled: Vec<f64> = between_fields(RANKS[0]).iter().map(|s| 2.0 * s).collect();
    w.set_update(&points(), RANKS[0], part_of, fields, &doubled);
    assert!(w.version() > version && w.own(2) != own && w.bytes() == bytes);
    let (version, solver, slots) = (w.version(), panels(&scalar_matrix()), w.kept_rows());
    Team::with(|team| {
        w.build(team, &solver, &points());
        assert!(w.version() > version, "the fields are gone");
        assert_eq!(w.own(2).y_axis.x, 0.0);
        let version = w.version();
        assert!(w.restore_rows(team, &solver, &slots) && w.version() > version && w.kept_rows() == slots);
    });
}

#[test]
fn the_largest_response_is_the_largest_eigenvalue() {
    let turned = DMat3::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 0.7);
    for values in [[3.0, 1.0, 2.0], [1.0, 1.0, 5.0], [4.0, 4.0, 0.5], [2.0, 2.0, 2.0]] {
        let w = turned * DMat3::from_diagonal(DVec3::from_array(values)) * turned.transpose();
        let largest = values.into_iter().fold(0.0, f64::max);
        assert!((w.largest() - largest).abs() < 1e-7 * largest, "{values:?}: {}", w.largest());
    }
    assert_eq!(Compliance::largest(&2.5), 2.5);
}
