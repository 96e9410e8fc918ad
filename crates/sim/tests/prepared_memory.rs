//! 64 equal worlds hold one factor, one mesh and one system: a counting allocator watches what each of them adds.
//!
//! One test only: the count belongs to the whole process.

mod common;

use common::{material, run, twisting_bar};
use pliant::{Law, Prepared, SolverConfig, World};
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
    let stepped = |mut world: World| {
        run(&mut world, 2);
        world
    };
    let prepared = Prepared::new(model.clone(), SolverConfig::default()).expect("a valid model");
    // The first one fills what is kept for all, such as the memory of threads.
    let first = stepped(prepared.world());
    let before = in_use();
    let alone = stepped(World::new(model, SolverConfig::default()).expect("a valid model"));
    let of_alone = in_use() - before;
    let before = in_use();
    let worlds: Vec<World> = (0..64).map(|_| stepped(prepared.world())).collect();
    let of_each = (in_use() - before) / worlds.len();
    let factor = first.memory().factor_bytes;
    println!("a world alone {of_alone} bytes, each of a prepared model {of_each}, the factor {factor}");
    assert!(factor > 1_000_000, "{factor} bytes");
    assert!(of_each + factor < of_alone, "{of_each} bytes for each world, {of_alone} for one alone");
    assert!(worlds.iter().all(|w| w.state().hash() == alone.state().hash()));
}
