//! Contacts of cloth and of open obstacles, which are touched from both sides.

mod support;

use pliant_collide::{Pose, Serial, Shape, Side};
use pliant_mesh::Point;
use support::{Scene, blade, noise, run, shifted};

#[test]
fn a_flat_or_bent_cloth_does_not_touch_itself() {
    let mut scene = Scene::default();
    scene.cloth(1.0, 20, [0.0; 3], 0.002);
    scene.surfaces[0].self_contact = true;
    // Thicker than its triangles are long: still at rest.
    for (radius, margin) in [(0.002, 0.002), (0.04, 0.01)] {
        scene.surfaces[0].radius = radius;
        assert!(scene.contacts(margin, &scene.x, &scene.x).is_empty());
        let mut random = noise(3);
        let bent: Vec<Point> = scene
            .x
            .iter()
            .map(|p| [p[0] * 0.9 + 1e-3 * random(), p[1], 0.3 * (1.0 - (2.0 * p[0]).cos()) + 1e-3 * random()])
            .collect();
        assert!(scene.contacts(margin, &bent, &bent).is_empty());
    }
}

#[test]
fn two_cloths_touch_at_their_thickness_on_the_side_they_are() {
    let mut scene = Scene::default();
    scene.cloth(1.0, 6, [0.0; 3], 0.01);
    let upper = scene.cloth(0.5, 4, [0.21, 0.23, 0.0], 0.01);
    for (height, margin, touch) in
        [(0.019, 0.005, true), (-0.019, 0.005, true), (0.024, 0.005, true), (0.03, 0.005, false)]
    {
        let x = shifted(&scene.x, upper.clone(), [0.0, 0.0, height]);
        let contacts = scene.contacts(margin, &x, &x);
        assert_eq!(!contacts.is_empty(), touch, "{height}");
        // 41 vertices of the upper one, some 25 to 30 of the lower below it, few edges at the rim.
        assert!(contacts.len() < 90, "{}", contacts.len());
        for c in &contacts {
            assert!((c.gap(&x) - (height.abs() - 0.02)).abs() < 1e-9, "{c:?}");
        }
    }
}

#[test]
fn cloths_that_pass_each_other_in_one_step_are_stopped_on_their_sides() {
    let mut scene = Scene::default();
    scene.cloth(1.0, 6, [0.0; 3], 0.001);
    let upper = scene.cloth(0.5, 4, [0.21, 0.23, 0.1], 0.001);
    for (fall, drift) in [(-0.2, 0.0), (-0.11, 0.05), (-1.0, 0.2), (-0.101, -0.1)] {
        let x1 = shifted(&scene.x, upper.clone(), [drift, 0.0, fall]);
        let contacts = scene.contacts(1e-3, &scene.x, &x1);
        for v in upper.clone() {
            let stops = contacts.iter().filter(|c| c.vertices[0] == v as u32 || c.vertices[1] == v as u32);
            let stops = stops.filter(|c| (c.gap(&x1) - (0.1 + fall - 0.002)).abs() < 1e-6);
            assert!(stops.count() > 0, "vertex {v}, fall {fall}, drift {drift}");
        }
        for c in &contacts {
            let sign = if c.sides[0] == Side::Body(1) { 1.0 } else { -1.0 };
            assert!(sign * c.normal[2] > 0.99, "{fall} {drift}: {c:?}");
        }
    }
}

#[test]
fn a_folded_cloth_touches_itself_between_its_layers_only() {
    let mut scene = Scene::default();
    let (cells, radius) = (40, 0.002);
    scene.cloth(1.0, cells, [0.0; 3], radius);
    scene.surfaces[0].self_contact = true;
    // Rolled around a rod of radius r and laid back on itself.
    let r = 0.02;
    let folded: Vec<Point> = scene
        .x
        .iter()
        .map(|&[x, y, _]| {
            let s = x - 0.5;
            let half = 0.5 * std::f64::consts::PI * r;
            if s < -half {
                [s + half, y, -r]
            } else if s > half {
                [half - s, y, r]
            } else {
                [r * (s / r).cos(), y, r * (s / r).sin()]
            }
        })
        .collect();
    // Layers 2 r = 0.04 apart.
    let near = scene.contacts(0.037, &folded, &folded);
    assert!(near.len() > 1000 && near.len() < 5000, "{}", near.len());
    assert!(near.iter().all(|c| c.gap(&folded) < 0.037));
    assert!(scene.contacts(0.03, &folded, &folded).is_empty());
}

#[test]
fn cloth_falls_on_a_blade_and_stays_above_it() {
    let mut scene = Scene::default();
    scene.cloth(1.0, 10, [-0.47, -0.53, 0.01], 0.002);
    scene.obstacle(Shape::Mesh(blade(3, 0.8, 0.3)));
    for fall in [-0.009, -0.02, -0.2] {
        let x1 = shifted(&scene.x, 0..scene.x.len(), [0.0, 0.0, fall]);
        let contacts = scene.contacts(1e-3, &scene.x, &x1);
        assert!(contacts.len() >= 10, "{fall}: {}", contacts.len());
        for c in &contacts {
            assert_eq!(c.sides[1], Side::Obstacle(0));
            assert!(c.normal[2] > 0.99, "{fall}: {c:?}");
            assert!(c.anchor[0].abs() < 1e-9 && c.anchor[2].abs() < 1e-9, "{c:?}");
        }
    }
}

#[test]
fn a_moving_blade_pushes_cloth_from_the_side_it_comes_from() {
    let mut scene = Scene::default();
    // The cloth stands upright in the plane x = 0.
    let range = scene.cloth(1.0, 10, [0.0; 3], 0.002);
    for p in &mut scene.x[range] {
        *p = [0.0, p[0] - 0.5, p[1] - 0.8];
    }
    scene.obstacle(Shape::Mesh(blade(7, 0.3, 0.3)));
    let at = |x: f64| [Pose { translation: [x, 0.0, 0.0], ..Pose::IDENTITY }];
    for (from, to) in [(-0.1, 0.1), (0.1, -0.1), (0.05, -2.0)] {
        let mut detector = scene.detector(1e-3);
        let contacts = run(&mut detector, &Serial, [&scene.x, &scene.x], [&at(from), &at(to)]);
        assert!(contacts.len() > 20);
        let forward = if to > from { 1.0 } else { -1.0 };
        for c in &contacts {
            assert!(c.normal[0] * forward > 0.99, "{c:?}");
            assert!((c.anchor_motion[0] - (to - from)).abs() < 1e-9);
        }
    }
}

#[test]
fn touching_sheets_without_distance_remember_their_side() {
    let mut scene = Scene::default();
    scene.cloth(1.0, 4, [0.0; 3], 0.001);
    let upper = scene.cloth(0.5, 3, [0.2, 0.2, 0.0], 0.001);
    let mut detector = scene.detector(1e-3);
    for side in [1.0, -1.0] {
        let apart = shifted(&scene.x, upper.clone(), [0.0, 0.0, side * 2e-3]);
        let before = run(&mut detector, &Serial, [&apart, &apart], [&[], &[]]);
        let touching = run(&mut detector, &Serial, [&scene.x, &scene.x], [&[], &[]]);
        assert!(before.len() > 20);
        for c in &before {
            let same = touching.iter().find(|d| d.key == c.key);
            assert!(same.is_some_and(|d| d.normal[2] * c.normal[2] > 0.99), "{c:?} {same:?}");
        }
    }
}
