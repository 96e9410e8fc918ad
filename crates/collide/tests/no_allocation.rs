//! Detection allocates nothing once it is warm: a counting allocator watches.
//!
//! One test only: the count belongs to the whole process.

mod support;

use pliant_collide::{Pose, Serial, Shape};
use pliant_testkit::{CountingAllocator, allocations};
use support::{Scene, shifted};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

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
    let before = allocations::calls();
    for _ in 0..5 {
        step(1e-3);
    }
    assert_eq!(allocations::calls() - before, 0);
}
