//! Edges and triangles against analytic obstacles: what is thinner than a triangle is touched, and nothing is passed through.

use crate::support::{Setup, noise_vectors, shifted};
use pliant_collide::{Contact, Pose, Serial, Shape};
use pliant_mesh::{DVec3, TriMesh};

const RADIUS: f64 = 1e-3;

/// The contacts of a cloth of 4 x 4 cells, 1 m wide, that falls by `fall` onto a shape with its top at z = 0.
fn falling_cloth(shape: Shape, pose: Pose, fall: f64) -> (Vec<Contact>, Vec<DVec3>) {
    let mut setup = Setup::default();
    setup.cloth(1.0, 4, DVec3::new(-0.44, -0.47, 0.01), RADIUS);
    setup.obstacle(shape);
    let x1 = shifted(&setup.x, 0..setup.x.len(), DVec3::new(0.0, 0.0, -fall));
    let mut contacts = Vec::new();
    setup.detector(1e-3).detect(&Serial, &setup.x, &x1, &[pose], &[pose], &mut contacts);
    (contacts, x1)
}

fn below(z: f64) -> Pose {
    Pose { translation: DVec3::new(0.0, 0.0, -z), ..Pose::IDENTITY }
}

fn thin_shapes() -> [(Shape, Pose); 5] {
    let lying =
        Pose { rotation: pliant_mesh::DMat3::from_rotation_x(std::f64::consts::FRAC_PI_2), ..below(0.005) };
    [
        (Shape::Sphere { radius: 0.02 }, below(0.02)),
        (Shape::Capsule { radius: 0.005, half_length: 2.0 }, lying),
        (Shape::Capsule { radius: 0.01, half_length: 0.2 }, below(0.21)),
        (Shape::Cylinder { radius: 0.01, half_length: 0.2 }, below(0.2)),
        (Shape::Torus { major: 0.06, minor: 0.01 }, below(0.01)),
    ]
}

#[test]
fn what_is_thinner_than_a_triangle_is_touched_at_any_speed() {
    for (shape, pose) in thin_shapes() {
        for fall in [0.01, 0.02, 0.1, 1.0, 30.0] {
            let (contacts, x1) = falling_cloth(shape.clone(), pose, fall);
            assert!(!contacts.is_empty(), "{shape:?} {fall}");
            for c in &contacts {
                let sum: f64 = c.weights.iter().sum();
                assert!((sum - 1.0).abs() < 1e-9 && (c.normal.length() - 1.0).abs() < 1e-9);
                // Never from below, and as deep as it fell.
                assert!(c.normal.z > -1e-9, "{shape:?} {fall} {:?}", c.normal);
            }
            let deepest = contacts.iter().map(|c| c.gap(&x1)).fold(f64::INFINITY, f64::min);
            assert!(deepest < 0.01 - fall + 1e-3, "{shape:?} {fall}: {deepest}");
        }
    }
}

#[test]
fn contacts_are_sorted_and_named_once() {
    for (shape, pose) in thin_shapes() {
        let (contacts, _) = falling_cloth(shape, pose, 0.0105);
        assert!(contacts.windows(2).all(|w| w[0].key < w[1].key));
    }
}

#[test]
fn a_fine_mesh_on_a_large_ball_touches_with_its_vertices() {
    let mut setup = Setup::default();
    setup.cloth(0.2, 40, DVec3::new(-0.1, -0.1, 0.0), RADIUS);
    setup.x.iter_mut().for_each(|p| p.z = (1.0 - p.x * p.x - p.y * p.y).sqrt() - 1.0);
    setup.obstacle(Shape::Sphere { radius: 1.0 });
    let mut contacts = Vec::new();
    let pose = [below(1.0)];
    setup.detector(1e-3).detect(&Serial, &setup.x, &setup.x, &pose, &pose, &mut contacts);
    assert!(contacts.len() == setup.x.len() && contacts.iter().all(|c| c.count == 1));
}

#[test]
fn what_passed_through_is_found_after_the_step() {
    for (shape, pose) in thin_shapes() {
        for fall in [0.05, 1.0, 10.0] {
            let mut setup = Setup::default();
            setup.cloth(1.0, 4, DVec3::new(-0.44, -0.47, 0.01), RADIUS);
            setup.obstacle(shape.clone());
            let mut detector = setup.detector(1e-3);
            let x1 = shifted(&setup.x, 0..setup.x.len(), DVec3::new(0.0, 0.0, -fall));
            let mut stops = Vec::new();
            let count = detector.piercings(&Serial, [&setup.x, &x1], [&[pose], &[pose]], &mut stops);
            assert!(count > 0 && stops.iter().all(|c| c.normal.z > -1e-9), "{shape:?} {fall}");
        }
    }
}

/// Random steps of a random cloth beside a pole: refreshed contacts never change to the other side.
#[test]
fn refreshed_contacts_keep_their_side() {
    let shape = Shape::Box { half: DVec3::new(1.0, 1.0, 0.01) };
    let mut noise = noise_vectors(7);
    for _ in 0..64 {
        let way = noise();
        let mut setup = Setup::default();
        setup.cloth(0.5, 4, DVec3::new(-0.2, -0.2, 0.02), RADIUS);
        setup.obstacle(shape.clone());
        let mut detector = setup.detector(1e-3);
        let down = DVec3::new(0.1 * way.x, 0.1 * way.y, -0.05 - way.z.abs());
        let x1 = shifted(&setup.x, 0..setup.x.len(), down);
        let (pose, mut contacts) = ([Pose::IDENTITY], Vec::new());
        detector.detect(&Serial, &setup.x, &x1, &pose, &pose, &mut contacts);
        assert!(contacts.len() >= setup.x.len());
        detector.refresh(&x1, &pose, &pose, &mut contacts);
        assert!(contacts.iter().all(|c| c.normal.z > 0.9), "{down:?}");
    }
}

/// The tip of a spike, and its feet around the z axis.
fn spike() -> [DVec3; 4] {
    let foot = |degrees: f64| 0.03 * DVec3::new(degrees.to_radians().cos(), degrees.to_radians().sin(), 0.0);
    [DVec3::new(0.0, 0.0, 0.5), foot(0.0), foot(120.0), foot(240.0)]
}

/// Height over the nearest plane of the spike's sides: negative inside.
fn height_over_spike(point: DVec3) -> f64 {
    let [tip, feet @ ..] = spike();
    let side = |k: usize| {
        let normal = (feet[k] - tip).cross(feet[(k + 1) % 3] - tip).normalize();
        normal.dot(point - tip)
    };
    side(0).max(side(1)).max(side(2))
}

/// A cloth beside a spike that is thinner than what a step moves: whatever the step, contacts keep it on its side.
#[test]
fn a_thin_spike_pushes_a_sheet_back_to_where_it_came_from() {
    let spike = TriMesh {
        vertices: spike().to_vec(),
        triangles: vec![[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]],
        ..Default::default()
    };
    let mut noise = noise_vectors(11);
    for _ in 0..128 {
        let mut setup = Setup::default();
        setup.cloth(1.0, 16, DVec3::new(-0.5, -0.5, 0.0), RADIUS);
        // Upright, a little behind the spike, and turned about its axis.
        let (turn, aside) = (noise(), noise());
        let (sin, cos) = (4.0 * turn.x).sin_cos();
        let out = DVec3::new(cos, sin, 0.0);
        let along = DVec3::new(-sin, cos, 0.0);
        for p in &mut setup.x {
            *p = -0.032 * out + (p.x + 0.05 * aside.x) * along + (p.y + 0.4 + 0.05 * aside.y) * DVec3::Z;
        }
        setup.obstacle(Shape::Mesh(spike.clone()));
        let way = (0.02 + 0.03 * turn.y.abs()) * out + 0.01 * turn.z * along;
        let x1 = shifted(&setup.x, 0..setup.x.len(), way);
        let (pose, mut contacts) = ([Pose::IDENTITY], Vec::new());
        setup.detector(1e-3).detect(&Serial, &setup.x, &x1, &pose, &pose, &mut contacts);
        for contact in contacts.iter().filter(|c| c.gap(&setup.x) < -RADIUS) {
            // It has come around the spike, and not through it.
            let place = |x: &[DVec3]| -> DVec3 {
                contact.vertices.iter().zip(contact.weights).map(|(&v, w)| w * x[v as usize]).sum()
            };
            let (from, to) = (place(&setup.x), place(&x1));
            let deepest = (0..=100)
                .map(|k| height_over_spike(from.lerp(to, f64::from(k) / 100.0)))
                .fold(f64::INFINITY, f64::min);
            assert!(deepest > -2.0 * RADIUS, "{deepest} {way:?} {contact:?}");
        }
    }
}

/// A cloth that is hung like a cone over a cylinder rests on its rim, and on nothing else.
#[test]
fn a_cone_of_cloth_touches_the_rim_of_a_cylinder_all_around() {
    let mut setup = Setup::default();
    setup.cloth(1.6, 32, DVec3::new(-0.8, -0.8, 0.0), RADIUS);
    setup.x.iter_mut().for_each(|p| p.z = 0.7 * (0.5 - p.x.hypot(p.y)) + 3e-3);
    setup.obstacle(Shape::Cylinder { radius: 0.5, half_length: 0.02 });
    let (pose, mut contacts) = ([below(0.02)], Vec::new());
    let x1 = shifted(&setup.x, 0..setup.x.len(), DVec3::new(0.0, 0.0, -1e-3));
    setup.detector(1e-2).detect(&Serial, &setup.x, &x1, &pose, &pose, &mut contacts);
    let at_rim = contacts.iter().filter(|c| c.count > 1 && (c.anchor.x.hypot(c.anchor.y) - 0.5).abs() < 1e-3);
    let count = at_rim.count();
    assert!(count > 30, "{count} of {}", contacts.len());
}
