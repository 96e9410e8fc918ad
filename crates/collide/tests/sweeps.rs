//! Nothing tunnels: random triangles, edges and vertices that pass through each other in one step are reported.

mod support;

use pliant_collide::{Contact, Pose, Serial, Shape, Side};
use pliant_mesh::{Point, TriMesh};
use proptest::prelude::*;
use support::{Scene, run};

fn point() -> impl Strategy<Value = Point> {
    prop::array::uniform3(-1.0..1.0_f64)
}

fn sub(a: Point, b: Point) -> Point {
    std::array::from_fn(|k| a[k] - b[k])
}

fn cross(a: Point, b: Point) -> Point {
    std::array::from_fn(|k| a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3])
}

fn dot(a: Point, b: Point) -> f64 {
    (0..3).map(|k| a[k] * b[k]).sum()
}

/// A triangle with an area and the ends of a segment through its inside.
fn pierced() -> impl Strategy<Value = ([Point; 3], Point, Point)> {
    let weights = prop::array::uniform3(0.1..1.0_f64);
    let reach = prop::array::uniform2(0.01..1.0_f64);
    (prop::array::uniform3(point()), weights, point(), reach)
        .prop_filter("not flat and not along the triangle", |(t, _, along, _)| {
            let n = cross(sub(t[1], t[0]), sub(t[2], t[0]));
            dot(n, n) > 1e-2 && dot(n, *along).abs() > 0.05 * dot(n, n).sqrt()
        })
        .prop_map(|(t, w, along, reach)| {
            let sum: f64 = w.iter().sum();
            let middle: Point = std::array::from_fn(|k| (0..3).map(|i| w[i] * t[i][k]).sum::<f64>() / sum);
            let at = |s: f64| -> Point { std::array::from_fn(|k| middle[k] + s * along[k]) };
            (t, at(-reach[0]), at(reach[1]))
        })
}

fn triangle_mesh(corners: [Point; 3]) -> TriMesh {
    TriMesh { vertices: corners.to_vec(), triangles: vec![[0, 1, 2]], ..Default::default() }
}

/// Whether a contact is violated at the end of the step, so that it has something to stop.
fn stops(contacts: &[Contact], x1: &[Point]) -> bool {
    contacts.iter().any(|c| c.gap(x1) < 0.0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_vertex_through_a_still_or_moving_triangle(
        (corners, p, q) in pierced(), drift in point(),
    ) {
        let mut scene = Scene::default();
        scene.add(&triangle_mesh(corners), [0.0; 3], false, 1e-4);
        // The vertex is the corner of a triangle that trails behind it, in its path.
        let back = |s: f64| -> Point { std::array::from_fn(|k| p[k] + s * (p[k] - q[k]) + 1e-3 * corners[0][k]) };
        scene.add(&triangle_mesh([p, back(1.0), back(1.5)]), [0.0; 3], false, 1e-4);
        let x0 = scene.x.clone();
        let move_by = |x: Point, by: Point| -> Point { std::array::from_fn(|k| x[k] + by[k]) };
        let step = sub(q, p);
        for shared in [[0.0; 3], drift] {
            let x1: Vec<Point> = x0.iter().enumerate().map(|(i, &x)| {
                let own = move_by(x, shared);
                if i < 3 { own } else { move_by(own, step) }
            }).collect();
            let contacts = scene.contacts(1e-3, &x0, &x1);
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
        let (u, v) = (sub(b, a), sub(d, c));
        let n = cross(u, v);
        // Crossing edges: shift the second so that they meet at their middles after half of the step.
        prop_assume!(dot(n, n) > 0.05 && dot(n, step).abs() > 0.05 * dot(n, n).sqrt());
        let middle = |p: Point, q: Point| -> Point { std::array::from_fn(|k| 0.5 * (p[k] + q[k])) };
        let to_meet = sub(sub(middle(a, b), middle(c, d)), step.map(|s| 0.5 * s));
        let place = |p: Point| -> Point { std::array::from_fn(|k| p[k] + to_meet[k]) };
        let sign = dot(n, step).signum() / dot(n, n).sqrt();
        // Each edge is the sharp end of a thin triangle that points away from the other.
        let behind = |p: Point, q: Point, s: f64| -> Point {
            let m = middle(p, q);
            std::array::from_fn(|k| m[k] + s * sign * n[k])
        };
        let mut scene = Scene::default();
        scene.add(&triangle_mesh([a, b, behind(a, b, 2.0)]), [0.0; 3], false, 1e-4);
        let (c, d) = (place(c), place(d));
        scene.add(&triangle_mesh([c, d, behind(c, d, -2.0)]), [0.0; 3], false, 1e-4);
        let x0 = scene.x.clone();
        let x1: Vec<Point> = x0.iter().enumerate().map(|(i, &x)| -> Point {
            if i < 3 { x } else { std::array::from_fn(|k| x[k] + step[k]) }
        }).collect();
        let contacts = scene.contacts(1e-3, &x0, &x1);
        let pair = contacts.iter().find(|c| c.count == 4 && [[0, 1], [3, 4]].contains(&[c.vertices[0], c.vertices[1]]));
        prop_assert!(pair.is_some_and(|c| c.gap(&x1) < 0.0 && c.gap(&x0) > -2e-4), "{:?}", contacts);
    }

    #[test]
    fn a_vertex_through_a_moving_mesh_obstacle((corners, p, q) in pierced()) {
        // Seen from the vertex, which stays at p: the obstacle moves by p - q.
        let mut scene = Scene::default();
        let far = |s: f64| -> Point { std::array::from_fn(|k| p[k] + s * (p[k] - q[k]) + 1e-3 * corners[0][k]) };
        scene.add(&triangle_mesh([p, far(1.0), far(1.5)]), [0.0; 3], false, 1e-4);
        scene.obstacle(Shape::Mesh(triangle_mesh(corners)));
        let to = [Pose { translation: sub(p, q), ..Pose::IDENTITY }];
        let mut detector = scene.detector(1e-3);
        let x = scene.x.clone();
        let contacts = run(&mut detector, &Serial, [&x, &x], [&[Pose::IDENTITY], &to]);
        let stop = contacts.iter().find(|c| c.vertices[0] == 0 && c.count == 1);
        prop_assert!(stop.is_some_and(|c| c.gap(&x) < 0.0 && c.sides[1] == Side::Obstacle(0)), "{:?}", contacts);
    }
}
