//! Bodies that are treated badly, and how many survive: `cargo run --release -p pliant --example torture -- COUNT SEED`, or with
//! `recover` as a third word, starts with inverted elements.

#[path = "../tests/common/random_scenes.rs"]
mod random_scenes;
#[path = "../tests/common/torture.rs"]
mod torture;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize, or: u64| args.get(k).map_or(Ok(or), |n| n.parse()).expect("a number");
    let (count, first) = (number(0, 100), number(1, 1));
    let seeds = first..first + count;
    let bad = if args.get(2).is_some_and(|a| a == "recover") { recover(seeds) } else { suffer(seeds) };
    println!("{bad} of {count} did not survive");
}

fn suffer(seeds: std::ops::Range<u64>) -> usize {
    let mut bad = 0;
    for ordeal in seeds.map(torture::torture) {
        if ordeal.stopped > 0 {
            println!("{}: stopped in {} steps", ordeal.what, ordeal.stopped);
        }
        if !ordeal.survived() {
            println!("{}: min J {:.2e} {:?}", ordeal.what, ordeal.min_j, ordeal.error);
            bad += 1;
        }
    }
    bad
}

fn recover(seeds: std::ops::Range<u64>) -> usize {
    let left = seeds.map(torture::recover).filter(|(_, strain)| *strain >= 1e-3);
    left.inspect(|(what, strain)| println!("{what}: strain {strain:.1e}")).count()
}
