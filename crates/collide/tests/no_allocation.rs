//! Detection allocates nothing once it is warm: a counting allocator watches.
//!
//! One test only: the count belongs to the whole process.

mod support;

use pliant_collide::{Pose, Serial, Shape};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use support::{Scene, shifted};

/// The system's allocator, counted.
struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes on to the system's allocator unchanged; the counter does not touch the memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::SeqCst);
        // SAFETY: the caller's promise about `layout` is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` came from `alloc` above with this layout, hence from the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::SeqCst);
        // SAFETY: as for `dealloc`; the caller's promise about `size` is passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn a_warm_detection_allocates_nothing() {
    let mut scene = Scene::default();
    scene.cloth(1.0, 20, [0.0, 0.0, 0.301], 0.002);
    scene.cloth(1.0, 20, [0.05, 0.02, 0.304], 0.002);
    scene.block([0.5, 0.5, 0.3], [6, 6, 4], [0.1, 0.1, 0.0]);
    scene.surfaces.iter_mut().for_each(|s| s.self_contact = true);
    scene.obstacle(Shape::Plane);
    scene.obstacle(Shape::Box { half: [0.3, 0.3, 0.31] });
    scene.obstacle(Shape::Mesh(pliant_mesh::sphere_surface(0.2, 3).unwrap()));
    let mut detector = scene.detector(1e-3);
    let poses = |shift: f64| {
        [[0.0; 3], [shift; 3], [0.7, 0.7, 0.1 + shift]]
            .map(|translation| Pose { translation, ..Pose::IDENTITY })
    };
    let x1 = shifted(&scene.x, 0..scene.x.len(), [0.0, 0.0, -1e-3]);
    let (mut contacts, mut stops) = (Vec::new(), Vec::new());
    let mut step = |shift: f64| {
        detector.detect(&Serial, &scene.x, &x1, &poses(0.0), &poses(shift), &mut contacts);
        detector.refresh(&x1, &poses(0.0), &poses(shift), &mut contacts);
        detector.piercings(&Serial, [&scene.x, &x1], [&poses(0.0), &poses(shift)], &mut stops);
        contacts.len()
    };
    assert!(step(1e-3) > 500);
    step(1e-3);
    let before = ALLOCATIONS.load(Ordering::SeqCst);
    for _ in 0..5 {
        step(1e-3);
    }
    assert_eq!(ALLOCATIONS.load(Ordering::SeqCst) - before, 0);
}
