//! Compares our order of elimination with that of METIS:
//!
//!     cargo run --release -p pliant-linalg --example ordering -- FILE.mtx ...
//!
//! Each file has the pattern of a symmetric matrix in the MatrixMarket format (coordinate, one triangle). Times are the
//! best of several on one thread, the two methods taking turns.

use pliant_linalg::ordering::{metis, multilevel, post_ordered};
use pliant_linalg::panels::{PanelFactor, RELAX_PANELS};
use pliant_linalg::{Permutation, SymbolicCholesky, SymmetricCsc, Team, etree};
use std::time::Instant;

const ORDERINGS: usize = 9;
const SOLVES: usize = 400;

struct Ordered {
    order: Permutation,
    milliseconds: f64,
}

fn main() {
    println!(
        "| matrix | n | nnz(L) | ratio | nnz(S) | ratio | panel bytes | ratio | solve ms | ratio | order ms | ratio |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread");
    for path in std::env::args().skip(1) {
        let name = path.rsplit('/').next().unwrap_or(&path).trim_end_matches(".mtx").to_string();
        pool.install(|| compare(&name, &read(&path)));
    }
}

fn compare(name: &str, a: &SymmetricCsc) {
    let mut metis_best = timed(|| metis(a).expect("a graph that METIS can order"));
    let mut ours_best = timed(|| multilevel(a));
    for _ in 1..ORDERINGS {
        for (best, again) in [
            (&mut metis_best, timed(|| metis(a).expect("a graph that METIS can order"))),
            (&mut ours_best, timed(|| multilevel(a))),
        ] {
            assert_eq!(best.order, again.order, "the same order each time");
            best.milliseconds = best.milliseconds.min(again.milliseconds);
        }
    }
    let times = [metis_best.milliseconds, ours_best.milliseconds];
    let orders = [metis_best.order, ours_best.order].map(|order| post_ordered(a, order));
    let sizes = orders.each_ref().map(|order| {
        let permuted = a.permuted(order);
        let parent = etree::elimination_tree(&permuted);
        [etree::factor_nnz(&permuted, &parent), etree::inverse_nnz(&parent)]
    });
    let solvers = orders.map(|order| {
        PanelFactor::new(&SymbolicCholesky::new(a, order, RELAX_PANELS).factor(a).expect("positive definite"))
    });
    let bytes = solvers.each_ref().map(PanelFactor::bytes);
    let solves = solve_times(&solvers);
    let whole = |k: usize| format!("{} | {:.3}", sizes[0][k], sizes[1][k] as f64 / sizes[0][k] as f64);
    let time = |t: [f64; 2]| format!("{:.3} | {:.3}", t[0], t[1] / t[0]);
    println!(
        "| {name} | {} | {} | {} | {} | {:.3} | {} | {} |",
        a.n(),
        whole(0),
        whole(1),
        bytes[0],
        bytes[1] as f64 / bytes[0] as f64,
        time(solves),
        time(times)
    );
}

fn timed(order: impl Fn() -> Permutation) -> Ordered {
    let start = Instant::now();
    let order = order();
    Ordered { order, milliseconds: start.elapsed().as_secs_f64() * 1e3 }
}

/// Best time of each solver in milliseconds.
fn solve_times(solvers: &[PanelFactor; 2]) -> [f64; 2] {
    let mut scratch = solvers.each_ref().map(|solver| solver.scratch(1));
    let mut best = [f64::INFINITY; 2];
    for _ in 0..SOLVES {
        for k in 0..2 {
            // The first solve brings the panels into the cache, as it is between the iterations of a step.
            Team::with(|team| {
                for _ in 0..2 {
                    scratch[k].vector_mut(0).fill([1.0; 4]);
                    let start = Instant::now();
                    solvers[k].solve(team, &mut scratch[k]);
                    best[k] = best[k].min(start.elapsed().as_secs_f64() * 1e3);
                }
            });
        }
    }
    best
}

fn read(path: &str) -> SymmetricCsc {
    let text = std::fs::read_to_string(path).expect("a file that can be read");
    let mut rows = text.lines().filter(|line| !line.starts_with('%')).map(|line| -> Vec<u32> {
        line.split_whitespace().map(|word| word.parse().expect("a whole number")).collect()
    });
    let n = rows.next().expect("the size")[0];
    let diagonal = (0..n).map(|i| (i, i, 1000.0));
    let edges = rows.filter(|e| e[0] != e[1]).map(|e| (e[0] - 1, e[1] - 1, -1.0));
    SymmetricCsc::from_triplets(n as usize, &diagonal.chain(edges).collect::<Vec<_>>())
}
