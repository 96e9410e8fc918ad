//! The ways to solve the global step agree; acceleration accelerates; the default weight of the local step is near the
//! best one.

use crate::common::{largest_distance, local_global, material, newton, run, twisting_bar, world};
use pliant::convergence::{Trace, trace};
use pliant::solver::{GlobalSolve, IterationKind, Precision};
use pliant::{Law, LocalGlobalConfig, World};
use pliant_mesh::DVec3;

type Change = fn(&mut LocalGlobalConfig);

fn admm(c: &mut LocalGlobalConfig) {
    c.iteration = IterationKind::Admm;
}

fn accelerated(c: &mut LocalGlobalConfig) {
    admm(c);
    c.anderson = 5;
}

/// A bar that has been twisted for a while.
fn twisted(law: Law, poisson: f64) -> World {
    let mut w = world(
        &twisting_bar(material(law, 1e6, poisson), [4, 4, 8]),
        &local_global(|c| c.iterations = 20.into()),
    );
    run(&mut w, 20);
    w
}

/// Positions after one step from the state of `from`.
fn step(from: &World, change: impl FnOnce(&mut LocalGlobalConfig)) -> Vec<DVec3> {
    let mut w = world(from.model(), &local_global(change));
    w.set_state(from.state().clone()).expect("the same vertices");
    run(&mut w, 1);
    w.state().positions.clone()
}

fn traced(world: &World, settings: &[(&str, Change)], iterations: usize) -> Vec<Trace> {
    let settings: Vec<_> = settings.iter().map(|(label, f)| (label.to_string(), local_global(*f))).collect();
    trace(world, &settings, iterations).expect("a good step")
}

#[test]
fn complete_solvers_do_the_same_step() {
    for law in [Law::Arap, Law::NeoHookean] {
        let from = twisted(law, 0.4);
        for iterations in [1, 5, 20] {
            let reference = step(&from, |c| {
                c.precision = Precision::Double;
                c.iterations = iterations.into();
            });
            for global in [GlobalSolve::Panels, GlobalSolve::SparseInverse] {
                let single = step(&from, |c| {
                    c.global = global;
                    c.iterations = iterations.into();
                });
                let distance = largest_distance(&single, &reference) / from.system().size();
                println!("{} {global:?} {iterations}: {distance:.1e}", law.name());
                assert!(distance < 1e-6, "{} {global:?}, {iterations} iterations: {distance:e}", law.name());
            }
        }
    }
}

#[test]
fn incomplete_solvers_converge_to_it() {
    for law in [Law::Arap, Law::NeoHookean] {
        let from = twisted(law, 0.3);
        let reference = step(&from, |c| {
            admm(c);
            c.precision = Precision::Double;
            c.iterations = 300.into();
        });
        for (global, iterations) in [(GlobalSolve::Jacobi, 2000), (GlobalSolve::Chebyshev(0.95), 600)] {
            let x = step(&from, |c| {
                c.global = global;
                c.iterations = iterations.into();
            });
            let distance = largest_distance(&x, &reference) / from.system().size();
            println!("{} {global:?} {iterations}: {distance:.1e}", law.name());
            assert!(distance < 1e-6, "{} {global:?}: {distance:e}", law.name());
        }
    }
}

#[test]
fn chebyshev_is_faster_than_jacobi() {
    let from = twisted(Law::Arap, 0.3);
    let settings: [(&str, Change); 2] = [
        ("jacobi", |c| c.global = GlobalSolve::Jacobi),
        ("chebyshev", |c| c.global = GlobalSolve::Chebyshev(0.95)),
    ];
    let traces = traced(&from, &settings, 60);
    let [jacobi, chebyshev] = [0, 1].map(|k| traces[k].distances[59]);
    println!("after 60 iterations: jacobi {jacobi:.1e}, chebyshev {chebyshev:.1e}");
    assert!(chebyshev < 0.5 * jacobi, "{chebyshev} against {jacobi}");
}

#[test]
fn anderson_needs_fewer_iterations() {
    for poisson in [0.3, 0.45] {
        let from = twisted(Law::NeoHookean, poisson);
        let settings: [(&str, Change); 2] = [("plain", admm), ("anderson", accelerated)];
        let traces = traced(&from, &settings, 80);
        let needed = |t: &Trace| t.distances.iter().position(|&d| d < 1e-6).map_or(usize::MAX, |k| k + 1);
        let [plain, anderson] = [0, 1].map(|k| needed(&traces[k]));
        println!("nu {poisson}: to 1e-6 in {plain} plain, {anderson} accelerated iterations");
        assert!(anderson < plain, "nu {poisson}: {anderson} against {plain} iterations");
    }
}

/// Guards the choice of the weight: `weight_scale` = 1 is within a factor of four of the best.
#[test]
fn default_weight_is_near_the_best() {
    for poisson in [0.3, 0.45] {
        let from = twisted(Law::NeoHookean, poisson);
        let scales = [0.5, 0.7, 1.0, 1.4, 2.0];
        let settings: Vec<_> = scales
            .iter()
            .map(|s| {
                (s.to_string(), local_global(|c| (c.iteration, c.weight_scale) = (IterationKind::Admm, *s)))
            })
            .collect();
        let traces = trace(&from, &settings, 20).expect("a good step");
        let errors: Vec<f64> = traces.iter().map(|t| t.errors[19].abs()).collect();
        let distances: Vec<f64> = traces.iter().map(|t| t.distances[19]).collect();
        let best = errors.iter().copied().fold(f64::INFINITY, f64::min);
        println!("nu {poisson}: energy errors {errors:?}, distances {distances:?}");
        assert!(errors[2] < 4.0 * best, "nu {poisson}: {errors:?}");
    }
}

/// A trace shows what an iteration can do, not where a run would be content.
#[test]
fn a_trace_goes_on_where_a_run_would_end() {
    let from = twisted(Law::NeoHookean, 0.3);
    let traces = traced(&from, &[("default", |_| ())], 6);
    let Trace { errors, distances, .. } = &traces[0];
    assert_eq!(errors.len(), 6, "{errors:?}");
    assert!(distances[5] < 1e-6, "{distances:?}");
}

#[test]
fn any_solver_can_be_traced() {
    let from = twisted(Law::NeoHookean, 0.3);
    let traces = trace(&from, &[("newton".to_string(), newton())], 30).expect("a good step");
    let Trace { errors, distances, times_ms, .. } = &traces[0];
    assert!(errors.len() > 2 && errors.len() < 30, "it ends when it has converged: {errors:?}");
    assert!(distances.windows(2).skip(1).all(|d| d[1] < d[0] || d[0] < 1e-12), "{distances:?}");
    assert!(*distances.last().expect("iterations") < 1e-10, "{distances:?}");
    assert!(times_ms.windows(2).all(|t| t[0] <= t[1]));
}
