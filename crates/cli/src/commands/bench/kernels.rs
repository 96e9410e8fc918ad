//! `pliant bench --kernels`: the inner kernels by themselves, as ratios to what they are measured against.
//!
//! Everything is the best of many repetitions in one process, so that a busy machine disturbs a ratio least.

use super::models::{BARS, bar};
use crate::failure::Failure;
use crate::output::{self, Table};
use pliant::fem::System;
use pliant::solver::local_global::global_matrix;
use pliant::solver::{Budget, IterationKind, Precision};
use pliant::{Law, LocalGlobalConfig, SolverConfig, Stage, World};
use pliant_linalg::cholesky::{CholeskyScratch, RELAX_FACTOR};
use pliant_linalg::ordering::nested_dissection;
use pliant_linalg::panels::PanelFactor;
use pliant_linalg::simd::{Kernel, Simd, dispatch, level};
use pliant_linalg::{NotPositiveDefinite, Permutation, SymbolicCholesky, SymmetricCsc, Team, etree, small};
use serde_json::{Value, json};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// How long each kernel is repeated.
const WINDOW: Duration = Duration::from_millis(600);

/// Measures the kernels on the bars and prints a table, or JSON.
pub fn run(threads: Option<usize>, json: bool) -> Result<(), Failure> {
    let most = threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |n| n.get()));
    let pools = Pools::new(most)?;
    let mut results = Vec::new();
    for (name, cells) in BARS {
        results.push(measure(name, cells, &pools)?);
    }
    if json {
        output::print_json(&json!({ "simd": format!("{:?}", level()), "threads": most, "bars": results }));
    } else {
        output::print(&format!("SIMD level {:?}, {most} threads; best of {WINDOW:?} each\n", level()));
        output::print(&table(&results));
    }
    Ok(())
}

/// One thread, and all of them.
struct Pools {
    one: rayon::ThreadPool,
    all: rayon::ThreadPool,
}

impl Pools {
    fn new(most: usize) -> Result<Pools, Failure> {
        let pool = |n| {
            let built = rayon::ThreadPoolBuilder::new().num_threads(n).build();
            built.map_err(|e| {
                Failure::other(format!("the thread pool could not start ({e}): use fewer --threads"))
            })
        };
        Ok(Pools { one: pool(1)?, all: pool(most)? })
    }

    /// Best times in ms of `work` on one thread and on all.
    fn best(&self, mut work: impl FnMut() + Send) -> [f64; 2] {
        [self.one.install(|| best_of(&mut work)), self.all.install(|| best_of(&mut work))]
    }
}

fn best_of(work: &mut impl FnMut()) -> f64 {
    let start = Instant::now();
    let mut best = f64::INFINITY;
    while start.elapsed() < WINDOW {
        let t = Instant::now();
        work();
        best = best.min(t.elapsed().as_secs_f64() * 1e3);
    }
    best
}

fn measure(name: &str, cells: usize, pools: &Pools) -> Result<Value, Failure> {
    let model = bar(cells, Law::Arap)?;
    let failed = |e: pliant::ModelError| Failure::other(e.to_string());
    let system = System::build(&model).map_err(failed)?;
    let matrix = global_matrix(&LocalGlobalConfig::default(), &system, model.dt);
    let (bytes, panels, faer) = global_times(&matrix, pools)?;
    let bound = bandwidth(bytes, pools);
    let ordering = pools.best(|| {
        black_box(nested_dissection(&matrix));
    });
    let svd = svd_loop(cells)?;
    let mut local = serde_json::Map::new();
    for law in [Law::Arap, Law::NeoHookean] {
        let time = |precision, pool| local_time(cells, law, precision, pool);
        let times = [time(Precision::Single, &pools.one)?, time(Precision::Single, &pools.all)?];
        let scalar = time(Precision::Double, &pools.one)?;
        local.insert(
            law.name().into(),
            json!({
                "ms": times, "ns_per_tet": times[0] * 1e6 / system.tets.len() as f64,
                "times_faster_than_svd_alone": svd / times[0], "scalar_f64_ms": scalar,
                "times_faster_than_scalar_svd": scalar / times[0], "one_thread_against_all": times[0] / times[1],
            }),
        );
    }
    let least = |t: [f64; 2]| t[0].min(t[1]);
    Ok(json!({
        "bar": name, "vertices": system.rest.len(), "tets": system.tets.len(),
        "global": {
            "ms": panels, "bytes": bytes, "faer_f64_ms": faer, "bandwidth_ms": bound,
            "times_faster_than_faer": least(faer) / least(panels),
            "share_of_bandwidth": least(bound) / least(panels),
            "one_thread_against_all": panels[0] / panels[1],
        },
        "ordering": {
            "ms": ordering, "entries_of_l_per_entry_of_a": fill(&matrix),
            "one_thread_against_all": ordering[0] / ordering[1],
        },
        "local": local, "svd_alone_ms": svd,
    }))
}

/// Entries of L over those of A, under the order of elimination.
fn fill(matrix: &SymmetricCsc) -> f64 {
    let ordered = matrix.permuted(&nested_dissection(matrix));
    etree::factor_nnz(&ordered, &etree::elimination_tree(&ordered)) as f64 / matrix.nnz() as f64
}

/// Bytes of the panels, times of the panel solve and of faer's f64 solve of the same system.
fn global_times(matrix: &SymmetricCsc, pools: &Pools) -> Result<(usize, [f64; 2], [f64; 2]), Failure> {
    let failed = |e: NotPositiveDefinite| Failure::other(e.to_string());
    let packed = PanelFactor::new(matrix).map_err(failed)?;
    let mut scratch = packed.scratch(1);
    // Inside a team, as in a step.
    let mut panels = |pool: &rayon::ThreadPool| {
        pool.install(|| {
            Team::with(|team| {
                best_of(&mut || {
                    scratch.vector_mut(0).fill([1.0, -2.0, 3.0, 0.0]);
                    packed.solve(team, &mut scratch);
                })
            })
        })
    };
    let panels = [panels(&pools.one), panels(&pools.all)];
    let order = Permutation::from_forward((0..matrix.n()).collect());
    let exact = SymbolicCholesky::new(matrix, order, RELAX_FACTOR).factor(matrix).map_err(failed)?;
    let (mut x, mut memory) = (vec![1.0; 3 * matrix.n()], CholeskyScratch::default());
    let faer = pools.best(|| {
        x.fill(1.0);
        exact.solve_in_place_threaded(&mut x, rayon::current_num_threads(), &mut memory);
    });
    Ok((packed.bytes(), panels, faer))
}

/// Times to read as many bytes as the panels have, from memory that was just read.
fn bandwidth(bytes: usize, pools: &Pools) -> [f64; 2] {
    let data = vec![1.0f32; bytes / 4];
    pools.best(|| {
        let parts = rayon::current_num_threads();
        let part = data.len().div_ceil(parts);
        black_box(sum_parts(&data, part));
    })
}

/// Sums the parts of `data`, each on a thread of its own.
fn sum_parts(data: &[f32], part: usize) -> f32 {
    if data.len() <= part {
        return dispatch(Sum(data));
    }
    let (head, tail) = data.split_at(part);
    let (a, b) = rayon::join(|| dispatch(Sum(head)), || sum_parts(tail, part));
    a + b
}

struct Sum<'a>(&'a [f32]);

impl Kernel for Sum<'_> {
    type Output = f32;
    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> f32 {
        let mut sums = [s.splat(0.0); 8];
        for line in self.0.chunks_exact(8 * S::LANES) {
            for k in 0..8 {
                sums[k] = s.add(sums[k], s.load(&line[k * S::LANES..]));
            }
        }
        let mut lanes = [0.0; 16];
        let mut total = 0.0;
        for sum in sums {
            s.store(sum, &mut lanes);
            total += lanes[..S::LANES].iter().sum::<f32>();
        }
        total
    }
}

/// Time in ms of a plain loop of f64 singular value decompositions over the elements of a twisted bar, one thread.
fn svd_loop(cells: usize) -> Result<f64, Failure> {
    let mut world = twisted(cells, Law::Arap, Precision::Single)?;
    for _ in 0..TWISTED_STEPS {
        world.step()?;
    }
    let (system, x) = (world.system(), &world.state().positions);
    Ok(best_of(&mut || {
        for t in &system.tets {
            black_box(small::svd3(&t.deformation_gradient(x)));
        }
    }))
}

/// Iterations of a step; each has a local step.
const ITERATIONS: usize = 5;

/// Steps after which the bar is strongly twisted.
const TWISTED_STEPS: usize = 40;

fn twisted(cells: usize, law: Law, precision: Precision) -> Result<World, Failure> {
    let (iteration, iterations) = (IterationKind::Admm, Budget::Most(ITERATIONS));
    let config = LocalGlobalConfig { precision, iteration, iterations, ..LocalGlobalConfig::default() };
    World::new(bar(cells, law)?, SolverConfig::LocalGlobal(config)).map_err(|e| Failure::other(e.to_string()))
}

/// Best time in ms of one local step of the twisting bar (gather, projection, forces, residual).
fn local_time(
    cells: usize,
    law: Law,
    precision: Precision,
    pool: &rayon::ThreadPool,
) -> Result<f64, Failure> {
    let mut world = twisted(cells, law, precision)?;
    pool.install(|| {
        let start = Instant::now();
        let mut best = f64::INFINITY;
        while start.elapsed() < 2 * WINDOW && world.state().steps < 2 * TWISTED_STEPS as u64 {
            world.step()?;
            best = best.min(world.timings().stage_ms(Stage::LOCAL) / ITERATIONS as f64);
        }
        Ok(best)
    })
}

fn table(results: &[Value]) -> String {
    let mut table = Table::new(&["bar", "kernel", "1 thread ms", "all ms", "1/all", "against", "ratio"]);
    for r in results {
        let name = r["bar"].as_str().unwrap_or("");
        let number = |v: &Value, digits: usize| format!("{:.digits$}", v.as_f64().unwrap_or(f64::NAN));
        let mut row = |kernel: &str, k: &Value, against: &str, ratio: &Value| {
            table.row(vec![
                name.to_string(),
                kernel.to_string(),
                number(&k["ms"][0], 3),
                number(&k["ms"][1], 3),
                number(&k["one_thread_against_all"], 2),
                against.to_string(),
                number(ratio, 2),
            ]);
        };
        let global = &r["global"];
        row("global solve", global, "faer f64, best threads", &global["times_faster_than_faer"]);
        row("global solve", global, "bandwidth of its bytes", &global["share_of_bandwidth"]);
        let ordering = &r["ordering"];
        row("ordering", ordering, "entries of L per entry of A", &ordering["entries_of_l_per_entry_of_a"]);
        for law in [Law::Arap, Law::NeoHookean] {
            let local = &r["local"][law.name()];
            let kernel = format!("local {}", law.name());
            row(&kernel, local, "f64 SVD loop, same work, 1 thread", &local["times_faster_than_scalar_svd"]);
            row(
                &kernel,
                local,
                "f64 SVD loop, nothing else, 1 thread",
                &local["times_faster_than_svd_alone"],
            );
        }
    }
    table.text()
}
