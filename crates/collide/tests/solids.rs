//! Contacts between solid bodies: how many, where, in which direction.

use crate::support::{Setup, noise, noise_vectors, shifted};
use pliant_collide::{BodyId, Contact, ObstacleId, Shape, Side};
use pliant_mesh::{DVec3, ball};

/// Directions from the lower body 0 to the upper body 1 are up.
fn upward(c: &Contact) -> f64 {
    let sign = if c.sides[0] == Side::Body(BodyId(1)) { 1.0 } else { -1.0 };
    sign * c.normal.z
}

#[test]
fn a_block_on_a_plane_touches_with_its_bottom_vertices_only() {
    let mut setup = Setup::default();
    setup.block([1.0, 1.0, 0.5], [4, 4, 2], DVec3::new(0.0, 0.0, 1e-4));
    setup.obstacle(Shape::Plane);
    let x1 = shifted(&setup.x, 0..setup.x.len(), DVec3::new(0.0, 0.0, -1e-3));
    let contacts = setup.contacts(1e-3, &setup.x, &x1);
    assert_eq!(contacts.len(), 25);
    assert!(
        contacts
            .iter()
            .all(|c| c.count == 1 && c.normal == DVec3::Z && (c.gap(&setup.x) - 1e-4).abs() < 1e-12)
    );
}

#[test]
fn a_block_on_a_slab_touches_about_once_per_vertex_in_the_contact_area() {
    // The grids do not match: vertices of both lie inside of triangles of the other.
    let mut setup = Setup::default();
    setup.block([2.0, 2.0, 0.5], [9, 9, 2], DVec3::new(0.0, 0.0, -0.5));
    let upper = setup.block([1.0; 3], [4, 4, 4], DVec3::new(0.511, 0.487, 0.0));
    for (gap, fall) in [(1e-5, 0.0), (1e-5, -2e-3), (0.0, -1e-3), (-1e-5, -1e-3), (-1e-3, -1e-3)] {
        let x0 = shifted(&setup.x, upper.clone(), DVec3::new(0.0, 0.0, gap));
        let x1 = shifted(&x0, upper.clone(), DVec3::new(0.0, 0.0, fall));
        let contacts = setup.contacts(1e-3, &x0, &x1);
        // 25 of the block, and those of the slab under it: 4 or 5 in a row.
        let of_block =
            contacts.iter().filter(|c| c.weights[0] == 1.0 && c.sides[0] == Side::Body(BodyId(1))).count();
        assert_eq!(of_block, 25, "gap {gap}");
        assert!(contacts.len() <= 25 + 25, "{} contacts at gap {gap}", contacts.len());
        for c in &contacts {
            assert!(upward(c) > 1.0 - 1e-9, "gap {gap}: {c:?}");
            assert!((c.gap(&x1) - gap - fall).abs() < 1e-9);
        }
    }
}

#[test]
fn equal_blocks_on_top_of_each_other_touch_vertex_by_vertex() {
    let mut setup = Setup::default();
    setup.block([1.0; 3], [3, 3, 3], DVec3::NEG_Z);
    let upper = setup.block([1.0; 3], [3, 3, 3], DVec3::ZERO);
    for (gap, off) in
        [(0.0, 0.0), (1e-6, 0.0), (-1e-6, 0.0), (-1e-6, 1e-9), (-1e-6, -1e-9), (-1e-9, 1e-6), (1e-9, -1e-6)]
    {
        let x = shifted(&setup.x, upper.clone(), DVec3::new(off, off, gap));
        let contacts = setup.contacts(1e-3, &x, &x);
        assert!(contacts.iter().all(|c| upward(c) > 1.0 - 1e-9), "gap {gap}: {contacts:?}");
        assert_eq!(contacts.len(), 16, "gap {gap}");
    }
}

#[test]
fn crossed_planks_touch_at_their_edges() {
    let mut setup = Setup::default();
    setup.block([4.0, 1.0, 0.2], [1, 1, 1], DVec3::new(-2.0, -0.5, -0.2));
    let upper = setup.block([1.0, 4.0, 0.2], [1, 1, 1], DVec3::new(-0.5, -2.0, 0.0));
    for gap in [1e-4, 0.0, -1e-3] {
        let x = shifted(&setup.x, upper.clone(), DVec3::new(0.0, 0.0, gap));
        let contacts = setup.contacts(1e-2, &x, &x);
        let corners = contacts.iter().filter(|c| {
            let first = c.vertices.iter().zip(&c.weights).filter(|(_, w)| **w > 0.0);
            let p: DVec3 = first.map(|(&v, &w)| w * x[v as usize]).sum();
            (p.x.abs() - 0.5).abs() < 1e-9 && (p.y.abs() - 0.5).abs() < 1e-9
        });
        assert_eq!(corners.count(), 4, "gap {gap}: {contacts:?}");
        assert!(contacts.iter().all(|c| upward(c) > 1.0 - 1e-9), "gap {gap}: {contacts:?}");
        assert!(contacts.len() <= 8, "{contacts:?}");
    }
}

#[test]
fn a_ball_that_slides_over_a_slab_feels_no_inner_edges() {
    let mut setup = Setup::default();
    setup.block([2.0, 2.0, 0.5], [10, 10, 2], DVec3::new(-1.0, -1.0, -0.5));
    let ball = setup.add(&ball(0.3, 6).unwrap().surface(), DVec3::new(0.0, 0.0, 0.3), true, 0.0);
    let lowest = setup.x[ball.clone()].iter().map(|p| p.z).fold(f64::MAX, f64::min);
    let mut random = noise(1);
    for _ in 0..50 {
        let by = DVec3::new(0.4 * random(), 0.4 * random(), 2e-4 * random() - lowest);
        let x = shifted(&setup.x, ball.clone(), by);
        let contacts = setup.contacts(1e-3, &x, &x);
        assert!(!contacts.is_empty());
        for c in &contacts {
            assert!(upward(c) > 1.0 - 1e-6, "{c:?}");
        }
    }
}

#[test]
fn what_is_slightly_inside_is_pushed_out_by_the_nearest_face() {
    let mut setup = Setup::default();
    setup.block([1.0; 3], [4, 4, 4], DVec3::ZERO);
    let small = setup.block([0.1; 3], [1, 1, 1], DVec3::new(0.45, 0.45, 1.0));
    // Lowered into the top, near and far from its rim.
    for (along, depth) in [(0.0, 0.01), (0.0, 0.09), (0.44, 0.005), (0.445, 0.002)] {
        let x = shifted(&setup.x, small.clone(), DVec3::new(along, 0.0, -depth));
        let contacts = setup.contacts(1e-3, &x, &x);
        let lower: Vec<_> =
            contacts.iter().filter(|c| c.sides[0] == Side::Body(BodyId(1)) && c.weights[0] == 1.0).collect();
        assert_eq!(lower.len(), 4, "{along} {depth}: {contacts:?}");
        for c in contacts {
            assert!(upward(&c) > 1.0 - 1e-9, "{along} {depth}: {c:?}");
            assert!((c.gap(&x) + depth).abs() < 1e-9);
        }
    }
}

#[test]
fn fast_solids_do_not_pass_through_each_other() {
    let mut setup = Setup::default();
    setup.block([1.0, 1.0, 0.1], [5, 5, 1], DVec3::ZERO);
    let small = setup.block([0.2; 3], [2, 2, 2], DVec3::new(0.31, 0.42, 0.2));
    for fall in [-0.15, -0.5, -3.0] {
        for drift in [0.0, 0.1, -0.2] {
            let x1 = shifted(&setup.x, small.clone(), DVec3::new(drift, 0.05, fall));
            let contacts = setup.contacts(1e-3, &setup.x, &x1);
            let bottom: Vec<u32> =
                small.clone().filter(|&v| setup.x[v].z < 0.2 + 1e-9).map(|v| v as u32).collect();
            for v in bottom {
                let own = contacts.iter().filter(|c| c.vertices[0] == v && c.weights[0] == 1.0);
                let stops = own.filter(|c| upward(c) > 0.99 && (c.gap(&x1) - (0.1 + fall)).abs() < 1e-6);
                assert!(stops.count() > 0, "vertex {v}, fall {fall}, drift {drift}");
            }
            assert!(contacts.iter().all(|c| upward(c) > -1e-6), "{fall} {drift}");
        }
    }
}

#[test]
fn a_thin_solid_does_not_touch_itself_through_its_material() {
    let mut setup = Setup::default();
    setup.block([1.0, 1.0, 0.02], [5, 5, 1], DVec3::ZERO);
    setup.surfaces[0].self_contact = true;
    setup.surfaces[0].radius = 0.005;
    let mut random = noise_vectors(2);
    for _ in 0..20 {
        let x: Vec<DVec3> = setup.x.iter().map(|&p| 0.8 * p + 1e-3 * random()).collect();
        let contacts = setup.contacts(0.05, &x, &x);
        assert!(contacts.is_empty(), "{contacts:?}");
    }
}

#[test]
fn box_corners_and_edges_hold_a_body_between_its_vertices() {
    let mut setup = Setup::default();
    // One big triangle pair above a small box, no vertex near it.
    setup.block([4.0, 4.0, 0.5], [1, 1, 1], DVec3::new(-2.0, -2.0, 1e-3));
    setup.obstacle(Shape::Box { half: DVec3::new(0.3, 0.2, 0.5) });
    let mut lowered = setup.x.clone();
    lowered.iter_mut().for_each(|p| p.z += 0.5);
    let contacts = setup.contacts(0.01, &lowered, &lowered);
    let corners: Vec<_> = contacts.iter().filter(|c| c.count >= 2 && c.normal.z > 1.0 - 1e-9).collect();
    assert!(corners.len() >= 4, "{contacts:?}");
    for c in &contacts {
        assert_eq!(c.sides, [Side::Body(BodyId(0)), Side::Obstacle(ObstacleId(0))]);
        assert!(c.weights.iter().all(|&w| w >= 0.0));
        assert!(c.normal.z > 1.0 - 1e-9, "{c:?}");
        assert!((c.gap(&lowered) - 1e-3).abs() < 1e-9);
    }
}
