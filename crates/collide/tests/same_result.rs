//! The same contacts for any number of threads and in every repetition, also for positions that are no numbers.

use crate::support;

use pliant_collide::{Contact, Pose, Serial, Shape};
use pliant_mesh::{DVec3, ball};
use support::{Setup, Threads, noise_vectors, run};

/// Crumpled cloths and balls among obstacles of all kinds.
fn crowd() -> (Setup, Vec<DVec3>, Vec<DVec3>) {
    let mut setup = Setup::default();
    setup.cloth(1.0, 24, DVec3::ZERO, 0.004);
    setup.cloth(0.8, 15, DVec3::new(0.1, 0.1, 0.05), 0.003);
    setup.add(&ball(0.2, 6).unwrap().surface(), DVec3::new(0.5, 0.5, 0.2), true, 0.0);
    setup.block([0.3; 3], [4, 4, 4], DVec3::new(0.1, 0.6, 0.02));
    setup.surfaces.iter_mut().for_each(|s| s.self_contact = true);
    for shape in [
        Shape::Plane,
        Shape::Box { half: DVec3::new(0.2, 0.1, 0.05) },
        Shape::Torus { major: 0.3, minor: 0.05 },
        Shape::Mesh(pliant_mesh::sphere_surface(0.2, 3).unwrap()),
    ] {
        setup.obstacle(shape);
    }
    let mut random = noise_vectors(7);
    let mut crumple = |x: &[DVec3], size: f64| -> Vec<DVec3> {
        x.iter().map(|p| p.with_z(p.z * 0.7) + size * random()).collect()
    };
    let x0 = crumple(&setup.x, 0.02);
    let x1 = crumple(&x0, 0.01);
    (setup, x0, x1)
}

fn poses(shift: f64) -> Vec<Pose> {
    (0..4)
        .map(|i| Pose { translation: DVec3::new(0.2 * f64::from(i), 0.3, shift), ..Pose::IDENTITY })
        .collect()
}

#[test]
fn any_number_of_threads_finds_the_same() {
    let (setup, x0, x1) = crowd();
    let (from, to) = (poses(-0.01), poses(0.01));
    let mut detector = setup.detector(0.002);
    let first = run(&mut detector, &Serial, [&x0, &x1], [&from, &to]);
    assert!(first.len() > 1000, "{}", first.len());
    for threads in [1, 2, 3, 7] {
        detector.forget();
        let again: Vec<Contact> = run(&mut detector, &Threads(threads), [&x0, &x1], [&from, &to]);
        assert_eq!(first, again);
    }
}

#[test]
fn vertices_that_are_no_numbers_have_no_contacts_and_others_keep_theirs() {
    let (setup, mut x0, mut x1) = crowd();
    let (from, to) = (poses(-0.01), poses(0.01));
    let whole = run(&mut setup.detector(0.002), &Serial, [&x0, &x1], [&from, &to]);
    let bad = [3, 700, 1100, x0.len() as u32 - 1];
    x0[bad[0] as usize] = DVec3::NAN;
    x1[bad[1] as usize].y = f64::INFINITY;
    x1[bad[2] as usize] = DVec3::new(0.0, f64::NAN, 0.0);
    x0[bad[3] as usize].z = f64::NEG_INFINITY;
    let mut detector = setup.detector(0.002);
    let contacts = run(&mut detector, &Serial, [&x0, &x1], [&from, &to]);
    assert!(contacts.iter().all(|c| !c.vertices[..c.count as usize].iter().any(|v| bad.contains(v))));
    assert!(contacts.len() > whole.len() * 9 / 10 && contacts.len() < whole.len());
    let mut refreshed = contacts.clone();
    detector.refresh(&x1, &from, &to, &mut refreshed);
    support::check(&refreshed, x1.len());
    let nowhere = vec![DVec3::NAN; x0.len()];
    assert!(run(&mut detector, &Serial, [&nowhere, &nowhere], [&from, &to]).is_empty());
    let lost = vec![Pose { translation: DVec3::NAN, ..Pose::IDENTITY }; 4];
    let without_obstacles = run(&mut detector, &Serial, [&x0, &x1], [&lost, &lost]);
    assert!(without_obstacles.iter().all(|c| matches!(c.sides[1], pliant_collide::Side::Body(_))));
}

#[test]
fn refreshed_contacts_at_the_same_place_keep_their_direction() {
    let (setup, _, x1) = crowd();
    let at = poses(0.0);
    let mut detector = setup.detector(0.002);
    let contacts = run(&mut detector, &Serial, [&x1, &x1], [&at, &at]);
    let mut refreshed = contacts.clone();
    detector.refresh(&x1, &at, &at, &mut refreshed);
    for (c, r) in contacts.iter().zip(&refreshed) {
        assert!(c.normal.dot(r.normal) > 0.99, "{c:?} {r:?}");
        assert_eq!((c.key, c.vertices, c.weights), (r.key, r.vertices, r.weights));
    }
}
