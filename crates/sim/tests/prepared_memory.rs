//! 64 equal worlds hold one factor, one mesh and one system: a counting allocator watches what each of them adds.
//!
//! One test only: the count belongs to the whole process.

mod common;

use common::{material, run, twisting_bar};
use pliant::{Law, Prepared, SolverConfig};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The system's allocator; knows how many bytes are in use.
struct Weighing;

static IN_USE: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes on to the system's allocator unchanged; the counter does not touch the memory.
unsafe impl GlobalAlloc for Weighing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        IN_USE.fetch_add(layout.size(), Ordering::SeqCst);
        // SAFETY: the caller's promise about `layout` is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::SeqCst);
        // SAFETY: `pointer` came from `alloc` above with this layout, hence from the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static WEIGHING: Weighing = Weighing;

#[test]
fn a_further_world_holds_no_factor_of_its_own() {
    let model = twisting_bar(material(Law::NeoHookean, 1e5, 0.3), [9, 9, 18]);
    let before = IN_USE.load(Ordering::SeqCst);
    let prepared = Prepared::new(model, SolverConfig::default()).expect("a valid model");
    let mut worlds = vec![prepared.world()];
    run(&mut worlds[0], 2);
    let first = IN_USE.load(Ordering::SeqCst) - before;
    for _ in 1..64 {
        let mut world = prepared.world();
        run(&mut world, 2);
        worlds.push(world);
    }
    let each = (IN_USE.load(Ordering::SeqCst) - before - first) / 63;
    let factor = worlds[0].memory().factor_bytes;
    assert!(factor > 1_000_000, "{factor} bytes");
    println!("the first world {first} bytes, each further one {each}, a factor {factor}");
    assert!(each < first / 3, "{each} bytes for each further world after {first}");
    assert!(worlds.iter().all(|w| w.state().hash() == worlds[0].state().hash()));
}
