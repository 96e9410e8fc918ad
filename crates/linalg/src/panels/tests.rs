//! The panel solve against the f64 factor, for grids, disconnected and tiny systems, and any number of threads.

use super::*;
use crate::cholesky::{CholeskyScratch, SymbolicCholesky};
use crate::ordering::nested_dissection;
use crate::sparse::SymmetricCsc;
use crate::team::Team;

pub(crate) fn grid(m: [u32; 3]) -> SymmetricCsc {
    let mut triplets = Vec::new();
    let index = |x, y, z| x + m[0] * (y + m[1] * z);
    for z in 0..m[2] {
        for y in 0..m[1] {
            for x in 0..m[0] {
                let i = index(x, y, z);
                triplets.push((i, i, 0.3));
                let mut edge = |inside: bool, j: u32| {
                    if inside {
                        triplets.extend([(i, i, 1.0), (j, j, 1.0), (i, j, -1.0)]);
                    }
                };
                edge(x + 1 < m[0], i + 1);
                edge(y + 1 < m[1], i + m[0]);
                edge(z + 1 < m[2], i + m[0] * m[1]);
            }
        }
    }
    SymmetricCsc::from_triplets((m[0] * m[1] * m[2]) as usize, &triplets)
}

fn factor(a: &SymmetricCsc) -> Cholesky {
    SymbolicCholesky::new(a, nested_dissection(a), RELAX_PANELS).factor(a).expect("positive definite")
}

fn right_hand_side(n: usize) -> Vec<[f64; 3]> {
    (0..n).map(|i| std::array::from_fn(|c| ((i * 37 + c * 11) % 101) as f64 / 50.0 - 1.0)).collect()
}

fn solve(panels: &PanelFactor, factor: &Cholesky, b: &[[f64; 3]]) -> Vec<[f64; 3]> {
    solve_all(panels, factor, &[b]).swap_remove(0)
}

/// Solves for several right-hand sides at once.
fn solve_all(panels: &PanelFactor, factor: &Cholesky, all: &[&[[f64; 3]]]) -> Vec<Vec<[f64; 3]>> {
    let order = factor.symbolic().permutation();
    let mut scratch = panels.scratch(all.len());
    for (k, b) in all.iter().enumerate() {
        for (x, &i) in scratch.vector_mut(k).iter_mut().zip(&order.forward) {
            *x = [b[i][0] as f32, b[i][1] as f32, b[i][2] as f32, 0.0];
        }
    }
    Team::with(|team| panels.solve(team, &mut scratch));
    let solution = |k: usize| {
        let x = scratch.vector(k);
        order.inverse.iter().map(|&i| std::array::from_fn(|c| f64::from(x[i][c]))).collect()
    };
    (0..all.len()).map(solution).collect()
}

fn check(a: &SymmetricCsc) {
    let l = factor(a);
    let b = right_hand_side(a.n());
    let mut exact: Vec<f64> = (0..3).flat_map(|c| b.iter().map(move |r| r[c])).collect();
    l.solve_in_place(&mut exact, &mut CholeskyScratch::default());
    let x = solve(&PanelFactor::new(&l), &l, &b);
    let scale = exact.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    for (i, x) in x.iter().enumerate() {
        for c in 0..3 {
            let want = exact[c * a.n() + i];
            assert!((x[c] - want).abs() < 1e-5 * scale, "row {i}, component {c}: {} instead of {want}", x[c]);
        }
    }
}

#[test]
fn agrees_with_the_f64_factor() {
    for m in [[1, 1, 1], [3, 1, 1], [7, 5, 1], [40, 40, 1], [9, 9, 9], [17, 15, 16]] {
        check(&grid(m));
    }
}

#[test]
fn disconnected_bodies_are_solved_together() {
    let a = grid([12, 12, 12]);
    let n = a.n() as u32;
    let mut triplets = Vec::new();
    for j in 0..a.n() {
        for (i, v) in a.column(j) {
            triplets.push((i as u32, j as u32, v));
            triplets.push((i as u32 + n, j as u32 + n, v));
        }
    }
    check(&SymmetricCsc::from_triplets(2 * a.n(), &triplets));
}

#[test]
fn an_empty_system_is_solved() {
    let a = SymmetricCsc::from_triplets(0, &[]);
    let l = factor(&a);
    let panels = PanelFactor::new(&l);
    Team::with(|team| panels.solve(team, &mut panels.scratch(2)));
}

#[test]
fn one_and_more_threads_give_the_same_bits() {
    let a = grid([17, 15, 16]);
    let l = factor(&a);
    let b = right_hand_side(a.n());
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| solve(&PanelFactor::new(&l), &l, &b))
    };
    let one = with(1);
    for threads in [2, 3, 5] {
        assert_eq!(one, with(threads));
    }
}

#[test]
fn a_vector_does_not_depend_on_those_beside_it() {
    let a = grid([17, 15, 16]);
    let l = factor(&a);
    let panels = PanelFactor::new(&l);
    let b: Vec<Vec<[f64; 3]>> =
        (1..6).map(|k| right_hand_side(k * a.n()).split_off((k - 1) * a.n())).collect();
    let all: Vec<&[[f64; 3]]> = b.iter().map(Vec::as_slice).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
    let together = pool.install(|| solve_all(&panels, &l, &all));
    for (b, x) in b.iter().zip(together) {
        assert_eq!(solve(&panels, &l, b), x);
    }
}

#[test]
fn worlds_solve_with_one_factor_at_the_same_time() {
    let a = grid([9, 9, 9]);
    let l = factor(&a);
    let panels = std::sync::Arc::new(PanelFactor::new(&l));
    let b = right_hand_side(a.n());
    let alone = solve(&panels, &l, &b);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| assert_eq!(solve(&panels, &l, &b), alone));
        }
    });
}
