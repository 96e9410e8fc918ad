//! The same contacts for any number of threads and in every repetition, also for positions that are no numbers.

mod support;

use pliant_collide::{Contact, Pose, Serial, Shape};
use pliant_mesh::{Point, ball};
use support::{Scene, Threads, noise, run};

/// Crumpled cloths and balls among obstacles of all kinds.
fn crowd() -> (Scene, Vec<Point>, Vec<Point>) {
    let mut scene = Scene::default();
    scene.cloth(1.0, 24, [0.0; 3], 0.004);
    scene.cloth(0.8, 15, [0.1, 0.1, 0.05], 0.003);
    scene.add(&ball(0.2, 6).unwrap().surface(), [0.5, 0.5, 0.2], true, 0.0);
    scene.block([0.3; 3], [4, 4, 4], [0.1, 0.6, 0.02]);
    scene.surfaces.iter_mut().for_each(|s| s.self_contact = true);
    for shape in [
        Shape::Plane,
        Shape::Box { half: [0.2, 0.1, 0.05] },
        Shape::Torus { major: 0.3, minor: 0.05 },
        Shape::Mesh(pliant_mesh::sphere_surface(0.2, 3).unwrap()),
    ] {
        scene.obstacle(shape);
    }
    let mut random = noise(7);
    let mut crumple = |x: &[Point], size: f64| -> Vec<Point> {
        x.iter()
            .map(|p| [p[0] + size * random(), p[1] + size * random(), p[2] * 0.7 + size * random()])
            .collect()
    };
    let x0 = crumple(&scene.x, 0.02);
    let x1 = crumple(&x0, 0.01);
    (scene, x0, x1)
}

fn poses(shift: f64) -> Vec<Pose> {
    (0..4).map(|i| Pose { translation: [0.2 * f64::from(i), 0.3, shift], ..Pose::IDENTITY }).collect()
}

#[test]
fn any_number_of_threads_finds_the_same() {
    let (scene, x0, x1) = crowd();
    let (from, to) = (poses(-0.01), poses(0.01));
    let mut detector = scene.detector(0.002);
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
    let (scene, mut x0, mut x1) = crowd();
    let (from, to) = (poses(-0.01), poses(0.01));
    let whole = run(&mut scene.detector(0.002), &Serial, [&x0, &x1], [&from, &to]);
    let bad = [3, 700, 1100, x0.len() as u32 - 1];
    x0[bad[0] as usize] = [f64::NAN; 3];
    x1[bad[1] as usize][1] = f64::INFINITY;
    x1[bad[2] as usize] = [0.0, f64::NAN, 0.0];
    x0[bad[3] as usize][2] = f64::NEG_INFINITY;
    let mut detector = scene.detector(0.002);
    let contacts = run(&mut detector, &Serial, [&x0, &x1], [&from, &to]);
    assert!(contacts.iter().all(|c| !c.vertices[..c.count as usize].iter().any(|v| bad.contains(v))));
    assert!(contacts.len() > whole.len() * 9 / 10 && contacts.len() < whole.len());
    let mut refreshed = contacts.clone();
    detector.refresh(&x1, &from, &to, &mut refreshed);
    support::check(&refreshed, x1.len());
    let nowhere = vec![[f64::NAN; 3]; x0.len()];
    assert!(run(&mut detector, &Serial, [&nowhere, &nowhere], [&from, &to]).is_empty());
    let lost = vec![Pose { translation: [f64::NAN; 3], ..Pose::IDENTITY }; 4];
    let without_obstacles = run(&mut detector, &Serial, [&x0, &x1], [&lost, &lost]);
    assert!(without_obstacles.iter().all(|c| matches!(c.sides[1], pliant_collide::Side::Body(_))));
}

#[test]
fn refreshed_contacts_at_the_same_place_keep_their_direction() {
    let (scene, _, x1) = crowd();
    let at = poses(0.0);
    let mut detector = scene.detector(0.002);
    let contacts = run(&mut detector, &Serial, [&x1, &x1], [&at, &at]);
    let mut refreshed = contacts.clone();
    detector.refresh(&x1, &at, &at, &mut refreshed);
    for (c, r) in contacts.iter().zip(&refreshed) {
        let dot: f64 = (0..3).map(|k| c.normal[k] * r.normal[k]).sum();
        assert!(dot > 0.99, "{c:?} {r:?}");
        assert_eq!((c.key, c.vertices, c.weights), (r.key, r.vertices, r.weights));
    }
}
