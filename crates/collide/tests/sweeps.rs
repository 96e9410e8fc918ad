//! Nothing tunnels: random triangles, edges and vertices that pass through each other in one step are reported.

use crate::support::{Setup, run};
use pliant_collide::{Contact, ObstacleId, Pose, Serial, Shape, Side};
use pliant_mesh::{DVec3, TriMesh};
use proptest::prelude::*;

fn point() -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(-1.0..1.0_f64).prop_map(DVec3::from_array)
}

/// A triangle with an area and the ends of a segment through its inside.
fn pierced() -> impl Strategy<Value = ([DVec3; 3], DVec3, DVec3)> {
    let weights = prop::array::uniform3(0.1..1.0_f64);
    let reach = prop::array::uniform2(0.01..1.0_f64);
    (prop::array::uniform3(point()), weights, point(), reach)
        .prop_filter("not flat and not along the triangle", |(t, _, along, _)| {
            let n = (t[1] - t[0]).cross(t[2] - t[0]);
            n.length_squared() > 1e-2 && n.dot(*along).abs() > 0.05 * n.length()
        })
        .prop_map(|(t, w, along, reach)| {
            let sum: f64 = w.iter().sum();
            let middle = w.iter().zip(t).map(|(&w, corner)| w * corner).sum::<DVec3>() / sum;
            let at = |s: f64| middle + s * along;
            (t, at(-reach[0]), at(reach[1]))
        })
}

fn triangle_mesh(corners: [DVec3; 3]) -> TriMesh {
    TriMesh { vertices: corners.to_vec(), triangles: vec![[0, 1, 2]], ..Default::default() }
}

/// Whether a contact is violated at the end of the step, so that it has something to stop.
fn stops(contacts: &[Contact], x1: &[DVec3]) -> bool {
    contacts.iter().any(|c| c.gap(x1) < 0.0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_vertex_through_a_still_or_moving_triangle(
        (corners, p, q) in pierced(), drift in point(),
    ) {
        let mut setup = Setup::default();
        setup.add(&triangle_mesh(corners), DVec3::ZERO, false, 1e-4);
        // The vertex is the corner of a triangle that trails behind it, in its path.
        let back = |s: f64| p + s * (p - q) + 1e-3 * corners[0];
        setup.add(&triangle_mesh([p, back(1.0), back(1.5)]), DVec3::ZERO, false, 1e-4);
        let x0 = setup.x.clone();
        let step = q - p;
        for shared in [DVec3::ZERO, drift] {
            let x1: Vec<DVec3> = x0.iter().enumerate().map(|(i, &x)| {
                if i < 3 { x + shared } else { x + shared + step }
            }).collect();
            let contacts = setup.contacts(1e-3, &x0, &x1);
            let of_vertex: Vec<Contact> = contacts.iter().copied().filter(|c| c.vertices[..2].contains(&3)).collect();
            prop_assert!(stops(&of_vertex, &x1), "{:?}", contacts);
            // Each says: stay on the side where you were.
            for c in &of_vertex {
                let at_start = c.gap(&x0);
                prop_assert!(at_start > -2e-4, "{} {:?}", at_start, c);
            }
        }
    }

    #[test]
    fn an_edge_through_an_edge(a in point(), b in point(), c in point(), d in point(), step in point()) {
        let n = (b - a).cross(d - c);
        // Crossing edges: shift the second so that they meet at their middles after half of the step.
        prop_assume!(n.length_squared() > 0.05 && n.dot(step).abs() > 0.05 * n.length());
        let to_meet = a.midpoint(b) - c.midpoint(d) - 0.5 * step;
        let against = (n.dot(step).signum() / n.length()) * n;
        // Each edge is the sharp end of a thin triangle that points away from the other.
        let behind = |p: DVec3, q: DVec3, s: f64| p.midpoint(q) + s * against;
        let mut setup = Setup::default();
        setup.add(&triangle_mesh([a, b, behind(a, b, 2.0)]), DVec3::ZERO, false, 1e-4);
        let (c, d) = (c + to_meet, d + to_meet);
        setup.add(&triangle_mesh([c, d, behind(c, d, -2.0)]), DVec3::ZERO, false, 1e-4);
        let x0 = setup.x.clone();
        let x1: Vec<DVec3> = x0.iter().enumerate().map(|(i, &x)| if i < 3 { x } else { x + step }).collect();
        let contacts = setup.contacts(1e-3, &x0, &x1);
        let pair = contacts.iter().find(|c| c.count == 4 && [[0, 1], [3, 4]].contains(&[c.vertices[0], c.vertices[1]]));
        prop_assert!(pair.is_some_and(|c| c.gap(&x1) < 0.0 && c.gap(&x0) > -2e-4), "{:?}", contacts);
    }

    #[test]
    fn a_vertex_through_a_moving_mesh_obstacle((corners, p, q) in pierced()) {
        // Seen from the vertex, which stays at p: the obstacle moves by p - q.
        let mut setup = Setup::default();
        let far = |s: f64| p + s * (p - q) + 1e-3 * corners[0];
        setup.add(&triangle_mesh([p, far(1.0), far(1.5)]), DVec3::ZERO, false, 1e-4);
        setup.obstacle(Shape::Mesh(triangle_mesh(corners)));
        let to = [Pose { translation: p - q, ..Pose::IDENTITY }];
        let mut detector = setup.detector(1e-3);
        let x = setup.x.clone();
        let contacts = run(&mut detector, &Serial, [&x, &x], [&[Pose::IDENTITY], &to]);
        let stop = contacts.iter().find(|c| c.vertices[0] == 0 && c.count == 1);
        prop_assert!(stop.is_some_and(|c| c.gap(&x) < 0.0 && c.sides[1] == Side::Obstacle(ObstacleId(0))), "{:?}", contacts);
    }
}
