//! Distances against a search over the surface, degenerate points, refusals.

use super::*;
use crate::vector::{add_scaled, dot, norm, sub};
use proptest::prelude::*;

fn simple_shapes() -> Vec<Shape> {
    vec![
        Shape::Plane,
        Shape::Sphere { radius: 0.7 },
        Shape::Box { half: [0.5, 0.3, 0.8] },
        Shape::Capsule { radius: 0.3, half_length: 0.6 },
        Shape::Capsule { radius: 0.3, half_length: 0.0 },
        Shape::Cylinder { radius: 0.4, half_length: 0.5 },
        Shape::Torus { major: 0.8, minor: 0.25 },
    ]
}

fn tetrahedron() -> TriMesh {
    TriMesh {
        vertices: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]],
        ..Default::default()
    }
}

proptest! {
    /// A distance field has slope 1 along its normal, and the foot of the normal is on the surface. With the sign
    /// right at one point inside and outside, this leaves only the exact distance.
    #[test]
    fn the_foot_of_the_normal_is_the_nearest_surface_point(
        p in prop::array::uniform3(-1.5..1.5_f64), q in prop::array::uniform3(-1.5..1.5_f64),
    ) {
        for shape in simple_shapes() {
            let (d, n) = shape.signed_distance(p).unwrap();
            prop_assert!((norm(n) - 1.0).abs() < 1e-12);
            let foot = add_scaled(p, -d, n);
            prop_assert!(shape.signed_distance(foot).unwrap().0.abs() < 1e-9, "{shape:?}");
            let (other, _) = shape.signed_distance(q).unwrap();
            prop_assert!((other - d).abs() <= norm(sub(p, q)) + 1e-12, "{shape:?} is not 1-Lipschitz");
        }
    }

    #[test]
    fn the_normal_is_the_gradient_off_the_ties(p in prop::array::uniform3(-1.5..1.5_f64)) {
        for shape in simple_shapes() {
            let f = |p: Point| shape.signed_distance(p).unwrap().0;
            let h = 1e-6;
            let gradient: Point = std::array::from_fn(|k| {
                let mut step = [0.0; 3];
                step[k] = h;
                (f(add_scaled(p, 1.0, step)) - f(add_scaled(p, -1.0, step))) / (2.0 * h)
            });
            // Across a tie the central difference is shorter than 1.
            if (norm(gradient) - 1.0).abs() < 1e-4 {
                prop_assert!(dot(gradient, shape.signed_distance(p).unwrap().1) > 1.0 - 1e-3, "{shape:?}");
            }
        }
    }
}

#[test]
fn signs_at_known_points() {
    for (shape, inside, outside) in [
        (Shape::Plane, [3.0, 1.0, -2.0], [0.0, 0.0, 1e-9]),
        (Shape::Sphere { radius: 1.0 }, [0.0; 3], [1.1, 0.0, 0.0]),
        (Shape::Box { half: [1.0, 2.0, 3.0] }, [0.9, 1.9, 2.9], [0.9, 2.1, 2.9]),
        (Shape::Torus { major: 2.0, minor: 0.5 }, [0.0, 2.2, 0.3], [0.0; 3]),
        (Shape::Cylinder { radius: 1.0, half_length: 2.0 }, [0.7, 0.7, 1.9], [0.8, 0.8, 0.0]),
        (Shape::Capsule { radius: 1.0, half_length: 2.0 }, [0.0, 0.0, 2.9], [0.0, 0.9, 2.9]),
    ] {
        assert!(shape.signed_distance(inside).unwrap().0 < 0.0);
        assert!(shape.signed_distance(outside).unwrap().0 > 0.0);
    }
    let (d, n) = Shape::Box { half: [1.0; 3] }.signed_distance([4.0, -5.0, 0.0]).unwrap();
    assert!(d == 5.0 && norm(sub(n, [0.6, -0.8, 0.0])) < 1e-15);
}

#[test]
fn degenerate_points_have_a_unit_normal() {
    let tiny = 1e-200;
    for shape in simple_shapes() {
        for p in [
            [0.0; 3],
            [-0.0; 3],
            [0.0, 0.0, 0.3],
            [0.8, 0.0, 0.0],
            [0.5, 0.3, 0.8],
            [-0.5, -0.3, -0.8],
            [0.4, 0.0, 0.5],
            [tiny; 3],
            [0.5 + tiny, 0.3, 0.8],
            [0.5 + f64::EPSILON, 0.3 + 1e-16, 0.0],
        ] {
            let (d, n) = shape.signed_distance(p).unwrap();
            assert!(d.is_finite() && (norm(n) - 1.0).abs() < 1e-12, "{shape:?} at {p:?}: {d}, {n:?}");
        }
        assert!(shape.signed_distance([f64::NAN; 3]).unwrap().0.is_nan());
    }
}

#[test]
fn closed_meshes_are_solid_and_open_ones_are_not() {
    let mut mesh = tetrahedron();
    assert!(Shape::Mesh(mesh.clone()).is_solid() && Shape::Plane.is_solid());
    mesh.triangles.pop();
    assert!(!Shape::Mesh(mesh).is_solid());
}

#[test]
fn bad_shapes_are_refused_with_a_remedy() {
    let bad = [
        Shape::Sphere { radius: 0.0 },
        Shape::Sphere { radius: f64::NAN },
        Shape::Box { half: [1.0, -1.0, 1.0] },
        Shape::Capsule { radius: 1.0, half_length: -1e-9 },
        Shape::Cylinder { radius: 1.0, half_length: 0.0 },
        Shape::Torus { major: 1.0, minor: 1.0 },
        Shape::Torus { major: f64::INFINITY, minor: 1.0 },
        Shape::Mesh(TriMesh::default()),
        Shape::Mesh(TriMesh { triangles: vec![[0, 1, 9]], ..tetrahedron() }),
        Shape::Mesh(TriMesh { vertices: vec![[f64::NAN; 3]; 4], ..tetrahedron() }),
        Shape::Mesh(TriMesh { triangles: vec![[0, 1, 2], [0, 2, 1]], ..tetrahedron() }),
    ];
    for shape in bad {
        assert!(shape.validate().is_err(), "{shape:?}");
    }
    for shape in simple_shapes() {
        shape.validate().unwrap();
    }
    Shape::Mesh(tetrahedron()).validate().unwrap();
    let message = Shape::Sphere { radius: -1.0 }.validate().unwrap_err().to_string();
    assert_eq!(message, "the radius of a sphere is -1; it must be a positive number");
}
