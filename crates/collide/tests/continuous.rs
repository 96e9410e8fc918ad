//! Continuous collision misses nothing, says when, and is not afraid of what is degenerate.

use pliant_collide::continuous::{edge_edge, vertex_triangle, with_shape};
use pliant_collide::{Pose, Shape};
use pliant_mesh::DVec3;
use proptest::prelude::*;

const TOLERANCE: f64 = 1e-6;

/// A place on a coarse grid: many are equal, collinear or coplanar.
fn place() -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(-3i32..=3).prop_map(|x| DVec3::from_array(x.map(f64::from)))
}

/// Time, place in the triangle or on the edges, and scale of a contact, all exact in floating point.
fn contact() -> impl Strategy<Value = (f64, [f64; 2], f64)> {
    (0u32..=16, 0u32..=8, 0u32..=8, -20i32..=20).prop_map(|(t, u, v, s)| {
        (f64::from(t) / 16.0, [u, v].map(|x| f64::from(x) / 8.0), f64::from(s).exp2())
    })
}

/// A grid of vertices at the start and at the end, the first of which is moved so that it is at `x` at time t.
fn through(x: DVec3, t: f64, mut start: [DVec3; 4], mut end: [DVec3; 4], scale: f64) -> [[DVec3; 4]; 2] {
    let way = end[0] - start[0];
    (start[0], end[0]) = (x - t * way, x + (1.0 - t) * way);
    [start, end].map(|vertices| vertices.map(|v| scale * v))
}

fn between(a: DVec3, b: DVec3, t: f64) -> DVec3 {
    a + t * (b - a)
}

fn shape() -> impl Strategy<Value = Shape> {
    (0..6_usize, prop::array::uniform3(0.05..0.8_f64)).prop_map(|(kind, [a, b, c])| match kind {
        0 => Shape::Plane,
        1 => Shape::Sphere { radius: a },
        2 => Shape::Box { half: DVec3::new(a, b, c) },
        3 => Shape::Capsule { radius: a, half_length: b },
        4 => Shape::Cylinder { radius: a, half_length: b },
        _ => Shape::Torus { major: a + b, minor: 0.9 * a },
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// No sample of a moving triangle is within the distance before the time that is found, and there is one near it.
    #[test]
    fn nothing_comes_near_a_shape_unseen(
        shape in shape(),
        start in prop::array::uniform3(prop::array::uniform3(-1.5..1.5_f64).prop_map(DVec3::from_array)),
        way in prop::array::uniform3(prop::array::uniform3(-2.0..2.0_f64).prop_map(DVec3::from_array)),
        kept in 0.0..0.05_f64,
        turn in -0.5..0.5_f64,
    ) {
        let end: [DVec3; 3] = std::array::from_fn(|k| start[k] + way[k]);
        let poses = [Pose::moved(DVec3::splat(0.1)), Pose::turned(DVec3::new(1.0, 2.0, 3.0), turn)];
        let tolerance = 1e-2;
        let found = with_shape(&shape, [&poses[0], &poses[1]], start, end, kept, tolerance);
        let (from, to) = (start.map(|x| poses[0].local(x)), end.map(|x| poses[1].local(x)));
        let at = |t: f64| {
            let [a, b, c] = std::array::from_fn(|k| between(from[k], to[k], t));
            let grid = (0..=12).flat_map(|i| (0..=12 - i).map(move |j| [i, j].map(|k| f64::from(k) / 12.0)));
            let points = grid.map(move |[u, v]| a + u * (b - a) + v * (c - a));
            points.map(|p| shape.signed_distance(p).expect("a formula").0).fold(f64::INFINITY, f64::min)
        };
        let first = (0..=40).map(|k| f64::from(k) / 40.0).find(|&t| at(t) <= kept);
        if let Some(first) = first {
            prop_assert!(found.is_some_and(|t| t <= first), "{found:?} {first}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn no_vertex_passes_a_triangle(
        start in prop::array::uniform4(place()),
        end in prop::array::uniform4(place()),
        (t, [u, v], scale) in contact(),
    ) {
        let [u, v] = if u + v <= 1.0 { [u, v] } else { [1.0 - u, 1.0 - v] };
        let [a, b, c] = [1, 2, 3].map(|i| between(start[i], end[i], t));
        let x = a + u * (b - a) + v * (c - a);
        let [start, end] = through(x, t, start, end, scale);
        let found = vertex_triangle(start, end, scale * TOLERANCE);
        prop_assert!(found.is_some_and(|found| found <= t), "{found:?} for {t}");
    }

    /// The first end of the first edge is where the contact needs it: `(1 - u) a + u b = (1 - v) c + v d`.
    #[test]
    fn no_edge_passes_an_edge(
        start in prop::array::uniform4(place()),
        end in prop::array::uniform4(place()),
        (t, [u, v], scale) in contact(),
    ) {
        let [b, c, d] = [1, 2, 3].map(|i| between(start[i], end[i], t));
        // With u at the first end there is nothing to divide.
        let u = if u > 0.5 { 0.5 } else { 0.0 };
        let x = (between(c, d, v) - u * b) / (1.0 - u);
        let [start, end] = through(x, t, start, end, scale);
        let found = edge_edge(start, end, scale * TOLERANCE);
        prop_assert!(found.is_some_and(|found| found <= t), "{found:?} for {t}");
    }

    /// All of one side stays above a plane, all of the other below it.
    #[test]
    fn what_a_plane_parts_does_not_touch(
        start in prop::array::uniform4(place()),
        end in prop::array::uniform4(place()),
        gap in 1e-3f64..1.0,
    ) {
        let lift = |x: [DVec3; 4], above: usize| -> [DVec3; 4] {
            std::array::from_fn(|i| x[i].with_z(if i < above { x[i].z.abs() + gap } else { -x[i].z.abs() }))
        };
        prop_assert_eq!(vertex_triangle(lift(start, 1), lift(end, 1), TOLERANCE), None);
        prop_assert_eq!(edge_edge(lift(start, 2), lift(end, 2), TOLERANCE), None);
    }
}

#[test]
fn the_time_is_that_of_the_first_contact() {
    let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let at = |p: DVec3| [p, triangle[0], triangle[1], triangle[2]];
    let fall =
        |x: f64, to: f64| vertex_triangle(at(DVec3::new(x, 0.2, 1.0)), at(DVec3::new(x, 0.2, to)), TOLERANCE);
    let time = fall(0.3, -1.0).expect("through the middle");
    assert!(time <= 0.5 && 0.5 - time < TOLERANCE, "{time}");
    assert!(fall(0.3, 0.0).is_some_and(|t| t > 1.0 - 2.0 * TOLERANCE), "touches at the very end");
    assert_eq!(fall(0.3, 1e-3), None, "ends above");
    assert_eq!(fall(0.9, -1.0), None, "beside");
    let edges = |z: f64| [DVec3::new(-1.0, 0.0, z), DVec3::new(1.0, 0.0, z), DVec3::NEG_Y, DVec3::Y];
    let time = edge_edge(edges(3.0), edges(-1.0), TOLERANCE).expect("crossed");
    assert!(time <= 0.75 && 0.75 - time < TOLERANCE, "{time}");
    assert_eq!(edge_edge(edges(0.0), edges(0.0), TOLERANCE), Some(0.0), "they touch all the time");
}
