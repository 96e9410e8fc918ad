//! Vertices against analytic obstacles: which are reported, where, and in which direction.

use super::*;
use crate::{BodyId, Serial};
use pliant_mesh::DMat3;

/// A body of single vertices: triangles only say which vertices are on the surface.
fn detector(points: usize, shape: Shape, radius: f64, margin: f64) -> Detector {
    let triangles = (0..points as u32).map(|v| [v; 3]).collect();
    let surface = Surface { body: BodyId(0), triangles, solid: true, radius, self_contact: false };
    let rest = vec![DVec3::ZERO; points];
    let options = Options { margin, ..Options::default() };
    Detector::new(&[surface], &[Obstacle { shape, radius: 0.0 }], &rest, options).unwrap()
}

fn at(x: f64, z: f64) -> Pose {
    Pose { translation: DVec3::new(x, 0.0, z), ..Pose::IDENTITY }
}

fn detect(d: &mut Detector, x0: &[DVec3], x1: &[DVec3], from: Pose, to: Pose) -> Vec<Contact> {
    let mut out = Vec::new();
    d.detect(&Serial, x0, x1, &[from], &[to], &mut out);
    out
}

#[test]
fn near_vertices_touch_a_plane_once_each() {
    let mut d = detector(5, Shape::Plane, 0.01, 0.05);
    let x = [[0.0, 0.0, 0.03], [1.0, 0.0, -0.2], [0.0, 1.0, 0.07], [0.0, 2.0, 5.0], [f64::NAN; 3]]
        .map(DVec3::from_array);
    let contacts = detect(&mut d, &x, &x, Pose::IDENTITY, Pose::IDENTITY);
    assert_eq!(contacts.iter().map(|c| c.vertices[0]).collect::<Vec<_>>(), [0, 1]);
    for c in &contacts {
        assert_eq!((c.normal, c.anchor_motion, c.count), (DVec3::Z, DVec3::ZERO, 1));
        assert_eq!(c.anchor.z, 0.0);
        assert!((c.gap(&x) - (x[c.vertices[0] as usize].z - 0.01)).abs() < 1e-15);
    }
}

#[test]
fn gap_and_motion_follow_a_moving_turned_obstacle() {
    let rotation = DMat3::from_rotation_z(0.3);
    let to = Pose { rotation, translation: DVec3::new(0.1, 0.2, 0.3) };
    let mut d = detector(1, Shape::Box { half: DVec3::new(1.0, 2.0, 0.5) }, 0.0, 0.1);
    let local = DVec3::new(0.4, 0.3, 0.52);
    let x = [to.place(local)];
    let contacts = detect(&mut d, &x, &x, Pose::IDENTITY, to);
    assert_eq!(contacts.len(), 1);
    let (contact, foot) = (contacts[0], local.with_z(0.5));
    assert!((contact.gap(&x) - 0.02).abs() < 1e-12);
    assert!(contact.anchor.distance(to.place(foot)) < 1e-12);
    assert!(contact.anchor_motion.distance(to.place(foot) - foot) < 1e-12);
}

#[test]
fn a_fast_vertex_is_stopped_on_the_side_it_came_from() {
    let plate = Shape::Box { half: DVec3::new(1.0, 1.0, 0.01) };
    let mut d = detector(1, plate, 0.0, 0.001);
    let start = [DVec3::new(0.2, 0.1, 1.0)];
    for z in [-1.0, -0.009, 0.009, -5.0] {
        let end = [DVec3::new(0.25, 0.1, z)];
        let contacts = detect(&mut d, &start, &end, Pose::IDENTITY, Pose::IDENTITY);
        assert_eq!(contacts.len(), 1, "{z}");
        assert!(contacts[0].normal.distance(DVec3::Z) < 1e-9, "{z}");
        assert!((contacts[0].gap(&end) - (z - 0.01)).abs() < 1e-5, "{z}");
    }
    assert!(detect(&mut d, &start, &[DVec3::new(5.0, 0.1, -1.0)], Pose::IDENTITY, Pose::IDENTITY).is_empty());
}

#[test]
fn a_fast_obstacle_does_not_pass_a_vertex() {
    let mut d = detector(1, Shape::Sphere { radius: 0.1 }, 0.0, 0.001);
    let x = [DVec3::ZERO];
    let contacts = detect(&mut d, &x, &x, at(-3.0, 0.01), at(4.0, 0.01));
    assert_eq!(contacts.len(), 1);
    assert!(contacts[0].normal.x > 0.9);
    assert!((contacts[0].anchor_motion.x - 7.0).abs() < 1e-9);
    assert!(detect(&mut d, &x, &x, at(-3.0, 0.2), at(4.0, 0.2)).is_empty());
}

#[test]
fn a_vertex_that_leaves_is_reported_at_its_start() {
    let mut d = detector(1, Shape::Sphere { radius: 1.0 }, 0.0, 0.01);
    let (start, end) = ([1.005 * DVec3::Z], [DVec3::new(0.5, 0.0, 1.5)]);
    let contacts = detect(&mut d, &start, &end, Pose::IDENTITY, Pose::IDENTITY);
    assert_eq!(contacts.len(), 1);
    assert!(contacts[0].normal.distance(DVec3::Z) < 1e-12);
}

#[test]
fn refreshed_contacts_follow_the_surface_and_keep_their_side() {
    let mut d = detector(1, Shape::Sphere { radius: 1.0 }, 0.0, 0.1);
    let x = [DVec3::Z];
    let mut contacts = detect(&mut d, &x, &x, Pose::IDENTITY, Pose::IDENTITY);
    let moved = [DVec3::new(0.6, 0.0, 0.8)];
    d.refresh(&moved, &[Pose::IDENTITY], &[Pose::IDENTITY], &mut contacts);
    assert!(contacts[0].normal.distance(moved[0]) < 1e-12);
    assert!(contacts[0].gap(&moved).abs() < 1e-12);
    // Inside and beyond the centre: the plane of before is kept.
    let before = contacts[0];
    d.refresh(&[-0.5 * DVec3::X], &[Pose::IDENTITY], &[Pose::IDENTITY], &mut contacts);
    assert_eq!(contacts[0], before);
    d.refresh(&[DVec3::NAN], &[Pose::IDENTITY], &[Pose::IDENTITY], &mut contacts);
    assert_eq!(contacts[0], before);
}

#[test]
fn deep_vertices_leave_by_the_nearest_face() {
    let mut d = detector(1, Shape::Box { half: DVec3::ONE }, 0.0, 0.01);
    let x = [DVec3::new(0.9, 0.2, -0.3)];
    let contacts = detect(&mut d, &x, &x, Pose::IDENTITY, Pose::IDENTITY);
    assert_eq!(contacts[0].normal, DVec3::X);
    assert!((contacts[0].gap(&x) + 0.1).abs() < 1e-12);
}

#[test]
fn wrong_input_is_refused_or_gives_nothing() {
    let mut d = detector(1, Shape::Plane, 0.0, 0.1);
    assert!(detect(&mut d, &[], &[], Pose::IDENTITY, Pose::IDENTITY).is_empty());
    let surface = Surface {
        body: BodyId(0),
        triangles: vec![[0, 1, 7]],
        solid: true,
        radius: 0.0,
        self_contact: false,
    };
    let build = |s: &Surface, o: &[Obstacle], m: f64| {
        Detector::new(
            std::slice::from_ref(s),
            o,
            &[DVec3::ZERO; 3],
            Options { margin: m, ..Options::default() },
        )
    };
    assert!(matches!(build(&surface, &[], 0.1), Err(CollideError::Vertex { vertex: 7, .. })));
    let good = Surface { triangles: vec![[0, 1, 2]], ..surface };
    assert!(matches!(build(&good, &[], -1.0), Err(CollideError::Length { .. })));
    let bad = Surface { radius: f64::NAN, ..good.clone() };
    assert!(matches!(build(&bad, &[], 0.1), Err(CollideError::Length { .. })));
    let ball = Obstacle { shape: Shape::Sphere { radius: -1.0 }, radius: 0.0 };
    let error = build(&good, &[ball], 0.1).unwrap_err();
    assert_eq!(error.to_string(), "obstacle 0: the radius of a sphere is -1; it must be a positive number");
}
