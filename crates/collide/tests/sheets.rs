//! Contacts of cloth and of open obstacles, which are touched from both sides.

use crate::support::{Setup, blade, noise, run, shifted};
use pliant_collide::{BodyId, ObstacleId, Pose, Serial, Shape, Side};
use pliant_mesh::DVec3;

#[test]
fn a_flat_or_bent_cloth_does_not_touch_itself() {
    let mut setup = Setup::default();
    setup.cloth(1.0, 20, DVec3::ZERO, 0.002);
    setup.surfaces[0].self_contact = true;
    // Thicker than its triangles are long: still at rest.
    for (radius, margin) in [(0.002, 0.002), (0.04, 0.01)] {
        setup.surfaces[0].radius = radius;
        assert!(setup.contacts(margin, &setup.x, &setup.x).is_empty());
        let mut random = noise(3);
        let bent: Vec<DVec3> = setup
            .x
            .iter()
            .map(|p| {
                DVec3::new(
                    p.x * 0.9 + 1e-3 * random(),
                    p.y,
                    0.3 * (1.0 - (2.0 * p.x).cos()) + 1e-3 * random(),
                )
            })
            .collect();
        assert!(setup.contacts(margin, &bent, &bent).is_empty());
    }
}

#[test]
fn two_cloths_touch_at_their_thickness_on_the_side_they_are() {
    let mut setup = Setup::default();
    setup.cloth(1.0, 6, DVec3::ZERO, 0.01);
    let upper = setup.cloth(0.5, 4, DVec3::new(0.21, 0.23, 0.0), 0.01);
    for (height, margin, touch) in
        [(0.019, 0.005, true), (-0.019, 0.005, true), (0.024, 0.005, true), (0.03, 0.005, false)]
    {
        let x = shifted(&setup.x, upper.clone(), DVec3::new(0.0, 0.0, height));
        let contacts = setup.contacts(margin, &x, &x);
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
    let mut setup = Setup::default();
    setup.cloth(1.0, 6, DVec3::ZERO, 0.001);
    let upper = setup.cloth(0.5, 4, DVec3::new(0.21, 0.23, 0.1), 0.001);
    for (fall, drift) in [(-0.2, 0.0), (-0.11, 0.05), (-1.0, 0.2), (-0.101, -0.1)] {
        let x1 = shifted(&setup.x, upper.clone(), DVec3::new(drift, 0.0, fall));
        let contacts = setup.contacts(1e-3, &setup.x, &x1);
        for v in upper.clone() {
            let stops = contacts.iter().filter(|c| c.vertices[0] == v as u32 || c.vertices[1] == v as u32);
            let stops = stops.filter(|c| (c.gap(&x1) - (0.1 + fall - 0.002)).abs() < 1e-6);
            assert!(stops.count() > 0, "vertex {v}, fall {fall}, drift {drift}");
        }
        for c in &contacts {
            let sign = if c.sides[0] == Side::Body(BodyId(1)) { 1.0 } else { -1.0 };
            assert!(sign * c.normal.z > 0.99, "{fall} {drift}: {c:?}");
        }
    }
}

#[test]
fn a_folded_cloth_touches_itself_between_its_layers_only() {
    let mut setup = Setup::default();
    let (cells, radius) = (40, 0.002);
    setup.cloth(1.0, cells, DVec3::ZERO, radius);
    setup.surfaces[0].self_contact = true;
    // Rolled around a rod of radius r and laid back on itself.
    let r = 0.02;
    let folded: Vec<DVec3> = setup
        .x
        .iter()
        .map(|p| {
            let s = p.x - 0.5;
            let half = 0.5 * std::f64::consts::PI * r;
            if s < -half {
                DVec3::new(s + half, p.y, -r)
            } else if s > half {
                DVec3::new(half - s, p.y, r)
            } else {
                DVec3::new(r * (s / r).cos(), p.y, r * (s / r).sin())
            }
        })
        .collect();
    // Layers 2 r = 0.04 apart.
    let near = setup.contacts(0.037, &folded, &folded);
    assert!(near.len() > 1000 && near.len() < 5000, "{}", near.len());
    assert!(near.iter().all(|c| c.gap(&folded) < 0.037));
    assert!(setup.contacts(0.03, &folded, &folded).is_empty());
}

#[test]
fn cloth_falls_on_a_blade_and_stays_above_it() {
    let mut setup = Setup::default();
    setup.cloth(1.0, 10, DVec3::new(-0.47, -0.53, 0.01), 0.002);
    setup.obstacle(Shape::Mesh(blade(3, 0.8, 0.3)));
    for fall in [-0.009, -0.02, -0.2] {
        let x1 = shifted(&setup.x, 0..setup.x.len(), DVec3::new(0.0, 0.0, fall));
        let contacts = setup.contacts(1e-3, &setup.x, &x1);
        assert!(contacts.len() >= 10, "{fall}: {}", contacts.len());
        for c in &contacts {
            assert_eq!(c.sides[1], Side::Obstacle(ObstacleId(0)));
            assert!(c.normal.z > 0.99, "{fall}: {c:?}");
            assert!(c.anchor.x.abs() < 1e-9 && c.anchor.z.abs() < 1e-9, "{c:?}");
        }
    }
}

#[test]
fn a_moving_blade_pushes_cloth_from_the_side_it_comes_from() {
    let mut setup = Setup::default();
    // The cloth stands upright in the plane x = 0.
    let range = setup.cloth(1.0, 10, DVec3::ZERO, 0.002);
    for p in &mut setup.x[range] {
        *p = DVec3::new(0.0, p.x - 0.5, p.y - 0.8);
    }
    setup.obstacle(Shape::Mesh(blade(7, 0.3, 0.3)));
    let at = |x: f64| [Pose { translation: DVec3::new(x, 0.0, 0.0), ..Pose::IDENTITY }];
    for (from, to) in [(-0.1, 0.1), (0.1, -0.1), (0.05, -2.0)] {
        let mut detector = setup.detector(1e-3);
        let contacts = run(&mut detector, &Serial, [&setup.x, &setup.x], [&at(from), &at(to)]);
        assert!(contacts.len() > 20);
        let forward = if to > from { 1.0 } else { -1.0 };
        for c in &contacts {
            assert!(c.normal.x * forward > 0.99, "{c:?}");
            assert!((c.anchor_motion.x - (to - from)).abs() < 1e-9);
        }
    }
}

#[test]
fn touching_sheets_without_distance_remember_their_side() {
    let mut setup = Setup::default();
    setup.cloth(1.0, 4, DVec3::ZERO, 0.001);
    let upper = setup.cloth(0.5, 3, DVec3::new(0.2, 0.2, 0.0), 0.001);
    let mut detector = setup.detector(1e-3);
    for side in [1.0, -1.0] {
        let apart = shifted(&setup.x, upper.clone(), DVec3::new(0.0, 0.0, side * 2e-3));
        let before = run(&mut detector, &Serial, [&apart, &apart], [&[], &[]]);
        let touching = run(&mut detector, &Serial, [&setup.x, &setup.x], [&[], &[]]);
        assert!(before.len() > 20);
        for c in &before {
            let same = touching.iter().find(|d| d.key == c.key);
            assert!(same.is_some_and(|d| d.normal.z * c.normal.z > 0.99), "{c:?} {same:?}");
        }
    }
}
