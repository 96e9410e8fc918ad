//! Distances against a search over the surface, degenerate points, refusals.

use super::*;
use proptest::prelude::*;

fn simple_shapes() -> Vec<Shape> {
    vec![
        Shape::Plane,
        Shape::Sphere { radius: 0.7 },
        Shape::Box { half: DVec3::new(0.5, 0.3, 0.8) },
        Shape::Capsule { radius: 0.3, half_length: 0.6 },
        Shape::Capsule { radius: 0.3, half_length: 0.0 },
        Shape::Cylinder { radius: 0.4, half_length: 0.5 },
        Shape::Torus { major: 0.8, minor: 0.25 },
    ]
}

fn tetrahedron() -> TriMesh {
    TriMesh {
        vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z],
        triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]],
        ..Default::default()
    }
}

fn point() -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(-1.5..1.5_f64).prop_map(DVec3::from_array)
}

proptest! {
    /// A distance field has slope 1 along its normal, and the foot of the normal is on the surface. With the sign
    /// right at one point inside and outside, this leaves only the exact distance.
    #[test]
    fn the_foot_of_the_normal_is_the_nearest_surface_point(
        p in point(), q in point(),
    ) {
        for shape in simple_shapes() {
            let (d, n) = shape.signed_distance(p).unwrap();
            prop_assert!((n.length() - 1.0).abs() < 1e-12);
            let foot = p - d * n;
            prop_assert!(shape.signed_distance(foot).unwrap().0.abs() < 1e-9, "{shape:?}");
            let (other, _) = shape.signed_distance(q).unwrap();
            prop_assert!((other - d).abs() <= p.distance(q) + 1e-12, "{shape:?} is not 1-Lipschitz");
        }
    }

    #[test]
    fn the_normal_is_the_gradient_off_the_ties(p in point()) {
        for shape in simple_shapes() {
            let f = |p: DVec3| shape.signed_distance(p).unwrap().0;
            let h = 1e-6;
            let slope = |axis: DVec3| (f(p + h * axis) - f(p - h * axis)) / (2.0 * h);
            let gradient = DVec3::from(DVec3::AXES.map(slope));
            // Across a tie the central difference is shorter than 1.
            if (gradient.length() - 1.0).abs() < 1e-4 {
                prop_assert!(gradient.dot(shape.signed_distance(p).unwrap().1) > 1.0 - 1e-3, "{shape:?}");
            }
        }
    }
}

#[test]
fn signs_at_known_points() {
    for (shape, inside, outside) in [
        (Shape::Plane, [3.0, 1.0, -2.0], [0.0, 0.0, 1e-9]),
        (Shape::Sphere { radius: 1.0 }, [0.0; 3], [1.1, 0.0, 0.0]),
        (Shape::Box { half: DVec3::new(1.0, 2.0, 3.0) }, [0.9, 1.9, 2.9], [0.9, 2.1, 2.9]),
        (Shape::Torus { major: 2.0, minor: 0.5 }, [0.0, 2.2, 0.3], [0.0; 3]),
        (Shape::Cylinder { radius: 1.0, half_length: 2.0 }, [0.7, 0.7, 1.9], [0.8, 0.8, 0.0]),
        (Shape::Capsule { radius: 1.0, half_length: 2.0 }, [0.0, 0.0, 2.9], [0.0, 0.9, 2.9]),
    ] {
        let [inside, outside] = [inside, outside].map(DVec3::from_array);
        assert!(shape.signed_distance(inside).unwrap().0 < 0.0);
        assert!(shape.signed_distance(outside).unwrap().0 > 0.0);
    }
    let (d, n) = Shape::Box { half: DVec3::ONE }.signed_distance(DVec3::new(4.0, -5.0, 0.0)).unwrap();
    assert!(d == 5.0 && n.distance(DVec3::new(0.6, -0.8, 0.0)) < 1e-15);
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
            let (d, n) = shape.signed_distance(DVec3::from(p)).unwrap();
            assert!(d.is_finite() && (n.length() - 1.0).abs() < 1e-12, "{shape:?} at {p:?}: {d}, {n:?}");
        }
        assert!(shape.signed_distance(DVec3::NAN).unwrap().0.is_nan());
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
        Shape::Box { half: DVec3::new(1.0, -1.0, 1.0) },
        Shape::Capsule { radius: 1.0, half_length: -1e-9 },
        Shape::Cylinder { radius: 1.0, half_length: 0.0 },
        Shape::Torus { major: 1.0, minor: 1.0 },
        Shape::Torus { major: f64::INFINITY, minor: 1.0 },
        Shape::Mesh(TriMesh::default()),
        Shape::Mesh(TriMesh { triangles: vec![[0, 1, 9]], ..tetrahedron() }),
        Shape::Mesh(TriMesh { vertices: vec![DVec3::NAN; 4], ..tetrahedron() }),
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
