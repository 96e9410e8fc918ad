//! How close local-global is to Newton's method on random small scenes without contact:
//! `cargo run --release -p pliant --example accuracy_sweep -- COUNT SEED ITERATION [iterations=N] [precision=double]
//! [family=NAME]`. ITERATION is `newton_cg` or `admm`. One line of CSV for each scene, then a summary.

#[path = "../tests/common/random_scenes.rs"]
mod random_scenes;

use pliant::solver::{Budget, IterationKind, Precision};
use pliant::{LocalGlobalConfig, SolverConfig};
use random_scenes::{Comparison, Scene, compare};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize, or: u64| args.get(k).map_or(Ok(or), |n| n.parse()).expect("a number");
    let (count, first) = (number(0, 100), number(1, 1));
    let config = SolverConfig::LocalGlobal(config(&args));
    let family = args.iter().find_map(|a| a.strip_prefix("family="));
    let scenes = (first..).map(Scene::new).filter(|s| family.is_none_or(|f| format!("{:?}", s.family) == f));
    println!(
        "seed,family,law,E,nu,dt,vertices,worst,last,one_step,residual,median_ms,min_j,newton_min_j,failed"
    );
    let mut done = Vec::new();
    let mut skipped = 0;
    for scene in scenes.take(count as usize) {
        match compare(&scene, &config) {
            Some(comparison) => {
                println!("{}", line(&scene, &comparison));
                done.push((scene, comparison));
            }
            None => {
                println!("# {}, {:?}: Newton's method does not converge", scene.seed, scene.family);
                skipped += 1;
            }
        }
    }
    summarise(&mut done, skipped);
}

fn config(args: &[String]) -> LocalGlobalConfig {
    let iteration = match args.get(2).map_or("newton_cg", String::as_str) {
        "newton_cg" => IterationKind::NewtonCg,
        "admm" => IterationKind::Admm,
        other => panic!("no iteration is called `{other}`"),
    };
    let mut config = LocalGlobalConfig { iteration, ..LocalGlobalConfig::default() };
    for option in args.iter().skip(3) {
        match option.split_once('=') {
            Some(("iterations", n)) => config.iterations = Budget::Most(n.parse().expect("a number")),
            Some(("precision", "double")) => config.precision = Precision::Double,
            Some(("family", _)) => {}
            _ => panic!("no option is called `{option}`"),
        }
    }
    config
}

fn line(scene: &Scene, c: &Comparison) -> String {
    let Scene { seed, family, law, youngs, poisson, model, .. } = scene;
    let Comparison { vertices, worst, last, one_step, residual, .. } = c;
    format!(
        "{seed},{family:?},{},{youngs:.1e},{poisson},{:.5},{vertices},{worst:.2e},{last:.2e},{one_step:.2e},\
         {residual:.2e},{:.3},{:.3},{:.3},{}",
        law.name(),
        model.dt,
        c.median_ms,
        c.min_j,
        c.newton_min_j,
        c.failed
    )
}

fn summarise(done: &mut [(Scene, Comparison)], skipped: usize) {
    if done.is_empty() {
        return println!("# no scene, {skipped} skipped");
    }
    let share =
        |below: f64| 100.0 * done.iter().filter(|(_, c)| c.worst < below).count() as f64 / done.len() as f64;
    println!("# {} scenes, {skipped} skipped since Newton's method did not converge", done.len());
    println!("# below 1 %: {:.1} %, below 3 %: {:.1} % of the scenes", share(0.01), share(0.03));
    let column = |of: fn(&Comparison) -> f64| -> Vec<f64> { done.iter().map(|(_, c)| of(c)).collect() };
    let correlation = spearman(&column(|c| c.residual), &column(|c| c.worst));
    println!("# rank correlation of the reported residual and the error: {correlation:.2}");
    done.sort_by(|a, b| b.1.worst.total_cmp(&a.1.worst));
    println!("# worst ten:");
    done.iter().take(10).for_each(|(scene, c)| println!("# {}", line(scene, c)));
}

/// The correlation of the ranks of two columns.
fn spearman(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (ranks(a), ranks(b));
    let mean = (a.len() as f64 - 1.0) / 2.0;
    let product = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| (x - mean) * (y - mean)).sum::<f64>();
    product(&a, &b) / (product(&a, &a) * product(&b, &b)).sqrt()
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
    let mut ranks = vec![0.0; values.len()];
    order.iter().enumerate().for_each(|(rank, &i)| ranks[i] = rank as f64);
    ranks
}
