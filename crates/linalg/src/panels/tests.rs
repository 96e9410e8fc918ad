//! The panel solve against the f64 factor, for grids, disconnected and tiny systems, and any number of threads.

use super::*;
use crate::Permutation;
use crate::cholesky::{Cholesky, CholeskyScratch, RELAX_FACTOR, SymbolicCholesky};
use crate::ordering::nested_dissection;
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

/// The panels of `a` and its f64 factor, both in the same elimination order.
pub(crate) fn factors(a: &SymmetricCsc) -> (PanelFactor, Cholesky) {
    let order = nested_dissection(a);
    let panels = PanelFactor::new(&a.permuted(&order)).expect("positive definite");
    let exact = SymbolicCholesky::new(a, order, RELAX_FACTOR).factor(a).expect("positive definite");
    (panels, exact)
}

/// What decides which supernodes are merged is what is stored.
#[test]
fn the_entries_of_a_panel_are_those_that_are_packed() {
    for size in [[60, 50, 1], [13, 12, 11]] {
        let (panels, _) = factors(&grid(size));
        let nodes = panels.trees.iter().flat_map(|t| &t.nodes);
        let entries: usize = nodes.map(|s| pack::entries(s.width, s.below.len())).sum();
        assert_eq!(panels.bytes(), 4 * entries);
    }
}

/// Number of diagonal blocks, and of those that have a factor of their own.
fn components(panels: &PanelFactor) -> (usize, usize) {
    (panels.components.len(), panels.trees.len())
}

/// Matrices along the diagonal of a larger one.
pub(crate) fn block_diagonal(blocks: &[SymmetricCsc]) -> SymmetricCsc {
    let (mut triplets, mut n) = (Vec::new(), 0);
    for a in blocks {
        for j in 0..a.n() {
            triplets.extend(a.column(j).map(|(i, v)| ((n + i) as u32, (n + j) as u32, v)));
        }
        n += a.n();
    }
    SymmetricCsc::from_triplets(n, &triplets)
}

fn right_hand_side(n: usize) -> Vec<[f64; 3]> {
    (0..n).map(|i| std::array::from_fn(|c| ((i * 37 + c * 11) % 101) as f64 / 50.0 - 1.0)).collect()
}

fn solve(panels: &PanelFactor, order: &Permutation, b: &[[f64; 3]]) -> Vec<[f64; 3]> {
    solve_all(panels, order, &[b]).swap_remove(0)
}

/// Solves for several right-hand sides at once.
fn solve_all(panels: &PanelFactor, order: &Permutation, all: &[&[[f64; 3]]]) -> Vec<Vec<[f64; 3]>> {
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
    let (panels, l) = factors(a);
    let b = right_hand_side(a.n());
    let mut exact: Vec<f64> = (0..3).flat_map(|c| b.iter().map(move |r| r[c])).collect();
    l.solve_in_place(&mut exact, &mut CholeskyScratch::default());
    let x = solve(&panels, l.symbolic().permutation(), &b);
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
    for blocks in [
        vec![grid([12, 12, 12]), grid([12, 12, 12])],
        vec![grid([3, 2, 1]), grid([14, 13, 12]), grid([1, 1, 1]), grid([9, 9, 9])],
        vec![grid([4, 4, 4]); 20],
    ] {
        let a = block_diagonal(&blocks);
        check(&a);
        assert_eq!(components(&factors(&a).0).0, blocks.len());
    }
}

/// A block in elimination order, and the same with the rounding of another place and attitude.
fn equal_blocks(count: usize) -> Vec<SymmetricCsc> {
    let a = grid([10, 10, 10]);
    let a = a.permuted(&nested_dissection(&a));
    let turned = |k: usize| {
        let values = a.values.iter().enumerate();
        let values = values.map(|(i, v)| v * (1.0 + 1e-15 * ((i * 7 + k * 13) % 11) as f64)).collect();
        SymmetricCsc { values, ..a.clone() }
    };
    (0..count).map(turned).collect()
}

#[test]
fn sixty_four_equal_bodies_hold_one_factor() {
    let blocks = equal_blocks(64);
    let one = PanelFactor::new(&blocks[0]).expect("positive definite");
    let all = PanelFactor::new(&block_diagonal(&blocks)).expect("positive definite");
    assert_eq!(components(&all), (64, 1));
    assert_eq!(all.bytes(), one.bytes());
    assert_eq!(all.entries_per_solve(), 64 * one.entries_per_solve());
    // Each solves its own system, with its own right-hand side.
    let identity = |n: usize| Permutation::from_forward((0..n).collect());
    let b = right_hand_side(all.n);
    let x = solve(&all, &identity(all.n), &b);
    for (k, block) in blocks.iter().enumerate().step_by(9) {
        let rows = k * block.n()..(k + 1) * block.n();
        let own = SymbolicCholesky::new(block, identity(block.n()), RELAX_FACTOR).factor(block);
        let mut exact: Vec<f64> = (0..3).flat_map(|c| b[rows.clone()].iter().map(move |r| r[c])).collect();
        own.expect("positive definite").solve_in_place(&mut exact, &mut CholeskyScratch::default());
        let scale = exact.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        for (i, x) in x[rows].iter().enumerate() {
            for c in 0..3 {
                assert!((x[c] - exact[c * block.n() + i]).abs() < 1e-5 * scale, "body {k}, row {i}");
            }
        }
    }
}

#[test]
fn bodies_that_differ_have_factors_of_their_own() {
    let mut blocks = equal_blocks(3);
    // One is stiffer by more than rounding, and one has another pattern.
    blocks[1].values.iter_mut().for_each(|v| *v *= 1.0 + 1e-9);
    blocks.push(grid([10, 10, 9]).permuted(&nested_dissection(&grid([10, 10, 9]))));
    let all = PanelFactor::new(&block_diagonal(&blocks)).expect("positive definite");
    assert_eq!(components(&all), (4, 3));
}

#[test]
fn a_pivot_that_fails_is_counted_in_the_whole_matrix() {
    let bad = SymmetricCsc::from_triplets(2, &[(0, 0, 1.0), (1, 0, 2.0), (1, 1, 1.0)]);
    let error = PanelFactor::new(&block_diagonal(&[grid([4, 1, 1]), bad])).expect_err("indefinite");
    assert_eq!(error.n, 6);
    assert!(error.pivot >= 4, "{error}");
}

#[test]
fn an_empty_system_is_solved() {
    let panels = PanelFactor::new(&SymmetricCsc::from_triplets(0, &[])).expect("nothing to fail");
    Team::with(|team| panels.solve(team, &mut panels.scratch(2)));
}

#[test]
fn one_and_more_threads_give_the_same_bits() {
    for a in [grid([17, 15, 16]), block_diagonal(&[grid([11, 10, 12]), grid([9, 9, 9]), grid([11, 10, 12])])]
    {
        let (panels, l) = factors(&a);
        let b = right_hand_side(a.n());
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| solve(&panels, l.symbolic().permutation(), &b))
        };
        let one = with(1);
        for threads in [2, 3, 5] {
            assert_eq!(one, with(threads));
        }
    }
}

#[test]
fn a_vector_does_not_depend_on_those_beside_it() {
    let a = block_diagonal(&[grid([17, 15, 16]), grid([6, 5, 4])]);
    let (panels, l) = factors(&a);
    let order = l.symbolic().permutation();
    let b: Vec<Vec<[f64; 3]>> =
        (1..6).map(|k| right_hand_side(k * a.n()).split_off((k - 1) * a.n())).collect();
    let all: Vec<&[[f64; 3]]> = b.iter().map(Vec::as_slice).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
    let together = pool.install(|| solve_all(&panels, order, &all));
    for (b, x) in b.iter().zip(together) {
        assert_eq!(solve(&panels, order, b), x);
    }
}

#[test]
fn worlds_solve_with_one_factor_at_the_same_time() {
    let a = grid([9, 9, 9]);
    let (panels, l) = factors(&a);
    let order = l.symbolic().permutation();
    let b = right_hand_side(a.n());
    let alone = solve(&panels, order, &b);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| assert_eq!(solve(&panels, order, &b), alone));
        }
    });
}

/// Threads that take the tasks from the last to the first then end within a sixth of the work of each other.
#[test]
fn heavy_tasks_come_last_and_none_dominates() {
    for size in [[40, 40, 1], [12, 12, 12], [9, 9, 40]] {
        let panels = factors(&grid(size)).0;
        let nodes = &panels.trees[0].nodes;
        let work = |nodes: &[paths::Node]| -> usize {
            nodes.iter().map(|node| node.width * (node.width + node.below.len())).sum()
        };
        let tasks: Vec<usize> = panels.plan.tasks.iter().map(|t| work(&nodes[t.nodes.clone()])).collect();
        assert!(tasks.is_sorted(), "{size:?}: {tasks:?}");
        assert!(tasks.iter().all(|task| task * 6 <= work(nodes)), "{size:?}: {tasks:?} of {}", work(nodes));
    }
}
