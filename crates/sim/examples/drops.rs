//! Bodies thrown at obstacles with the barrier: `cargo run --release -p pliant --example drops -- FIRST COUNT [STEPS]`. Every state is
//! checked by exact predicates; the seeds of those that are not free are named.

#[path = "../tests/common/drops.rs"]
mod drops;

use pliant::{BarrierConfig, SolverConfig, World};

fn main() {
    let mut arguments = std::env::args().skip(1).map(|a| a.parse::<u64>().expect("a number"));
    let [first, count, steps] = [1, 1000, 5].map(|usual| arguments.next().unwrap_or(usual));
    let (mut states, mut bad, mut failed, mut slow, mut iterations) = (0, 0, 0, 0, 0);
    for seed in first..first + count {
        let model = drops::drop(seed);
        let mut world =
            World::new(model, SolverConfig::Barrier(BarrierConfig::default())).expect("a good model");
        let inspector = world.inspector().expect("good surfaces");
        for step in 0..steps {
            match world.step() {
                Ok(outcome) => {
                    slow += u64::from(!outcome.converged);
                    iterations += outcome.iterations;
                }
                Err(error) => {
                    println!("seed {seed}, step {step}: {error}");
                    failed += 1;
                    break;
                }
            }
            states += 1;
            let found = inspector.verify(&world);
            if !found.is_free() {
                println!(
                    "seed {seed}, step {step}: {} inverted, {:?}",
                    found.inverted,
                    found.intersections.by_pair()
                );
                bad += 1;
            }
        }
    }
    let mean = iterations as f64 / f64::max(states as f64, 1.0);
    println!("{states} states: {bad} not free; {failed} runs ended early");
    println!("{mean:.1} iterations a step, {slow} steps not converged");
}
