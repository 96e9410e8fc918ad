//! 64 equal worlds hold one factor, one mesh and one system: a counting allocator watches what each of them adds.
//!
//! One test only: the count belongs to the whole process.

mod common;

use common::{material, run, twisting_bar};
use pliant::{Law, Prepared, SolverConfig};
use pliant_testkit::{CountingAllocator, allocations};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Bytes that the process holds.
fn in_use() -> usize {
    allocations::restart_peak()
}

#[test]
fn a_further_world_holds_no_factor_of_its_own() {
    let model = twisting_bar(material(Law::NeoHookean, 1e5, 0.3), [9, 9, 18]);
    let before = in_use();
    let prepared = Prepared::new(model, SolverConfig::default()).expect("a valid model");
    let mut worlds = vec![prepared.world()];
    run(&mut worlds[0], 2);
    let first = in_use() - before;
    for _ in 1..64 {
        let mut world = prepared.world();
        run(&mut world, 2);
        worlds.push(world);
    }
    let each = (in_use() - before - first) / 63;
    let factor = worlds[0].memory().factor_bytes;
    assert!(factor > 1_000_000, "{factor} bytes");
    println!("the first world {first} bytes, each further one {each}, a factor {factor}");
    assert!(each < first / 3, "{each} bytes for each further world after {first}");
    assert!(worlds.iter().all(|w| w.state().hash() == worlds[0].state().hash()));
}
