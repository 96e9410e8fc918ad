//! Detection allocates nothing once it is warm: a counting allocator watches.
//!
//! One test only: the count belongs to the whole process.

mod support;

use pliant_collide::{Pose, Serial, Shape};
use pliant_mesh::DVec3;
use pliant_testkit::{CountingAllocator, allocations};
use support::{Setup, shifted};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn a_warm_detection_allocates_nothing() {
    let mut setup = Setup::default();
    setup.cloth(1.0, 20, DVec3::new(0.0, 0.0, 0.301), 0.002);
    setup.cloth(1.0, 20, DVec3::new(0.05, 0.02, 0.304), 0.002);
    setup.block([0.5, 0.5, 0.3], [6, 6, 4], DVec3::new(0.1, 0.1, 0.0));
    setup.surfaces.iter_mut().for_each(|s| s.self_contact = true);
    setup.obstacle(Shape::Plane);
    setup.obstacle(Shape::Box { half: DVec3::new(0.3, 0.3, 0.31) });
    setup.obstacle(Shape::Mesh(pliant_mesh::sphere_surface(0.2, 3).unwrap()));
    let mut detector = setup.detector(1e-3);
    let poses = |shift: f64| {
        [DVec3::ZERO, DVec3::splat(shift), DVec3::new(0.7, 0.7, 0.1 + shift)]
            .map(|translation| Pose { translation, ..Pose::IDENTITY })
    };
    let x1 = shifted(&setup.x, 0..setup.x.len(), DVec3::new(0.0, 0.0, -1e-3));
    let (mut contacts, mut stops) = (Vec::new(), Vec::new());
    let mut step = |shift: f64| {
        detector.detect(&Serial, &setup.x, &x1, &poses(0.0), &poses(shift), &mut contacts);
        detector.refresh(&x1, &poses(0.0), &poses(shift), &mut contacts);
        detector.piercings(&Serial, [&setup.x, &x1], [&poses(0.0), &poses(shift)], &mut stops);
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
