//! Entries against an f64 factor, and their independence of threads and of the past.

use super::*;
use crate::cholesky::{Cholesky, CholeskyScratch};
use crate::panels::tests::{block_diagonal, factors, grid as test_grid};

/// Panels and f64 factor of a grid.
fn grid(side: u32) -> (PanelFactor, Cholesky) {
    factors(&test_grid([side, side, side]))
}

fn check(c: &Compliance, panels: &PanelFactor, rows: &[u32], factor: &Cholesky) {
    let order = factor.symbolic().permutation();
    for &i in rows {
        let mut solved = vec![0.0; 3 * factor.n()];
        solved[order.forward[i as usize]] = 1.0;
        factor.solve_in_place(&mut solved, &mut CholeskyScratch::default());
        let x: Vec<f64> = (0..factor.n()).map(|k| solved[order.forward[k]]).collect();
        let a = c.place(panels, i);
        for &j in rows {
            let b = c.place(panels, j);
            let error = (f64::from(c.entry(a, b)) - x[j as usize]).abs();
            assert!(
                error < 2e-6 * x[i as usize],
                "entry {i} {j}: {} against {}",
                c.entry(a, b),
                x[j as usize]
            );
            assert_eq!(c.entry(a, b), c.entry(b, a));
        }
        let rows_beside = c.places_beside(a).filter(|&place| c.row_at[place] != NONE).count();
        assert!(c.row(a)[rows_beside..].iter().all(|&x| x == 0.0));
    }
}

#[test]
fn entries_are_those_of_the_inverse_as_rows_come_and_go() {
    let (panels, factor) = grid(10);
    let n = factor.n() as u32;
    Team::with(|team| {
        let mut c = Compliance::new(n as usize);
        for k in 0..12u32 {
            let rows: Vec<u32> = (0..150).map(|i| (i * (k + 3) * 7 + k * k) % n).collect();
            c.require(team, &panels, &rows);
            check(&c, &panels, &rows, &factor);
            assert!(c.len() <= 150 + 64 + 150 + BATCH, "{} places", c.len());
        }
    });
}

#[test]
fn restored_slots_have_the_same_bits() {
    let (panels, factor) = grid(10);
    let n = factor.n() as u32;
    Team::with(|team| {
        let mut old = Compliance::new(n as usize);
        for k in 0..6u32 {
            let rows: Vec<u32> = (0..150).map(|i| (i * (k + 3) * 7 + k * k) % n).collect();
            old.require(team, &panels, &rows);
        }
        let mut new = Compliance::new(n as usize);
        let rows: Vec<u32> = old.rows().collect();
        assert!(new.restore(team, &panels, &rows));
        let same = |a: &Compliance, b: &Compliance| {
            assert_eq!(a.row_at, b.row_at);
            (0..a.len()).for_each(|s| assert_eq!(a.row(s), b.row(s)));
        };
        same(&old, &new);
        let next: Vec<u32> = (0..170).map(|i| (i * 41 + 5) % n).collect();
        old.require(team, &panels, &next);
        new.require(team, &panels, &next);
        same(&old, &new);
        assert!(!new.restore(team, &panels, &[1, 2, 1]) && !new.restore(team, &panels, &[n]));
        same(&old, &new);
    });
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let (panels, factor) = grid(9);
    let rows: Vec<u32> = (0..factor.n() as u32).step_by(5).collect();
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            Team::with(|team| {
                let mut c = Compliance::new(factor.n());
                c.require(team, &panels, &rows);
                (0..c.len()).filter(|&p| c.row_at[p] != NONE).map(|p| c.row(p).to_vec()).collect::<Vec<_>>()
            })
        })
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn entries_between_bodies_are_zero() {
    let (panels, factor) = factors(&block_diagonal(&[test_grid([6, 6, 6]), test_grid([5, 6, 6])]));
    let rows: Vec<u32> = (0..factor.n() as u32).step_by(9).collect();
    let order = factor.symbolic().permutation();
    let is_first = |row: u32| order.forward[row as usize] < 216;
    Team::with(|team| {
        let mut c = Compliance::new(factor.n());
        c.require(team, &panels, &rows);
        check(&c, &panels, &rows, &factor);
        for &i in &rows {
            for &j in rows.iter().filter(|j| is_first(i) != is_first(**j)) {
                assert_eq!(c.entry(c.place(&panels, i), c.place(&panels, j)), 0.0);
            }
        }
    });
}

#[test]
fn memory_is_the_sum_of_the_squares_of_the_parts() {
    let bytes = |bodies: usize| {
        let (panels, factor) = factors(&block_diagonal(&vec![test_grid([6, 6, 6]); bodies]));
        let rows: Vec<u32> = (0..factor.n() as u32).collect();
        Team::with(|team| {
            let mut c = Compliance::new(factor.n());
            c.require(team, &panels, &rows);
            assert_eq!(panels.parts(), bodies);
            assert!(
                rows.iter().all(|&i| c.row(c.place(&panels, i)).len() == 216usize.next_multiple_of(BATCH))
            );
            c.bytes()
        })
    };
    let one = bytes(1);
    assert!(bytes(8) <= 8 * one, "{} against {one}", bytes(8));
}

#[test]
fn a_part_that_is_left_alone_gives_its_memory_back() {
    let (panels, factor) = factors(&block_diagonal(&[test_grid([6, 6, 6]), test_grid([6, 6, 6])]));
    let n = factor.n() as u32;
    Team::with(|team| {
        let mut c = Compliance::new(factor.n());
        let all: Vec<u32> = (0..n).collect();
        c.require(team, &panels, &all);
        let second: Vec<u32> = (0..n).filter(|&row| panels.part_of(row) == 1).collect();
        assert!(c.require(team, &panels, &second));
        assert_eq!(c.rows().collect::<Vec<_>>(), second);
        check(&c, &panels, &second, &factor);
    });
}
